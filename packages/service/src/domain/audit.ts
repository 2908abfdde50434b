import { createHash } from 'node:crypto';
import { canonicalJson } from './canonical-json.js';
import type { Uuid } from './ids.js';
import { toInteger } from './integer.js';
import type { PersonKind } from './person.js';

export interface ChangedBy {
  /** An operator or a member of a partner; null for the command line. */
  personId: Uuid | null;
  requestId: string | null;
}

/**
 * The command line, whose caller holds an address of the database: it does not know who they are, so it is no person and
 * has no request.
 */
export const commandLine: ChangedBy = { personId: null, requestId: null };

/** All actions that the audit log records, sorted by the kind of object. The console has a name for each. */
export const auditActions = [
  'account.freeze',
  'account.thaw',
  'admin.accept',
  'admin.cancel',
  'admin.propose',
  'api_key.create',
  'api_key.revoke',
  'approval.approve',
  'approval.expire',
  'approval.reject',
  'approval.request',
  'authority.apply',
  'authority.cancel',
  'authority.propose',
  'bar.add',
  'bar.change',
  'bar.hand_over',
  'bar.release',
  'bar.reserve',
  'bar.withdraw',
  'chain.accounts',
  'chain.init',
  'chain.key',
  'chain.status',
  'country.change',
  'country.create',
  'dead_letter.resolve',
  'dead_letter.retry',
  'denomination.change',
  'denomination.create',
  'gold.mint',
  'id_type.change',
  'id_type.create',
  'id_type.delete',
  'indexer.reindex',
  'kyc.rotate',
  'limits.change',
  'limits.refuse',
  'member.accept_invitation',
  'member.add_passkey',
  'member.add_totp',
  'member.change',
  'member.confirm',
  'member.confirm_failed',
  'member.invite',
  'member.password',
  'member.password_failed',
  'member.remove',
  'member.remove_passkey',
  'member.remove_totp',
  'member.rename_passkey',
  'member.renew_recovery_codes',
  'member.request',
  'member.sign_in',
  'member.sign_in_failed',
  'member.sign_in_password',
  'member.withdraw_invitation',
  'operator.add_passkey',
  'operator.add_totp',
  'operator.change',
  'operator.confirm',
  'operator.confirm_failed',
  'operator.create',
  'operator.disable',
  'operator.enable',
  'operator.end_session',
  'operator.end_sessions',
  'operator.link',
  'operator.password',
  'operator.password_failed',
  'operator.remove_passkey',
  'operator.remove_totp',
  'operator.rename_passkey',
  'operator.renew_recovery_codes',
  'operator.reset_second_factor',
  'operator.sign_in',
  'operator.sign_in_failed',
  'operator.sign_in_password',
  'operator_token.create',
  'operator_token.revoke',
  'operator_transaction.expire',
  'order.take_back',
  'partner.add_wallet',
  'partner.change',
  'partner.create',
  'partner.onchain',
  'partner.resume',
  'partner.revoke_wallet',
  'partner.suspend',
  'redemption.assign',
  'redemption.burn',
  'redemption.cancel',
  'redemption.cancel_burn',
  'redemption.collect',
  'redemption.prepare',
  'redemption.ready',
  'redemption.refund',
  'redemption.reissue_code',
  'redemption.reveal_identity',
  'redemption.settle_burn',
  'redemption.wrong_code',
  'screening.list',
  'screening.refuse',
  'settings.apply',
  'settings.cancel',
  'settings.propose',
  'signature.refuse',
  'trade.take_back',
  'treasury.fund',
  'treasury.sweep_escrow',
  'treasury.withdraw',
  'user.erase',
  'user.kyc_level',
  'user.read_kyc',
  'user.resume',
  'user.search_kyc',
  'user.suspend',
  'view.delete',
  'view.save',
  'webhook_endpoint.disable',
] as const;
export type AuditAction = (typeof auditActions)[number];

type ActOf<Kind extends PersonKind> = AuditAction extends infer Action
  ? Action extends `${Kind}.${infer Act}`
    ? Act
    : never
  : never;

/** Returns the action by which a person of a kind does something that people of both kinds do. */
export const actionOf = (kind: PersonKind, act: ActOf<'operator'> & ActOf<'member'>): AuditAction =>
  `${kind}.${act}`;

/** Kinds of objects of actions that are not named after them, by how their names begin. */
const otherTypes: Readonly<Record<string, string>> = {
  admin: 'chain',
  authority: 'partner',
  gold: 'treasury',
  indexer: 'chain',
  kyc: 'kyc_key',
  settings: 'chain',
  signature: 'signing_key',
};

/** Returns the kind of object that an action is about, unless its row names another. */
export function objectTypeOf(action: AuditAction): string {
  const kind = action.slice(0, action.indexOf('.'));
  return otherTypes[kind] ?? kind;
}

/** What the hash of an audit row covers: every column but the hashes. */
export interface AuditFacts {
  seq: number;
  at: Date;
  personId: string | null;
  action: string;
  objectType: string;
  objectId: string;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  reason: string | null;
  requestId: string | null;
}

/**
 * Returns the hash of an audit row: SHA-256 over the hash of the row before it and the canonical JSON of its columns.
 */
export function auditHash(previousHash: Uint8Array, facts: AuditFacts): Uint8Array {
  const { seq, at, personId, action, objectType, objectId, before, after, reason, requestId } = facts;
  const columns = [seq, at.toISOString(), personId, action, objectType, objectId, before, after, reason];
  return createHash('sha256')
    .update(previousHash)
    .update(canonicalJson([...columns, requestId]))
    .digest();
}

/** The end of an audit log, as it is kept elsewhere. */
export interface AuditAnchor {
  seq: number;
  /** 32 bytes. */
  hash: Uint8Array;
}

/** Returns the text that keeps the end of an audit log: `karat audit 12 5dc9…`, the hash hexadecimal. */
export function anchorText({ seq, hash }: AuditAnchor): string {
  return `karat audit ${seq} ${Buffer.from(hash).toString('hex')}`;
}

/** Returns the anchor that a text is; undefined for any other. */
export function parseAnchor(text: string): AuditAnchor | undefined {
  const [, seq = '', hash = ''] = /^karat audit ([1-9]\d{0,14}) ([0-9a-f]{64})$/.exec(text) ?? [];
  return seq === '' ? undefined : { seq: toInteger(seq), hash: Uint8Array.from(Buffer.from(hash, 'hex')) };
}

/** The action by which an operator sets the level of a user's KYC. */
export const kycLevelAction: AuditAction = 'user.kyc_level';

/** The action by which an operator searches KYC records. */
export const searchKycAction: AuditAction = 'user.search_kyc';

/** Their entries, and the reasons in them, say something of KYC data. */
const aboutKyc: readonly string[] = [kycLevelAction, searchKycAction];

type Shown = Pick<AuditFacts, 'before' | 'after' | 'reason'>;

/**
 * Returns the part of an audit row that a reader may see. Which level of KYC a user had and has, and why, is KYC, and so is why somebody
 * searched for it: without the right to read that, only that it was set or searched.
 */
export function shownOf(facts: Shown & Pick<AuditFacts, 'action'>, mayReadKyc: boolean): Shown {
  if (aboutKyc.includes(facts.action) && !mayReadKyc) return { before: null, after: null, reason: null };
  const { before, after, reason } = facts;
  return { before, after, reason };
}

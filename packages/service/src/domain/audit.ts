import { createHash } from 'node:crypto';
import { canonicalJson } from './canonical-json.js';
import type { Uuid } from './ids.js';
import { toInteger } from './integer.js';

export interface ChangedBy {
  /** Null for the command line. */
  operatorId: Uuid | null;
  requestId: string | null;
}

/**
 * The command line, whose caller holds an address of the database: it does not know who they are, so it is no operator and
 * has no request.
 */
export const commandLine: ChangedBy = { operatorId: null, requestId: null };

/** What the hash of an audit row covers: every column but the hashes. */
export interface AuditFacts {
  seq: number;
  at: Date;
  operatorId: string | null;
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
  const { seq, at, operatorId, action, objectType, objectId, before, after, reason, requestId } = facts;
  const columns = [seq, at.toISOString(), operatorId, action, objectType, objectId, before, after, reason];
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
export const kycLevelAction = 'user.kyc_level';

/** The action by which an operator searches KYC records. */
export const searchKycAction = 'user.search_kyc';

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

import type { Integrator } from '@karat/program-client';
import type { Address } from '@solana/kit';
import {
  type AuthorityAct,
  type AuthorityName,
  authorityInstruction,
  authorityNames,
  authorityOf,
  proposedAuthorities,
} from '../../chain/program/authorities.js';
import type { IntegratorEntry } from '../../chain/program/integrator.js';
import { noKey } from '../../chain/program/wallet.js';
import type { Context } from '../../context.js';
import type { Db, Tx } from '../../db/client.js';
import { findWalletHolder } from '../../db/partners/partner-wallets.js';
import type { Uuid } from '../../domain/ids.js';
import { asWalletAddress } from '../../domain/solana.js';
import { momentOf } from '../../domain/timestamp.js';
import { AppError, invalidField, notAllowed } from '../../errors.js';
import type { ChainSteps, PlanFacts } from '../approvals/plan.js';
import { hashOf } from '../approvals/plan-change.js';
import { isOwnWallet } from '../treasury/own-wallets.js';
import { requireAllowedWallet, walletIsRegistered } from './add-partner-wallet.js';
import { getPartner } from './get-partner.js';
import { readChanged } from './plan-onchain.js';

/** An authority of a partner that the admin proposes, cancels or applies. */
export interface AuthorityRequest {
  partnerId: string;
  act: AuthorityAct;
  /** `wallet`, `update` or `withdrawal`. */
  role: string;
  /** The proposed key. */
  address: string;
}

/** What is done about an authority. */
export interface AuthorityPlan extends PlanFacts {
  in: 'chain';
  action: `authority.${AuthorityAct}`;
  act: AuthorityAct;
  /** The partner's id. */
  objectId: Uuid;
  integrator: IntegratorEntry;
  role: AuthorityName;
  key: Address;
}

/**
 * Decides whether an authority of a partner can be proposed, cancelled or applied: the partner is on chain, and the key is
 * a new one that no one else has, or the one that is proposed and whose time has come. Cancelling takes one person,
 * because it only stops something. Throws `partner_not_found`, `invalid_wallet`, `invalid_request`,
 * `wallet_already_registered`, `transition_not_allowed` or `wallet_not_allowed`.
 */
export async function planAuthority(ctx: Context, request: AuthorityRequest): Promise<AuthorityPlan> {
  const { act } = request;
  const role = authorityNames.find((name) => name === request.role);
  if (!role) throw new AppError('not_found', 'The authority must be wallet, update or withdrawal.');
  const partner = await getPartner(ctx.db, request.partnerId);
  const integrator = ctx.chain.program.integrator(partner.id);
  if (!integrator) throw notAllowed('This partner is not on chain.');
  const key = readKey(ctx, request.address);
  if (act !== 'cancel') await requireAllowedWallet(ctx, key, partner.id, 'address');
  if (act === 'propose') await requireNew(ctx.db, integrator.data, { partnerId: partner.id, role, key });
  else requireProposed(ctx, integrator.data, { act, role, key });
  const before = stateOf(integrator.data, role);
  return {
    in: 'chain',
    action: `authority.${act}`,
    act,
    objectId: partner.id,
    integrator,
    role,
    key,
    request: { role, address: key },
    before,
    objectHash: hashOf([partner.id, partner.updatedAt.toISOString(), before]),
    takesTwo: act !== 'cancel',
  };
}

/** Proposes, cancels or applies an authority. */
export const authority: ChainSteps<AuthorityPlan> = {
  async build({ chain }, { act, objectId: partnerId, integrator, role, key }) {
    const { admin } = chain.program.config();
    const { address, data } = integrator;
    return {
      row: { kind: `${act}_authority`, partnerId },
      signedBy: ['admin'],
      instructions: [await authorityInstruction(chain, act, { admin, integrator: address, role, key })],
      change: { before: stateOf(data, role), after: { role, address: key } },
    };
  },

  async recheck(_ctx, { tx }, { act, objectId: partnerId, integrator, role, key }) {
    if (act === 'propose') await requireNew(tx, integrator.data, { partnerId, role, key });
  },

  readResult: async (ctx, { objectId }, slot) => ({ onChain: await readChanged(ctx, objectId, slot) }),
};

function readKey(ctx: Context, text: string): Address {
  const key = asWalletAddress(text);
  if (!key || key === noKey) {
    throw new AppError('invalid_wallet', 'address is not a valid public key.', { field: 'address' });
  }
  if (!isOwnWallet(ctx, key)) return key;
  const message = 'address is a key of the service, which cannot be a partner.';
  throw new AppError('invalid_wallet', message, { field: 'address' });
}

/** The key must not have the role already, or be proposed for it; a wallet must not belong to another partner, and must not be revoked. */
async function requireNew(
  db: Db | Tx,
  integrator: Integrator,
  { partnerId, role, key }: { partnerId: Uuid; role: AuthorityName; key: Address },
): Promise<void> {
  if (authorityOf(integrator, role) === key) {
    throw invalidField('address', 'address already has this role.');
  }
  // Another proposal would begin the delay again: who repeats a request whose response was lost must not wait longer.
  if (proposalOf(integrator, role)?.address === key) {
    throw notAllowed('address is already proposed for this role.');
  }
  if (role !== 'wallet') return;
  const holder = await findWalletHolder(db, key);
  if (holder && (holder.partnerId !== partnerId || holder.status !== 'active')) {
    throw walletIsRegistered(holder);
  }
}

function requireProposed(
  ctx: Context,
  integrator: Integrator,
  { act, role, key }: Pick<AuthorityPlan, 'act' | 'role' | 'key'>,
): void {
  const proposal = proposalOf(integrator, role);
  if (proposal?.address !== key) {
    throw notAllowed('This is not the key that is proposed for this role.');
  }
  const readyAt = momentOf(proposal.readyAtSeconds);
  if (act === 'cancel' || ctx.clock.now() >= readyAt.getTime()) return;
  throw notAllowed(`This cannot be applied before ${readyAt.toISOString()}.`);
}

function proposalOf(integrator: Integrator, role: AuthorityName) {
  return proposedAuthorities(integrator).find((each) => each.role === role);
}

/** Returns the role as it is, and what is proposed for it. */
function stateOf(integrator: Integrator, role: AuthorityName): Record<string, unknown> {
  const proposal = proposalOf(integrator, role);
  return { role, address: authorityOf(integrator, role), proposed_address: proposal?.address ?? null };
}

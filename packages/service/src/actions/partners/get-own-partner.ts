import { IntegratorStatus } from '@karat/program-client';
import type { IntegratorEntry } from '../../chain/program/integrator.js';
import { readVault, type VaultBalances } from '../../chain/program/vault.js';
import type { Context } from '../../context.js';
import { findPartner, type Partner } from '../../db/partners/partners.js';
import type { TradebookCaller } from '../../domain/principal.js';
import { AppError } from '../../errors.js';
import { takeNodeCalls } from '../limits/take-node-calls.js';

/** A partner as it stands in the database and on chain. */
export interface OwnPartner {
  partner: Pick<Partner, 'id' | 'name'>;
  /** `suspended` if the partner is suspended in the database or on chain: both stop trades. */
  status: Partner['status'];
  onChain: IntegratorEntry['data'];
  /** Owner of what the central vault holds. */
  vaultAddress: IntegratorEntry['address'];
  /** All of `onChain.executives` that are set. */
  executives: string[];
  /** What the central vault holds, in base units. */
  balances: VaultBalances;
}

/**
 * Returns the partner that a caller acts for. Throws `partner_not_found` for one who acts for none,
 * `rate_limited`, and `service_unavailable` while the node does not respond.
 */
export async function getOwnPartner(
  ctx: Context,
  { partnerId }: Pick<TradebookCaller, 'partnerId'>,
): Promise<OwnPartner> {
  if (partnerId === null) throw new AppError('partner_not_found', 'Your key does not act for any partner.');
  const integrator = ctx.chain.program.integrator(partnerId);
  const partner = integrator && (await findPartner(ctx.db, partnerId));
  if (!partner) throw new AppError('partner_not_found', 'The partner is not set up on chain.');
  await takeNodeCalls(ctx, { caller: partnerId, use: 'look', calls: 1 });
  const balances = await readVault({ rpc: ctx.chain.callers.look }, integrator);
  const { data } = integrator;
  const active = data.status === IntegratorStatus.Active;
  return {
    partner,
    status: active ? partner.status : 'suspended',
    onChain: data,
    vaultAddress: integrator.address,
    executives: data.executives.slice(0, data.executiveCount),
    balances,
  };
}

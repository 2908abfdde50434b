import { IntegratorStatus, type PartnerTerms as TermsOnChain } from '@karat/program-client';
import type { Address } from '@solana/kit';
import type { Context } from '../../context.js';
import type { Db, Tx } from '../../db/client.js';
import { findWalletsOf } from '../../db/partners/partner-wallets.js';
import { findPartner, type Partner } from '../../db/partners/partners.js';
import type { Uuid } from '../../domain/ids.js';
import type { WalletAddress } from '../../domain/solana.js';

/** A partner and what it trades by, as the database has it and as this process last read it on chain. */
export interface PartnerTerms {
  partner: Partner;
  /** `suspended` if the partner is suspended in the database or on chain: both stop trades. */
  status: Partner['status'];
  /** Active ones, in the order of their registration. */
  wallets: WalletAddress[];
  /** Undefined for a partner that is not set up on chain. */
  integrator: { address: Address; openFeeBps: number; closedFeeBps: number } | undefined;
  /** Base units of USDC; undefined while the program's configuration is not known. */
  maxTradeUsdc: bigint | undefined;
  requestsPerMinute: number;
}

/**
 * Returns the terms of a partner; undefined when there is no such partner. Makes no call to the node. `onChain`: terms on chain
 * that this process may not have read yet.
 */
export async function getPartnerTerms(
  ctx: Context,
  db: Db | Tx,
  partnerId: Uuid,
  onChain?: TermsOnChain,
): Promise<PartnerTerms | undefined> {
  const partner = await findPartner(db, partnerId);
  const wallets = await findWalletsOf(db, [partnerId]);
  if (!partner) return undefined;
  const known = onChain ?? ctx.chain.program.lastIntegrator(partnerId)?.data;
  const isActive = known === undefined || known.status === IntegratorStatus.Active;
  return {
    partner,
    status: isActive ? partner.status : 'suspended',
    wallets: wallets.flatMap(({ status, walletAddress }) => (status === 'active' ? [walletAddress] : [])),
    integrator: known && {
      address: await ctx.chain.program.integratorAddress(partnerId),
      openFeeBps: known.openFeeBps,
      closedFeeBps: known.closedFeeBps,
    },
    maxTradeUsdc: ctx.chain.program.lastConfig()?.maxTradeUsdc,
    requestsPerMinute: ctx.config.keyRateLimitPerMinute,
  };
}

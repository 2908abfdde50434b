import { IntegratorStatus, type PartnerTerms as TermsOnChain } from '@karat/program-client';
import { noLimit } from '../../chain/program/window.js';
import type { Context } from '../../context.js';
import type { Db, Tx } from '../../db/client.js';
import type { PartnerTerms } from '../../db/partners/partner-terms.js';
import { findWalletsOf } from '../../db/partners/partner-wallets.js';
import { findPartner } from '../../db/partners/partners.js';
import type { Uuid } from '../../domain/ids.js';

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
  const maxTrade = ctx.chain.program.lastConfig()?.settings.maxTradeUsdc;
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
    maxTradeUsdc: maxTrade === noLimit ? undefined : maxTrade,
    requestsPerMinute: ctx.config.keyRateLimitPerMinute,
  };
}

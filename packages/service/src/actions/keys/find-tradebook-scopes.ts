import type { Context } from '../../context.js';
import type { Uuid } from '../../domain/ids.js';
import type { TradebookScope } from '../../domain/principal.js';
import type { WalletAddress } from '../../domain/solana.js';

/**
 * Returns the roles that a wallet has on chain now, in the order of `tradebookScopes`: those of that partner, or
 * `ADMIN` where there is no partner. None for a partner that is not on chain. What is known of the chain is 2 s old at
 * most. Throws `service_unavailable` while that is not known for certain.
 */
export function findTradebookScopes(
  ctx: Context,
  { walletAddress, partnerId }: { walletAddress: WalletAddress; partnerId: Uuid | null },
): TradebookScope[] {
  const { program } = ctx.chain;
  if (partnerId === null) return program.config().admin === walletAddress ? ['ADMIN'] : [];
  const integrator = program.integrator(partnerId)?.data;
  if (!integrator) return [];
  // Places behind the count are empty.
  const executives: string[] = integrator.executives.slice(0, integrator.executiveCount);
  const roles: [boolean, TradebookScope][] = [
    [executives.includes(walletAddress), 'PARTNER_EXECUTIVE_AUTHORITY'],
    [integrator.updateAuthority === walletAddress, 'PARTNER_UPDATE_AUTHORITY'],
    [integrator.withdrawalAuthority === walletAddress, 'PARTNER_WITHDRAWAL_AUTHORITY'],
  ];
  return roles.filter(([holds]) => holds).map(([, scope]) => scope);
}

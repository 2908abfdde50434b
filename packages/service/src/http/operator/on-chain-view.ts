import { Type } from '@fastify/type-provider-typebox';
import type { OnChain, OnChainReading } from '../../actions/partners/read-on-chain.js';
import { limitView } from '../../actions/program/settings.js';
import { amountNumber } from '../../domain/money.js';
import { momentOf } from '../../domain/timestamp.js';
import { choice, Nullable, titled } from '../../views/schemas.js';
import { viewOf } from '../../views/view.js';
import { field } from './fields.js';
import { Limit } from './shapes.js';

/** A partner as the program on chain knows it. */
export const OnChainView = titled('PartnerOnChain', {
  integrator_address: Type.String(field.integratorAddress),
  central_vault_address: Type.String(field.centralVaultAddress),
  terms_seq: Type.Integer(field.termsSeq),
  status: choice(['active', 'suspended'], field.onChainStatus),
  wallet_address: Type.String(field.onChainWallet),
  open_fee_bps: Type.Integer(field.openFeeBps),
  closed_fee_bps: Type.Integer(field.closedFeeBps),
  daily_limit_usdc: Limit(field.dailyLimitUsdc),
  daily_volume_usdc: Type.Number(field.dailyVolumeUsdc),
  update_authority: Type.String(field.updateAuthority),
  withdrawal_authority: Type.String(field.withdrawalAuthority),
  executive_authorities: Type.Array(Type.String(field.executiveAuthority)),
  proposed_authorities: Type.Array(
    Type.Object({
      role: choice(['wallet', 'update', 'withdrawal'], field.authorityRole),
      address: Type.String(field.proposedAuthority),
      ready_at: Type.String(field.proposalReadyAt),
    }),
    field.proposedAuthorities,
  ),
  balances: Type.Object({
    gold: Type.Number({ description: 'Balance of the vault. GOLD.', examples: [250] }),
    usdc: Type.Number({ description: 'Balance of the vault. USDC.', examples: [1_000_000] }),
  }),
});

/** Fields of a partner about its state on chain: one of the two is always there. */
export const onChainParts = {
  onchain: Type.Optional(
    Nullable(OnChainView, {
      description:
        'State read from the chain: null if the partner is not on chain, absent while that is unknown.',
    }),
  ),
  onchain_fault: Type.Optional(Type.String(field.onChainFault)),
};

const onChainView = viewOf(OnChainView);

export function toOnChainView(onChain: OnChain) {
  return onChainView({
    ...onChain,
    dailyLimitUsdc: limitView(onChain.daily.limit),
    dailyVolumeUsdc: onChain.daily.used,
    proposedAuthorities: onChain.proposedAuthorities.map(({ role, address, readyAtSeconds }) => ({
      role,
      address,
      ready_at: momentOf(readyAtSeconds).toISOString(),
    })),
    balances: { gold: amountNumber(onChain.balances.gold), usdc: amountNumber(onChain.balances.usdc) },
  });
}

/** `onchain: null` would say that the partner is not on chain, so nothing is said while that is not known. */
export function toOnChainParts(reading: OnChainReading) {
  if ('fault' in reading) return { onchain: undefined, onchainFault: reading.fault };
  return { onchain: reading.onChain && toOnChainView(reading.onChain), onchainFault: undefined };
}

import { goldOf, tokenAccountOf, usdcOf } from '../../chain/program/token-accounts.js';
import type { Context } from '../../context.js';
import { goldUnits, usdcUnits } from '../../domain/money.js';
import { type VaultToken, vaultTokens } from '../../domain/order.js';
import type { TradebookCaller } from '../../domain/principal.js';
import { invalidField } from '../../errors.js';
import { requireUnpaused } from '../program/require-unpaused.js';
import { positiveAmount } from '../trades/quote-trade.js';
import {
  checkMetadata,
  draftOrder,
  getIntegratorOf,
  type OrderMetadata,
  type PlacedOrder,
  partnerOf,
} from './place-order.js';
import { requireInVault } from './quote-vault-trade.js';

export interface WithdrawalInput {
  amount: number;
  /** `gold` or `usdc`, in any case. */
  tokenType: string;
  metadata?: OrderMetadata | undefined;
}

/**
 * Drafts the order of a withdrawal of tokens of the vault to the token account of the calling withdrawal authority, and nowhere
 * else. A partner that is suspended on chain may withdraw: suspension is about trading. Throws, in this order:
 * `invalid_request`, `onchain_config_missing`, `rate_limited`, `insufficient_reserve`, `service_unavailable`.
 */
export async function draftWithdrawal(
  ctx: Context,
  caller: TradebookCaller,
  input: WithdrawalInput,
): Promise<PlacedOrder> {
  const partnerId = partnerOf(caller);
  const amount = positiveAmount(input.amount, 'amount');
  const token = tokenOf(input.tokenType);
  const metadata = checkMetadata(input.metadata);
  const integrator = getIntegratorOf(ctx, partnerId);
  const config = ctx.chain.program.config();
  await requireInVault(ctx, { partnerId, integrator }, token, amount);
  requireUnpaused(config, 'withdraw');
  const signer = caller.walletAddress;
  const gold = token === 'gold';
  const destination = tokenAccountOf(signer, gold ? goldOf(config) : usdcOf(config));
  const draft = {
    partnerId,
    integrator,
    signer,
    termsAt: (expireAtSeconds: bigint) => ({
      ...{ kind: 'withdrawal' as const, token, amount, expireAtSeconds },
    }),
    columns: {
      token,
      destination,
      metadata,
      ...(gold ? { goldAmount: goldUnits(amount) } : { usdcAmount: usdcUnits(amount) }),
    },
  };
  return draftOrder(ctx, caller, draft);
}

function tokenOf(text: string): VaultToken {
  const token = vaultTokens.find((name) => name === text.toLowerCase());
  if (token) return token;
  throw invalidField('tokenType', 'tokenType must be gold or usdc.');
}

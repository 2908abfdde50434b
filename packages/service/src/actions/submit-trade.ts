import type { TradeSide } from '../chain/build-trade.js';
import { inspectTrade } from '../chain/inspect-trade.js';
import type { Context } from '../context.js';
import { asTradeId, type TradeId } from '../domain/ids.js';
import type { Principal } from '../domain/principal.js';
import { AppError } from '../errors.js';
import { counted } from '../metrics/counted.js';
import { broadcast, serviceSignersOf, signedTxBytes } from './broadcast.js';

export interface SubmitTradeInput {
  side: TradeSide;
  /** From the path, as it came. */
  tradeId: string;
  /** Base64 of the wire transaction, as it came. */
  signedTx: string;
}

export interface SubmittedTrade {
  tradeId: TradeId;
  /** Base58 signature of the transaction. */
  txHash: string;
}

/**
 * Sends a quote's own transaction, signed by all, to the chain; with guards of a wallet it is signed anew. Writes no
 * record and may be repeated: the same bytes give the same answer, also after they landed. Throws `invalid_request` (no
 * base64), `trade_not_found` (no trade id), `broadcast_failed` (another transaction, or refused by the node),
 * `user_suspended`, `kyc_level_insufficient` or `service_unavailable`.
 */
export function submitTrade(
  ctx: Context,
  principal: Principal,
  input: SubmitTradeInput,
): Promise<SubmittedTrade> {
  return counted(ctx.metrics.submits, input.side, submit(ctx, principal, input));
}

async function submit(ctx: Context, principal: Principal, input: SubmitTradeInput): Promise<SubmittedTrade> {
  const bytes = signedTxBytes(input.signedTx);
  const tradeId = asTradeId(input.tradeId);
  if (!tradeId) throw new AppError('trade_not_found', 'There is no trade with this trade_id.');
  const integrator = await ctx.chain.program.integratorAddress(principal.partnerId);
  const txHash = await broadcast(ctx, tradeId, bytes, () =>
    inspectTrade(bytes, {
      side: input.side,
      tradeId,
      integrator,
      programAddress: ctx.chain.programAddress,
      serviceSigners: serviceSignersOf(ctx),
      guards: ctx.config.guardInstructions,
    }),
  );
  return { tradeId, txHash };
}

import type { TradeSide } from '../../chain/build/build-trade.js';
import { inspectRedemption } from '../../chain/inspect/inspect-redemption.js';
import { inspectTrade } from '../../chain/inspect/inspect-trade.js';
import type { Context } from '../../context.js';
import { findRedemption, type Redemption } from '../../db/redemptions/redemptions.js';
import { asRedemptionId, asTradeId, type RedemptionId, type TradeId } from '../../domain/ids.js';
import { requireOwn } from '../../domain/ownership.js';
import type { Principal } from '../../domain/principal.js';
import type { TxSignature } from '../../domain/solana.js';
import { AppError } from '../../errors.js';
import { counted } from '../../metrics/counted.js';
import { broadcast, serviceSignersOf, signedTxBytes } from './broadcast.js';

/** The transaction of a quote: id of the path and base64 of the wire transaction, both as they came. */
export interface SubmitInput {
  id: string;
  signedTx: string;
}

/** A transaction that was sent, or that the chain has already. */
export interface Submitted<Id> {
  id: Id;
  /** Base58 signature of the transaction. */
  txHash: TxSignature;
}

/**
 * Sends a quote's own transaction, signed by all, to the chain; with guards of a wallet it is signed again. Writes no
 * record and may be repeated: the same bytes give the same response, also after they landed. Throws `invalid_request` (no
 * base64), `trade_not_found` (no trade id), `broadcast_failed` (another transaction, or refused by the node),
 * `user_suspended`, `kyc_level_insufficient` or `service_unavailable`.
 */
export function submitTrade(
  ctx: Context,
  principal: Principal,
  side: TradeSide,
  input: SubmitInput & { requestId: string },
): Promise<Submitted<TradeId>> {
  return counted(ctx.metrics.submits, side, async () => {
    const bytes = signedTxBytes(input.signedTx);
    const caller = { partnerId: principal.partnerId, requestId: input.requestId };
    const tradeId = asTradeId(input.id);
    if (!tradeId) throw new AppError('trade_not_found', 'There is no trade with this trade_id.');
    const integrator = await ctx.chain.program.integratorAddress(principal.partnerId);
    const txHash = await broadcast(ctx, { ...caller, kind: side, id: tradeId }, bytes, () =>
      inspectTrade(bytes, { side, tradeId, integrator, ...rulesOf(ctx) }),
    );
    return { id: tradeId, txHash };
  });
}

/** Sends a redemption's own transaction in the same way. Throws also `redemption_not_found` and `partner_mismatch`. */
export function submitRedemption(
  ctx: Context,
  principal: Principal,
  input: SubmitInput & { requestId: string },
): Promise<Submitted<RedemptionId>> {
  return counted(ctx.metrics.submits, 'redemption', async () => {
    const bytes = signedTxBytes(input.signedTx);
    const caller = { partnerId: principal.partnerId, requestId: input.requestId };
    const redemption = await getOwn(ctx, principal, input.id);
    const { id } = redemption;
    const txHash = await broadcast(ctx, { ...caller, kind: 'redemption', id }, bytes, () =>
      inspectRedemption(bytes, {
        redemptionId: id,
        amount: redemption.tokensRequired,
        user: redemption.userWallet,
        escrowGold: redemption.escrowAccount,
        ...rulesOf(ctx),
      }),
    );
    return { id, txHash };
  });
}

/** What any quote's transaction is held to. */
export function rulesOf(ctx: Context) {
  const { programAddress } = ctx.chain;
  return { programAddress, serviceSigners: serviceSignersOf(ctx), guards: ctx.config.guardInstructions };
}

/** Returns a redemption of this partner in any state, also one that is only quoted. */
async function getOwn(ctx: Context, principal: Principal, redemptionId: string): Promise<Redemption> {
  const id = asRedemptionId(redemptionId);
  const redemption = id && (await findRedemption(ctx.db, id));
  if (!redemption) throw new AppError('redemption_not_found', `There is no redemption ${redemptionId}.`);
  requireOwn(principal, redemption, 'redemption');
  return redemption;
}

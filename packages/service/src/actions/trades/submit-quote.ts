import type { TradeSide } from '../../chain/build/build-trade.js';
import { advised } from '../../chain/failure/cause.js';
import { inspectRedemption } from '../../chain/inspect/inspect-redemption.js';
import { inspectTrade } from '../../chain/inspect/inspect-trade.js';
import type { InspectedQuote } from '../../chain/inspect/signed-message.js';
import { OtherPartner, TransactionDifference } from '../../chain/inspect/transaction-view.js';
import type { Context } from '../../context.js';
import type { Tx } from '../../db/client.js';
import { failureOf, noFailure } from '../../db/failure.js';
import { claimVelocity } from '../../db/limits/velocity.js';
import { findRedemption, type Redemption } from '../../db/redemptions/redemptions.js';
import {
  findSubmission,
  insertSubmission,
  type NewSubmission,
  noteRefusal,
  type OperationKind,
} from '../../db/trades/submissions.js';
import type { Trader } from '../../db/trades/traders.js';
import { findTrade } from '../../db/trades/trades.js';
import { asRedemptionId, asTradeId, type RedemptionId, type TradeId, uuidOf } from '../../domain/ids.js';
import { nodeShares } from '../../domain/limits.js';
import { otherPartners, requireOwn } from '../../domain/ownership.js';
import type { Principal } from '../../domain/principal.js';
import type { Address, TxSignature } from '../../domain/solana.js';
import { type VelocityAmounts, velocityScopes, withoutAmounts } from '../../domain/velocity.js';
import { AppError, broadcastFailed } from '../../errors.js';
import { submissionEvent } from '../../events/partner-events.js';
import { annotate, traceparentInHand } from '../../tracing/spans.js';
import { requireRoom } from '../limits/require-room.js';
import { takeNodeCalls } from '../limits/take-node-calls.js';
import { recordMemberChange } from '../members/record-member-change.js';
import { requireSendable, signGuarded, unreachable } from './sign-guarded.js';
import { rulesOf, signedTxBytes } from './signed-transaction.js';

/** The transaction of a quote: id of the path and base64 of the wire transaction, both as they came. */
export interface SubmitInput {
  id: string;
  signedTx: string;
  requestId: string;
}

/** A transaction that was sent, or that the chain has already. */
export interface Submitted<Id> {
  id: Id;
  /** Base58 signature of the transaction. */
  txHash: TxSignature;
}

/** Total time of waiting for the node, so that every response comes within 5 s. */
const deadlineMs = 4_000;
/** When the node refuses a transaction, its status and a balance are read. */
const callsOfRefusal = 2;

/**
 * Sends a quote's own transaction, signed by all, to the chain; with guards of a wallet it is signed again. Writes no
 * record and may be repeated: the same bytes give the same response, also after they landed. Throws `invalid_request` (no
 * base64), `trade_not_found` (no trade id, or one that neither a record nor the transaction knows), `partner_mismatch`,
 * `broadcast_failed` (another transaction, or refused by the node),
 * `user_suspended`, `kyc_level_insufficient`, `wallet_not_allowed` or `limit_exceeded` for a user who could get no quote
 * now, `rate_limited` when there is no room for its calls to the nodes, or `service_unavailable`.
 */
export async function submitTrade(
  ctx: Context,
  principal: Principal,
  side: TradeSide,
  input: SubmitInput,
): Promise<Submitted<TradeId>> {
  const bytes = signedTxBytes(input.signedTx);
  const id = asTradeId(input.id);
  if (!id) throw new AppError('trade_not_found', 'There is no trade with this trade_id.');
  const integrator = await ctx.chain.program.integratorAddress(principal.partnerId);
  const inspected = await inspectOwn(ctx, principal, { kind: side, id, integrator }, bytes);
  return { id, txHash: await send(ctx, principal, { ...input, kind: side, id }, bytes, inspected) };
}

/** Inspects a trade. Whose it is comes before what is different: by the transaction, else by what is known of the id. */
async function inspectOwn(
  ctx: Context,
  principal: Principal,
  quote: Quote & { id: TradeId },
  bytes: Uint8Array,
): Promise<InspectedQuote> {
  try {
    return inspect(ctx, quote, bytes);
  } catch (error) {
    const [submission, trade] = await Promise.all([
      findSubmission(ctx.db, quote.id),
      findTrade(ctx.db, quote.id),
    ]);
    const known = trade ?? submission;
    if (known) requireOwn(principal, known, 'trade');
    if (known || !isOtherQuote(error)) throw error;
    throw new AppError('trade_not_found', error.message, { reason: error.reason });
  }
}

/** Whether the transaction is that of another quote than the one in the path. */
function isOtherQuote(error: unknown): error is AppError & { reason: 'other_quote' } {
  return error instanceof AppError && error.reason === 'other_quote';
}

/** Sends a redemption's own transaction in the same way. Throws also `redemption_not_found` and `partner_mismatch`. */
export async function submitRedemption(
  ctx: Context,
  principal: Principal,
  input: SubmitInput,
): Promise<Submitted<RedemptionId>> {
  const bytes = signedTxBytes(input.signedTx);
  const redemption = await getOwn(ctx, principal, input.id);
  const { id } = redemption;
  const inspected = inspect(ctx, { kind: 'redemption', id, redemption }, bytes);
  return { id, txHash: await send(ctx, principal, { ...input, kind: 'redemption', id }, bytes, inspected) };
}

/** Returns a redemption of this partner in any state, also one that is only quoted. */
async function getOwn(ctx: Context, principal: Principal, redemptionId: string): Promise<Redemption> {
  const id = asRedemptionId(redemptionId);
  const redemption = id && (await findRedemption(ctx.db, id));
  if (!redemption) throw new AppError('redemption_not_found', `There is no redemption ${redemptionId}.`);
  requireOwn(principal, redemption, 'redemption');
  return redemption;
}

/** A quote, with what its transaction is compared with. */
type Quote =
  | { kind: TradeSide; id: TradeId; integrator: Address }
  | { kind: 'redemption'; id: RedemptionId; redemption: Redemption };

/** Returns what a quote's transaction says. Throws `broadcast_failed` for any difference from the quote, or `partner_mismatch`. */
function inspect(ctx: Context, quote: Quote, bytes: Uint8Array): InspectedQuote {
  annotate({ 'karat.operation_id': quote.id });
  try {
    if (quote.kind !== 'redemption') {
      const { kind: side, id: tradeId, integrator } = quote;
      return inspectTrade(bytes, { side, tradeId, integrator, ...rulesOf(ctx) });
    }
    const { id: redemptionId, tokensRequired: amount, lastValidBlockHeight } = quote.redemption;
    const { userWallet: user, escrowAccount: escrowGold } = quote.redemption;
    const expected = { redemptionId, amount, user, escrowGold, lastValidBlockHeight };
    return inspectRedemption(bytes, { ...expected, ...rulesOf(ctx) });
  } catch (error) {
    if (!(error instanceof TransactionDifference)) throw error;
    if (error instanceof OtherPartner) throw otherPartners('trade');
    const { reason, message } = advised(error.reason, error.message);
    const text = `This is not the transaction of ${quote.id}, signed by all. ${message}`;
    throw new AppError('broadcast_failed', text, { reason });
  }
}

/** What is submitted, and by which request. */
interface Submitting {
  id: TradeId | RedemptionId;
  kind: OperationKind;
  requestId: string;
}

/**
 * Sends a transaction that was inspected, and returns its id. A transaction to which a wallet added guards is signed again
 * first, and what is sent is written down before. What the chain has already is not sent again; its id is returned even if
 * the user was suspended since.
 */
async function send(
  ctx: Context,
  principal: Principal,
  submitting: Submitting,
  transaction: Uint8Array,
  inspected: InspectedQuote,
): Promise<TxSignature> {
  const { partnerId } = principal;
  const { id, kind, requestId } = submitting;
  const deadline = AbortSignal.timeout(deadlineMs);
  const { guardedMessage, quoteTxHash, user } = inspected;
  // With guards, two statuses are read before it is sent.
  const calls = (guardedMessage ? 2 : 1) + callsOfRefusal;
  const request = { caller: partnerId, use: 'trade', calls } as const;
  const taken = await takeNodeCalls(ctx, request, AbortSignal.timeout(nodeShares.waitMs));
  const signed = guardedMessage
    ? await signGuarded(ctx, id, { ...inspected, transaction, guardedMessage }, deadline)
    : await requireSendable(ctx, id, { transaction, txHash: quoteTxHash, user }, deadline);
  const { trader, txHash } = signed;
  if (!trader) {
    taken.spare(callsOfRefusal);
    return txHash;
  }
  if ('memberId' in principal) {
    // Before it is sent: what a member did is in the audit log wherever this process dies.
    const [facts, at] = [{ operation: `submit_${kind}`, id }, new Date(ctx.clock.now())];
    await ctx.db.transaction((tx) => recordMemberChange(tx, { principal, requestId }, facts, at));
  }
  const { wasSentBefore, lastValidBlockHeight } = await writeDown(
    ctx,
    { ...submitting, partnerId },
    { ...inspected, txSignature: txHash },
    trader,
  );
  const outcome = await ctx.chain.callers.sender.send({ ...signed, lastValidBlockHeight }, deadline);
  if (outcome.kind === 'accepted') {
    taken.spare(outcome.looked ? callsOfRefusal - 1 : callsOfRefusal);
    return txHash;
  }
  if (outcome.kind === 'unreachable') throw unreachable(outcome.cause);
  // What the node means is not known; the chain may have it of the sending before.
  if (!outcome.understood && wasSentBefore) return txHash;
  await noteRefusal(ctx.db, id, failureOf(outcome.cause));
  throw broadcastFailed(outcome.cause);
}

/** Writes down what is about to be sent, so that it can be looked up even if this process dies. Returns until when it may land. */
async function writeDown(
  ctx: Context,
  { id, kind, partnerId, requestId }: Submitting & { partnerId: Principal['partnerId'] },
  { user, blockhash, moves, txSignature, stated }: InspectedQuote & { txSignature: TxSignature },
  trader: Trader,
): Promise<{ wasSentBefore: boolean; lastValidBlockHeight: bigint }> {
  const lifetime = ctx.chain.blockhash.lifetimeOf(blockhash, stated);
  if (!lifetime) throw unreachable(new Error('no node has given a blockhash yet'));
  const submission: NewSubmission = {
    quoteId: uuidOf(id),
    partnerId,
    kind,
    userWallet: user,
    txSignature,
    lastValidBlockHeight: lifetime.lastValidBlockHeight,
    expiresAt: new Date(lifetime.expiresAtMs),
    requestId,
    traceparent: traceparentInHand(),
    createdAt: new Date(ctx.clock.now()),
  };
  const news =
    kind === 'redemption'
      ? []
      : [submissionEvent('trade.submitted', { ...submission, ...noFailure, status: 'submitted' }, requestId)];
  const { lastValidBlockHeight } = lifetime;
  if (!trader.velocity) {
    return { wasSentBefore: await insertSubmission(ctx.db, submission, news), lastValidBlockHeight };
  }
  const wasSentBefore = await ctx.db.transaction(async (tx) => {
    await claimRoom(ctx, tx, { ...moves, quoteId: id, trader }, submission.createdAt);
    return insertSubmission(tx, submission, news);
  });
  ctx.reservations.forget(id);
  return { wasSentBefore, lastValidBlockHeight };
}

/** Counts what is about to be sent, unless it counts already. Throws `limit_exceeded`, before which it waits for others. */
async function claimRoom(
  ctx: Context,
  tx: Tx,
  { trader, ...moved }: VelocityAmounts & { quoteId: TradeId | RedemptionId; trader: Trader },
  at: Date,
): Promise<void> {
  const { id: userId, partnerId, velocity } = trader;
  const claimed = await claimVelocity(tx, { ...moved, userId, partnerId }, at);
  if (!claimed || !velocity) return;
  const [user, partner] = velocityScopes.map((scope) => ({
    // What is reserved has room for this one, or was granted later.
    limits: velocity[scope].limits,
    window: withoutAmounts(claimed[scope], moved, at.getTime()),
  }));
  if (user && partner) requireRoom(ctx, { ...trader, velocity: { user, partner } }, moved);
}

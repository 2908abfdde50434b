import type { Address } from '@solana/kit';
import { advised } from '../../chain/failure/cause.js';
import type { InspectedQuote } from '../../chain/inspect/signed-message.js';
import { TransactionDifference } from '../../chain/inspect/transaction-view.js';
import { noKey } from '../../chain/program/wallet.js';
import type { Context } from '../../context.js';
import type { Tx } from '../../db/client.js';
import { failureOf, noFailure } from '../../db/failure.js';
import { claimVelocity, releaseRefused } from '../../db/limits/velocity.js';
import {
  insertSubmission,
  type NewSubmission,
  noteRefusal,
  type OperationKind,
} from '../../db/trades/submissions.js';
import type { Trader } from '../../db/trades/traders.js';
import { decodeBase64 } from '../../domain/encoding.js';
import { type RedemptionId, type TradeId, type Uuid, uuidOf } from '../../domain/ids.js';
import { nodeShares } from '../../domain/limits.js';
import type { TxSignature } from '../../domain/solana.js';
import { type VelocityAmounts, velocityScopes, withoutAmounts } from '../../domain/velocity.js';
import { AppError, broadcastFailed, invalidField } from '../../errors.js';
import { submissionEvent } from '../../partner-events.js';
import { annotate, traceparentInHand } from '../../tracing/spans.js';
import { requireRoom } from '../limits/require-room.js';
import { takeNodeCalls } from '../limits/take-node-calls.js';
import { requireSendable, signGuarded, unreachable } from './sign-guarded.js';

/** What is submitted, and by which request. */
export interface Submitting {
  id: TradeId | RedemptionId;
  kind: OperationKind;
  partnerId: Uuid;
  requestId: string;
}

/** Total time of waiting for the node, so that every response comes within 5 s. */
const deadlineMs = 4_000;
/** When the node refuses a transaction, its status and a balance are read. */
const callsOfRefusal = 2;

/** Returns bytes of a signed transaction in a request; 400 `invalid_request` when it is no strict base64. */
export function signedTxBytes(signedTx: string, field = 'signed_tx'): Uint8Array {
  const bytes = decodeBase64(signedTx);
  if (bytes && bytes.length > 0) return bytes;
  throw invalidField(field, `${field} must be base64: standard alphabet, padded, no white space.`);
}

/** While keys are rotated, a quote may have been signed by an instance that holds the other key. */
export function serviceSignersOf(ctx: Context): Address[] {
  const own = ctx.chain.signer.address;
  if (ctx.chain.program.fault() !== undefined) return [own];
  return [own, ...ctx.chain.program.config().serviceSigners.filter((address) => address !== noKey)];
}

/**
 * Sends a transaction that `inspect` passes, and returns its id. A transaction to which a wallet added guards is signed
 * again first, and what is sent is written down before. What the chain has already is not sent again; its id is returned even if the user was suspended since.
 * Throws `broadcast_failed` for a difference from the quote of `id` and for the node's refusal, `user_suspended` and
 * `kyc_level_insufficient`, `wallet_not_allowed` or `limit_exceeded` for a user who could get no quote now, `rate_limited` when there is no room for its calls to the nodes, `service_unavailable` when the node does not respond.
 */
export async function broadcast(
  ctx: Context,
  submitted: Submitting,
  transaction: Uint8Array,
  inspect: () => InspectedQuote,
): Promise<TxSignature> {
  const { id, partnerId } = submitted;
  annotate({ 'karat.operation_id': id });
  const inspected = inspectedFor(id, inspect);
  const deadline = AbortSignal.timeout(deadlineMs);
  const { guardedMessage, quoteTxHash, user } = inspected;
  // With guards, two statuses are read before it is sent.
  const calls = (guardedMessage ? 2 : 1) + callsOfRefusal;
  const request = { caller: partnerId, use: 'trade', calls } as const;
  const taken = await takeNodeCalls(ctx, request, AbortSignal.timeout(nodeShares.waitMs));
  const signed = guardedMessage
    ? await signGuarded(ctx, id, { ...inspected, transaction, guardedMessage }, deadline)
    : await requireSendable(ctx, id, { transaction, txHash: quoteTxHash, user }, deadline);
  const { trader } = signed;
  if (!trader) {
    taken.spare(callsOfRefusal);
    return signed.txHash;
  }
  await writeDown(ctx, submitted, { ...inspected, txSignature: signed.txHash }, trader);
  const outcome = await ctx.chain.callers.sender.send(signed.transaction, signed.txHash, deadline);
  if (outcome.kind === 'accepted') {
    taken.spare(outcome.looked ? callsOfRefusal - 1 : callsOfRefusal);
    return signed.txHash;
  }
  if (outcome.kind === 'unreachable') throw unreachable(outcome.cause);
  await noteRefusal(ctx.db, id, failureOf(outcome.cause));
  // It counts again when it is sent again, or if it lands without that.
  if (trader.velocity) await releaseRefused(ctx.db, id);
  throw broadcastFailed(outcome.cause);
}

/** Writes down what is about to be sent, so that it can be looked up even if this process dies. */
async function writeDown(
  ctx: Context,
  { id, kind, partnerId, requestId }: Submitting,
  { user, blockhash, moves, txSignature }: InspectedQuote & { txSignature: TxSignature },
  trader: Trader,
): Promise<void> {
  const lifetime = ctx.chain.blockhash.lifetimeOf(blockhash);
  if (!lifetime) throw unreachable(new Error('no node has given a blockhash yet'));
  const submission: NewSubmission = {
    quoteId: uuidOf(id),
    partnerId,
    kind,
    userWallet: user,
    txSignature,
    lastValidBlockHeight: lifetime.lastValidBlockHeight,
    expiresAt: new Date(lifetime.expiresAtMs),
    traceparent: traceparentInHand(),
    createdAt: new Date(ctx.clock.now()),
  };
  const news =
    kind === 'redemption'
      ? []
      : [submissionEvent('trade.submitted', { ...submission, ...noFailure, status: 'submitted' }, requestId)];
  if (!trader.velocity) return insertSubmission(ctx.db, submission, news);
  await ctx.db.transaction(async (tx) => {
    await claimRoom(ctx, tx, { ...moves, quoteId: id, trader }, submission.createdAt);
    await insertSubmission(tx, submission, news);
  });
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
    ...velocity[scope],
    window: withoutAmounts(claimed[scope], moved, at.getTime()),
  }));
  if (user && partner) requireRoom(ctx, { ...trader, velocity: { user, partner } }, moved, 'submit');
}

function inspectedFor(id: string, inspect: () => InspectedQuote): InspectedQuote {
  try {
    return inspect();
  } catch (error) {
    if (!(error instanceof TransactionDifference)) throw error;
    const { reason, message } = advised(error.reason, error.message);
    const text = `This is not the transaction of ${id}, signed by all. ${message}`;
    throw new AppError('broadcast_failed', text, { reason });
  }
}

import type { Context } from '../context.js';
import type { Tx } from '../db/client.js';
import { deleteIdempotencyClaim, updateIdempotencyResponse } from '../db/idempotency-keys.js';
import { AppError } from '../errors.js';
import type { Claim } from './claim-idempotency-key.js';

/**
 * What an action does last in its transaction when its request can come again: keeps the answer that its result makes.
 * So there is never an effect without its answer, nor an answer without its effect, wherever a process dies.
 */
export type Settle<Result> = (tx: Tx, result: Result) => Promise<void>;

/** For requests without an idempotency key. */
export const settleNothing: Settle<unknown> = async () => {};

/**
 * Keeps the answer of a claimed request in the transaction of its effect. Throws `idempotency_conflict`, and so undoes the
 * effect, when the claim lapsed and is somebody else's by now.
 */
export async function settleIdempotencyKey(
  tx: Tx,
  claim: Claim,
  outcome: { status: number; answer: string },
): Promise<void> {
  if (await updateIdempotencyResponse(tx, claim, outcome)) return;
  throw new AppError('idempotency_conflict', 'Another request with this Idempotency-Key was faster.');
}

/** Gives the key of a request free that came to nothing. An answer that was kept stays. */
export async function releaseIdempotencyKey(ctx: Context, claim: Claim): Promise<void> {
  await ctx.db.transaction((tx) => deleteIdempotencyClaim(tx, claim));
}

import type { Context } from '../context.js';
import type { Tx } from '../db/client.js';
import { deleteIdempotencyClaim, updateIdempotencyResponse } from '../db/idempotency-keys.js';
import { AppError } from '../errors.js';
import type { Claim } from './claim-idempotency-key.js';

/**
 * The last step of an action's transaction if its request can be repeated: stores the response for its result.
 * So there is never an effect without its response, nor a response without its effect, wherever a process dies.
 */
export type Settle<Result> = (tx: Tx, result: Result) => Promise<void>;

/** For requests without an idempotency key. */
export const settleNothing: Settle<unknown> = async () => {};

/**
 * Stores the response of a claimed request in the transaction of its effect. Throws `idempotency_conflict`, and so
 * undoes the effect, when the claim lapsed and is somebody else's by now.
 */
export async function completeIdempotencyKey(
  tx: Tx,
  claim: Claim,
  outcome: { status: number; answer: string },
): Promise<void> {
  if (await updateIdempotencyResponse(tx, claim, outcome)) return;
  throw new AppError('idempotency_conflict', 'Another request with this Idempotency-Key finished first.');
}

/** Releases the key of a request that had no effect. A response that was stored stays. */
export async function releaseIdempotencyKey(ctx: Context, claim: Claim): Promise<void> {
  await ctx.db.transaction((tx) => deleteIdempotencyClaim(tx, claim));
}

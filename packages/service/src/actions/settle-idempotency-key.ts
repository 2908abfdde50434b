import type { Context } from '../context.js';
import { deleteIdempotencyClaim, updateIdempotencyAnswer } from '../db/idempotency-keys.js';
import type { Claim } from './claim-idempotency-key.js';

/** Keeps the answer of a claimed request for its repetitions; an answer that is no success only gives the key free. */
export async function settleIdempotencyKey(
  ctx: Context,
  claim: Claim,
  outcome: { status: number; answer: string },
): Promise<void> {
  const succeeded = outcome.status >= 200 && outcome.status < 300;
  await ctx.db.transaction((tx) =>
    succeeded ? updateIdempotencyAnswer(tx, claim, outcome) : deleteIdempotencyClaim(tx, claim),
  );
}

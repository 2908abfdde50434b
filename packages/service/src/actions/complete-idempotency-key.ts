import type { Context } from '../context.js';
import type { Tx } from '../db/client.js';
import {
  deleteIdempotencyClaim,
  lockIdempotencyClaim,
  updateIdempotencyResponse,
} from '../db/idempotency-keys.js';
import { AppError } from '../errors.js';
import type { Claim } from './claim-idempotency-key.js';

/**
 * Stores the response of a claimed request in the transaction of its effect. Throws `idempotency_conflict`, and so
 * undoes the effect, when the claim lapsed and is somebody else's by now.
 */
export async function completeIdempotencyKey(
  tx: Tx,
  claim: Claim,
  outcome: { status: number; response: string },
): Promise<void> {
  if (await updateIdempotencyResponse(tx, claim, outcome)) return;
  throw lostClaim();
}

/**
 * Keeps a claim from lapsing until the transaction ends, for an effect whose response comes later. Throws
 * `idempotency_conflict`, and so undoes the effect, when the claim lapsed or was released.
 */
export async function holdIdempotencyKey(tx: Tx, claim: Claim): Promise<void> {
  if (!(await lockIdempotencyClaim(tx, claim))) throw lostClaim();
}

function lostClaim(): AppError {
  return new AppError('idempotency_conflict', 'Another request with this Idempotency-Key finished first.');
}

/** Releases the key of a request that had no effect. A response that was stored stays. */
export async function releaseIdempotencyKey(ctx: Context, claim: Claim): Promise<void> {
  await ctx.db.transaction((tx) => deleteIdempotencyClaim(tx, claim));
}

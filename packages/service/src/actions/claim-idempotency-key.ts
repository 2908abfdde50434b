import { setTimeout as pause } from 'node:timers/promises';
import type { Context } from '../context.js';
import {
  findIdempotencyKey,
  type IdempotencyScope,
  insertIdempotencyClaim,
  isFree,
} from '../db/idempotency-keys.js';
import { claimLifetimeMs, idempotencyLifetimeMs, waitForTwinMs } from '../domain/idempotency.js';
import { newUuid, type Uuid } from '../domain/ids.js';
import { AppError } from '../errors.js';

const lookForTwinEveryMs = 200;

export type Claim = IdempotencyScope & { claimId: Uuid };

/** The response that the first use of a key got. */
export interface FirstResponse {
  status: number;
  response: string;
}

type Found = { claim: Claim } | FirstResponse;

/**
 * Claims an `Idempotency-Key` for a request, by the hash of its path and body, or finds the response that its first use got. Throws
 * `idempotency_conflict` when the key was used for another request, or a twin of this one is still under way after 2 s. A twin is
 * looked for without a lock: it holds the row while it is completed.
 */
export async function claimIdempotencyKey(
  ctx: Context,
  scope: IdempotencyScope,
  hash: Uint8Array,
): Promise<Found> {
  const endMs = performance.now() + waitForTwinMs;
  for (;;) {
    const found = await findOrClaim(ctx, scope, hash);
    if (found) return found;
    if (performance.now() >= endMs) throw twinInProgress();
    await pause(lookForTwinEveryMs);
  }
}

/** Returns the refusal of a request whose twin is still under way. */
export function twinInProgress(): AppError {
  return new AppError('idempotency_conflict', 'A request with this Idempotency-Key is still in progress.');
}

/** Returns undefined while a twin of the request is in progress, or was a moment ago. */
async function findOrClaim(
  ctx: Context,
  scope: IdempotencyScope,
  hash: Uint8Array,
): Promise<Found | undefined> {
  const now = ctx.clock.now();
  const limits = {
    expiredBefore: new Date(now - idempotencyLifetimeMs),
    lapsedBefore: new Date(now - claimLifetimeMs),
  };
  const first = await findIdempotencyKey(ctx.db, scope);
  if (!first || isFree(first, limits)) {
    const claim = { ...scope, claimId: newUuid() };
    const row = { ...claim, requestHash: hash, createdAt: new Date(now) };
    return (await insertIdempotencyClaim(ctx.db, row, limits)) ? { claim } : undefined;
  }
  if (!Buffer.from(first.requestHash).equals(hash)) {
    throw new AppError('idempotency_conflict', 'This Idempotency-Key was used for another request.');
  }
  if (first.status === null || first.response === null) return undefined;
  return { status: first.status, response: first.response };
}

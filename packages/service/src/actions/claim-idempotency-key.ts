import { setTimeout as pause } from 'node:timers/promises';
import type { Context } from '../context.js';
import { findIdempotencyKey, type IdempotencyScope, insertIdempotencyClaim } from '../db/idempotency-keys.js';
import { newUuid, type Uuid } from '../domain/ids.js';
import { requestHash } from '../domain/request-hash.js';
import { AppError } from '../errors.js';

/** Responses are kept this long. */
export const idempotencyLifetimeMs = 24 * 60 * 60_000;
/** A claim without a response by then belongs to a process that died: every request gets a response within seconds. */
const claimLifetimeMs = 30_000;
/**
 * A request whose twin is in progress waits for it, so that a caller who repeats once after an outage gets a response: most
 * end within a second. It waits less than half of the time that its own work may take.
 */
const looksForTwin = 10;
const lookForTwinEveryMs = 200;

export type Claim = IdempotencyScope & { claimId: Uuid };

type Found = { claim: Claim } | { status: number; response: string };

/**
 * Claims an `Idempotency-Key` for a request (its path and body), or finds the response that its first use got. Throws
 * `idempotency_conflict` when the key was used for another request, or a twin of this one is still under way after 2 s.
 */
export async function claimIdempotencyKey(
  ctx: Context,
  scope: IdempotencyScope,
  request: unknown,
): Promise<Found> {
  for (let looks = 1; ; looks += 1) {
    const found = await claimOrFind(ctx, scope, request);
    if (found) return found;
    if (looks > looksForTwin) {
      throw new AppError('idempotency_conflict', 'A request with this Idempotency-Key is still in progress.');
    }
    await pause(lookForTwinEveryMs);
  }
}

/** Returns undefined while a twin of the request is in progress. */
async function claimOrFind(
  ctx: Context,
  scope: IdempotencyScope,
  request: unknown,
): Promise<Found | undefined> {
  const now = ctx.clock.now();
  const claim = { ...scope, claimId: newUuid() };
  const hash = requestHash(request);
  return ctx.db.transaction(async (tx) => {
    const row = { ...claim, requestHash: hash, createdAt: new Date(now) };
    const limits = {
      expiredBefore: new Date(now - idempotencyLifetimeMs),
      lapsedBefore: new Date(now - claimLifetimeMs),
    };
    if (await insertIdempotencyClaim(tx, row, limits)) return { claim };
    const first = await findIdempotencyKey(tx, scope);
    if (first && !Buffer.from(first.requestHash).equals(hash)) {
      throw new AppError('idempotency_conflict', 'This Idempotency-Key was used for another request.');
    }
    if (first?.status == null || first.response === null) return undefined;
    return { status: first.status, response: first.response };
  });
}

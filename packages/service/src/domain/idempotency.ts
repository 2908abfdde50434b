/** How long the response of a request with an `Idempotency-Key` is kept for its repetitions. */
export const idempotencyLifetimeMs = 24 * 60 * 60_000;
/** A claim without a response by then belongs to a process that died: every request gets a response within seconds. */
export const claimLifetimeMs = 30_000;
/**
 * How long a request waits for its twin that is in progress, so that a caller who repeats once after an outage gets a response:
 * most end within a second. Less than half of the time that its own work may take.
 */
export const waitForTwinMs = 2_000;
/** Characters of a key, at most. */
export const maxIdempotencyKeyLength = 255;

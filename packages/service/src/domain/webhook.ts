import { createHash } from 'node:crypto';

const [secondMs, minuteMs, hourMs] = [1_000, 60_000, 3_600_000];

/** From each attempt that failed to the next one, by the clock of the service; after the last of them a delivery has failed. */
export const retriesMs = [
  5 * secondMs,
  30 * secondMs,
  2 * minuteMs,
  10 * minuteMs,
  hourMs,
  3 * hourMs,
  6 * hourMs,
  12 * hourMs,
  24 * hourMs,
  24 * hourMs,
] as const;

/** An endpoint that has failed for so long without a success is disabled. */
export const disableAfterMs = 5 * 24 * hourMs;

/** Webhook endpoints that a partner may have. */
export const maxEndpoints = 10;

/** Characters of the URL of an endpoint in its canonical form. */
export const maxUrlLength = 2_048;

/** Ports that webhooks go to: of HTTPS, and those that no service of the machine itself has. */
export const isWebhookPort = (port: number) => port === 443 || port >= 1_024;

/** Returns what is kept of a secret where only its equality matters: 192 random bits cannot be found by trying. */
export const secretDigest = (secret: string) => createHash('sha256').update(secret).digest('base64url');

/** Time between an attempt's beginning and its response, at most, in milliseconds of real time. */
export const respondWithinMs = 10_000;

/** One try to deliver, as it is kept. */
export interface Attempt {
  /** ISO 8601. */
  at: string;
  /** Null when no response came. */
  status_code: number | null;
  duration_ms: number;
  /** Why it failed; null after a success. */
  error: string | null;
  /** The first 1 KiB of the response; null when none came. */
  response_body: string | null;
}

/** Returns when the next attempt is due after so many that failed; undefined after the last one. */
export function nextAttemptAt(failed: number, lastMs: number): Date | undefined {
  const waitMs = retriesMs[failed - 1];
  return waitMs === undefined ? undefined : new Date(lastMs + waitMs);
}

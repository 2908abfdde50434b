import { isDatabaseOutage } from '../db/outage.js';
import { AppError } from '../errors.js';
import type { Outcome, Outcomes } from './metrics.js';

/** Waits for `work` and counts its outcome: `outcomeOf` of its result, `ok` by default, or the code of its error. */
export async function counted<Kind extends string, T>(
  count: Outcomes<Kind>,
  kind: Kind,
  work: Promise<T>,
  outcomeOf: (result: T) => Outcome = () => 'ok',
): Promise<T> {
  try {
    const result = await work;
    count.add(kind, outcomeOf(result));
    return result;
  } catch (error) {
    count.add(kind, codeOf(error));
    throw error;
  }
}

/** Returns the error that the caller will get, see `toAppError` of the HTTP side. */
function codeOf(error: unknown): Outcome {
  if (error instanceof AppError) return error.code;
  return isDatabaseOutage(error) ? 'service_unavailable' : 'internal_error';
}

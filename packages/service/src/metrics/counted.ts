import { isDatabaseOutage } from '../db/outage.js';
import { AppError } from '../errors.js';
import type { Soon } from '../runtime/soon.js';
import type { Outcome, Outcomes } from './metrics.js';

/** Does `work` and counts its outcome: `outcomeOf` of its result, `ok` by default, or the code of its error. */
export async function counted<Kind extends string, T>(
  count: Outcomes<Kind>,
  kind: Kind,
  work: () => Promise<T>,
  outcomeOf?: (result: T) => Outcome,
): Promise<T> {
  return countedSoon(count, kind, work, outcomeOf);
}

/** Does the same with work that may be done at once. */
export function countedSoon<Kind extends string, T>(
  count: Outcomes<Kind>,
  kind: Kind,
  work: () => Soon<T>,
  outcomeOf: (result: T) => Outcome = () => 'ok',
): Soon<T> {
  const succeed = (result: T) => {
    count.add(kind, outcomeOf(result));
    return result;
  };
  const fail = (error: unknown): never => {
    count.add(kind, codeOf(error));
    throw error;
  };
  let result: Soon<T>;
  try {
    result = work();
  } catch (error) {
    return fail(error);
  }
  return result instanceof Promise ? result.then(succeed, fail) : succeed(result);
}

/** Returns the error that the caller will get, see `toAppError` of the HTTP side. */
function codeOf(error: unknown): Outcome {
  if (error instanceof AppError) return error.code;
  return isDatabaseOutage(error) ? 'service_unavailable' : 'internal_error';
}

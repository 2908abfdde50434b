import { expect } from 'vitest';
import type { ApiResponse } from './harness.js';

/**
 * Returns what `run` resolves with, which has to be there before `limitMs` are over. Measured by a timer of the same
 * process, so that a machine that stalls makes both late. The time begins with `arrived`, for a request that first
 * travels to its server.
 */
export async function within<T>(
  limitMs: number,
  name: string,
  run: () => Promise<T>,
  arrived?: Promise<unknown>,
): Promise<T> {
  let late = false;
  let timer: NodeJS.Timeout | undefined;
  const begin = () => {
    timer = setTimeout(() => setImmediate(() => setImmediate(() => (late = true))), limitMs);
  };
  if (arrived) void arrived.then(begin);
  else begin();
  const result = await run().finally(() => clearTimeout(timer));
  expect(timer, `${name} did not arrive`).toBeDefined();
  expect(late, `${name} took more than ${limitMs} ms`).toBe(false);
  return result;
}

/** Returns the response, which has to be there before 5 s are over. See `within`. */
export const within5s = (name: string, send: () => Promise<ApiResponse>, arrived?: Promise<unknown>) =>
  within(5_000, name, send, arrived);

import { expect } from 'vitest';
import type { Answer } from './harness.js';

/**
 * Returns the response, which has to be there before 5 s are over. Measured by a timer of the same process, so that a
 * machine that stalls makes both late. The time begins with `arrived`, for a request that first travels to its server.
 */
export async function within5s(
  name: string,
  send: () => Promise<Answer>,
  arrived?: Promise<unknown>,
): Promise<Answer> {
  let late = false;
  let timer: NodeJS.Timeout | undefined;
  const begin = () => {
    timer = setTimeout(() => setImmediate(() => setImmediate(() => (late = true))), 5_000);
  };
  if (arrived) void arrived.then(begin);
  else begin();
  const response = await send().finally(() => clearTimeout(timer));
  expect(timer, `${name} did not arrive`).toBeDefined();
  expect(late, `${name} took more than 5 s`).toBe(false);
  return response;
}

import { expect } from 'vitest';
import type { Answer } from './harness.js';

/**
 * Returns the response, which has to be there before 5 s are over. Measured by a timer of the same process, so that a
 * machine that stalls makes both late.
 */
export async function within5s(name: string, send: () => Promise<Answer>): Promise<Answer> {
  let late = false;
  const timer = setTimeout(() => setImmediate(() => setImmediate(() => (late = true))), 5_000);
  const response = await send().finally(() => clearTimeout(timer));
  expect(late, `${name} took more than 5 s`).toBe(false);
  return response;
}

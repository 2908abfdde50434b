import { setTimeout as pause } from 'node:timers/promises';

/**
 * Waits until a check returns something other than false and undefined, and returns that. A check that rejects is repeated.
 * Throws an error that names what was waited for when the time is over.
 */
export async function until<T>(
  what: string,
  check: () => Promise<T | false | undefined>,
  withinMs = 120_000,
  everyMs = 300,
): Promise<T> {
  for (const end = Date.now() + withinMs; ; await pause(everyMs)) {
    const found = await check().catch(() => undefined);
    if (found !== undefined && found !== false) return found;
    if (Date.now() > end) throw new Error(`${Math.round(withinMs / 1_000)} s passed before ${what}`);
  }
}

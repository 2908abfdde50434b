import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { orAbandon, pause, untilAny, withDeadline } from '../../src/runtime/time.js';
import { Wake } from '../../src/runtime/wake.js';

/** What others have left at a signal: listeners, and what Node itself keeps of the signals that depend on it. */
function leftAt(signal: AbortSignal): number {
  const kept = Object.getOwnPropertySymbols(signal)
    .map((symbol) => (signal as unknown as Record<symbol, unknown>)[symbol])
    .filter((value) => value instanceof Set)
    .reduce((sum, set) => sum + (set as Set<unknown>).size, 0);
  return kept + getEventListeners(signal, 'abort').length;
}

test('rounds leave nothing at a signal that outlives them', async () => {
  const { signal } = new AbortController();
  const wake = new Wake();
  for (let round = 0; round < 20; round += 1) {
    const sleep = wake.sleep(1_000, signal);
    wake.wake();
    expect(await sleep).toBe(true);
    await withDeadline(1_000, signal, (end) => pause(1, end));
    await orAbandon(pause(1, undefined), signal, 1_000);
  }
  await pause(1, undefined);
  expect(leftAt(signal)).toBe(0);
});

test('the signal that aborts first ends the work with its reason, also one that was aborted before', async () => {
  for (const early of [true, false]) {
    const [one, other] = [new AbortController(), new AbortController()];
    const reason = new Error('over');
    if (early) other.abort(reason);
    else setTimeout(() => other.abort(reason), 10);
    const ended = await untilAny([one.signal, other.signal], async (end) => {
      await pause(10_000, end);
      return end.reason;
    });
    expect(ended).toBe(reason);
    expect(leftAt(one.signal)).toBe(0);
  }
});

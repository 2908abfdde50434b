import { setTimeout as sleep } from 'node:timers/promises';

/** Something did not answer that always answers or fails: its connection is as good as gone. */
export class StalledError extends Error {
  override name = 'StalledError';
}

/** The answer, or a `StalledError` when it does not come within `ms` of real time. */
export async function inTime<T>(answer: PromiseLike<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new StalledError(`no answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits, but not beyond an abort. Never rejects. */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(ms, undefined, signal && { signal }).catch(() => {});
}

/** Waits for work to end; once `signal` aborts, `graceMs` longer at most. Its failure is its own. */
export async function orAbandon(work: Promise<unknown>, signal: AbortSignal, graceMs: number): Promise<void> {
  const over = new AbortController();
  const ended = work.then(
    () => over.abort(),
    () => over.abort(),
  );
  const abandoned = pause(2 ** 31 - 1, AbortSignal.any([signal, over.signal])).then(() =>
    pause(graceMs, over.signal),
  );
  await Promise.race([ended, abandoned]);
}

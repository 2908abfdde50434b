import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** A call that always returns or fails did neither: its connection is as good as gone. */
export class StalledError extends Error {
  override name = 'StalledError';
}

/** Returns the response, or throws, a `StalledError` by default, if it does not come within `ms` of real time. */
export async function inTime<T>(
  response: PromiseLike<T>,
  ms: number,
  errorOf = (message: string): Error => new StalledError(message),
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(errorOf(`no response within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([response, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Does what ends with its signal, which aborts with `parent` and, with a `TimeoutError`, after `ms` of real time. Not by
 * `AbortSignal.any` with `AbortSignal.timeout`: Node 20 may collect the timeout, and the work then waits for ever.
 */
export async function withDeadline<T>(
  ms: number,
  parent: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const end = new AbortController();
  const abort = () => end.abort(parent?.reason);
  const late = () => end.abort(new DOMException(`no response within ${Math.round(ms)} ms`, 'TimeoutError'));
  const timer = setTimeout(late, ms);
  if (parent) {
    // Any number of calls share the signal of a round or a lead; each takes its listener away.
    setMaxListeners(0, parent);
    parent.addEventListener('abort', abort, { once: true });
  }
  try {
    return await work(end.signal);
  } finally {
    clearTimeout(timer);
    parent?.removeEventListener('abort', abort);
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

import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** A call that always returns or fails did neither: its connection is as good as gone. */
export class StalledError extends Error {
  override name = 'StalledError';
}

/**
 * Returns the response, or throws, a `StalledError` by default, if it does not come within `ms` of real time. What has arrived by
 * then is still read: a process that was busy or stopped would otherwise take its own pause for the other's.
 */
export async function inTime<T>(
  response: PromiseLike<T>,
  ms: number,
  errorOf = (message: string): Error => new StalledError(message),
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const giveUp = () => reject(errorOf(`no response within ${ms} ms`));
    timer = setTimeout(() => setImmediate(giveUp), ms);
  });
  try {
    return await Promise.race([response, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Does what ends with its signal, which aborts with the first of `parents`. Not by `AbortSignal.any`: Node 20 keeps something of
 * each at a parent that lives on, such as that of a lead.
 */
export async function untilAny<T>(
  parents: readonly AbortSignal[],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const end = new AbortController();
  const abort = ({ target }: { target: unknown }) => end.abort((target as AbortSignal).reason);
  for (const parent of parents) {
    if (parent.aborted) abort({ target: parent });
    // Any number of calls share the signal of a round or a lead; each takes its listener away.
    setMaxListeners(0, parent);
    parent.addEventListener('abort', abort, { once: true });
  }
  try {
    return await work(end.signal);
  } finally {
    for (const parent of parents) parent.removeEventListener('abort', abort);
  }
}

/**
 * Does what ends with its signal, which aborts with `parent`, or with a `TimeoutError` after `ms` of real time, once what has
 * arrived by then was read. Not by `AbortSignal.any` with `AbortSignal.timeout`: Node 20 may collect the timeout, and the work
 * then waits for ever.
 */
export async function withDeadline<T>(
  ms: number,
  parent: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const abort = () => late.abort(new DOMException(`no response within ${Math.round(ms)} ms`, 'TimeoutError'));
  const timer = setTimeout(() => setImmediate(abort), ms);
  try {
    return await untilAny(parent ? [parent, late.signal] : [late.signal], work);
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
  const abandoned = untilAny([signal, over.signal], (end) => pause(2 ** 31 - 1, end)).then(() =>
    pause(graceMs, over.signal),
  );
  await Promise.race([ended, abandoned]);
}

import type { Signature } from '@solana/kit';
import type { Fetched } from './fetching.js';
import type { Tuning } from './tuning.js';

type Fetch = (signatures: readonly Signature[], signal: AbortSignal) => Promise<Fetched[]>;

/** A transaction that is waited for. */
interface Wanted {
  signature: Signature;
  /** Once it aborts, the result is of no use any more. */
  signal: AbortSignal;
  /** When it was fetched; undefined before that. */
  fetchedAtMs: number | undefined;
  result: Promise<Fetched>;
  settle(result: Fetched | Promise<never>): void;
}

/** Requests under way at first, while it is not known what the node takes. */
const firstWidth = 4;
/** What is not recorded so long after it was fetched is fetched again: the chain may carry it otherwise by now. */
const keptMs = 10_000;

/**
 * Fetches transactions ahead of those who record them, in the order in which they are wanted: several in a request, and
 * several requests at a time. There are ever more of these while the node returns what it is asked for, and half as
 * many when it fails or refuses them as too many. What was fetched is not kept long, nor when the signal aborts.
 */
export class FetchAhead {
  readonly #fetch: Fetch;
  readonly #tuning: Pick<Tuning, 'concurrency' | 'fetchSize'>;
  readonly #now: () => number;
  readonly #wanted = new Map<Signature, Wanted>();
  #queue: Wanted[] = [];
  #width: number;
  #active = 0;

  constructor(
    fetch: Fetch,
    tuning: Pick<Tuning, 'concurrency' | 'fetchSize'>,
    now: () => number = () => performance.now(),
  ) {
    this.#now = now;
    this.#fetch = fetch;
    this.#tuning = tuning;
    this.#width = Math.min(firstWidth, tuning.concurrency);
  }

  /** Begins to fetch what is not fetched yet. What is urgent comes before all else that waits. */
  want(signatures: readonly Signature[], signal: AbortSignal, urgent = false): void {
    this.#forgetOld();
    const news = signatures
      .filter((signature) => !this.#wanted.has(signature))
      .map((signature) => wantedOf(signature, signal));
    for (const wanted of news) this.#wanted.set(wanted.signature, wanted);
    this.#queue = urgent ? [...news, ...this.#queue] : [...this.#queue, ...news];
    this.#start(signal);
  }

  /** Returns what was fetched of these, in their order, and forgets it. Rejects only when a signal aborts. */
  async take(signatures: readonly Signature[], signal: AbortSignal): Promise<Fetched[]> {
    this.want(signatures, signal, true);
    const results = signatures.map((signature) => this.#wanted.get(signature)?.result as Promise<Fetched>);
    try {
      return await Promise.all(results);
    } finally {
      for (const signature of signatures) this.#wanted.delete(signature);
    }
  }

  #forgetOld(): void {
    const nowMs = this.#now();
    for (const [signature, { signal, fetchedAtMs = nowMs }] of this.#wanted)
      if (signal.aborted || nowMs - fetchedAtMs > keptMs) this.#wanted.delete(signature);
    for (const { signal, settle } of this.#queue) if (signal.aborted) settle(Promise.reject(signal.reason));
    this.#queue = this.#queue.filter(({ signal }) => !signal.aborted);
  }

  #start(signal: AbortSignal): void {
    while (this.#active < this.#width && this.#queue.length > 0) {
      const some = this.#queue.splice(0, this.#sizeOfNext());
      this.#active += 1;
      void this.#run(some, signal);
    }
  }

  /** A few are spread over the requests that may go out, so that they are back the sooner. */
  #sizeOfNext(): number {
    const share = Math.ceil(this.#queue.length / (this.#width - this.#active));
    return Math.min(this.#tuning.fetchSize, share);
  }

  async #run(some: Wanted[], signal: AbortSignal): Promise<void> {
    let isBroken = true;
    try {
      const fetched = await this.#fetch(
        some.map(({ signature }) => signature),
        signal,
      );
      isBroken = fetched.some(({ kind }) => kind === 'broken');
      for (const [index, { settle }] of some.entries()) settle(fetched[index] as Fetched);
    } catch (error) {
      for (const { settle } of some) settle(Promise.reject(error));
    }
    for (const wanted of some) wanted.fetchedAtMs = this.#now();
    this.#active -= 1;
    this.#width = isBroken
      ? Math.max(1, Math.floor(this.#width / 2))
      : Math.min(this.#tuning.concurrency, this.#width + 1);
    if (signal.aborted) this.#forgetOld();
    else this.#start(signal);
  }
}

function wantedOf(signature: Signature, signal: AbortSignal): Wanted {
  let settle: Wanted['settle'] = () => {};
  const result = new Promise<Fetched>((resolve) => {
    settle = resolve;
  });
  // Whoever took it gets the rejection; what was never taken has none to get it.
  result.catch(() => {});
  return { signature, signal, fetchedAtMs: undefined, result, settle };
}

import type { Signature } from '@solana/kit';
import type { Fetched } from './fetching.js';
import type { Tuning } from './tuning.js';

type Fetch = (signatures: readonly Signature[], signal: AbortSignal) => Promise<Fetched[]>;

/** A transaction that is waited for. */
interface Wanted {
  signature: Signature;
  result: Promise<Fetched>;
  settle(result: Promise<Fetched>): void;
}

/** Requests under way at first, while nobody knows what the node takes. */
const firstWidth = 4;

/**
 * Fetches transactions ahead of those who record them, in the order in which they are wanted: several in a request, and
 * several requests at a time. There are ever more of these while the node returns what it is asked for, and half as
 * many when it fails or refuses them as too many.
 */
export class FetchAhead {
  readonly #fetch: Fetch;
  readonly #tuning: Pick<Tuning, 'concurrency' | 'fetchSize'>;
  readonly #wanted = new Map<Signature, Wanted>();
  #queue: Wanted[] = [];
  #width: number;
  #active = 0;

  constructor(fetch: Fetch, tuning: Pick<Tuning, 'concurrency' | 'fetchSize'>) {
    this.#fetch = fetch;
    this.#tuning = tuning;
    this.#width = Math.min(firstWidth, tuning.concurrency);
  }

  /** Begins to fetch what is not fetched yet. What is urgent comes before all else that waits. */
  want(signatures: readonly Signature[], signal: AbortSignal, urgent = false): void {
    const news = signatures.filter((signature) => !this.#wanted.has(signature)).map(wantedOf);
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
    const fetching = this.#fetch(
      some.map(({ signature }) => signature),
      signal,
    );
    some.forEach(({ settle }, index) => {
      settle(fetching.then((fetched) => fetched[index] as Fetched));
    });
    const isBroken = await fetching.then(
      (fetched) => fetched.some(({ kind }) => kind === 'broken'),
      () => true,
    );
    this.#active -= 1;
    this.#width = isBroken
      ? Math.max(1, Math.floor(this.#width / 2))
      : Math.min(this.#tuning.concurrency, this.#width + 1);
    if (!signal.aborted) this.#start(signal);
  }
}

function wantedOf(signature: Signature): Wanted {
  let settle: Wanted['settle'] = () => {};
  const result = new Promise<Fetched>((resolve) => {
    settle = resolve;
  });
  // Those who took it know; of what was never taken nobody has to.
  result.catch(() => {});
  return { signature, result, settle };
}

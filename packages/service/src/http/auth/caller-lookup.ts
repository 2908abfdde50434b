import type { Context } from '../../context.js';
import { type CallerQuery, type FoundCaller, findCallers } from '../../db/keys/callers.js';

interface Asked {
  query: CallerQuery;
  found(caller: FoundCaller | undefined): void;
  failed(error: unknown): void;
}

/** More than that at once makes the first wait for the last. */
const maxBatch = 256;

/**
 * Looks callers up, those of one tick of the event loop by one statement. Nothing is remembered: a key that was revoked,
 * anywhere, before a request came is refused by that request.
 */
export class CallerLookup {
  readonly #ctx: Context;
  #asked: Asked[] = [];

  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  /** Returns the holder of a key with the user that the request names; undefined for an unknown key. */
  find(query: CallerQuery): Promise<FoundCaller | undefined> {
    return new Promise((found, failed) => {
      this.#asked.push({ query, found, failed });
      if (this.#asked.length === 1) setImmediate(() => this.#flush());
    });
  }

  #flush(): void {
    const asked = this.#asked;
    this.#asked = [];
    for (let start = 0; start < asked.length; start += maxBatch) {
      void this.#answer(asked.slice(start, start + maxBatch));
    }
  }

  async #answer(asked: Asked[]): Promise<void> {
    try {
      const callers = await findCallers(
        this.#ctx.db,
        asked.map(({ query }) => query),
      );
      for (const [index, { found }] of asked.entries()) found(callers[index]);
    } catch (error) {
      for (const { failed } of asked) failed(error);
    }
  }
}

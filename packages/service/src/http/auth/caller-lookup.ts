import type { Context } from '../../context.js';
import { type CallerQuery, type FoundCaller, findCallers } from '../../db/keys/callers.js';
import { type AppError, unavailable } from '../../errors.js';

interface PendingQuery {
  query: CallerQuery;
  /** Whether anything still waits for the response. */
  isWanted(): boolean;
  found(caller: FoundCaller | undefined): void;
  failed(error: unknown): void;
}

/** More than that at once makes the first wait for the last. */
const maxBatch = 256;
/** While so many statements are under way, further queries wait for one of them and share the next. */
const maxStatements = 4;
/** More than that are not answered in the time that a request has, while the database is slow. */
const maxPending = 4_096;

/**
 * Looks callers up: those of one tick of the event loop by one statement, and of several ticks while others are under
 * way. Nothing is remembered: a key that was revoked, anywhere, before a request came is refused by that request.
 */
export class CallerLookup {
  readonly #ctx: Context;
  #pending: PendingQuery[] = [];
  #statements = 0;

  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  /**
   * Returns the holder of a key with the user that the request names; undefined for an unknown key. Throws
   * `service_unavailable` while too many wait, and for a query that is not wanted any more when its turn comes.
   */
  find(query: CallerQuery, isWanted: () => boolean): Promise<FoundCaller | undefined> {
    if (this.#pending.length >= maxPending) throw tooMany();
    return new Promise((found, failed) => {
      this.#pending.push({ query, isWanted, found, failed });
      if (this.#pending.length === 1) setImmediate(() => this.#flush());
    });
  }

  #flush(): void {
    while (this.#pending.length > 0 && this.#statements < maxStatements) {
      const wanted = this.#pending.splice(0, maxBatch).filter(({ isWanted, failed }) => {
        if (isWanted()) return true;
        failed(tooMany());
        return false;
      });
      if (wanted.length > 0) void this.#resolve(wanted);
    }
  }

  async #resolve(pending: PendingQuery[]): Promise<void> {
    this.#statements += 1;
    try {
      const callers = await findCallers(
        this.#ctx.db,
        pending.map(({ query }) => query),
      );
      for (const [index, { found }] of pending.entries()) found(callers[index]);
    } catch (error) {
      for (const { failed } of pending) failed(error);
    } finally {
      this.#statements -= 1;
      this.#flush();
    }
  }
}

function tooMany(): AppError {
  return unavailable('The database is slow; try again shortly.');
}

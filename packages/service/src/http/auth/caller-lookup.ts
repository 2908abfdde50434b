import type { Context } from '../../context.js';
import { type CallerQuery, type FoundCaller, findCallers } from '../../db/keys/callers.js';
import { type AppError, unavailable } from '../../errors.js';

/** A query whose turn comes with the next statement. */
interface PendingQuery {
  query: CallerQuery;
  /** Whether anything still waits for the response. */
  isWanted: () => boolean;
  resolve: (caller: FoundCaller | undefined) => void;
  reject: (error: unknown) => void;
}

/** More than that at once makes the first wait for the last. */
const maxBatch = 256;
/** While so many statements are under way, further queries wait for one of them and share the next. */
const maxStatements = 4;
/**
 * How long queries wait for the end of the last statement before they make up another one: one by one they would cost as
 * much as they do together, and a database that is near responds sooner.
 */
const joinWithinMs = 2;
/** More than that are not answered in the time that a request has, while the database is slow. */
const maxPending = 4_096;

/**
 * Looks callers up: those of one tick of the event loop by one statement, and of several ticks while another one is under
 * way. Nothing is remembered: a key that was revoked, anywhere, before a request came is refused by that request.
 */
export class CallerLookup {
  readonly #ctx: Context;
  #pending: PendingQuery[] = [];
  #statements = 0;
  /** When the last one began, by the monotonic clock. */
  #begunMs = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  /**
   * Returns the holder of a key with the user that the request names; undefined for an unknown key. Throws
   * `service_unavailable` while too many wait, and for a query that is not wanted any more when its turn comes.
   */
  find(query: CallerQuery, isWanted: () => boolean): Promise<FoundCaller | undefined> {
    return new Promise((resolve, reject) => {
      if (this.#pending.length >= maxPending) {
        reject(tooMany());
        return;
      }
      this.#pending.push({ query, isWanted, resolve, reject });
      if (this.#pending.length === 1) setImmediate(() => this.#flush());
    });
  }

  #flush(): void {
    while (this.#pending.length > 0 && this.#statements < maxStatements) {
      const waitMs = this.#statements === 0 ? 0 : this.#begunMs + joinWithinMs - performance.now();
      if (waitMs > 0) {
        this.#timer ??= setTimeout(() => {
          this.#timer = undefined;
          this.#flush();
        }, waitMs);
        return;
      }
      const wanted = this.#pending.splice(0, maxBatch).filter((each) => {
        if (each.isWanted()) return true;
        each.reject(tooMany());
        return false;
      });
      if (wanted.length > 0) void this.#resolve(wanted);
    }
  }

  async #resolve(pending: PendingQuery[]): Promise<void> {
    this.#statements += 1;
    this.#begunMs = performance.now();
    try {
      const callers = await findCallers(
        this.#ctx.db,
        pending.map(({ query }) => query),
      );
      for (const [index, each] of pending.entries()) each.resolve(callers[index]);
    } catch (error) {
      for (const each of pending) each.reject(error);
    } finally {
      this.#statements -= 1;
      this.#flush();
    }
  }
}

function tooMany(): AppError {
  return unavailable('The database is slow; try again shortly.');
}

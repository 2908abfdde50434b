import type { Context } from '../../context.js';
import { type CallerQuery, type FoundCaller, findCallers } from '../../db/keys/callers.js';
import { connectionShares } from '../../domain/limits.js';
import { unavailable } from '../../errors.js';
import { Batcher } from '../../runtime/batcher.js';

/** More than that at once makes the first wait for the last. */
const maxInStatement = 256;
/**
 * How long queries wait for the end of the last statement before they make up another one: one by one they would cost as
 * much as they do together, and a database that is near responds sooner.
 */
const joinWithinMs = 2;
/** More than that get no response in the time that a request has, while the database is slow. */
const maxWaiting = 4_096;

/**
 * Looks callers up, for both surfaces: those of one tick of the event loop by one statement, and of several ticks while another one is under
 * way. Nothing is remembered: a key that was revoked, anywhere, before a request came is refused by that request.
 */
export class CallerLookup {
  readonly #batcher: Batcher<CallerQuery, FoundCaller | undefined>;

  constructor({ config, db }: Pick<Context, 'config' | 'db'>) {
    this.#batcher = new Batcher({
      run: (queries) => findCallers(db, queries),
      maxItems: maxInStatement,
      // Further queries wait for the end of one and share the next: callers whose keys are not good leave connections to others.
      maxRunning: Math.min(connectionShares.keys, config.databasePoolSize - 1),
      joinWithinMs,
      maxWaiting,
      refusal: () => unavailable('The database is slow; try again shortly.'),
    });
  }

  /**
   * Returns the holder of a key with the user that the request names; undefined for an unknown key. Throws
   * `service_unavailable` while too many wait, and for a query that is not wanted any more when its turn comes.
   */
  find(query: CallerQuery, isWanted: () => boolean): Promise<FoundCaller | undefined> {
    return this.#batcher.add(query, isWanted);
  }
}

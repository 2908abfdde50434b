import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Context } from '../../context.js';
import type { Uuid } from '../../domain/ids.js';
import { connectionShares } from '../../domain/limits.js';
import { AppError, unavailable } from '../../errors.js';
import { Lane, type LaneRules } from '../../runtime/lanes.js';
import type { ServerParts } from './server.js';

/** How long a request waits for its first one: less than half of the time that its work may take. */
const usualConnectWithinMs = 2_000;
const retryAfterSeconds = 1;

/**
 * The lanes of those who call a process: of each partner by itself, and one of all whom no key makes known. So whatever one of
 * them does, the others find connections.
 */
export class CallerLanes {
  readonly #rules: LaneRules;
  readonly #lanes = new Map<Uuid, Lane>();
  /** Of all requests without a key. */
  readonly unknown: Lane;
  /** Of looking up who operators are, so that those who are known do not wait behind strangers who sign in. */
  readonly lookups: Lane;

  constructor(
    { config }: Pick<Context, 'config'>,
    { connectWithinMs: maxWaitMs = usualConnectWithinMs }: Pick<ServerParts, 'connectWithinMs'>,
  ) {
    // One is left to the others however small the pool is.
    const places = Math.min(connectionShares.caller, config.databasePoolSize - 1);
    this.#rules = { places, maxWaitMs };
    this.unknown = new Lane(this.#rules, tooManyUnknown);
    this.lookups = new Lane(this.#rules, tooManyUnknown);
  }

  /** Returns the lane of a partner, or of a key that acts for none: there are only so many, and each is kept. */
  of(ownerId: Uuid): Lane {
    const known = this.#lanes.get(ownerId);
    if (known) return known;
    const lane = new Lane(this.#rules, tooMuchAtOnce);
    this.#lanes.set(ownerId, lane);
    return lane;
  }
}

function tooManyUnknown(): AppError {
  const message = 'Too many requests of unknown callers came at once; try again shortly.';
  return unavailable(message, { retryAfterSeconds });
}

function tooMuchAtOnce(): AppError {
  const message = `Too many of your requests came at once, and this one was not begun; try again in ${retryAfterSeconds} s.`;
  return new AppError('rate_limited', message, { retryAfterSeconds });
}

/**
 * Keeps what requests do after they were let in to the lanes of their callers. Where a key is looked up, it is not known whose
 * request it is; look-ups have their own limit.
 * @param laneOf the lane of a request; undefined: its callers are trusted.
 */
export function keepToLanes(
  app: FastifyInstance,
  laneOf: (request: FastifyRequest) => Lane | undefined,
): void {
  app.addHook('preHandler', (request, _reply, done) => {
    const lane = laneOf(request);
    if (lane) lane.run(done);
    else done();
  });
}

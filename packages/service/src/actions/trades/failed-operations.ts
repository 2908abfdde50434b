import type { Logger } from 'pino';
import type { Clock } from '../../clock.js';
import type { Db } from '../../db/client.js';
import { findFailingPartners } from '../../db/trades/failed-operations.js';
import type { Uuid } from '../../domain/ids.js';
import { failedOperations } from '../../domain/limits.js';
import { spanInWords } from '../../domain/words.js';
import { AppError } from '../../errors.js';
import type { Metrics } from '../../metrics/metrics.js';
import { type Loop, startLoop } from '../../runtime/loop.js';

const { windowMs } = failedOperations;
const window = spanInWords(windowMs);
/** What a partner can quote meanwhile is far less than in the life of a quote, which it can still send. */
const lookEveryMs = 5_000;

/**
 * The partners of which so many trades and redemptions have failed on chain within `windowMs` that they get no quotes. The service
 * pays for what fails, and whether it fails is up to those who sign it: a user may move the tokens away first. Kept in memory,
 * so that a quote of a trade costs no query for it.
 */
export class FailedOperations {
  readonly #parts: { db: Db; clock: Clock; log: Logger };
  /** What may fail of a partner within `windowMs`. */
  readonly #most: number;
  /** Until when each of them gets no quotes, milliseconds. */
  #until: ReadonlyMap<Uuid, number> = new Map();
  #isKnown = false;

  constructor(most: number, parts: { db: Db; clock: Clock; log: Logger; metrics: Metrics }) {
    this.#most = most;
    this.#parts = parts;
    const partners = parts.metrics.gauge(
      'karat_partners_without_quotes',
      `Partners that get no quotes because too many of their trades and redemptions failed within ${window}`,
    );
    // Processes that give no quotes know nothing of it.
    parts.metrics.addReader(() => {
      if (this.#isKnown)
        partners.set([...this.#until.values()].filter((ms) => ms > parts.clock.now()).length);
    });
  }

  /** Keeps it up to date until the loop is stopped. */
  follow(): Loop {
    const { log } = this.#parts;
    return startLoop({
      name: 'failed operations',
      intervalMs: lookEveryMs,
      log,
      round: () => this.refresh(),
    });
  }

  /** Reads it again. Rejects when the database fails; what was known before then stays. */
  async refresh(): Promise<void> {
    const { db, clock, log } = this.#parts;
    const found = await findFailingPartners(db, this.#most, new Date(clock.now() - windowMs));
    const until = new Map(found.map(({ partnerId, atMs }) => [partnerId, atMs + windowMs]));
    for (const [partner_id, ms] of until) {
      if (this.#until.has(partner_id)) continue;
      const facts = { partner_id, failed: this.#most, until: new Date(ms).toISOString() };
      log.warn(facts, 'a partner gets no quotes: too many of its trades and redemptions failed');
    }
    this.#until = until;
    this.#isKnown = true;
  }

  /** Throws `rate_limited` for a partner that gets no quotes at present. */
  requireFew(partnerId: Uuid): void {
    const untilMs = this.#until.get(partnerId);
    if (untilMs === undefined) return;
    const leftMs = untilMs - this.#parts.clock.now();
    if (leftMs <= 0) return;
    const message = `${this.#most} trades and redemptions of this partner failed on chain within ${window}. Quotes resume at ${new Date(untilMs).toISOString()}.`;
    throw new AppError('rate_limited', message, { retryAfterSeconds: Math.ceil(leftMs / 1_000) });
  }
}

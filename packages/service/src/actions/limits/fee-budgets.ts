import type { Logger } from 'pino';
import type { Clock } from '../../clock.js';
import type { Db } from '../../db/client.js';
import { findOverspent } from '../../db/limits/fee-spending.js';
import type { Uuid } from '../../domain/ids.js';
import { feeBudget, fullHourOf } from '../../domain/limits.js';
import { formatDecimal, lamportDecimals } from '../../domain/money.js';
import { AppError } from '../../errors.js';
import type { Metrics } from '../../metrics/metrics.js';
import { type Loop, startLoop } from '../../runtime/loop.js';

/** What a partner can quote meanwhile is far less than in the life of a quote, which it can still send. */
const lookEveryMs = 5_000;

/**
 * The partners for which the service has paid as much to the network within this hour as their terms allow, so that they get no
 * quotes. The service pays for each transaction that lands, whether it fails is up to those who sign it, and a trade of a cent costs
 * more than it earns. Kept in memory, so that a quote of a trade costs no query for it.
 */
export class FeeBudgets {
  readonly #parts: { db: Db; clock: Clock; log: Logger };
  /** Budgets in lamports of partners that have used them up in an hour that ends then, milliseconds. */
  #overspent: ReadonlyMap<Uuid, bigint> = new Map();
  #untilMs = 0;
  #isKnown = false;

  constructor(parts: { db: Db; clock: Clock; log: Logger; metrics: Metrics }) {
    this.#parts = parts;
    const partners = parts.metrics.gauge(
      'karat_partners_without_quotes',
      'Partners that get no quotes because their transactions have cost the service as much within this hour as their terms allow',
    );
    // Processes that give no quotes know nothing of it.
    parts.metrics.addReader(() => {
      if (this.#isKnown) partners.set(parts.clock.now() < this.#untilMs ? this.#overspent.size : 0);
    });
  }

  /** Keeps it up to date until the loop is stopped. */
  follow(): Loop {
    const { log } = this.#parts;
    return startLoop({ name: 'fee budgets', intervalMs: lookEveryMs, log, round: () => this.refresh() });
  }

  /** Reads it again. Rejects when the database fails; what was known before then stays. */
  async refresh(): Promise<void> {
    const { db, clock, log } = this.#parts;
    const nowMs = clock.now();
    const untilMs = fullHourOf(nowMs).getTime() + feeBudget.windowMs;
    const overspent = await findOverspent(db, nowMs);
    for (const [partner_id, lamports] of overspent) {
      if (untilMs === this.#untilMs && this.#overspent.has(partner_id)) continue;
      const facts = { partner_id, lamports: lamports.toString(), until: new Date(untilMs).toISOString() };
      log.warn(facts, 'a partner gets no quotes: its transactions have cost as much as its terms allow');
    }
    this.#overspent = overspent;
    this.#untilMs = untilMs;
    this.#isKnown = true;
  }

  /** Throws `rate_limited` for a partner that gets no quotes at present. */
  requireLeft(partnerId: Uuid): void {
    const budget = this.#overspent.get(partnerId);
    const leftMs = this.#untilMs - this.#parts.clock.now();
    if (budget === undefined || leftMs <= 0) return;
    const sol = formatDecimal(budget, lamportDecimals);
    const message = `Within this hour the service has paid ${sol} SOL more to the network for this partner's transactions than it earned by them, which is the most. Quotes resume at ${new Date(this.#untilMs).toISOString()}.`;
    const retryAfterSeconds = Math.ceil(leftMs / 1_000);
    throw new AppError('rate_limited', message, { reason: 'fee_budget_used', retryAfterSeconds });
  }
}

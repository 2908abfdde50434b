import type { Context } from '../../context.js';
import { findNumberedEvents, type StoredEvent } from '../../db/events/events.js';
import {
  type ClaimedDelivery,
  claimDeliveries,
  planDeliveries,
  releaseDeliveries,
} from '../../db/webhooks/webhook-deliveries.js';
import type { EndpointId } from '../../domain/ids.js';
import { Batcher } from '../../runtime/batcher.js';
import { type Loop, startLoop } from '../../runtime/loop.js';
import { pause } from '../../runtime/time.js';
import { Wake } from '../../runtime/wake.js';
import { annotate, inChildSpan, inOwnTrace } from '../../tracing/spans.js';
import {
  type Attempted,
  type AttemptOptions,
  attemptDelivery,
  endDeliveries,
  recordFailure,
  recordSuccesses,
} from './deliver.js';

/** New events wake the deliverer at once; what is due by the clock alone, as retries are, is looked for this often. */
const lookEveryMs = 1_000;
const afterFailureMs = 1_000;
const disableEveryMs = 1_000;
/** Endpoints whose last attempt succeeded, and those whose last one failed. */
type Kind = 'working' | 'failing';
/** Attempts at once in this process: to endpoints that work, and to those that fail, which may all hang for 10 s. */
const slots = { working: 1_000, failing: 250 };
/** Attempts at once to one endpoint. One that has more is left out until it has less. */
const slotsOfEndpoint = { working: 4, failing: 1 };
/** Attempts under way have so long to end when the process stops; what they had claimed is then for other processes. */
const endWithinMs = 5_000;

export interface Deliverer {
  /** Claims nothing more, and waits for the attempts under way. */
  stop(): Promise<void>;
}

/** What each attempt is made with. A claim lapses after 30 s: where endpoints may take longer, another attempt may begin. */
export type DelivererParts = Omit<AttemptOptions, 'signal'>;

/** Starts to send webhooks. Any number of processes may: each delivery is claimed by one of them. */
export function startDeliverer(ctx: Context, parts: DelivererParts = {}): Deliverer {
  return new RunningDeliverer(ctx, parts);
}

class RunningDeliverer implements Deliverer {
  readonly #ctx: Context;
  readonly #parts: DelivererParts;
  readonly #wake = new Wake();
  readonly #unfollow: () => void;
  readonly #loops: Loop[];
  readonly #abort = new AbortController();
  readonly #running = new Set<Promise<void>>();
  readonly #underWay = { working: 0, failing: 0 };
  /** How many attempts are under way to each endpoint that has any. */
  readonly #attempts = new Map<EndpointId, number>();
  readonly #successes: Batcher<Attempted, void>;

  constructor(ctx: Context, parts: DelivererParts) {
    this.#ctx = ctx;
    this.#parts = parts;
    this.#successes = new Batcher({ run: (attempted) => recordSuccesses(ctx, attempted).then(() => []) });
    this.#unfollow = ctx.feed.follow('events', () => this.#wake.wake());
    const { log } = ctx;
    const intervalMs = (failing: boolean) => (failing ? afterFailureMs : 0);
    this.#loops = [
      startLoop({ name: 'webhooks', intervalMs, log, round: (signal) => this.#round(signal) }),
      startLoop({
        name: 'disabled webhook endpoints',
        intervalMs: disableEveryMs,
        log,
        round: () => endDeliveries(ctx),
      }),
    ];
  }

  async stop(): Promise<void> {
    this.#unfollow();
    await Promise.all(this.#loops.map((loop) => loop.stop()));
    const left = Promise.all(this.#running);
    const late = new AbortController();
    await Promise.race([left, pause(endWithinMs, late.signal)]);
    late.abort();
    this.#abort.abort();
    await left;
  }

  async #round(signal: AbortSignal): Promise<void> {
    const { db, clock } = this.#ctx;
    const at = new Date(clock.now());
    const moreToPlan = await planDeliveries(db, at);
    const claimed = [...(await this.#claim(at, 'working')), ...(await this.#claim(at, 'failing'))];
    if (claimed.length > 0) await inOwnTrace('deliver', {}, () => this.#startAll(claimed));
    if (!moreToPlan) await this.#wake.sleep(lookEveryMs, signal);
  }

  async #startAll(claimed: { delivery: ClaimedDelivery; kind: Kind }[]): Promise<void> {
    const events = await findNumberedEvents(
      this.#ctx.db,
      claimed.map(({ delivery }) => delivery),
    );
    for (const { delivery, kind } of claimed) this.#start(delivery, kind, events.get(delivery.eventId));
  }

  async #claim(at: Date, kind: Kind): Promise<{ delivery: ClaimedDelivery; kind: Kind }[]> {
    const limit = slots[kind] - this.#underWay[kind];
    if (limit <= 0) return [];
    const each = slotsOfEndpoint[kind];
    const busy = [...this.#attempts].filter(([, running]) => running >= each).map(([id]) => id);
    const wanted = { failing: kind === 'failing', busy, limit, each };
    const found = await claimDeliveries(this.#ctx.db, at, wanted);
    return found.map((delivery) => ({ delivery, kind }));
  }

  #start(delivery: ClaimedDelivery, kind: Kind, event: StoredEvent | undefined): void {
    const { endpointId } = delivery;
    const toEndpoint = () => this.#attempts.get(endpointId) ?? 0;
    this.#underWay[kind] += 1;
    this.#attempts.set(endpointId, toEndpoint() + 1);
    const done = inChildSpan('attempt webhook', () => this.#attempt(delivery, event)).finally(() => {
      // Where there was room for more, a place that is free again brings nothing.
      if (this.#underWay[kind] >= slots[kind] || toEndpoint() >= slotsOfEndpoint[kind]) this.#wake.wake();
      this.#underWay[kind] -= 1;
      this.#attempts.set(endpointId, toEndpoint() - 1);
      if (toEndpoint() === 0) this.#attempts.delete(endpointId);
      this.#running.delete(done);
    });
    this.#running.add(done);
  }

  async #attempt(delivery: ClaimedDelivery, event: StoredEvent | undefined): Promise<void> {
    const { signal } = this.#abort;
    const ctx = this.#ctx;
    try {
      const attempted = await attemptDelivery(ctx, delivery, event, { signal, ...this.#parts });
      if (!attempted) return await ctx.db.transaction((tx) => releaseDeliveries(tx, [delivery.id]));
      const outcome = await this.#record(attempted);
      annotate({ 'karat.outcome': outcome });
      ctx.metrics.webhookAttempts.inc({ outcome });
    } catch (err) {
      // The claim lapses, and the attempt is made again.
      ctx.log.warn({ err, endpoint_id: delivery.endpointId }, 'a webhook was not recorded');
    }
  }

  async #record(attempted: Attempted): Promise<'delivered' | 'retrying' | 'failed'> {
    if (!attempted.delivered) return (await recordFailure(this.#ctx, attempted)) ? 'retrying' : 'failed';
    await this.#successes.add(attempted);
    return 'delivered';
  }
}

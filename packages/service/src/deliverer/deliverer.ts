import { deliver, disableGivenUpEndpoints } from '../actions/webhooks/deliver.js';
import type { Context } from '../context.js';
import {
  type ClaimedDelivery,
  claimDeliveries,
  planDeliveries,
  releaseDeliveries,
} from '../db/webhooks/webhook-deliveries.js';
import type { EndpointId } from '../domain/ids.js';
import { EventWake } from '../runtime/event-wake.js';
import { type Loop, startLoop } from '../runtime/loop.js';
import { pause } from '../runtime/time.js';
import { Wake } from '../runtime/wake.js';
import type { Resolve } from '../webhooks/destination.js';

/** A notification wakes the deliverer at once; what is due by the clock alone is looked for this often. */
const lookEveryMs = 250;
const afterFailureMs = 1_000;
const disableEveryMs = 1_000;
/** Attempts at once in this process: to endpoints that work, and to those that fail, which may all hang for 10 s. */
const slots = { working: 1_000, failing: 250 };
/** Attempts at once to one endpoint. One that has more is left out until it has less. */
const slotsOfEndpoint = { working: 4, failing: 1 };
/** Attempts under way have so long to end when the process stops; what they had claimed is then somebody else's. */
const endWithinMs = 5_000;

export interface Deliverer {
  /** Claims nothing more, and waits for the attempts under way. */
  stop(): Promise<void>;
}

/** Starts to send webhooks. Any number of processes may: each delivery is claimed by one of them. */
export function startDeliverer(ctx: Context, parts: { resolve?: Resolve } = {}): Deliverer {
  return new RunningDeliverer(ctx, parts.resolve);
}

class RunningDeliverer implements Deliverer {
  readonly #ctx: Context;
  readonly #resolve: Resolve | undefined;
  readonly #wake = new Wake();
  readonly #events: EventWake;
  readonly #loops: Loop[];
  readonly #abort = new AbortController();
  readonly #running = new Map<ClaimedDelivery, { failing: boolean; done: Promise<void> }>();

  constructor(ctx: Context, resolve: Resolve | undefined) {
    this.#ctx = ctx;
    this.#resolve = resolve;
    this.#events = new EventWake(ctx);
    this.#events.ofAll(() => this.#wake.wake());
    const { log } = ctx;
    const intervalMs = (failing: boolean) => (failing ? afterFailureMs : 0);
    this.#loops = [
      startLoop({ name: 'webhooks', intervalMs, log, round: (signal) => this.#round(signal) }),
      startLoop({
        name: 'failing webhook endpoints',
        intervalMs: disableEveryMs,
        log,
        round: () => disableGivenUpEndpoints(ctx),
      }),
    ];
  }

  async stop(): Promise<void> {
    await Promise.all(this.#loops.map((loop) => loop.stop()));
    await this.#events.stop();
    const left = Promise.all([...this.#running.values()].map(({ done }) => done));
    const late = new AbortController();
    await Promise.race([left, pause(endWithinMs, late.signal)]);
    late.abort();
    this.#abort.abort();
    await left;
  }

  async #round(signal: AbortSignal): Promise<void> {
    const at = () => new Date(this.#ctx.clock.now());
    const planned = await this.#ctx.db.transaction((tx) => planDeliveries(tx, at()));
    let claimed = 0;
    for (const failing of [false, true]) {
      const kind = failing ? 'failing' : 'working';
      const own = [...this.#running].filter(([, one]) => one.failing === failing);
      const limit = slots[kind] - own.length;
      if (limit <= 0) continue;
      const wanted = { failing, busy: this.#busy(slotsOfEndpoint[kind]), limit, each: slotsOfEndpoint[kind] };
      const found = await this.#ctx.db.transaction((tx) => claimDeliveries(tx, at(), wanted));
      for (const delivery of found) this.#start(delivery, failing);
      claimed += found.length;
    }
    if (planned === 0 && claimed === 0) await this.#wake.sleep(lookEveryMs, signal);
  }

  /** Endpoints to which this process makes as many attempts as it may. */
  #busy(most: number): EndpointId[] {
    const counts = new Map<EndpointId, number>();
    for (const { endpointId } of this.#running.keys()) {
      counts.set(endpointId, (counts.get(endpointId) ?? 0) + 1);
    }
    return [...counts].filter(([, running]) => running >= most).map(([id]) => id);
  }

  #start(delivery: ClaimedDelivery, failing: boolean): void {
    const done = this.#attempt(delivery).finally(() => {
      this.#running.delete(delivery);
      this.#wake.wake();
    });
    this.#running.set(delivery, { failing, done });
  }

  async #attempt(delivery: ClaimedDelivery): Promise<void> {
    const { signal } = this.#abort;
    try {
      const outcome = await deliver(this.#ctx, delivery, { signal, resolve: this.#resolve });
      if (outcome !== 'abandoned') return this.#ctx.metrics.webhookAttempts.inc({ outcome });
      await this.#ctx.db.transaction((tx) => releaseDeliveries(tx, [delivery.id]));
    } catch (err) {
      // The claim lapses, and the attempt is made again.
      this.#ctx.log.warn({ err, endpoint_id: delivery.endpointId }, 'a webhook was not recorded');
    }
  }
}

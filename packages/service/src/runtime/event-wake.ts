import type { Logger } from 'pino';
import type { Config } from '../config.js';
import type { Db } from '../db/client.js';
import { eventsChannel, findLastSequences } from '../db/events/events.js';
import { asUuid, type Uuid } from '../domain/ids.js';
import { type Listening, listen, reconnecting } from './listen.js';
import { type Loop, startLoop } from './loop.js';

/** How often the logs with waiters are looked at: less often while notifications come than without. */
const lookWhileLiveMs = 500;
const lookWhileDeafMs = 400;

/**
 * Wakes those who wait for events of a partner, as soon as some are committed by whichever process. One connection of this
 * process listens to the notifications of PostgreSQL, which only make it quicker: the logs are looked at besides.
 */
export class EventWake {
  readonly #parts: { config: Config; db: Db; log: Logger };
  readonly #waiting = new Map<Uuid, Set<() => void>>();
  readonly #waitingForAll = new Set<() => void>();
  readonly #known = new Map<Uuid, bigint>();
  #loops: Loop[] | undefined;
  #live = false;

  /** Connects for the first waiter. */
  constructor(parts: { config: Config; db: Db; log: Logger }) {
    this.#parts = parts;
  }

  /** Calls `wake` whenever a partner's log may have grown. Returns what ends that. */
  of(partnerId: Uuid, wake: () => void): () => void {
    const others = this.#waiting.get(partnerId) ?? new Set();
    this.#waiting.set(partnerId, others.add(wake));
    this.#start();
    return () => {
      others.delete(wake);
      if (others.size > 0 || this.#waiting.get(partnerId) !== others) return;
      this.#waiting.delete(partnerId);
      this.#known.delete(partnerId);
    };
  }

  /** Calls `wake` at every notification, of any partner's log. Its users poll as well. */
  ofAll(wake: () => void): () => void {
    this.#waitingForAll.add(wake);
    this.#start();
    return () => void this.#waitingForAll.delete(wake);
  }

  async stop(): Promise<void> {
    const loops = this.#loops ?? [];
    this.#loops = [];
    await Promise.all(loops.map((loop) => loop.stop()));
  }

  #start(): void {
    const { log } = this.#parts;
    this.#loops ??= [
      startLoop({
        name: 'event notifications',
        ...reconnecting,
        log,
        round: (signal, works) => this.#listen(signal, works),
      }),
      startLoop({
        name: 'event logs',
        intervalMs: () => (this.#live ? lookWhileLiveMs : lookWhileDeafMs),
        log,
        round: () => this.#look(),
      }),
    ];
  }

  async #listen(signal: AbortSignal, works: () => void): Promise<void> {
    const listening: Listening = {
      config: this.#parts.config,
      applicationName: 'karat-events',
      onLive: () => {
        works();
        this.#live = true;
        // Nothing notifies of earlier commits.
        for (const partnerId of this.#waiting.keys()) this.#ring(partnerId);
      },
      channels: { [eventsChannel]: (payload) => this.#ring(asUuid(payload)) },
    };
    await listen(listening, signal).finally(() => {
      this.#live = false;
    });
  }

  async #look(): Promise<void> {
    for (const [partnerId, last] of await findLastSequences(this.#parts.db, [...this.#waiting.keys()])) {
      if (this.#known.get(partnerId) !== last) this.#ring(partnerId);
      this.#known.set(partnerId, last);
    }
  }

  #ring(partnerId: Uuid | undefined): void {
    for (const wake of this.#waitingForAll) wake();
    for (const wake of (partnerId && this.#waiting.get(partnerId)) ?? []) wake();
  }
}

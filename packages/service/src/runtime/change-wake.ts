import type { Logger } from 'pino';
import type { Config } from '../config.js';
import type { Db } from '../db/client.js';
import { eventsChannel, findLastSequences, findObjectsOf, type LogPart } from '../db/events/events.js';
import { asUuid, type Uuid } from '../domain/ids.js';
import { listen, reconnecting } from './listen.js';
import { type Loop, startLoop } from './loop.js';
import { Wake } from './wake.js';

/** What has changed: kind and id of an object, separated by a space. */
export type ChangeName = string;

/** The channel on which triggers of the database name what has changed, other than by events. */
const changesChannel = 'karat_changes';

/** How often the logs of all partners are looked at. */
const lookEveryMs = 400;
/** From one look to the next, however many notifications come. */
const lookApartMs = 100;
const lookAfterFailureMs = 500;
/** Of more new events than these, it is not read what they are about: anything may have changed. */
const mostRead = 1_000;

/**
 * Reports to followers what has changed, as soon as it is committed by whichever process. One connection of this process listens
 * to the notifications of PostgreSQL. While it is lost, nothing but events is reported; once it is back, anything may have
 * changed. What events are about is read from the logs of the partners that a notification names, and from all logs besides,
 * because a notification may be missing.
 */
export class ChangeWake {
  readonly #parts: { config: Config; db: Db; log: Logger };
  readonly #followers = new Set<(changes: readonly ChangeName[] | 'anything') => void>();
  /** The newest event of each partner that was reported; undefined without followers. */
  #known: Map<Uuid, bigint> | undefined;
  /** Those whose logs have grown. */
  #named = new Set<Uuid>();
  readonly #woken = new Wake();
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #loops: Loop[] | undefined;

  /** Connects when there is a first follower. */
  constructor(parts: { config: Config; db: Db; log: Logger }) {
    this.#parts = parts;
  }

  /** Calls `follow` with what has changed. Returns what ends that. */
  follow(follow: (changes: readonly ChangeName[] | 'anything') => void): () => void {
    this.#followers.add(follow);
    if (!this.#known) this.#woken.wake();
    this.#start();
    return () => void this.#followers.delete(follow);
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
        name: 'change notifications',
        ...reconnecting,
        log,
        round: (signal, works) => this.#listen(signal, works),
      }),
      startLoop({
        name: 'changes by events',
        intervalMs: (failing) => (failing ? lookAfterFailureMs : lookApartMs),
        log,
        round: (signal) => this.#look(signal),
      }),
    ];
  }

  #listen(signal: AbortSignal, works: () => void): Promise<void> {
    const listening = {
      config: this.#parts.config,
      applicationName: 'karat-changes',
      onLive: () => {
        works();
        this.#report('anything');
      },
      channels: {
        [changesChannel]: (payload: string) => this.#report(payload.split('\n')),
        [eventsChannel]: (payload: string) => {
          const partnerId = asUuid(payload);
          if (partnerId) this.#named.add(partnerId);
          this.#woken.wake();
        },
      },
    };
    return listen(listening, signal);
  }

  /** Waits for a notification, or until all logs are to be looked at, and reports what the new events are about. */
  async #look(signal: AbortSignal): Promise<void> {
    const dueMs = this.#lookedAtMs + lookEveryMs;
    const isNamed = await this.#woken.sleep(Math.max(0, dueMs - performance.now()), signal);
    if (signal.aborted) return;
    const named = [...this.#named];
    this.#named.clear();
    if (this.#followers.size === 0) this.#known = undefined;
    const nowMs = performance.now();
    const all = !isNamed || !this.#known || nowMs >= dueMs;
    if (all) this.#lookedAtMs = nowMs;
    if (this.#followers.size > 0) await this.#lookAt(all ? undefined : named);
  }

  async #lookAt(partners: readonly Uuid[] | undefined): Promise<void> {
    const found = await findLastSequences(this.#parts.db, partners);
    if (!this.#known) {
      this.#known = found;
      this.#report('anything');
      return;
    }
    const known = this.#known;
    const grown: LogPart[] = [...found]
      .map(([partnerId, last]) => ({ partnerId, after: known.get(partnerId) ?? 0n, last }))
      .filter(({ after, last }) => last > after);
    const changes = await this.#changesOf(grown);
    for (const [partnerId, last] of found) known.set(partnerId, last);
    this.#report(changes);
  }

  async #changesOf(grown: readonly LogPart[]): Promise<readonly ChangeName[] | 'anything'> {
    if (grown.length === 0) return [];
    const count = grown.reduce((sum, { after, last }) => sum + last - after, 0n);
    if (count > mostRead) return 'anything';
    const objects = await findObjectsOf(this.#parts.db, grown, mostRead);
    return objects.map(({ objectType, objectId }) => `${objectType} ${objectId}`);
  }

  #report(changes: readonly ChangeName[] | 'anything'): void {
    if (changes.length === 0) return;
    for (const follow of this.#followers) follow(changes);
  }
}

import type { Logger } from 'pino';
import type { Config } from '../config.js';
import type { Db } from '../db/client.js';
import {
  type Event,
  eventsChannel,
  findLastSequences,
  findObjectsOf,
  type LogPart,
} from '../db/events/events.js';
import { asUuid, type Uuid } from '../domain/ids.js';
import { type Loop, startLoop } from '../runtime/loop.js';
import { Wake } from '../runtime/wake.js';
import { listen, reconnecting } from './listen.js';

/** What has changed: kind and id of an object, separated by a space. */
export type ChangeName = string;

/** `anything`: changes may have been missed, or are too many to name. */
export type Changes = readonly ChangeName[] | 'anything';

/**
 * What wakes a follower: `changes`, whatever is committed, be it an event or not; `events`, new events of any partner; else
 * new events of a partner, those about one object alone if it is named.
 */
export type FeedFilter = 'changes' | 'events' | { partnerId: Uuid; objectId?: string };

type ObjectName = Pick<Event, 'objectType' | 'objectId'>;

interface Follower {
  objectId: string | undefined;
  wake(changes: Changes): void;
}

/** The channel on which triggers of the database name what has changed, other than by events. */
const changesChannel = 'karat_changes';
/** How often the logs are looked at for which nothing notifies. */
const lookEveryMs = 400;
/** From one look to the next, however many notifications come. */
const lookApartMs = 10;
const lookAfterFailureMs = 500;
/** Of more new events than these, it is not read what they are about. */
const maxRead = 1_000;

/**
 * Wakes followers as soon as something is committed, by whichever process. One session of this process listens to the
 * notifications of PostgreSQL, which only make it quicker: one may be missing, so the counters of the followed logs are
 * looked at besides. What is no event is only notified; once a lost session is back, anything may have changed.
 *
 * A reader that follows first and reads then misses nothing: what is committed after the read wakes. Wake-ups without a cause
 * happen.
 */
export class ChangeFeed {
  readonly #parts: { config: Config; db: Db; log: Logger };
  readonly #ofChanges = new Set<Follower>();
  readonly #ofEvents = new Set<Follower>();
  readonly #ofLogs = new Map<Uuid, Set<Follower>>();
  /** The newest event of each partner that was reported; never a later one than its followers were woken by. */
  readonly #known = new Map<Uuid, bigint>();
  /** Whether a partner without a known event had none when all logs were looked at. */
  #knowsAll = false;
  /** Those whose logs have grown, by notifications. */
  readonly #named = new Set<Uuid>();
  readonly #woken = new Wake();
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #loops: Loop[] | undefined;

  /** Connects for the first follower. */
  constructor(parts: { config: Config; db: Db; log: Logger }) {
    this.#parts = parts;
  }

  /** Calls `wake` whenever something of `filter` may have changed; followers of `changes` learn what. Returns what ends that. */
  follow(filter: FeedFilter, wake: (changes: Changes) => void): () => void {
    this.#start();
    const follower = { objectId: typeof filter === 'object' ? filter.objectId : undefined, wake };
    if (typeof filter === 'string') {
      const followers = filter === 'changes' ? this.#ofChanges : this.#ofEvents;
      followers.add(follower);
      return () => void followers.delete(follower);
    }
    const { partnerId } = filter;
    const followers = this.#ofLogs.get(partnerId) ?? new Set();
    this.#ofLogs.set(partnerId, followers.add(follower));
    return () => {
      followers.delete(follower);
      if (followers.size === 0 && this.#ofLogs.get(partnerId) === followers) this.#ofLogs.delete(partnerId);
    };
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
        name: 'event logs',
        intervalMs: (failing) => (failing ? lookAfterFailureMs : lookApartMs),
        log,
        round: (signal) => this.#look(signal),
      }),
    ];
  }

  #listen(signal: AbortSignal, works: () => void): Promise<void> {
    const listening = {
      config: this.#parts.config,
      applicationName: 'karat-feed',
      onLive: () => {
        works();
        wakeAll(this.#ofChanges, 'anything');
        this.#lookAtAll();
      },
      channels: {
        [changesChannel]: (payload: string) => wakeAll(this.#ofChanges, payload.split('\n')),
        [eventsChannel]: (payload: string) => {
          const partnerId = asUuid(payload);
          if (partnerId) this.#named.add(partnerId);
          this.#woken.wake();
        },
      },
    };
    return listen(listening, signal);
  }

  /** Has the next look, which begins at once, include every followed log. */
  #lookAtAll(): void {
    this.#lookedAtMs = Number.NEGATIVE_INFINITY;
    this.#woken.wake();
  }

  /** Waits for a notification, or until all logs are to be looked at, and looks at them. */
  async #look(signal: AbortSignal): Promise<void> {
    const leftMs = this.#lookedAtMs + lookEveryMs - performance.now();
    await this.#woken.sleep(Math.max(0, leftMs), signal);
    if (signal.aborted) return;
    const named = [...this.#named];
    this.#named.clear();
    const nowMs = performance.now();
    const followsAll = this.#ofChanges.size > 0 || this.#ofEvents.size > 0;
    const isDue = nowMs >= this.#lookedAtMs + lookEveryMs || (followsAll && !this.#knowsAll);
    if (isDue) this.#lookedAtMs = nowMs;
    if (!followsAll && this.#ofLogs.size === 0) {
      // What is known would only get old.
      this.#known.clear();
      this.#knowsAll = false;
      return;
    }
    const followed = isDue
      ? [...this.#ofLogs.keys()]
      : named.filter((id) => followsAll || this.#ofLogs.has(id));
    try {
      await this.#lookAt(isDue && followsAll ? undefined : followed);
    } catch (error) {
      this.#lookAtAll();
      throw error;
    }
  }

  /** Looks at the logs of partners, by default of all, and wakes those who follow one that has grown. */
  async #lookAt(partners: readonly Uuid[] | undefined): Promise<void> {
    const found = await findLastSequences(this.#parts.db, partners);
    const grown = (partners ?? [...found.keys()]).flatMap((partnerId) => {
      const last = found.get(partnerId) ?? 0n;
      const after = this.#known.get(partnerId) ?? (this.#knowsAll ? 0n : undefined);
      return after === last ? [] : [{ partnerId, after, last }];
    });
    if (grown.length > 0) wakeAll(this.#ofEvents, 'anything');
    for (const { partnerId } of grown) this.#wakeLog(partnerId, (objectId) => objectId === undefined);
    const changes = await this.#readObjects(grown);
    for (const { partnerId, last } of grown) this.#known.set(partnerId, last);
    if (!partners) this.#knowsAll = true;
    const objects = changes === 'anything' ? changes : new Set(changes.map(({ objectId }) => objectId));
    const isConcerned = (objectId: string | undefined) =>
      objectId !== undefined && (objects === 'anything' || objects.has(objectId));
    for (const { partnerId } of grown) this.#wakeLog(partnerId, isConcerned);
    wakeAll(this.#ofChanges, changes === 'anything' ? changes : changes.map(nameOf));
  }

  /** Reads what new events are about, as far as followers need it. */
  async #readObjects(
    grown: readonly { partnerId: Uuid; after: bigint | undefined; last: bigint }[],
  ): Promise<'anything' | ObjectName[]> {
    const needed = grown.filter(
      ({ partnerId }) => this.#ofChanges.size > 0 || this.#hasObjectFollower(partnerId),
    );
    const parts: LogPart[] = [];
    let count = 0n;
    for (const { partnerId, after, last } of needed) {
      // A log that is not known yet, or of a database that was restored.
      if (after === undefined || last < after) return 'anything';
      count += last - after;
      parts.push({ partnerId, after, last });
    }
    if (count > maxRead) return 'anything';
    return parts.length === 0 ? [] : findObjectsOf(this.#parts.db, parts, maxRead);
  }

  #hasObjectFollower(partnerId: Uuid): boolean {
    for (const { objectId } of this.#ofLogs.get(partnerId) ?? []) if (objectId !== undefined) return true;
    return false;
  }

  #wakeLog(partnerId: Uuid, concerns: (objectId: string | undefined) => boolean): void {
    for (const { objectId, wake } of this.#ofLogs.get(partnerId) ?? [])
      if (concerns(objectId)) wake('anything');
  }
}

const nameOf = ({ objectType, objectId }: ObjectName): ChangeName => `${objectType} ${objectId}`;

function wakeAll(followers: ReadonlySet<Follower>, changes: Changes): void {
  if (changes.length === 0) return;
  for (const { wake } of followers) wake(changes);
}

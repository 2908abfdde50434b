import { sessionUrlOf } from '../config.js';
import type { Context } from '../context.js';
import { openLeadDatabase } from '../db/client.js';
import { recordIndexerRound } from '../db/indexing/indexer-rounds.js';
import { type Leadership, leadAgainAndAgain } from '../runtime/leadership.js';
import { type Loop, type Subscription, startLoop } from '../runtime/loop.js';
import { inTime, orAbandon, StalledError, untilAny } from '../runtime/time.js';
import { Wake } from '../runtime/wake.js';
import { SignaturePool } from './decode/signature-pool.js';
import { FinalityWatch, type Indexing } from './finality/finality.js';
import { watchedKinds } from './finality/watched-kinds.js';
import { Follower } from './follower.js';
import { LostCursorError } from './listing.js';
import { LiveTrades } from './live-trades.js';
import { openSource } from './open-source.js';
import { deadLetterRetriesOf } from './record/dead-letter-retries.js';
import { expiryOf } from './record/expiry.js';
import { defaultTuning, type Tuning } from './tuning.js';

/** What the indexer of this process does at the moment. */
export interface IndexerStatus {
  /** A standby waits for the leader, in another process, to end. */
  role: 'starting' | 'standby' | 'leader' | 'stopped';
  /** Newest slot up to which everything is recorded; 0 before the first. Leader only. */
  slot: bigint;
  /** Since the last complete round; undefined before the first. Leader only. */
  lastRoundAgeMs: number | undefined;
  /** Listed transactions that the node does not know yet. */
  waiting: number;
}

export type Indexer = Pick<RunningIndexer, 'stop' | 'fault' | 'status'>;

/** After a notification the listing may lag behind it: it is read this often, this soon, before the usual pause. */
const eagerRounds = 5;
const eagerMs = 100;
/** How long polling stays quick after something was found, or found without a notification. */
const alertMs = 10_000;
/** The round, the loops next to it and the note of a round may write at the same time. */
const poolSize = 6;
/** What a round in hand has to end when the lead is over. */
const graceMs = 3_000;
/** How often complete rounds are noted for processes that do not index. */
const noteRoundMs = 2_000;

/**
 * Starts indexing: this process leads or waits to lead, follows the chain while it leads, and comes back by itself from
 * whatever the node, its notifications or the database do. Needs a started `ctx.chain`.
 */
export function startIndexer(ctx: Context, tuning: Partial<Tuning> = {}): Indexer {
  return new RunningIndexer(ctx, { ...defaultTuning, ...tuning });
}

class RunningIndexer {
  readonly #ctx: Context;
  readonly #tuning: Tuning;
  readonly #abort = new AbortController();
  readonly #done: Promise<void>;
  #role: IndexerStatus['role'] = 'starting';
  #follower: Follower | undefined;
  #waiting = 0;
  #ledSinceMs = 0;
  #lastRoundMs: number | undefined;
  #notedRoundMs = Number.NEGATIVE_INFINITY;
  #lostCursor: string | undefined;
  /** The slot up to which a history that is read page by page is recorded. */
  #behindAt: bigint | undefined;
  #databaseDown = false;
  #failing = false;

  constructor(ctx: Context, tuning: Tuning) {
    this.#ctx = ctx;
    this.#tuning = tuning;
    this.#done = this.#run();
  }

  /** Ends the round in hand, gives the leadership back and waits for both. */
  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#done;
  }

  /** For readiness: undefined while indexing goes on here or in another process, else why it does not. */
  fault(): string | undefined {
    if (this.#role === 'stopped') return 'The indexer has stopped.';
    if (this.#databaseDown) return 'The indexer cannot reach the database.';
    if (this.#role === 'starting') return 'The indexer is starting.';
    if (this.#role === 'standby') return undefined;
    if (this.#lostCursor !== undefined) return this.#lostCursor;
    if (this.#behindAt !== undefined) {
      return `The indexer is reading the history and has reached slot ${this.#behindAt}.`;
    }
    const silentMs = performance.now() - (this.#lastRoundMs ?? this.#ledSinceMs);
    if (silentMs <= this.#tuning.faultAfterMs) return undefined;
    return `The indexer has made no progress for ${Math.floor(silentMs / 1000)} s.`;
  }

  status(): IndexerStatus {
    const ageMs = this.#lastRoundMs === undefined ? undefined : performance.now() - this.#lastRoundMs;
    return {
      role: this.#role,
      slot: this.#follower?.slot() ?? 0n,
      lastRoundAgeMs: ageMs,
      waiting: this.#waiting,
    };
  }

  async #run(): Promise<void> {
    const campaign = {
      databaseUrl: sessionUrlOf(this.#ctx.config),
      lock: 'indexer',
      electionMs: this.#tuning.electionMs,
      signal: this.#abort.signal,
      onWait: (error: unknown) => this.#wait(error),
      fell: (error: unknown) => this.#ctx.log.error({ err: error }, 'the indexer crashed and is restarting'),
    } as const;
    await leadAgainAndAgain(campaign, (leadership) => this.#lead(leadership));
    this.#role = 'stopped';
  }

  #wait(error: unknown): void {
    if (error !== undefined && !this.#databaseDown) {
      this.#ctx.log.warn({ err: error }, 'the indexer cannot reach the database and keeps trying');
    }
    this.#databaseDown = error !== undefined;
    if (error === undefined) this.#role = 'standby';
  }

  /** Follows the chain until the leadership ends. */
  async #lead(leadership: Leadership): Promise<void> {
    this.#ctx.log.info('this process now leads the indexing');
    this.#databaseDown = false;
    this.#ledSinceMs = performance.now();
    this.#lastRoundMs = undefined;
    this.#notedRoundMs = Number.NEGATIVE_INFINITY;
    this.#lostCursor = undefined;
    this.#behindAt = undefined;
    this.#role = 'leader';
    const wake = new Wake();
    const signatures = new SignaturePool();
    // Connections of its own, which refuse to write once another process leads and are torn down with the lead.
    const database = openLeadDatabase(sessionUrlOf(this.#ctx.config), leadership.lead, { poolSize });
    const ctx = { ...this.#ctx, db: database.db, pool: database.pool };
    const source = openSource(ctx, signatures.verify);
    const follower = new Follower(ctx, source, this.#tuning);
    this.#follower = follower;
    const live = new Wake();
    // A notification only wakes the loops earlier.
    const notifications = source.follow(ctx.chain.programAddress, ctx.log, () => {
      wake.wake();
      live.wake();
    });
    const indexing: Pick<Indexing, 'seen' | 'prove'> = {
      seen: () => follower.seen(),
      prove() {
        follower.prove();
        wake.wake();
      },
    };
    const helpers = [
      notifications,
      this.#recordLive(new LiveTrades(ctx, source, this.#tuning, follower), live, leadership),
      this.#repeat('finality watch', new FinalityWatch(ctx, follower, watchedKinds), leadership),
      this.#repeat('expiry', expiryOf(ctx, this.#tuning, indexing), leadership),
      this.#repeat('dead letters', deadLetterRetriesOf(ctx, this.#tuning, follower), leadership),
    ];
    try {
      await this.#follow(ctx, follower, wake, notifications, leadership.signal);
    } finally {
      if (!this.#abort.signal.aborted) this.#ctx.log.warn('this process no longer leads the indexing');
      this.#role = 'standby';
      this.#follower = undefined;
      const stopped = helpers.map((helper) => helper.stop());
      await database.pool.end(1_000);
      await Promise.all([...stopped, signatures.close()]);
      await leadership.release();
    }
  }

  #recordLive(trades: LiveTrades, wake: Wake, leadership: Leadership): Loop {
    return startLoop({
      name: 'live trades',
      intervalMs: 0,
      log: this.#ctx.log,
      round: (signal) =>
        untilAny([signal, leadership.signal], async (end) => {
          await wake.sleep(this.#tuning.pollMs, end);
          await trades.round(end);
        }),
    });
  }

  #repeat(name: string, work: { round(signal: AbortSignal): Promise<void> }, leadership: Leadership): Loop {
    return startLoop({
      name,
      intervalMs: this.#tuning.settleMs,
      log: this.#ctx.log,
      traced: true,
      round: (signal) => untilAny([signal, leadership.signal], (end) => work.round(end)),
    });
  }

  async #follow(
    ctx: Context,
    follower: Follower,
    wake: Wake,
    notifications: Subscription,
    signal: AbortSignal,
  ): Promise<void> {
    let eager = 0;
    let alertUntilMs = 0;
    while (!signal.aborted) {
      let found = 0;
      const round = this.#round(ctx, follower, signal).then((count) => {
        found = count;
      });
      await orAbandon(round, signal, graceMs);
      if (signal.aborted) return;
      // A stall ends the lead, and with it the connections that stalled.
      await round;
      const now = performance.now();
      if (found > 0) alertUntilMs = now + alertMs;
      eager = found > 0 ? 0 : Math.max(0, eager - 1);
      const ms =
        this.#behindAt !== undefined
          ? 0
          : eager > 0 || this.#waiting > 0
            ? eagerMs
            : now <= alertUntilMs
              ? this.#tuning.pollMs
              : notifications.live()
                ? this.#tuning.idlePollMs
                : Math.max(this.#tuning.pollMs, this.#tuning.deafPollMs);
      const calm = eager === 0 && this.#waiting === 0 && now > alertUntilMs;
      if (await wake.sleep(ms, signal)) eager = eagerRounds;
      follower.pace = !calm || eager > 0 ? 'busy' : notifications.live() ? 'idle' : 'deaf';
    }
  }

  async #noteRound(ctx: Context, follower: Follower): Promise<void> {
    if (performance.now() - this.#notedRoundMs < noteRoundMs) return;
    // For the readiness of processes that do not index, and for those that compare.
    const noted = ctx.db.transaction((tx) => recordIndexerRound(tx, follower.seen()));
    await inTime(noted, this.#tuning.stallMs);
    this.#notedRoundMs = performance.now();
  }

  /** One round; how many transactions it found, 0 when it failed. Rejects with a `StalledError` alone. */
  async #round(ctx: Context, follower: Follower, signal: AbortSignal): Promise<number> {
    try {
      const { found, waiting, behind } = await follower.round(signal);
      this.#waiting = waiting;
      this.#behindAt = behind ? follower.slot() : undefined;
      if (!behind) {
        await this.#noteRound(ctx, follower);
        this.#lastRoundMs = performance.now();
      }
      this.#lostCursor = undefined;
      if (this.#failing) this.#ctx.log.info('the indexer works again');
      this.#failing = false;
      return found;
    } catch (error) {
      if (signal.aborted) return 0;
      if (error instanceof StalledError) throw error;
      this.#lostCursor = error instanceof LostCursorError ? error.message : undefined;
      if (!this.#failing) this.#ctx.log.warn({ err: error }, 'the indexer fails and keeps trying');
      this.#failing = true;
      return 0;
    }
  }
}

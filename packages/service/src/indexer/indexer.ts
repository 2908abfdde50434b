import { sessionUrlOf } from '../config.js';
import type { Context } from '../context.js';
import { openLeadDatabase } from '../db/client.js';
import { findProgress, noteProgress } from '../db/indexing/indexer-progress.js';
import { type Leadership, leadAgainAndAgain } from '../runtime/leadership.js';
import { type Loop, type Subscription, startLedLoop } from '../runtime/loop.js';
import { inTime, orAbandon, StalledError } from '../runtime/time.js';
import { Wake } from '../runtime/wake.js';
import { Completeness } from './completeness.js';
import { DeadLetterRetries } from './dead-letter-retries.js';
import { Expiry } from './expiry.js';
import { FinalityWatch } from './finality.js';
import { Recorder } from './record.js';
import { Source } from './source.js';
import { Tail } from './tail.js';
import { defaultTuning, type Tuning } from './tuning.js';

/** What the indexer of this process does at the moment. */
export interface IndexerStatus {
  /** A standby waits for the leader, in another process, to end. */
  role: 'starting' | 'standby' | 'leader' | 'stopped';
  /** Newest slot of which anything was listed; 0 before the first. Leader only. */
  slot: bigint;
  /** Since the last complete round; undefined before the first. Leader only. */
  lastRoundAgeMs: number | undefined;
  /** Listed transactions that cannot be recorded yet. */
  waiting: number;
}

export type Indexer = Pick<RunningIndexer, 'stop' | 'fault' | 'status'>;

/** A notification may come before the transaction is listed: it is listed again after these, in milliseconds. */
const eagerMs = [50, 100, 200, 400];
/** After a round that failed. */
const retryMs = 400;
/** How long listing stays quick after something was found without a notification. */
const alertMs = 10_000;
/** The loops may write at the same time. */
const poolSize = 6;
/** What a round in hand has to end when the lead is over. */
const graceMs = 3_000;
/** How often complete rounds are noted for processes that do not index. */
const noteRoundMs = 2_000;
/** An event that is missing for so long is a fault: what has landed is recorded long before it is final. */
const missingAfterMs = 30_000;

/** What a process has that leads. */
interface Led {
  ctx: Context;
  tail: Tail;
  completeness: Completeness;
}

/**
 * Starts indexing: this process leads or waits to lead, follows the chain while it leads, and comes back by itself from
 * whatever the nodes, their notifications or the database do. Needs a started `ctx.chain`.
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
  #led: Led | undefined;
  #ledSinceMs = 0;
  #lastRoundMs: number | undefined;
  #notedRoundMs = Number.NEGATIVE_INFINITY;
  #missingSinceMs: number | undefined;
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
    const silentMs = performance.now() - (this.#lastRoundMs ?? this.#ledSinceMs);
    if (silentMs > this.#tuning.faultAfterMs)
      return `The indexer has made no progress for ${Math.floor(silentMs / 1000)} s.`;
    const historyAt = this.#led?.tail.historyAt;
    if (historyAt !== undefined)
      return `The indexer is reading the history and has reached slot ${historyAt}.`;
    const missing = this.#led?.completeness.missing();
    const isLong = performance.now() - (this.#missingSinceMs ?? Number.POSITIVE_INFINITY) > missingAfterMs;
    return isLong ? missing : undefined;
  }

  status(): IndexerStatus {
    const ageMs = this.#lastRoundMs === undefined ? undefined : performance.now() - this.#lastRoundMs;
    const newest = this.#led?.tail.newestSlot ?? 0n;
    return {
      role: this.#role,
      slot: newest > 0n ? newest : 0n,
      lastRoundAgeMs: ageMs,
      waiting: this.#led?.tail.waiting ?? 0,
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
    this.#missingSinceMs = undefined;
    this.#role = 'leader';
    // Connections of its own, which refuse to write once another process leads and are torn down with the lead.
    const database = openLeadDatabase(sessionUrlOf(this.#ctx.config), leadership.lead, { poolSize });
    const ctx = { ...this.#ctx, db: database.db, pool: database.pool };
    const helpers: Pick<Loop, 'stop'>[] = [];
    try {
      const progress = await inTime(findProgress(ctx.db), this.#tuning.stallMs);
      const source = new Source(ctx.chain);
      const recorder = new Recorder(ctx, source, this.#tuning);
      const tail = new Tail(ctx, source, recorder, this.#tuning, progress?.slot ?? -1n);
      const completeness = new Completeness(ctx, source, recorder, tail, this.#tuning);
      this.#led = { ctx, tail, completeness };
      const wake = new Wake();
      const notifications = source.follow(ctx.log, () => wake.wake());
      helpers.push(notifications);
      const begin = () => helpers.push(...this.#startHelpers(this.#led as Led, source, recorder, leadership));
      await this.#follow(tail, wake, notifications, leadership.signal, begin);
    } finally {
      if (!this.#abort.signal.aborted) this.#ctx.log.warn('this process no longer leads the indexing');
      this.#role = 'standby';
      this.#led = undefined;
      const stopped = helpers.map((helper) => helper.stop());
      await database.pool.end(1_000);
      await Promise.all(stopped);
      await leadership.release();
    }
  }

  /** Starts what runs beside the listing, each in a loop of its own. */
  #startHelpers(led: Led, source: Source, recorder: Recorder, leadership: Leadership): Loop[] {
    const { ctx, tail, completeness } = led;
    const { finalizeMs, completeMs, lapseMs } = this.#tuning;
    const finality = new FinalityWatch(ctx);
    const expiry = new Expiry(ctx, completeness, async (lines, signal) => {
      for (const [line, why] of await recorder.take(lines, signal, { from: 'each' })) tail.wait(line, why);
    });
    const retries = new DeadLetterRetries(ctx, source, recorder, this.#tuning);
    const by = { log: this.#ctx.log, lead: leadership.signal };
    return [
      startLedLoop(by, 'histories', finalizeMs, (signal) => tail.readHistories(signal)),
      startLedLoop(by, 'completeness', completeMs, (signal) => this.#complete(led, signal)),
      startLedLoop(by, 'finality watch', finalizeMs, (signal) => finality.round(signal)),
      startLedLoop(by, 'expiry', lapseMs, (signal) => expiry.round(signal)),
      startLedLoop(by, 'dead letters', finalizeMs, (signal) => retries.round(signal)),
    ];
  }

  /** Compares the recorded events with the program's numbers, and fills what is missing. */
  async #complete({ tail, completeness }: Led, signal: AbortSignal): Promise<void> {
    const { slot } = await completeness.look(signal);
    tail.settle(slot);
    if (completeness.missing() === undefined) this.#missingSinceMs = undefined;
    else this.#missingSinceMs ??= performance.now();
    // What a long history holds is on its way.
    if (tail.historyAt === undefined) await completeness.fill(signal);
  }

  async #follow(
    tail: Tail,
    wake: Wake,
    notifications: Subscription,
    signal: AbortSignal,
    begin: () => void,
  ): Promise<void> {
    let eager: readonly number[] = [];
    let alertUntilMs = 0;
    let hasBegun = false;
    while (!signal.aborted) {
      let found = 0;
      let failed = true;
      const round = this.#round(tail, signal).then((count) => {
        found = count ?? 0;
        failed = count === undefined;
        // What compares with the records begins once the first listing is recorded.
        if (count !== undefined && !hasBegun) {
          hasBegun = true;
          begin();
        }
      });
      await orAbandon(round, signal, graceMs);
      if (signal.aborted) return;
      // A stall ends the lead, and with it the connections that stalled.
      await round;
      const { pollMs, idlePollMs, deafPollMs } = this.#tuning;
      const live = notifications.live();
      if (found > 0) alertUntilMs = performance.now() + alertMs;
      const isAlert = !live && performance.now() <= alertUntilMs;
      eager = found > 0 ? [] : eager;
      const [eventually, ...later] = eager;
      const restMs = eventually ?? (isAlert ? pollMs : live ? idlePollMs : Math.max(pollMs, deafPollMs));
      eager = later;
      const waitMs = failed ? retryMs : Math.min(restMs, tail.nextTryMs ?? restMs);
      if (await wake.sleep(waitMs, signal)) eager = eagerMs;
    }
  }

  async #noteRound({ ctx, tail, completeness }: Led): Promise<void> {
    if (performance.now() - this.#notedRoundMs < noteRoundMs) return;
    const seen = completeness.seen();
    const progress = {
      slot: tail.settle(seen?.slot ?? -1n),
      completeSlot: seen && seen.incomplete.size === 0 ? seen.slot : undefined,
      missing: completeness.missing(),
    };
    await inTime(
      ctx.db.transaction((tx) => noteProgress(tx, progress)),
      this.#tuning.stallMs,
    );
    this.#notedRoundMs = performance.now();
  }

  /** One round; how many transactions it found, undefined when it failed. Rejects with a `StalledError` alone. */
  async #round(tail: Tail, signal: AbortSignal): Promise<number | undefined> {
    try {
      const found = await tail.round(signal);
      if (this.#led) await this.#noteRound(this.#led);
      this.#lastRoundMs = performance.now();
      if (this.#failing) this.#ctx.log.info('the indexer works again');
      this.#failing = false;
      return found;
    } catch (error) {
      if (signal.aborted) return undefined;
      if (error instanceof StalledError) throw error;
      if (!this.#failing) this.#ctx.log.warn({ err: error }, 'the indexer fails and keeps trying');
      this.#failing = true;
      return undefined;
    }
  }
}

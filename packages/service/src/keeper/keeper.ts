import type { Config } from '@karat/program-client';
import { anchorAuditLog } from '../actions/audit-anchors.js';
import { keepRequestLog } from '../actions/requests/keep-request-log.js';
import { publishNightly } from '../actions/reserves/publish-statement.js';
import { type KeeperView, readKeeperView } from '../chain/program/program-snapshot.js';
import { sessionUrlOf } from '../config.js';
import type { Context } from '../context.js';
import { openDatabase, openLeadDatabase } from '../db/client.js';
import { saveKeeperReports } from '../db/market/keeper-reports.js';
import { findMarketOverride } from '../db/market/market-overrides.js';
import type { AuditAnchor } from '../domain/audit.js';
import type { KeeperReport, WatchName, WatchStatus } from '../domain/keeper-report.js';
import { type MarketOverride, nextMarketChange, wantedMarket } from '../domain/market-calendar.js';
import { missingHolidays } from '../domain/market-holidays.js';
import { keepEventLog } from '../events/keep-event-log.js';
import { type Leadership, leadAgainAndAgain } from '../runtime/leadership.js';
import { startLedLoop } from '../runtime/loop.js';
import { inTime, pause, StalledError } from '../runtime/time.js';
import { inOwnTrace } from '../tracing/spans.js';
import { compareBacking } from './backing.js';
import { keepBurns } from './burns.js';
import { MarketKeeper, type MarketOutcome, marketOf } from './market.js';
import { issueRequestedPapers, statementRound } from './papers.js';
import { PriceRecorder } from './price-recorder.js';
import { closeReceipts } from './receipts.js';
import { Reconciler } from './reconciler.js';
import { applyReadySettings } from './settings.js';
import { defaultKeeperTuning, type KeeperTuning } from './tuning.js';
import {
  type WatchedKeys,
  watchEscrow,
  watchedKeysOf,
  watchKeys,
  watchPauses,
  watchPeg,
  watchPrice,
  watchTreasury,
} from './watches.js';

export interface KeeperStatus {
  /** A standby waits for the leader, in another process, to end. */
  role: 'starting' | 'standby' | 'leader' | 'stopped';
}

export interface Keeper {
  /** Ends the round in hand, gives the leadership back and waits for both. */
  stop(): Promise<void>;
  status(): KeeperStatus;
}

/** The round's two, the comparison of chain and records, and what is due less often. */
const poolSize = 5;

/**
 * Starts keeping: this process leads or waits to lead, sets the state of the market while it leads, watches what Karat
 * lives on, and comes back by itself from whatever node and database do. Needs nothing of `ctx.chain` to be started.
 */
export function startKeeper(ctx: Context, tuning: Partial<KeeperTuning> = {}): Keeper {
  return new RunningKeeper(ctx, { ...defaultKeeperTuning, ...tuning });
}

class RunningKeeper implements Keeper {
  readonly #ctx: Context;
  readonly #tuning: KeeperTuning;
  readonly #abort = new AbortController();
  readonly #done: Promise<void>;
  readonly #logged = new Map<WatchName, WatchStatus>();
  #role: KeeperStatus['role'] = 'starting';
  #failing = false;

  constructor(ctx: Context, tuning: KeeperTuning) {
    this.#ctx = ctx;
    this.#tuning = tuning;
    this.#done = this.#run();
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#done;
  }

  status(): KeeperStatus {
    return { role: this.#role };
  }

  async #run(): Promise<void> {
    const campaign = {
      databaseUrl: sessionUrlOf(this.#ctx.config),
      lock: 'keeper',
      electionMs: this.#tuning.electionMs,
      signal: this.#abort.signal,
      onWait: (error: unknown) => this.#wait(error),
      fell: (error: unknown) => this.#ctx.log.error({ err: error }, 'the keeper crashed and is restarting'),
    } as const;
    await leadAgainAndAgain(campaign, (leadership) => this.#lead(leadership));
    this.#role = 'stopped';
  }

  #wait(error: unknown): void {
    if (error === undefined) this.#role = 'standby';
    else this.#fails(error);
  }

  #fails(error: unknown): void {
    if (!this.#failing) this.#ctx.log.warn({ err: error }, 'the keeper fails and keeps trying');
    this.#failing = true;
  }

  async #lead(leadership: Leadership): Promise<void> {
    const { log, config } = this.#ctx;
    log.info({ market_key: this.#ctx.chain.market?.address }, 'this process is now the leading keeper');
    this.#role = 'leader';
    // Connections of its own, which refuse to write once another process leads and are torn down with the lead.
    const database = openLeadDatabase(sessionUrlOf(config), leadership.lead, { poolSize });
    // What may take long and any process may do: the next leader must not wait for it.
    const unled = openDatabase(sessionUrlOf(config), { poolSize: 1 });
    const ctx = { ...this.#ctx, db: database.db, pool: database.pool };
    const prices = new PriceRecorder(ctx);
    const rounds = new Rounds(ctx, prices);
    const { signal } = leadership;
    const reconciler = new Reconciler(ctx, this.#tuning.reconcileMs);
    let anchored: AuditAnchor | undefined;
    const by = { log, lead: signal };
    const { pollMs, receiptsMs, logsMs, backingMs, burnsMs, settingsMs } = this.#tuning;
    const { reservesMs, statementsMs, papersMs, anchorsMs } = this.#tuning;
    const loops = [
      // Outside the rounds: a comparison of a long history must not hold up the market.
      startLedLoop(by, 'reconciliation', pollMs, (end) => reconciler.round(end)),
      startLedLoop(by, 'receipts', receiptsMs, (end) => closeReceipts(ctx, end)),
      startLedLoop(by, 'event log', logsMs, () => keepEventLog({ ...ctx, db: unled.db })),
      startLedLoop(by, 'request log', logsMs, () => keepRequestLog({ ...ctx, db: unled.db })),
      startLedLoop(by, 'backing', backingMs, (end) => compareBacking(ctx, end)),
      startLedLoop(by, 'burns', burnsMs, (end) => keepBurns(ctx, end)),
      startLedLoop(by, 'settings', settingsMs, () => applyReadySettings(ctx)),
      startLedLoop(by, 'reserves', reservesMs, () => publishNightly(ctx)),
      startLedLoop(by, 'statements', statementsMs, statementRound(ctx)),
      startLedLoop(by, 'papers', papersMs, () => issueRequestedPapers(ctx)),
      startLedLoop(by, 'audit anchors', anchorsMs, async (end) => {
        anchored = await anchorAuditLog(ctx, anchored, end);
      }),
    ];
    try {
      while (!signal.aborted) {
        const beganMs = this.#ctx.clock.now();
        // A stall ends the lead, and with it the connections that stalled.
        await inTime(
          inOwnTrace('keep', {}, () => this.#round(rounds, signal)),
          this.#tuning.stallMs,
        );
        await pause(this.#untilNext(beganMs), signal);
      }
    } finally {
      if (!this.#abort.signal.aborted) log.warn('this process is no longer the leading keeper');
      this.#role = 'standby';
      const stopped = Promise.all([...loops, prices].map((each) => each.stop()));
      await Promise.all([database.pool.end(1_000), unled.pool.end(1_000)]);
      await stopped;
      await leadership.release();
    }
  }

  async #round(rounds: Rounds, signal: AbortSignal): Promise<void> {
    try {
      this.#logReports(await rounds.next(signal));
      if (this.#failing) this.#ctx.log.info('the keeper works again');
      this.#failing = false;
    } catch (error) {
      if (error instanceof StalledError) throw error;
      if (!signal.aborted) this.#fails(error);
    }
  }

  /** Milliseconds until the next round; at once when the market has changed since the last one began. */
  #untilNext(beganMs: number): number {
    const changeMs = nextMarketChange(beganMs, this.#ctx.calendar)?.atMs ?? Number.POSITIVE_INFINITY;
    return Math.min(this.#tuning.pollMs, Math.max(1, changeMs - this.#ctx.clock.now()));
  }

  /** Logs the reports whose status is another than before. */
  #logReports(reports: KeeperReport[]): void {
    for (const { name, status, value, detail } of reports) {
      const before = this.#logged.get(name) ?? 'ok';
      if (status === before) continue;
      this.#logged.set(name, status);
      const level = ({ ok: 'info', warning: 'warn', critical: 'error' } as const)[status];
      this.#ctx.log[level]({ watch: name, status, value }, detail);
    }
  }
}

class Rounds {
  readonly #ctx: Context;
  readonly #keys: WatchedKeys;
  readonly #market: MarketKeeper;
  readonly #prices: PriceRecorder;
  /** What the market was judged by, in one call with all that is watched. */
  #view: KeeperView | undefined;
  #known: Config | undefined;

  constructor(ctx: Context, prices: PriceRecorder) {
    const { guardian, operations, market, admin } = ctx.chain;
    this.#ctx = ctx;
    this.#prices = prices;
    this.#market = new MarketKeeper(ctx, undefined, async (signal, slot) => {
      this.#view = await this.#look(signal, slot);
      return this.#view.config;
    });
    this.#keys = watchedKeysOf({ guardian, operations, market, admin });
  }

  /** Looks at everything once, does what is to be done and keeps what was seen. Rejects when the database fails. */
  async next(signal: AbortSignal): Promise<KeeperReport[]> {
    const ctx = this.#ctx;
    const nowMs = ctx.clock.now();
    const override = await findMarketOverride(ctx.db);
    const wanted = wantedMarket(nowMs, ctx.calendar, override);
    this.#view = undefined;
    const outcome = await this.#setMarket(wanted, signal);
    const reports = await this.#viewed(signal).then(
      (view) => this.#reportsOf(view, outcome, override, nowMs),
      (error: unknown) => [nodeReport(error)],
    );
    signal.throwIfAborted();
    reports.push(holidaysReport(missingHolidays(nowMs, ctx.calendar)));
    await ctx.db.transaction((tx) => saveKeeperReports(tx, reports));
    return reports;
  }

  async #viewed(signal: AbortSignal): Promise<KeeperView> {
    return this.#view ?? this.#look(signal, 0n);
  }

  async #look(signal: AbortSignal, minSlot: bigint): Promise<KeeperView> {
    const keys = Object.values(this.#keys);
    const options = { known: this.#known, minSlot };
    const view = await readKeeperView(this.#ctx.chain, keys, signal, options);
    this.#known = view.config;
    this.#prices.see(view.config, view.price);
    return view;
  }

  async #setMarket(wanted: 'open' | 'closed', signal: AbortSignal): Promise<MarketOutcome> {
    try {
      return await this.#market.round(wanted, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      const detail = `The market could not be updated: ${textOf(error)}.`;
      return { status: 'warning', detail };
    }
  }

  #reportsOf(
    view: KeeperView,
    { status, detail }: MarketOutcome,
    override: MarketOverride | undefined,
    nowMs: number,
  ): KeeperReport[] {
    const { config, calendar } = this.#ctx;
    const stands = override && (override.untilMs === undefined || nowMs < override.untilMs);
    const next = nextMarketChange(nowMs, calendar);
    const why = stands
      ? ' An operator set it.'
      : next === undefined
        ? ''
        : ` Next, ${next.market} at ${new Date(next.atMs).toISOString()}.`;
    return [
      { name: 'node', status: 'ok', value: null, detail: 'The Solana node responds.' },
      {
        name: 'market',
        status,
        value: marketOf(view.config) === 'open' ? '1' : '0',
        detail: `${detail}${why}`,
      },
      watchPauses(view, nowMs),
      watchPrice(view, nowMs),
      watchPeg(view, nowMs),
      ...watchKeys(view, this.#keys, config),
      ...watchTreasury(view, config),
      watchEscrow(view),
    ];
  }
}

function nodeReport(error: unknown): KeeperReport {
  return {
    name: 'node',
    status: 'critical',
    value: null,
    detail: `The Solana node fails: ${textOf(error)}.`,
  };
}

function holidaysReport(fault: string | undefined): KeeperReport {
  return {
    name: 'market_holidays',
    status: fault === undefined ? 'ok' : 'warning',
    value: null,
    detail: fault ?? 'The holidays of now and of the next 30 days are known.',
  };
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/\.$/, '') : 'it gave no reason';
}

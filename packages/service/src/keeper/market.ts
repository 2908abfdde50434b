import { MarketState as ChainMarket, type Config } from '@karat/program-client';
import { recordStatusChange } from '../actions/record-status-change.js';
import { findLanding, sendAndWait, signSetStatus } from '../chain/admin-transactions.js';
import { readConfig } from '../chain/keeper-view.js';
import type { Signer } from '../chain/signer.js';
import { findLastForeignFlags } from '../chain/status-history.js';
import type { Context } from '../context.js';
import {
  findKeeperStatusChanges,
  findStatusWords,
  hasOperatorStatusChange,
  type KeeperStatusChange,
} from '../db/status-changes.js';
import type { WatchStatus } from '../domain/keeper-report.js';
import type { MarketState } from '../domain/market-calendar.js';
import { overwrittenFlags } from '../domain/program-status.js';

/** Reads the configuration as it is at `slot` or later. */
export type LookAtConfig = (signal: AbortSignal, slot: bigint) => Promise<Config>;

/** What became of a look at the market. */
export interface MarketOutcome {
  status: WatchStatus;
  detail: string;
  /** Pause flags that a change of the keeper took away and that are not back yet. */
  lostFlags: number;
}

/** A change lives for about a minute: older ones were looked after, or nothing was on its way beside them. */
const checkedAfterMs = 10 * 60_000;
/** An operator's change that has not landed by then no longer can. */
const operatorFirstMs = 90_000;
/** How long a round waits for its change to be confirmed; later rounds look after it. */
const usualConfirmMs = 10_000;
/** Changes in one round: the market's, and what restores a pause. */
const maxChangesPerRound = 3;
/** A node writes its history within seconds; one that was asked for so long does not have it. */
const giveUpAfterMs = 60_000;
/** A market in the wrong state for longer is no passing matter. */
const criticalAfterMs = 30_000;

/** Only another keeper, which knows nothing of this database, sets the market back so soon. */
const rivalWithinMs = 60_000;
/** How long a keeper that met another one leaves the market alone. The other one never finds its own change overwritten soon. */
const yieldForMs = 10 * 60_000;
const rivalMet =
  'this process has stopped setting it, because another keeper with other market hours sets the market of this program';

type OpenChange = KeeperStatusChange & {
  /** Since when the node's history does not tell what came before. */
  untoldSinceMs?: number;
};

/**
 * Brings the market on chain into the wanted state. The program sets market and pause flags by one instruction, so each
 * change carries the flags too: as they were read just before. A pause that lands between that reading and the change
 * would be lost, so after each change the chain's own history is asked for the last word of anyone else, and a
 * flag that is missing is set again. The keeper never takes a flag away knowingly.
 */
export class MarketKeeper {
  readonly #ctx: Context;
  readonly #confirmMs: number;
  readonly #look: LookAtConfig;
  /** Changes whose end, or whose effect on pause flags, is not known yet; undefined: those of former leaders either. */
  #open: OpenChange[] | undefined;
  #wrongSinceMs: number | undefined;
  /** The last change of this lead that was confirmed. */
  #lastSet: { txHash: string; market: MarketState; slot: bigint; atMs: number } | undefined;
  #yieldedAtMs: number | undefined;

  constructor(ctx: Context, confirmMs = usualConfirmMs, look?: LookAtConfig) {
    this.#ctx = ctx;
    this.#confirmMs = confirmMs;
    this.#look = look ?? ((signal, slot) => readConfig(ctx.chain, 'confirmed', signal, slot));
  }

  /** One look, with the changes that it takes. Rejects when the node or the database fails. */
  async round(wanted: MarketState, signal: AbortSignal): Promise<MarketOutcome> {
    this.#open ??= await this.#changesOfKeepers();
    for (let changes = 0; ; changes += 1) {
      const { lostFlags: taken, flying } = await this.#check(signal);
      const { config, undone } = await this.#lookAfterPauses(signal);
      const lostFlags = taken | undone;
      const wrong = marketOf(config) !== wanted;
      this.#wrongSinceMs = wrong ? (this.#wrongSinceMs ?? performance.now()) : undefined;
      if (!wrong && lostFlags === 0) return { status: 'ok', detail: `The market is ${wanted}.`, lostFlags };
      const rival = wrong && (await this.#hasRival(wanted, signal));
      // A pause is restored whoever sets the market, which then stays as it is.
      if (rival && lostFlags === 0) return this.#outcome(wanted, wrong, lostFlags, rivalMet);
      const market = rival ? marketOf(config) : wanted;
      const obstacle =
        changes === maxChangesPerRound
          ? 'it does not stay so'
          : flying
            ? 'a change is on its way'
            : await this.#change(config, market, lostFlags, signal);
      if (obstacle !== undefined) return this.#outcome(wanted, wrong, lostFlags, obstacle);
    }
  }

  /**
   * Returns whether another keeper sets the market by other hours: what this one set a moment ago is overwritten, and
   * not by an operator, whose setting `wanted` would follow. The keeper that began later finds that first, and yields.
   */
  async #hasRival(wanted: MarketState, signal: AbortSignal): Promise<boolean> {
    const nowMs = performance.now();
    if (this.#yieldedAtMs !== undefined && nowMs - this.#yieldedAtMs < yieldForMs) return true;
    this.#yieldedAtMs = undefined;
    const last = this.#lastSet;
    if (last?.market !== wanted || nowMs - last.atMs > rivalWithinMs) return false;
    const { chain, log } = this.#ctx;
    const config = await readConfig(chain, 'confirmed', signal, last.slot);
    if (marketOf(config) === wanted) return false;
    this.#yieldedAtMs = nowMs;
    log.error({ tx_hash: last.txHash, wanted }, `the market: ${rivalMet}`);
    return true;
  }

  /** The state of the program, and the pauses that a person's change undid: pauses do not wait for what was sent before. */
  async #lookAfterPauses(signal: AbortSignal): Promise<{ config: Config; undone: number }> {
    const { db, log } = this.#ctx;
    const words = await findStatusWords(db, this.#before(checkedAfterMs));
    const last = words.reduce((latest, { slot }) => (slot !== null && slot > latest ? slot : latest), 0n);
    const config = await this.#look(signal, last);
    const undone = overwrittenFlags(words, config.paused);
    if (undone !== 0) {
      log.error(
        { flags: undone },
        'a change that was sent before a pause landed after it and undid it: the pause is set again',
      );
    }
    return { config, undone };
  }

  #outcome(wanted: MarketState, wrong: boolean, lostFlags: number, obstacle: string): MarketOutcome {
    if (!wrong) return { status: 'ok', detail: `The market is ${wanted}.`, lostFlags };
    const late = performance.now() - (this.#wrongSinceMs ?? 0) > criticalAfterMs;
    const lasting = obstacle.startsWith('this process');
    return {
      status: late || lasting ? 'critical' : 'warning',
      detail: `The market should be ${wanted} and is not: ${obstacle}.`,
      lostFlags,
    };
  }

  /** Looks after the changes that were sent: which are on their way, and which flags have to be set again. */
  async #check(signal: AbortSignal): Promise<{ lostFlags: number; flying: boolean }> {
    const { chain } = this.#ctx;
    if (this.#open?.length === 0) return { lostFlags: 0, flying: false };
    const own = new Set((await this.#changesOfKeepers()).map(({ txHash }) => txHash));
    const open: OpenChange[] = [];
    let lostFlags = 0;
    let flying = false;
    for (const change of this.#open ?? []) {
      const landing = await findLanding(chain, change);
      if (landing.kind === 'pending') flying = true;
      const missing =
        landing.kind === 'confirmed'
          ? await this.#missingFlags({ ...change, slot: landing.slot }, own, signal)
          : 0;
      lostFlags |= missing ?? 0;
      if (landing.kind === 'pending' || (missing !== 0 && !this.#givenUp(change, missing))) open.push(change);
    }
    this.#open = open;
    return { lostFlags, flying };
  }

  /** Pause flags that someone set and that are not on chain; undefined while the node's history does not tell. */
  async #missingFlags(
    change: OpenChange & { slot: bigint },
    own: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const { chain, log } = this.#ctx;
    const config = await readConfig(chain, 'confirmed', signal, change.slot);
    const foreign = await findLastForeignFlags(chain, config, change, own, signal);
    const missing = foreign && foreign.flags & ~config.paused;
    if (foreign && missing) {
      log.error(
        { tx_hash: change.txHash, overwritten: foreign.by, flags: missing },
        'a change of the market took pause flags away that were set at the same moment: they are set again',
      );
    }
    return missing;
  }

  /** Whether the node's history has been incomplete for so long that it will stay so. */
  #givenUp(change: OpenChange, missing: number | undefined): boolean {
    if (missing !== undefined) return false;
    change.untoldSinceMs ??= performance.now();
    if (performance.now() - change.untoldSinceMs < giveUpAfterMs) return false;
    this.#ctx.log.error(
      { tx_hash: change.txHash },
      'whether a change of the market took pause flags away cannot be told: the history of the node is incomplete',
    );
    return true;
  }

  /** Sends a change and waits for it; why there is none, where there is none. */
  async #change(
    config: Config,
    wanted: MarketState,
    lostFlags: number,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { chain, db } = this.#ctx;
    const { guardian } = chain;
    if (!guardian) return 'this process holds no guardian key';
    if (guardian.address !== config.guardian)
      return "this process's guardian key is not the program's guardian";
    const underWay = await hasOperatorStatusChange(db, this.#before(operatorFirstMs));
    if (underWay && lostFlags === 0) return 'a change of an operator is on its way';
    const newest = await readConfig(chain, 'processed', signal);
    if (newest.paused !== config.paused || newest.marketState !== config.marketState) {
      return 'another change is being confirmed';
    }
    const status = { paused: config.paused | lostFlags, marketState: chainMarketOf(wanted) };
    return this.#send(guardian, status, signal);
  }

  async #send(
    guardian: Signer,
    status: { paused: number; marketState: ChainMarket },
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { chain, config, log } = this.#ctx;
    const signed = await signSetStatus(chain, guardian, status, BigInt(config.priorityFeeCapMicroLamports));
    await recordStatusChange(this.#ctx, signed);
    signal.throwIfAborted();
    const deadline = new AbortController();
    const end = () => deadline.abort();
    const timer = setTimeout(end, this.#confirmMs);
    signal.addEventListener('abort', end, { once: true });
    try {
      const landing = await sendAndWait(chain, signed, deadline.signal);
      const { txHash: tx_hash } = signed;
      log.info({ tx_hash, ...status, landing: landing.kind }, 'set the market on chain');
      if (landing.kind === 'refused' || landing.kind === 'failed') return landing.reason;
      this.#open?.push(signed);
      if (landing.kind !== 'confirmed') return 'a change is on its way';
      const market = status.marketState === ChainMarket.Open ? 'open' : 'closed';
      this.#lastSet = { txHash: tx_hash, market, slot: landing.slot, atMs: performance.now() };
      return undefined;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
    }
  }

  #changesOfKeepers(): Promise<KeeperStatusChange[]> {
    return findKeeperStatusChanges(this.#ctx.db, this.#before(checkedAfterMs));
  }

  #before(ms: number): Date {
    return new Date(this.#ctx.clock.now() - ms);
  }
}

export function marketOf(config: Config): MarketState {
  return config.marketState === ChainMarket.Open ? 'open' : 'closed';
}

function chainMarketOf(market: MarketState): ChainMarket {
  return market === 'open' ? ChainMarket.Open : ChainMarket.Closed;
}

import type { Doubts, Mismatch } from '../actions/treasury/check-balances.js';
import {
  type ReconciliationReport,
  type ReconciliationUnderWay,
  reconcile,
} from '../actions/treasury/reconcile.js';
import { readTreasurySnapshot, type TreasurySnapshot } from '../chain/program/program-snapshot.js';
import type { Context } from '../context.js';
import { findIndexingState, findProgress } from '../db/indexing/indexer-progress.js';
import { saveKeeperReports } from '../db/market/keeper-reports.js';
import type { DifferenceKind } from '../domain/difference.js';
import type { KeeperReport } from '../domain/keeper-report.js';
import { Deposits } from '../indexer/deposits.js';

/** The indexer sees within half a minute what is final; one that takes longer does not follow. */
const behindAfterMs = 300_000;
/** It looks every 10 s how far everything is recorded. If that has not moved for this long, something is stuck. */
const stuckAfterMs = 45_000;

/**
 * Compares chain and records again and again: looks at what the treasury accounts hold, waits until the indexer has recorded everything
 * up to there, and compares. All that it remembers can be lost at any moment.
 */
export class Reconciler {
  readonly #ctx: Context;
  readonly #pauseMs: number;
  readonly #doubts: Doubts = new Map();
  readonly #deposits: Deposits;
  #snapshot: TreasurySnapshot | undefined;
  #snapshotAtMs = 0;
  #comparedAtMs = Number.NEGATIVE_INFINITY;
  /** Up to where everything is recorded, and since when it is no more. */
  #completeSlot: bigint | undefined;
  #completeAtMs: number | undefined;
  #failsSinceMs: number | undefined;
  readonly #stuckAfterMs: number;

  /**
   * @param pauseMs from the end of a comparison to the next look, in real time.
   * @param stuckMs after how long without progress it is reported that nothing can be compared.
   */
  constructor(ctx: Context, pauseMs: number, stuckMs = stuckAfterMs) {
    this.#ctx = ctx;
    this.#pauseMs = pauseMs;
    this.#stuckAfterMs = stuckMs;
    this.#deposits = new Deposits(ctx);
  }

  /** Goes on as far as it can at the moment. Rejects when the node or the database fails, and reports it when it lasts. */
  async round(signal: AbortSignal): Promise<void> {
    try {
      await this.#goOn(signal);
      this.#failsSinceMs = undefined;
    } catch (error) {
      this.#failsSinceMs ??= performance.now();
      if (!signal.aborted && performance.now() - this.#failsSinceMs >= this.#stuckAfterMs) {
        await this.#report(failing(error));
      }
      throw error;
    }
  }

  async #goOn(signal: AbortSignal): Promise<void> {
    const isStuck = await this.#isStuck();
    if (!this.#snapshot) {
      // A proof that does not come is reported without waiting for the pause to end.
      if (!isStuck && performance.now() - this.#comparedAtMs < this.#pauseMs) return;
      this.#snapshot = await readTreasurySnapshot(this.#ctx.chain, signal);
      this.#snapshotAtMs = performance.now();
    }
    const parts = {
      doubts: this.#doubts,
      recordDeposits: (mismatches: readonly Mismatch[]) => this.#deposits.record(mismatches, signal),
    };
    const report = await reconcile(this.#ctx, this.#snapshot, parts, signal);
    signal.throwIfAborted();
    if (report && 'differences' in report) {
      this.#snapshot = undefined;
      this.#comparedAtMs = performance.now();
      await this.#report(watchBooks(report));
    } else if (performance.now() - this.#snapshotAtMs > behindAfterMs) {
      await this.#report(report ? underWay(report) : behind(this.#snapshot));
    } else if (!report && isStuck) {
      const { missing } = await findIndexingState(this.#ctx.db);
      await this.#report(incomplete(this.#snapshot, this.#completeSlot, missing?.text));
    }
  }

  #report(report: KeeperReport): Promise<void> {
    return this.#ctx.db.transaction((tx) => saveKeeperReports(tx, [report]));
  }

  /** Returns whether nothing new has been complete for long; a comparison shows that it was. */
  async #isStuck(): Promise<boolean> {
    const slot = (await findProgress(this.#ctx.db))?.completeSlot;
    if (slot !== this.#completeSlot || this.#completeAtMs === undefined)
      this.#completeAtMs = performance.now();
    this.#completeSlot = slot;
    return performance.now() - Math.max(this.#completeAtMs, this.#comparedAtMs) >= this.#stuckAfterMs;
  }
}

const words: Record<DifferenceKind, string> = {
  record_missing: 'without a record',
  record_doubled: 'recorded more than once',
  amount_differs: 'with another amount than recorded',
  movement_missing: 'recorded without having moved anything',
  event_missing: 'recorded without an event of the program',
  moved_without_service: 'moved without the service',
  balance_differs: 'balances that no transaction explains',
  supply_above_attested: 'supplies of GOLD above what is attested',
  escrow_differs: 'escrow that differs from what open redemptions need',
  burned_differs: 'burned GOLD that differs from what is recorded',
};

/**
 * Reports what a comparison found. What only came or went without the service waits for a word of the people who did
 * it.
 */
export function watchBooks({ slot, differences, kinds }: ReconciliationReport): KeeperReport {
  const found = Object.keys(kinds) as DifferenceKind[];
  const harmless = found.every((kind) => kind === 'moved_without_service');
  const named = found.map((kind) => `${kinds[kind]} ${words[kind]}`).join(', ');
  return {
    name: 'reconciliation_differences',
    status: differences === 0 ? 'ok' : harmless ? 'warning' : 'critical',
    value: differences.toString(),
    detail:
      differences === 0
        ? `Chain and records agree as of slot ${slot}.`
        : `Chain and records differ as of slot ${slot}: ${named}.`,
  };
}

function doubt(detail: string): KeeperReport {
  return { name: 'reconciliation_differences', status: 'warning', value: null, detail };
}

function incomplete(
  { slot }: TreasurySnapshot,
  complete: bigint | undefined,
  missing: string | undefined,
): KeeperReport {
  const why =
    missing ??
    'The indexer does not compare what is recorded with the numbers of the program: too few Solana nodes respond, or it completes no round.';
  const far =
    complete === undefined ? 'nothing is known to be complete' : `they are complete up to slot ${complete}`;
  return doubt(`Chain and records cannot be compared up to slot ${slot}; ${far}. ${why}`);
}

function failing(error: unknown): KeeperReport {
  const why = error instanceof Error ? error.message.replace(/\.$/, '') : 'no reason was given';
  return doubt(`Chain and records cannot be compared: ${why}.`);
}

function behind({ slot }: TreasurySnapshot): KeeperReport {
  return doubt(
    `Chain and records cannot be compared: the indexer has not recorded everything up to slot ${slot}.`,
  );
}

function underWay({ comparedSlot }: ReconciliationUnderWay): KeeperReport {
  return doubt(`Chain and records are still being compared; the records have reached slot ${comparedSlot}.`);
}

import type { Doubts } from '../actions/check-balances.js';
import { type ReconciliationReport, type ReconciliationUnderWay, reconcile } from '../actions/reconcile.js';
import { saveKeeperReports } from '../actions/save-keeper-reports.js';
import { type HouseSnapshot, readHouseSnapshot } from '../chain/house-balances.js';
import type { Context } from '../context.js';
import type { DifferenceKind } from '../domain/difference.js';
import type { KeeperReport } from '../domain/keeper-report.js';

/** The indexer sees within half a minute what is final; one that takes longer does not follow. */
const behindAfterMs = 300_000;

/**
 * Compares chain and records again and again: looks at what the house holds, waits until the indexer has recorded everything
 * up to there, and compares. All that it remembers can be lost at any moment.
 */
export class Reconciler {
  readonly #ctx: Context;
  readonly #pauseMs: number;
  readonly #doubts: Doubts = new Map();
  #snapshot: HouseSnapshot | undefined;
  #snapshotAtMs = 0;
  #comparedAtMs = Number.NEGATIVE_INFINITY;

  /** @param pauseMs from the end of a comparison to the next look, in real time. */
  constructor(ctx: Context, pauseMs: number) {
    this.#ctx = ctx;
    this.#pauseMs = pauseMs;
  }

  /** Goes on as far as it can at the moment. Rejects when the node or the database fails. */
  async round(signal: AbortSignal): Promise<void> {
    if (!this.#snapshot) {
      if (performance.now() - this.#comparedAtMs < this.#pauseMs) return;
      this.#snapshot = await readHouseSnapshot(this.#ctx.chain, signal);
      this.#snapshotAtMs = performance.now();
    }
    const report = await reconcile(this.#ctx, this.#snapshot, this.#doubts, signal);
    signal.throwIfAborted();
    if (report && 'differences' in report) {
      this.#snapshot = undefined;
      this.#comparedAtMs = performance.now();
      await saveKeeperReports(this.#ctx, [watchBooks(report)]);
    } else if (performance.now() - this.#snapshotAtMs > behindAfterMs) {
      await saveKeeperReports(this.#ctx, [report ? underWay(report) : behind(this.#snapshot)]);
    }
  }
}

const words: Record<DifferenceKind, string> = {
  record_missing: 'without a record',
  record_doubled: 'recorded more than once',
  amount_differs: 'with another amount than recorded',
  movement_missing: 'recorded without having moved anything',
  event_missing: 'recorded without an event of the program',
  moved_without_service: 'moved past the service',
  balance_differs: 'balances that no transaction led to',
};

/** What a comparison found. What only came or went without the service waits for a word of the people who did it. */
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

function behind({ upTo }: HouseSnapshot): KeeperReport {
  const detail = `Chain and records cannot be compared: the indexer has not recorded everything up to slot ${upTo}.`;
  return { name: 'reconciliation_differences', status: 'warning', value: null, detail };
}

function underWay({ comparedSlot }: ReconciliationUnderWay): KeeperReport {
  const detail = `Chain and records are still being compared; records have come to slot ${comparedSlot}.`;
  return { name: 'reconciliation_differences', status: 'warning', value: null, detail };
}

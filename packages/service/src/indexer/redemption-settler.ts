import { sweepLapsedGrants } from '../actions/settle-account-grant.js';
import { finalizeRedemptions, reportRedemption } from '../actions/settle-redemption.js';
import { sweepLapsedRedemptions } from '../actions/sweep-lapsed-redemptions.js';
import type { Context } from '../context.js';
import { findUnfinalizedRedemptions, type LandedRedemption } from '../db/redemptions.js';
import { hasVanished, type Status, statusesOf } from './finality.js';
import type { Tuning } from './tuning.js';

/** Limit of `getSignatureStatuses`. */
const rowsPerRound = 256;
/** How often in a row a transaction must be missing before that is looked into. */
const missingLooks = 3;

/**
 * Looks at the payments of redemptions until they are final, and ends quotes that nobody paid in time. A redemption is
 * never taken back: what the chain drops after having confirmed it is for the operators, who see a dead letter.
 */
export class RedemptionSettler {
  readonly #ctx: Context;
  readonly #tuning: Tuning;
  /** How often in a row a redemption's transaction was missing, by signature. */
  #missing = new Map<string, number>();
  #sweptAtMs = Number.NEGATIVE_INFINITY;

  constructor(ctx: Context, tuning: Tuning) {
    this.#ctx = ctx;
    this.#tuning = tuning;
  }

  /** Rejects when the node or the database fails; nothing is lost by that. */
  async round(signal: AbortSignal): Promise<void> {
    await this.#settle(signal);
    if (performance.now() - this.#sweptAtMs < this.#tuning.lapseMs) return;
    this.#sweptAtMs = performance.now();
    const lapsed = await sweepLapsedRedemptions(this.#ctx, signal);
    if (lapsed > 0) this.#ctx.log.info({ lapsed }, 'quotes of redemptions lapsed');
    const freed = await sweepLapsedGrants(this.#ctx, signal);
    if (freed > 0) this.#ctx.log.info({ freed }, 'grants of token accounts are free again');
  }

  async #settle(signal: AbortSignal): Promise<void> {
    const rows = await findUnfinalizedRedemptions(this.#ctx.db, rowsPerRound);
    const signatures = rows.map(({ txSignature }) => txSignature);
    const statuses = await statusesOf(this.#ctx.chain.rpc, signatures, signal);
    const final: LandedRedemption[] = [];
    const missing = new Map<string, number>();
    for (const [index, row] of rows.entries()) {
      const status = statuses[index];
      if (!status) missing.set(row.txSignature, (this.#missing.get(row.txSignature) ?? 0) + 1);
      else if (status.confirmationStatus !== 'finalized') continue;
      else if (isAsRecorded(row, status)) final.push(row);
      else await reportRedemption(this.#ctx, row, 'conflicting_record');
    }
    this.#missing = missing;
    signal.throwIfAborted();
    await finalizeRedemptions(
      this.#ctx,
      final.map(({ id }) => id),
    );
    for (const row of rows) {
      if ((missing.get(row.txSignature) ?? 0) >= missingLooks) await this.#reportIfGone(row, signal);
    }
  }

  async #reportIfGone(row: LandedRedemption, signal: AbortSignal): Promise<void> {
    if (!(await hasVanished(this.#ctx.chain.rpc, row, signal))) return;
    this.#ctx.log.error(
      { redemption: row.id, tx: row.txSignature },
      'the chain dropped the transaction of a redemption',
    );
    await reportRedemption(this.#ctx, row, 'vanished');
  }
}

/** The slot is of no account: which block carries a payment changes nothing about it. */
function isAsRecorded(row: LandedRedemption, status: Status): boolean {
  return (status.err === null) === (row.status !== 'failed');
}

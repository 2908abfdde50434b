import { isGone, takeBack } from '../actions/indexing/take-back.js';
import { agreedBounds, agreedStatuses, type Verdict } from '../chain/node/agreed.js';
import type { Context } from '../context.js';
import {
  findDueRecords,
  markFinalized,
  postponeChecks,
  shrinkUnfinalized,
  type Unfinalized,
} from '../db/indexing/finality.js';
import type { Uuid } from '../domain/ids.js';

/** As many as a few `getSignatureStatuses` take. */
const rowsPerPage = 1_024;
const pagesPerRound = 16;
const firstPauseMs = 2_000;
const longestPauseMs = 300_000;
/** A record that is not final after so long is logged, again and again. */
const lateAfterMs = 600_000;
const logEveryMs = 3_600_000;

/**
 * Asks all nodes which recorded transactions are final. All say that it succeeded for good: the record is final. All say that it
 * failed, or have no trace of it although it could land no more: it is taken back. One that is not resolved is put off, the
 * longer the older it is, so that it never holds up others.
 */
export class FinalityWatch {
  readonly #ctx: Context;
  /** When each record that is late was logged. */
  readonly #logged = new Map<Uuid, number>();

  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  /** Rejects when too few nodes respond, or the database fails; nothing is lost by that. */
  async round(signal: AbortSignal): Promise<void> {
    const { db, clock } = this.#ctx;
    for (let page = 0; page < pagesPerRound; page += 1) {
      const records = await findDueRecords(db, { now: new Date(clock.now()), limit: rowsPerPage });
      // Room that many of them held is given back now.
      if (records.length === 0) return shrinkUnfinalized(db);
      await this.#look(records, signal);
      if (records.length < rowsPerPage) return;
    }
  }

  async #look(records: readonly Unfinalized[], signal: AbortSignal): Promise<void> {
    const { chain, db } = this.#ctx;
    const signatures = records.map(({ txSignature }) => txSignature);
    const verdicts = await agreedStatuses(chain, signatures, 0n, signal);
    const final: Unfinalized[] = [];
    const open: Unfinalized[] = [];
    const suspects = new Map<Unfinalized, Verdict>();
    for (const [index, record] of records.entries()) {
      const verdict = verdicts[index] ?? { kind: 'disputed' };
      if (verdict.kind === 'landed' && verdict.err === null) (verdict.finalized ? final : open).push(record);
      else if (verdict.kind === 'disputed') open.push(record);
      else suspects.set(record, verdict);
    }
    signal.throwIfAborted();
    if (final.length > 0) await db.transaction((tx) => markFinalized(tx, final));
    await this.#takeBack(suspects, signal);
    open.push(...suspects.keys());
    await this.#postpone(open);
    this.#logLate(open);
  }

  /** Takes back what the chain certainly dropped; what fails about one record is tried again later, and holds up no other. */
  async #takeBack(suspects: ReadonlyMap<Unfinalized, Verdict>, signal: AbortSignal): Promise<void> {
    if (suspects.size === 0) return;
    const { chain, log } = this.#ctx;
    const bounds = await agreedBounds(chain, signal);
    const gone = [...suspects].flatMap(([record, verdict]) =>
      isGone(record, verdict, bounds) ? record : [],
    );
    // Once more: a node may have been behind that slot.
    const signatures = gone.map(({ txSignature }) => txSignature);
    const verdicts = await agreedStatuses(chain, signatures, bounds.finalSlot, signal);
    for (const [index, record] of gone.entries()) {
      if (!isGone(record, verdicts[index], bounds)) continue;
      const about = { record: record.kind, id: record.id, tx: record.txSignature };
      log.error(about, 'the chain does not have a recorded transaction');
      // One node alone may lie: what becomes of the record is for a person to decide.
      const decide = chain.witnesses.length < 2 ? 'report' : 'take back';
      await takeBack(this.#ctx, record, decide).catch((err: unknown) => {
        log.warn({ ...about, err }, 'a record cannot be taken back; will try again later');
      });
    }
  }

  async #postpone(records: readonly Unfinalized[]): Promise<void> {
    const nowMs = this.#ctx.clock.now();
    const byPause = new Map<number, Unfinalized[]>();
    for (const record of records) {
      const ageMs = nowMs - record.landedAt.getTime();
      const pauseMs = Math.min(Math.max(Math.round(ageMs / 4_000) * 1_000, firstPauseMs), longestPauseMs);
      byPause.set(pauseMs, [...(byPause.get(pauseMs) ?? []), record]);
    }
    if (byPause.size === 0) return;
    await this.#ctx.db.transaction(async (tx) => {
      for (const [pauseMs, some] of byPause) await postponeChecks(tx, some, new Date(nowMs + pauseMs));
    });
  }

  /** Logs each record that has long been without a verdict, once an hour. */
  #logLate(records: readonly Unfinalized[]): void {
    const nowMs = this.#ctx.clock.now();
    for (const [id, atMs] of this.#logged) if (nowMs - atMs >= logEveryMs) this.#logged.delete(id);
    for (const { kind, id, txSignature, landedAt } of records) {
      if (nowMs - landedAt.getTime() < lateAfterMs || this.#logged.has(id)) continue;
      this.#logged.set(id, nowMs);
      const message =
        'the nodes agree neither that a transaction is final nor that it was dropped; will check again';
      this.#ctx.log.warn({ record: kind, id, tx: txSignature }, message);
    }
  }
}

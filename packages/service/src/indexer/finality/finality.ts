import type { FinalizedChain } from '../../actions/indexing/traceless.js';
import type { ChainRecord } from '../../actions/trades/record-trade.js';
import { isAbsent, type SeenTransaction } from '../../chain/node/absence.js';
import { agreed } from '../../chain/node/agreed.js';
import { agreedFinalListing } from '../../chain/node/final-listing.js';
import type { ListedTransaction } from '../../chain/node/signed-transactions.js';
import { agreedStatuses, type Status } from '../../chain/node/statuses.js';
import type { Context } from '../../context.js';
import type { Db } from '../../db/client.js';
import {
  finalizeListed,
  findDueKinds,
  findDueRecords,
  findHighestNew,
  markFinalized,
  postponeChecks,
  shrinkUnfinalized,
  type Unfinalized,
  type WatchedRecord,
} from '../../db/indexing/finality.js';
import type { Uuid } from '../../domain/ids.js';
import { decodeFetched } from '../decode/decode.js';
import type { DecodeView } from '../decode/decode-view.js';
import { fetchedOf } from '../fetching.js';

/** Rows of a kind that one round looks at: pages of as many as one `getSignatureStatuses` takes. */
const rowsPerPage = 256;
const pagesPerRound = 4;
/** Pages of the finalized chain that one round lists, a thousand transactions each. */
const listingsPerRound = 64;
/** Transactions of a round that are looked into one by one; each costs a few calls of each node. */
const closeLooksPerRound = 8;
const minPauseMs = 2_000;
const maxPauseMs = 300_000;
/** A record that is not final after so long is logged, again and again. */
const lateAfterMs = 600_000;
const logEveryMs = 3_600_000;

/** What the finality watch takes from the indexer that leads. */
export interface Indexing {
  view(): DecodeView;
  /** How far everything that the finalized chain carries is recorded; undefined before that is known. */
  seen(): FinalizedChain | undefined;
  /** Has the next round find that out again. */
  prove(): void;
}

/** What the watch needs to know of one kind of records. Every function that writes does nothing when a row has moved on. */
export interface WatchedKind<Row> {
  kind: WatchedRecord;
  /** Whether a record of this kind is another one in another block. */
  isOfItsBlock: boolean;
  /** Reads the row of a record. */
  find(db: Db, id: Uuid): Promise<Row | undefined>;
  /** The transaction is final, but not as it was recorded. `read` gives its record from there, if the node has it. */
  correct(ctx: Context, row: Row, read: () => Promise<ChainRecord | undefined>): Promise<void>;
  /** The chain certainly dropped the transaction. */
  drop(ctx: Context, row: Row): Promise<void>;
}

/**
 * Looks at what was recorded until it is final: the chain may still drop a confirmed transaction, or carry it in another
 * block. What the nodes list as final becomes final by the thousand, and every other row is looked at by itself. Rows are
 * looked at once the finalized chain has reached their slot; one that is not resolved then is put off, the longer the
 * older it is, so that it never holds up others. Whatever makes a row final or takes it back needs two nodes to agree
 * where two are configured.
 */
export class FinalityWatch {
  readonly #ctx: Context;
  readonly #indexing: Indexing;
  readonly #kinds: readonly WatchedKind<SeenTransaction>[];
  #closeLooks = 0;
  /** When each record that is late was logged. */
  readonly #logged = new Map<Uuid, number>();
  /** Whether the last listing failed, which is logged once. */
  #listingFails = false;

  constructor(ctx: Context, indexing: Indexing, kinds: readonly WatchedKind<SeenTransaction>[]) {
    this.#ctx = ctx;
    this.#indexing = indexing;
    this.#kinds = kinds;
  }

  /** Rejects when the node or the database fails; nothing is lost by that. */
  async round(signal: AbortSignal): Promise<void> {
    const dueKinds = await findDueKinds(this.#ctx.db, new Date(this.#ctx.clock.now()));
    // A node is not called while nothing waits. Room that something held the last time is given back now.
    if (dueKinds.length === 0) return shrinkUnfinalized(this.#ctx.db);
    const { rpc } = this.#ctx.chain;
    const finalSlot = await rpc.getSlot({ commitment: 'finalized' }).send({ abortSignal: signal });
    this.#closeLooks = 0;
    await this.#takeListed(finalSlot, signal);
    for (const kind of dueKinds) {
      for (let page = 0; page < pagesPerRound; page += 1) {
        const now = new Date(this.#ctx.clock.now());
        const checks = { finalSlot, now, limit: rowsPerPage };
        const records = await findDueRecords(this.#ctx.db, kind, checks);
        await this.#look(kind, records, signal);
        if (records.length < rowsPerPage) break;
      }
    }
  }

  /**
   * Makes final what the nodes list as final in the slot and with the outcome that were recorded, a thousand transactions
   * at a time. Everything else is left to the look at each row, and all of it when the nodes do not list.
   */
  async #takeListed(finalSlot: bigint, signal: AbortSignal): Promise<void> {
    const { db } = this.#ctx;
    let next = await findHighestNew(db, finalSlot);
    let before: Unfinalized['txSignature'] | undefined;
    /** The page behind `before`, where it is being listed already. */
    let ahead: Promise<ListedTransaction[] | undefined> | undefined;
    let isMostlyNew = false;
    for (let page = 0; next && page < listingsPerRound; page += 1) {
      const lines = await (ahead ?? this.#list(before, signal));
      ahead = undefined;
      if (!lines) return;
      const oldest = lines.at(-1);
      if (isMostlyNew && oldest) {
        // Behind such a page the next one is nearly always wanted: it comes while this one is written.
        ahead = this.#list(oldest.signature, signal);
        ahead.catch(() => {});
      }
      const count = await db.transaction((tx) => finalizeListed(tx, lines));
      isMostlyNew = 2 * count > lines.length;
      if (count > 0 && oldest) {
        before = oldest.signature;
        next = await findHighestNew(db, oldest.slot);
        continue;
      }
      ahead = undefined;
      // A page that does not come down to the row proves nothing about it; the next one begins there.
      const isAbove = oldest !== undefined && oldest.slot > next.slot;
      if (!isAbove) next = await findHighestNew(db, next.slot - 1n);
      if (!next) return;
      before = next.txSignature;
      // It leaves the record itself out.
      await this.#look(next.kind, [next], signal);
    }
  }

  /** Returns a page of what the nodes list as final; undefined when too few of them list it. */
  async #list(
    before: Unfinalized['txSignature'] | undefined,
    signal: AbortSignal,
  ): Promise<ListedTransaction[] | undefined> {
    const { witnesses, programAddress } = this.#ctx.chain;
    try {
      const lines = await agreedFinalListing(witnesses, programAddress, before, signal);
      signal.throwIfAborted();
      this.#listingFails = false;
      return lines;
    } catch (error) {
      signal.throwIfAborted();
      if (!this.#listingFails) {
        const message =
          'too few nodes list what is final; each record is looked at by itself, which is slower';
        this.#ctx.log.warn({ err: error }, message);
      }
      this.#listingFails = true;
      return undefined;
    }
  }

  async #look(kind: WatchedRecord, records: Unfinalized[], signal: AbortSignal): Promise<void> {
    const watched = this.#kinds.find((one) => one.kind === kind);
    if (!watched || records.length === 0) return;
    const { witnesses } = this.#ctx.chain;
    const signatures = records.map(({ txSignature }) => txSignature);
    const verdicts = await agreedStatuses(witnesses, signatures, {}, signal);
    const final: Unfinalized[] = [];
    const open: Unfinalized[] = [];
    /** Records that were not looked into for want of calls: their turn comes soon. */
    const left: Unfinalized[] = [];
    for (const [index, record] of records.entries()) {
      const verdict = verdicts[index] ?? 'disputed';
      const isUnknown = verdict === 'unknown';
      const isFinal = typeof verdict !== 'string' && verdict.confirmationStatus === 'finalized';
      if (isFinal && isAsRecorded(watched, record, verdict)) final.push(record);
      else if (!isFinal && !isUnknown) open.push(record);
      else if (this.#closeLooks >= closeLooksPerRound) left.push(record);
      else {
        this.#closeLooks += 1;
        await this.#lookClosely(watched, record, isFinal ? verdict : undefined, signal);
        open.push(record);
      }
    }
    signal.throwIfAborted();
    await this.#ctx.db.transaction((tx) => markFinalized(tx, kind, final));
    const waiting = await this.#postpone(kind, open, left);
    this.#logLate(
      kind,
      open.filter(({ id }) => waiting.has(id)),
    );
  }

  /** Logs each record that has long been without a verdict of nodes that respond, once an hour. */
  #logLate(kind: WatchedRecord, records: Unfinalized[]): void {
    const now = this.#ctx.clock.now();
    for (const [id, atMs] of this.#logged) if (now - atMs >= logEveryMs) this.#logged.delete(id);
    for (const { id, txSignature, landedAt } of records) {
      if (now - landedAt.getTime() < lateAfterMs || this.#logged.has(id)) continue;
      this.#logged.set(id, now);
      this.#ctx.log.warn(
        { record: kind, id, tx: txSignature },
        'the nodes agree neither that a transaction is final nor that it was dropped; will check again',
      );
    }
  }

  /** Corrects or drops a row; what fails about one row is tried again later, and holds up no other. */
  async #lookClosely<Row extends SeenTransaction>(
    { kind, ...watched }: WatchedKind<Row>,
    record: Unfinalized,
    final: Status | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const about = { record: kind, id: record.id, tx: record.txSignature };
    try {
      const row = await watched.find(this.#ctx.db, record.id);
      if (!row || row.txSignature !== record.txSignature || row.slot !== record.slot) return;
      if (final) {
        this.#ctx.log.warn(
          about,
          'a transaction was finalized in another block, or with another result, than recorded',
        );
        await watched.correct(this.#ctx, row, () => this.#read(row, final, signal));
      } else if (await this.#isGone(row, signal)) {
        this.#ctx.log.error(about, 'the chain dropped a transaction');
        await watched.drop(this.#ctx, row);
      }
    } catch (error) {
      signal.throwIfAborted();
      this.#ctx.log.warn(
        { ...about, err: error },
        'cannot find out what became of a transaction; will try again later',
      );
    }
  }

  async #isGone(row: SeenTransaction, signal: AbortSignal): Promise<boolean> {
    const seen = this.#indexing.seen();
    if (!seen) return false;
    const { witnesses } = this.#ctx.chain;
    return agreed(witnesses, (rpc) => isAbsent(rpc, row, seen.slot, signal), signal);
  }

  /**
   * Returns the record of a final transaction; undefined when the node does not give it as the nodes agreed it is, or alone
   * says what it did where two have to.
   */
  async #read(
    { txSignature: signature, slot }: SeenTransaction,
    final: Status,
    abortSignal: AbortSignal,
  ): Promise<ChainRecord | undefined> {
    const response = await this.#ctx.chain.rpc
      .getTransaction(signature, {
        commitment: 'finalized',
        encoding: 'base64',
        maxSupportedTransactionVersion: 0,
      })
      .send({ abortSignal });
    if (!response?.meta || response.slot !== final.slot) return undefined;
    if ((response.meta.err === null) !== (final.err === null)) return undefined;
    const fetched = fetchedOf(signature, response);
    const record = await decodeFetched({ signature, slot }, fetched, this.#indexing.view());
    // A response that contradicts itself proves nothing about the row.
    return record?.deadLetters.some(({ reason }) => reason === 'undecodable') ? undefined : record;
  }

  /** Puts off the next look at each; returns those that are still not final. */
  async #postpone(kind: WatchedRecord, open: Unfinalized[], left: Unfinalized[]): Promise<Set<Uuid>> {
    const now = this.#ctx.clock.now();
    const byPause = new Map<number, Unfinalized[]>([[minPauseMs, left]]);
    for (const record of open) {
      const ageMs = now - record.landedAt.getTime();
      const pauseMs = Math.min(Math.max(Math.round(ageMs / 4_000) * 1_000, minPauseMs), maxPauseMs);
      byPause.set(pauseMs, [...(byPause.get(pauseMs) ?? []), record]);
    }
    return this.#ctx.db.transaction(async (tx) => {
      const waiting: Uuid[] = [];
      for (const [pauseMs, records] of byPause)
        waiting.push(...(await postponeChecks(tx, kind, records, new Date(now + pauseMs))));
      return new Set(waiting);
    });
  }
}

/** Returns whether the finalized chain agrees with a record. */
function isAsRecorded(
  { isOfItsBlock }: Pick<WatchedKind<SeenTransaction>, 'isOfItsBlock'>,
  { slot, failed }: Unfinalized,
  status: Status,
): boolean {
  return (status.err !== null) === failed && (!isOfItsBlock || status.slot === slot);
}

import type { FinalizedChain } from '../../actions/indexing/traceless.js';
import type { ChainRecord } from '../../actions/trades/record-trade.js';
import { isAbsent, type SeenTransaction } from '../../chain/node/absence.js';
import { agreed } from '../../chain/node/agreed.js';
import { agreedFinalListing } from '../../chain/node/final-listing.js';
import type { ListedTransaction } from '../../chain/node/signed-transactions.js';
import { agreedStatuses, type Status } from '../../chain/node/statuses.js';
import type { Context } from '../../context.js';
import {
  type CheckedTable,
  finalizeListed,
  findDueRows,
  findHighestNewRow,
  markFinalized,
  postponeChecks,
} from '../../db/indexing/finality.js';
import { decodeResponse } from '../decode/decode.js';
import type { DecodeView } from '../decode/decode-view.js';

/** Rows of a kind that one round looks at: pages of as many as one `getSignatureStatuses` takes. */
const rowsPerPage = 256;
const pagesPerRound = 4;
/** Pages of the finalized chain that one round lists, a thousand transactions each. */
const listingsPerRound = 64;
/** Transactions of a round that are looked into one by one; each costs a few calls of each node. */
const closeLooksPerRound = 8;
/** No slot is above it. */
const anySlot = 2n ** 63n - 1n;
const minPauseMs = 2_000;
const maxPauseMs = 300_000;

/** What the finality watch takes from the indexer that leads. */
export interface Indexing {
  view(): DecodeView;
  /** How far everything that the finalized chain carries is recorded; undefined before that is known. */
  seen(): FinalizedChain | undefined;
  /** Has the next round find that out again. */
  prove(): void;
}

/** A row whose transaction has landed and is not final yet. */
export interface Watched extends SeenTransaction {
  id: string;
  createdAt: Date;
}

/** What the watch needs to know of one kind of records. Every function that writes does nothing when a row has moved on. */
export interface WatchedKind<Row extends Watched> {
  /** For the log. */
  name: string;
  table: CheckedTable;
  /** Whether the finalized chain agrees with the row. */
  isAsRecorded(row: Row, status: Status): boolean;
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
  readonly #kinds: readonly WatchedKind<Watched>[];
  #closeLooks = 0;
  /** Whether the last listing failed, which is logged once. */
  #listingFails = false;

  constructor(ctx: Context, indexing: Indexing, kinds: readonly WatchedKind<Watched>[]) {
    this.#ctx = ctx;
    this.#indexing = indexing;
    this.#kinds = kinds;
  }

  /** Rejects when the node or the database fails; nothing is lost by that. */
  async round(signal: AbortSignal): Promise<void> {
    const due = await this.#dueKinds();
    // A node is not called while nothing waits.
    if (due.length === 0) return;
    const { rpc } = this.#ctx.chain;
    const finalSlot = await rpc.getSlot({ commitment: 'finalized' }).send({ abortSignal: signal });
    this.#closeLooks = 0;
    await this.#takeListed(finalSlot, due, signal);
    for (const kind of due) {
      for (let page = 0; page < pagesPerRound; page += 1) {
        const now = new Date(this.#ctx.clock.now());
        const checks = { finalSlot, now, limit: rowsPerPage };
        const rows = await findDueRows<Watched>(this.#ctx.db, kind.table, checks);
        await this.#look(kind, rows, signal);
        if (rows.length < rowsPerPage) break;
      }
    }
  }

  /**
   * Makes final what the nodes list as final in the slot and with the outcome that were recorded, a thousand transactions
   * at a time. Everything else is left to the look at each row, and all of it when the nodes do not list.
   */
  async #takeListed(
    finalSlot: bigint,
    due: readonly WatchedKind<Watched>[],
    signal: AbortSignal,
  ): Promise<void> {
    let next = await this.#highestNewRow(due, finalSlot);
    let before: Watched['txSignature'] | undefined;
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
      const count = await this.#finalizeListed(due, lines);
      isMostlyNew = 2 * count > lines.length;
      if (count > 0 && oldest) {
        before = oldest.signature;
        next = await this.#highestNewRow(due, oldest.slot);
        continue;
      }
      ahead = undefined;
      // A page that does not come down to the row proves nothing about it; the next one begins there.
      const isAbove = oldest !== undefined && oldest.slot > next.row.slot;
      if (!isAbove) next = await this.#highestNewRow(due, next.row.slot - 1n);
      if (!next) return;
      before = next.row.txSignature;
      // It leaves the row itself out.
      await this.#look(next.kind, [next.row], signal);
    }
  }

  /** Returns a page of what the nodes list as final; undefined when too few of them list it. */
  async #list(
    before: Watched['txSignature'] | undefined,
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

  async #highestNewRow(
    due: readonly WatchedKind<Watched>[],
    slot: bigint,
  ): Promise<{ kind: WatchedKind<Watched>; row: Watched } | undefined> {
    const found = await Promise.all(
      due.map(async (kind) => {
        const row = await findHighestNewRow<Watched>(this.#ctx.db, kind.table, slot);
        return row ? [{ kind, row }] : [];
      }),
    );
    return found.flat().sort((one, other) => (one.row.slot > other.row.slot ? -1 : 1))[0];
  }

  async #finalizeListed(due: readonly WatchedKind<Watched>[], lines: ListedTransaction[]): Promise<number> {
    if (lines.length === 0) return 0;
    return this.#ctx.db.transaction(async (tx) => {
      let count = 0;
      for (const { table } of due) count += await finalizeListed(tx, table, lines);
      return count;
    });
  }

  /** Returns the kinds of which a row is due. */
  async #dueKinds(): Promise<WatchedKind<Watched>[]> {
    const any = { finalSlot: anySlot, now: new Date(this.#ctx.clock.now()), limit: 1 };
    const due: WatchedKind<Watched>[] = [];
    for (const kind of this.#kinds)
      if ((await findDueRows(this.#ctx.db, kind.table, any)).length > 0) due.push(kind);
    return due;
  }

  async #look<Row extends Watched>(kind: WatchedKind<Row>, rows: Row[], signal: AbortSignal): Promise<void> {
    if (rows.length === 0) return;
    const { witnesses } = this.#ctx.chain;
    const signatures = rows.map(({ txSignature }) => txSignature);
    const verdicts = await agreedStatuses(witnesses, signatures, {}, signal);
    const final: Row[] = [];
    const open: Row[] = [];
    /** Rows that were not looked into for want of calls: their turn comes soon. */
    const left: Row[] = [];
    for (const [index, row] of rows.entries()) {
      const verdict = verdicts[index] ?? 'disputed';
      const isUnknown = verdict === 'unknown';
      const isFinal = typeof verdict !== 'string' && verdict.confirmationStatus === 'finalized';
      if (isFinal && kind.isAsRecorded(row, verdict)) final.push(row);
      else if (!isFinal && !isUnknown) open.push(row);
      else if (this.#closeLooks >= closeLooksPerRound) left.push(row);
      else {
        this.#closeLooks += 1;
        await this.#lookClosely(kind, row, isFinal ? verdict : undefined, signal);
        open.push(row);
      }
    }
    signal.throwIfAborted();
    await this.#ctx.db.transaction((tx) => markFinalized(tx, kind.table, final));
    await this.#postpone(kind, open, left);
  }

  /** Corrects or drops a row; what fails about one row is tried again later, and holds up no other. */
  async #lookClosely<Row extends Watched>(
    kind: WatchedKind<Row>,
    row: Row,
    final: Status | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const about = { record: kind.name, id: row.id, tx: row.txSignature };
    try {
      if (final) {
        this.#ctx.log.warn(
          about,
          'a transaction was finalized in another block, or with another result, than recorded',
        );
        await kind.correct(this.#ctx, row, () => this.#read(row, final, signal));
      } else if (await this.#isGone(row, signal)) {
        this.#ctx.log.error(about, 'the chain dropped a transaction');
        await kind.drop(this.#ctx, row);
      }
    } catch (error) {
      signal.throwIfAborted();
      this.#ctx.log.warn(
        { ...about, err: error },
        'cannot find out what became of a transaction; will try again later',
      );
    }
  }

  async #isGone(row: Watched, signal: AbortSignal): Promise<boolean> {
    const seen = this.#indexing.seen();
    if (!seen) return false;
    const { witnesses } = this.#ctx.chain;
    return agreed(witnesses, (rpc) => isAbsent(rpc, row, seen.slot, signal), signal);
  }

  /** Returns the record of a final transaction; undefined when the node does not give it as the nodes agreed it is. */
  async #read(row: Watched, final: Status, abortSignal: AbortSignal): Promise<ChainRecord | undefined> {
    const signature = row.txSignature;
    const response = await this.#ctx.chain.rpc
      .getTransaction(signature, {
        commitment: 'finalized',
        encoding: 'base64',
        maxSupportedTransactionVersion: 0,
      })
      .send({ abortSignal });
    if (!response?.meta || response.slot !== final.slot) return undefined;
    if ((response.meta.err === null) !== (final.err === null)) return undefined;
    const listed = { signature, slot: row.slot };
    const record = await decodeResponse(listed, response, this.#indexing.view());
    // A response that contradicts itself proves nothing about the row.
    return record.deadLetters.some(({ reason }) => reason === 'undecodable') ? undefined : record;
  }

  async #postpone<Row extends Watched>(kind: WatchedKind<Row>, open: Row[], left: Row[]): Promise<void> {
    const now = this.#ctx.clock.now();
    const byPause = new Map<number, Row[]>([[minPauseMs, left]]);
    for (const row of open) {
      const ageMs = now - row.createdAt.getTime();
      const pauseMs = Math.min(Math.max(Math.round(ageMs / 4_000) * 1_000, minPauseMs), maxPauseMs);
      byPause.set(pauseMs, [...(byPause.get(pauseMs) ?? []), row]);
    }
    await this.#ctx.db.transaction(async (tx) => {
      for (const [pauseMs, rows] of byPause)
        await postponeChecks(tx, kind.table, rows, new Date(now + pauseMs));
    });
  }
}

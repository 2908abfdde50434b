import type { Config } from '@karat/program-client';
import { type Address, address, signature } from '@solana/kit';
import { type ChainRecord, recordTrades } from '../actions/record-trade.js';
import { type FinalizedChain, finalizedChain } from '../actions/traceless.js';
import type { Context } from '../context.js';
import { type Cursor, findCursors } from '../db/indexer-cursors.js';
import { applyBatch } from './apply.js';
import { decodeAnswer, letterRecord } from './decode.js';
import type { DecodeView, House } from './decode-view.js';
import {
  type Fetched,
  fetchTransaction,
  inParallel,
  isLagging,
  type Listed,
  listSince,
  type Position,
} from './source.js';
import { inTime } from './time.js';
import { Entries, type Entry, Track } from './track.js';
import type { Tuning } from './tuning.js';

const noKey = address('11111111111111111111111111111111');
/** 64 zero bytes. */
const noSignature = signature('1'.repeat(64));

/** What a transaction has to lie behind to be in `slot` or later: nothing of the chain has this signature. */
function before(slot: bigint): Position {
  return slot <= 1n ? undefined : { signature: noSignature, slot: slot - 1n };
}

/** What a round did. */
export interface RoundReport {
  /** Transactions that were listed for the first time. */
  found: number;
  /** Transactions that wait for the node to know them. */
  waiting: number;
}

/**
 * Follows the program and its service signers for as long as one process leads. All it remembers between rounds can be
 * lost at any moment: the cursors in the database say where to go on, and doing a thing twice changes nothing.
 */
export class Follower {
  readonly #ctx: Context;
  readonly #tuning: Tuning;
  /** Reads from this slot on whatever the cursors say, and leaves them alone. */
  readonly #rereadFrom: bigint | undefined;
  readonly #entries = new Entries();
  readonly #tracks = new Map<Address, Track>();
  #loaded = false;
  #config: Config | undefined;
  #house: House | undefined;
  /** Real time of the last round that read the overlap. */
  #sweptAtMs = Number.NEGATIVE_INFINITY;
  /**
   * Whether entries of the overlap wait to be fetched for the first time. Cursors stand still until then, so that whoever
   * leads next reads the same overlap again if this process dies.
   */
  #overlapUnread = false;
  /** What the node that listed had seen for certain, while the entries of its listing are being recorded. */
  #listedUpTo: FinalizedChain | undefined;
  #seen: FinalizedChain | undefined;

  constructor(ctx: Context, tuning: Tuning, options: { rereadFrom?: bigint } = {}) {
    this.#ctx = ctx;
    this.#tuning = tuning;
    this.#rereadFrom = options.rereadFrom;
  }

  /**
   * Reads what is new, fetches, decodes and records it. Rejects when the node or the database fails; the next round
   * then goes on where this one stopped.
   */
  async round(signal: AbortSignal): Promise<RoundReport> {
    await this.#load();
    const found = await this.#list(signal);
    await this.#takeDue(signal);
    await this.#write([], new Set());
    const waiting = this.#entries.waiting();
    const proof = this.#listedUpTo;
    this.#listedUpTo = undefined;
    if (proof && waiting.every(({ slot }) => slot > proof.slot)) this.#seen = proof;
    return { found, waiting: waiting.length };
  }

  /** How far everything that the finalized chain carries is recorded; undefined before the first look at that. */
  seen(): FinalizedChain | undefined {
    return this.#seen;
  }

  /**
   * Takes what waits: what is new first, because someone looks for it, and between its batches what the overlap showed,
   * which is nearly always recorded already.
   */
  async #takeDue(signal: AbortSignal): Promise<void> {
    const now = performance.now();
    const due = this.#entries.waiting().filter(({ nextTryMs }) => nextTryMs <= now);
    const queued = new Set([...this.#tracks.values()].flatMap(({ queue }) => queue));
    const news = due.filter((entry) => queued.has(entry));
    const late = due.filter((entry) => !queued.has(entry));
    const { batchSize } = this.#tuning;
    if (late.length === 0) this.#overlapUnread = false;
    for (let start = 0; start < Math.max(news.length, late.length); start += batchSize) {
      await this.#take(news.slice(start, start + batchSize), signal);
      await this.#take(late.slice(start, start + batchSize), signal);
      if (start + batchSize >= late.length) this.#overlapUnread = false;
    }
  }

  /** Newest slot that a cursor stands at. */
  slot(): bigint {
    let newest = 0n;
    for (const { position } of this.#tracks.values()) {
      if (position && position.slot > newest) newest = position.slot;
    }
    return newest;
  }

  async #load(): Promise<void> {
    if (!this.#loaded) {
      const cursors = await inTime(findCursors(this.#ctx.db), this.#tuning.stallMs);
      for (const cursor of cursors) this.#follow(cursor.address as Address, cursor);
      this.#loaded = true;
    }
    const { serviceSigners, ...house } = this.#readConfig();
    this.#house = house;
    this.#follow(this.#ctx.chain.programAddress, undefined);
    for (const signer of serviceSigners) if (signer !== noKey) this.#follow(signer, undefined);
    // Its own listing shows the transfers into it that carry nothing of the service.
    this.#follow(house.escrowGold, undefined);
  }

  /**
   * The program's configuration; the last one read while the reader has none to give. Throws before the first: without
   * the service signers a failed trade would look like a stranger's.
   */
  #readConfig(): Config {
    try {
      this.#config = this.#ctx.chain.program.config();
    } catch (error) {
      if (!this.#config) throw error;
    }
    return this.#config;
  }

  #follow(followed: Address, cursor: Cursor | undefined): void {
    if (this.#tracks.has(followed)) return;
    this.#tracks.set(followed, new Track(followed, this.#positionOf(cursor)));
  }

  #positionOf(cursor: Cursor | undefined): Position {
    if (this.#rereadFrom !== undefined) return before(this.#rereadFrom);
    if (!cursor || cursor.signature === '') return undefined;
    return { signature: cursor.signature as Entry['signature'], slot: cursor.slot };
  }

  async #list(signal: AbortSignal): Promise<number> {
    const { sweepMs, overlapSlots, firstPage, laterPages } = this.#tuning;
    const sweeps = performance.now() - this.#sweptAtMs >= sweepMs;
    // The first time, what came late and was waited for when an indexer died may lie a second overlap further back.
    const reach = this.#sweptAtMs === Number.NEGATIVE_INFINITY ? 2n * overlapSlots : overlapSlots;
    const before = this.#entries.waiting().length;
    const tracks = [...this.#tracks.values()];
    const list = (overlap: bigint, minContextSlot?: bigint): Promise<Listed[][]> => {
      const options = { firstPage, laterPages, overlapSlots: overlap, minContextSlot, signal };
      const { rpc } = this.#ctx.chain;
      return Promise.all(tracks.map((track) => listSince(rpc, track.address, track.position, options)));
    };
    const listings = sweeps ? await this.#listProven(list, reach, signal) : await list(0n);
    // The program's listing comes first: it alone has all events in their order.
    for (const [index, track] of tracks.entries()) track.take(listings[index] ?? [], this.#entries);
    if (sweeps) {
      this.#overlapUnread = true;
      this.#sweptAtMs = performance.now();
      this.#entries.forgetBefore(this.#oldestPosition() - 3n * overlapSlots);
    }
    return this.#entries.waiting().length - before;
  }

  /**
   * Lists by a node that has seen all that is final by now, and notes how far that is. When only nodes answer that lag
   * behind, what they list is as good as ever, but proves nothing about what is missing in it.
   */
  async #listProven(
    list: (overlap: bigint, minContextSlot?: bigint) => Promise<Listed[][]>,
    reach: bigint,
    signal: AbortSignal,
  ): Promise<Listed[][]> {
    const final = await finalizedChain(this.#ctx, signal);
    try {
      const listings = await list(reach, final.slot);
      this.#listedUpTo = final;
      return listings;
    } catch (error) {
      if (!isLagging(error)) throw error;
      return list(reach);
    }
  }

  #oldestPosition(): bigint {
    const [first = 0n, ...others] = [...this.#tracks.values()].map(({ position }) => position?.slot ?? 0n);
    let oldest = first;
    for (const slot of others) if (slot < oldest) oldest = slot;
    return oldest;
  }

  async #take(due: Entry[], signal: AbortSignal): Promise<void> {
    if (due.length === 0) return;
    const { rpc } = this.#ctx.chain;
    const fetched = await inParallel(due, this.#tuning.concurrency, (entry) =>
      fetchTransaction(rpc, entry.signature, signal),
    );
    const handled = new Set<Entry>();
    const records: ChainRecord[] = [];
    for (const [index, entry] of due.entries()) {
      const answer = fetched[index];
      const record = answer && (await this.#recordOf(entry, answer));
      if (!record) continue;
      this.#trust(record.serviceSigners);
      records.push(record);
      handled.add(entry);
    }
    signal.throwIfAborted();
    await this.#write(records, handled);
  }

  /** Records what was handled together with the cursors that may move then. */
  async #write(records: ChainRecord[], handled: ReadonlySet<Entry>): Promise<void> {
    const tracks = this.#overlapUnread ? [] : [...this.#tracks.values()];
    const cursors = tracks.flatMap((track) => track.reach(handled) ?? []);
    if (records.length === 0 && cursors.length === 0) return;
    await applyBatch(
      records,
      (some) => this.#record(some, cursors),
      (some) => this.#record(some, []),
    );
    for (const entry of handled) entry.done = true;
    for (const cursor of cursors) this.#tracks.get(cursor.address as Address)?.advance(cursor);
  }

  #record(records: ChainRecord[], reached: Cursor[]): Promise<void> {
    // Cursors that a database does not have yet would say that everything before the slot is recorded.
    const cursors = this.#rereadFrom === undefined ? reached : [];
    return inTime(recordTrades(this.#ctx, { records, cursors }), this.#tuning.stallMs);
  }

  /** A key that the program has just taken for a service signer is believed and followed from here on. */
  #trust(signers: string[]): void {
    for (const signer of signers) this.#follow(signer as Address, undefined);
  }

  /** How transactions are to be decoded at present. */
  view(): DecodeView {
    const { program, programAddress } = this.#ctx.chain;
    const trustedSigners = new Set(this.#tracks.keys());
    trustedSigners.delete(programAddress);
    if (this.#house) trustedSigners.delete(this.#house.escrowGold);
    return {
      programAddress,
      trustedSigners,
      house: this.#house,
      integratorOf: (partnerId) => program.integratorAddress(partnerId),
    };
  }

  /** What to record of a listed transaction, or undefined while it is worth asking for again. */
  async #recordOf(entry: Entry, fetched: Fetched): Promise<ChainRecord | undefined> {
    if (fetched.kind === 'found') return decodeAnswer(entry, fetched.answer, this.view());
    if (fetched.kind === 'unsupported') return letterRecord(entry, 'unsupported_version', {});
    const now = performance.now();
    entry.missingSinceMs ??= now;
    entry.tries += 1;
    const patienceMs =
      fetched.kind === 'unknown' ? this.#tuning.unavailableAfterMs : this.#tuning.brokenAfterMs;
    const waitedMs = now - entry.missingSinceMs;
    if (waitedMs < patienceMs) {
      entry.nextTryMs = now + Math.min(100 * 2 ** (entry.tries - 1), 2_000);
      return undefined;
    }
    this.#ctx.log.warn(
      { tx: entry.signature, tries: entry.tries },
      'the node does not know a listed transaction',
    );
    return letterRecord(entry, 'transaction_unavailable', { tries: entry.tries, answer: fetched.kind });
  }
}

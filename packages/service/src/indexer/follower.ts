import type { Config } from '@karat/program-client';
import { type Address, signature } from '@solana/kit';
import { type ChainRecord, recordTrades } from '../actions/record-trade.js';
import { type FinalizedChain, finalizedChain } from '../actions/traceless.js';
import { noKey } from '../chain/wallet.js';
import type { Context } from '../context.js';
import { type Cursor, findCursors } from '../db/indexer-cursors.js';
import { findServiceSignerSets } from '../db/program-events.js';
import { findRecordedSignatures } from '../db/recorded-signatures.js';
import { inTime } from '../runtime/time.js';
import { applyBatch } from './apply.js';
import { decodeAnswer, letterRecord } from './decode.js';
import type { DecodeView, House } from './decode-view.js';
import { ServiceSigners } from './service-signers.js';
import {
  type Fetched,
  fetchTransaction,
  inParallel,
  isLagging,
  type Listed,
  listSince,
  type Position,
} from './source.js';
import { Entries, type Entry, Track } from './track.js';
import type { Tuning } from './tuning.js';

/** Batches of the overlap in one round: behind them the round looks for what is new again. */
const lateBatchesPerRound = 4;

/** How far everything that the finalized chain carries of these accounts is recorded. */
export interface Seen extends FinalizedChain {
  /** Token accounts of the house. */
  accounts: Address[];
}
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
  readonly #serviceSigners = new ServiceSigners();
  /** Real time of the last round that read the overlap. */
  #sweptAtMs = Number.NEGATIVE_INFINITY;
  /**
   * Whether the overlap is still to be read, or entries of it wait to be fetched for the first time. Cursors stand still
   * until then, so that whoever leads next reads the same overlap again if this process dies.
   */
  #overlapUnread = true;
  /** What the node that listed had seen for certain, while the entries of its listing are being recorded. */
  #listedUpTo: Seen | undefined;
  #seen: Seen | undefined;

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
    const first = await this.#catchUp(signal);
    const found = first + (await this.#list(signal));
    await this.#takeDue(signal);
    await this.#write([], new Set());
    const waiting = this.#entries.waiting();
    const proof = this.#listedUpTo;
    if (proof && waiting.every(({ slot }) => slot > proof.slot)) {
      this.#seen = proof;
      this.#listedUpTo = undefined;
    }
    return { found, waiting: waiting.length };
  }

  /** How far everything that the finalized chain carries is recorded; undefined before the first look at that. */
  seen(): Seen | undefined {
    return this.#seen;
  }

  /**
   * Before the first overlap is read, which takes its time: records what has come since the cursors, for which people
   * wait. The cursors stay where they are. How much that was; nothing for a history that is read from its beginning.
   */
  async #catchUp(signal: AbortSignal): Promise<number> {
    const begun = this.#tracks.get(this.#ctx.chain.programAddress)?.position !== undefined;
    if (this.#swept() || !begun) return 0;
    const tracks = [...this.#tracks.values()].filter((track) => !this.#isQuiet(track));
    const listings = await this.#listAll(tracks, 0n, undefined, signal);
    this.#takeListings(tracks, listings);
    const found = this.#entries.waiting().length;
    await this.#takeDue(signal);
    return found;
  }

  /**
   * Takes what waits: what is new first, because someone looks for it, and between its batches what the overlap showed,
   * which is nearly always recorded already.
   */
  async #takeDue(signal: AbortSignal): Promise<void> {
    const now = performance.now();
    const due = this.#entries.waiting().filter(({ nextTryMs }) => nextTryMs <= now);
    const late = this.#late(due);
    const behind = new Set(late);
    const news = due.filter((entry) => !behind.has(entry));
    const { batchSize } = this.#tuning;
    const lateEnd = Math.min(late.length, lateBatchesPerRound * batchSize);
    for (let start = 0; start < Math.max(news.length, lateEnd); start += batchSize) {
      await this.#take(news.slice(start, start + batchSize), signal);
      await this.#take(late.slice(start, Math.min(start + batchSize, lateEnd)), signal);
    }
    // What is left over is taken by the next rounds.
    if (this.#swept() && lateEnd === late.length) this.#overlapUnread = false;
  }

  #swept(): boolean {
    return this.#sweptAtMs !== Number.NEGATIVE_INFINITY;
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
      const { programAddress } = this.#ctx.chain;
      const cursors = await inTime(findCursors(this.#ctx.db), this.#tuning.stallMs);
      // The program is listed first, whatever order the database gives: it alone lists all events in their order.
      this.#follow(
        programAddress,
        cursors.find(({ address }) => address === programAddress),
      );
      for (const cursor of cursors) this.#follow(cursor.address as Address, cursor, cursor.house);
      for (const set of await inTime(findServiceSignerSets(this.#ctx.db), this.#tuning.stallMs)) {
        this.#serviceSigners.add(set);
      }
      this.#loaded = true;
    }
    const { serviceSigners, ...house } = this.#readConfig();
    this.#house = house;
    const signers = serviceSigners.filter((signer) => signer !== noKey);
    this.#serviceSigners.setCurrent(signers);
    for (const signer of signers) this.#follow(signer, undefined);
    // Their own listings show the transfers that carry nothing of the service.
    for (const account of accountsOf(house)) this.#follow(account, undefined, true);
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

  #follow(followed: Address, cursor: Cursor | undefined, house = false): void {
    if (this.#tracks.has(followed)) return;
    this.#tracks.set(followed, new Track(followed, this.#positionOf(cursor), house));
  }

  #positionOf(cursor: Cursor | undefined): Position {
    if (this.#rereadFrom !== undefined) return before(this.#rereadFrom);
    if (!cursor || cursor.signature === '') return undefined;
    return { signature: cursor.signature as Entry['signature'], slot: cursor.slot };
  }

  async #list(signal: AbortSignal): Promise<number> {
    const { sweepMs, overlapSlots } = this.#tuning;
    const sweeps = performance.now() - this.#sweptAtMs >= sweepMs;
    const before = this.#entries.waiting().length;
    const tracks = [...this.#tracks.values()].filter((track) => sweeps || !this.#isQuiet(track));
    const listings = sweeps
      ? await this.#listProven(tracks, signal)
      : await this.#listAll(tracks, 0n, undefined, signal);
    this.#takeListings(tracks, listings);
    if (sweeps) {
      await this.#passOverRecorded();
      this.#overlapUnread = true;
      this.#sweptAtMs = performance.now();
      this.#entries.forgetBefore(this.#oldestWanted() - 3n * overlapSlots);
    }
    return this.#entries.waiting().length - before;
  }

  #takeListings(tracks: Track[], listings: Listed[][]): void {
    const { programAddress } = this.#ctx.chain;
    for (const [index, track] of tracks.entries()) {
      track.take(listings[index] ?? [], this.#entries, track.address === programAddress);
    }
  }

  /** What only the accounts of treasury and fees list carries nothing of the service: nobody waits for it. */
  #isQuiet({ address, house }: Track): boolean {
    return house && address !== this.#house?.escrowGold;
  }

  #listAll(
    tracks: Track[],
    overlapSlots: bigint,
    minContextSlot: bigint | undefined,
    signal: AbortSignal,
  ): Promise<Listed[][]> {
    const { firstPage, laterPages } = this.#tuning;
    const options = { firstPage, laterPages, overlapSlots, minContextSlot, signal };
    const { rpc } = this.#ctx.chain;
    return Promise.all(tracks.map((track) => listSince(rpc, track.address, track.position, options)));
  }

  /**
   * Lists with the overlap by a node that has seen all that is final by now, and notes how far that is. When only nodes
   * answer that lag behind, what they list is as good as ever, but proves nothing about what is missing in it.
   */
  async #listProven(tracks: Track[], signal: AbortSignal): Promise<Listed[][]> {
    const { overlapSlots } = this.#tuning;
    // The first time, what came late and was waited for when an indexer died may lie a second overlap further back.
    const reach = this.#swept() ? overlapSlots : 2n * overlapSlots;
    const accounts = tracks.filter(({ house }) => house).map(({ address }) => address);
    const final = await finalizedChain(this.#ctx, signal);
    try {
      const listings = await this.#listAll(tracks, reach, final.slot, signal);
      this.#listedUpTo = { ...final, accounts };
      return listings;
    } catch (error) {
      if (!isLagging(error)) throw error;
      return this.#listAll(tracks, reach, undefined, signal);
    }
  }

  /** Nearly all of an overlap is recorded, by the leader before mostly: none of that is fetched again. */
  async #passOverRecorded(): Promise<void> {
    const late = this.#late(this.#entries.waiting().filter(({ tries }) => tries === 0));
    const signatures = late.map(({ signature }) => signature);
    const recorded = await inTime(findRecordedSignatures(this.#ctx.db, signatures), this.#tuning.stallMs);
    for (const entry of late) if (recorded.has(entry.signature)) entry.done = true;
  }

  /** Those that lie behind every cursor. */
  #late(entries: Entry[]): Entry[] {
    const queued = new Set([...this.#tracks.values()].flatMap(({ queue }) => queue));
    return entries.filter((entry) => !queued.has(entry));
  }

  /** Up to where nothing waits. An address without news for long does not hold it up. */
  #oldestWanted(): bigint {
    let oldest = this.slot();
    for (const { position, queue } of this.#tracks.values()) {
      const slot = position?.slot ?? 0n;
      if (queue.length > 0 && slot < oldest) oldest = slot;
    }
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
      if (!record || (record.events.length > 0 && this.#isAhead(entry))) continue;
      this.#noteSigners(record);
      records.push(record);
      handled.add(entry);
    }
    signal.throwIfAborted();
    await this.#write(records, handled);
  }

  /**
   * Whether a transaction with events is listed by a signer alone yet, because the program was listed a moment before: the
   * events before it may be of transactions that only the program lists. It waits one round for that, no longer.
   */
  #isAhead(entry: Entry): boolean {
    const program = this.#tracks.get(this.#ctx.chain.programAddress);
    if (entry.heldBack || !program || program.hasReached(entry)) return false;
    entry.heldBack = true;
    return true;
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

  /** Keys that the program has just taken for service signers are followed, and believed until it takes them off. */
  #noteSigners({ serviceSigners, events, slot }: ChainRecord): void {
    for (const signer of serviceSigners) this.#follow(signer as Address, undefined);
    for (const { seq, serviceSigners: signers } of events) {
      if (signers) this.#serviceSigners.add({ seq, slot, signers });
    }
  }

  /** How transactions are to be decoded at present. */
  view(): DecodeView {
    const { program, programAddress } = this.#ctx.chain;
    return {
      programAddress,
      trustedSigners: (slot) => this.#serviceSigners.at(slot),
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

function accountsOf({ treasuryUsdc, treasuryGold, feeUsdc, escrowGold }: House): Address[] {
  return [escrowGold, treasuryUsdc, treasuryGold, feeUsdc];
}

import type { Config } from '@karat/program-client';
import { type Address, type Rpc, type Signature, type SolanaRpcApi, signature } from '@solana/kit';
import {
  findMissingBeginnings,
  reportMissingBeginnings,
} from '../actions/indexing/report-missing-beginnings.js';
import { type FinalizedChain, finalizedChain } from '../actions/indexing/traceless.js';
import { type ChainRecord, recordTrades } from '../actions/trades/record-trade.js';
import { agreed } from '../chain/node/agreed.js';
import { refusesMinContextSlot } from '../chain/node/as-of.js';
import type { Context } from '../context.js';
import { type Cursor, findCursors } from '../db/indexing/indexer-cursors.js';
import { findServiceSignerSets } from '../db/indexing/program-events.js';
import { findRecordedSignatures } from '../db/indexing/recorded-signatures.js';
import { atMost } from '../runtime/limit.js';
import { inTime } from '../runtime/time.js';
import { inOwnTrace } from '../tracing/spans.js';
import { Backlog } from './backlog.js';
import { deadLetterRecord, decodeFetched } from './decode/decode.js';
import type { DecodeView, TreasuryAccounts } from './decode/decode-view.js';
import { needsTwoNodes } from './decode/program-calls.js';
import type { ChainTransaction } from './decode/transaction.js';
import { FetchAhead } from './fetch-ahead.js';
import { Comparison, type Fetched, fetchTransaction, isAgreed } from './fetching.js';
import {
  floorOf,
  isLagging,
  type Listed,
  type Listing,
  type ListingOptions,
  LostCursorError,
  listSince,
  type Position,
} from './listing.js';
import { applyBatch } from './record/apply.js';
import { readAhead } from './record/read-ahead.js';
import { areServiceSigners, ServiceSigners, serviceSignersOf } from './service-signers.js';
import type { Source } from './source.js';
import { Entries, type Entry, Track } from './track.js';
import type { Tuning } from './tuning.js';

/** Batches of the overlap in one round: behind them the round looks for what is new again. */
const lateBatchesPerRound = 4;
/** They are so much smaller than others: what is new waits for them. */
const lateShare = 8;
/** Transactions that are fetched while others are recorded: a few seconds' worth where recording is slow. */
const fetchedAhead = 2_000;
/** Transactions that are decoded before anything else gets its turn. */
const decodedInARow = 32;
/**
 * Pages of a history that are taken in one round at most, and batches of them that are recorded in it. These are fewer, so
 * that the first ones of the next round are fetched by the time it begins.
 */
const pagesPerRound = 6;
const batchesPerRound = 8;

/** Transactions that are compared between nodes at a time. */
const comparedAtOnce = 8;

/** A node of a pool that is further behind than a blockhash lives does not lag. */
const maxLagSlots = 150n;

/** A node may have listed what the others have yet to see; a slot further ahead of them is not one of this chain. */
const maxLeadSlots = maxLagSlots;

/** While nothing happens, the overlap is looked at so many times less often. */
const idleSweeps = 3;

/** How far everything that the finalized chain carries of these accounts is recorded. */
export interface Seen extends FinalizedChain {
  /** Token treasury accounts. */
  accounts: Address[];
}
/** 64 zero bytes. */
const noSignature = signature('1'.repeat(64));

/** Returns what a transaction has to lie behind to be in `slot` or later: nothing of the chain has this signature. */
function before(slot: bigint): Position {
  return slot <= 1n ? undefined : { signature: noSignature, slot: slot - 1n };
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
  /** Whether something happens; or nothing does, and notifications would report it (`idle`) or would not (`deaf`). */
  pace: 'busy' | 'idle' | 'deaf' = 'busy';
  readonly #entries = new Entries();
  readonly #tracks = new Map<Address, Track>();
  readonly #backlog: Backlog;
  readonly #source: Source;
  readonly #fetchAhead: FetchAhead;
  readonly #comparing = atMost(comparedAtOnce);
  #loaded = false;
  #isFirstRun = false;
  #config: Config | undefined;
  #treasury: TreasuryAccounts | undefined;
  #roleKeys: ReadonlySet<Address> = new Set();
  readonly #serviceSigners = new ServiceSigners();
  /** Keys of the configuration that two nodes have yet to name. */
  #claimedSigners: ReadonlySet<Address> = new Set();
  /** Set while the nodes are asked whether they name these keys. */
  #agreeing: Promise<void> | undefined;
  /** A slot above this one is not believed until the nodes have reported their own slots. */
  #highestSlot = -1n;
  /** Real time of the last round that read the overlap. */
  #sweptAtMs = Number.NEGATIVE_INFINITY;
  /** Whether the next round reads the overlap, however long ago the last one did. */
  #proofWanted = false;
  /**
   * Whether the overlap is still to be read, or entries of it wait to be fetched for the first time. Cursors stand still
   * until then, so that the next leader reads the same overlap again if this process dies.
   */
  #overlapUnread = true;
  /** What the node that listed had seen for certain, while the entries of its listing are being recorded. */
  #listedUpTo: Seen | undefined;
  #seen: Seen | undefined;
  /** Whether two nodes are configured and fewer respond. */
  #lacksOthers = false;
  /** Integrators without their first event when everything was recorded for the first time; empty once that is settled. */
  #unbegun: ReadonlySet<Address> | undefined;

  constructor(ctx: Context, source: Source, tuning: Tuning, options: { rereadFrom?: bigint } = {}) {
    this.#ctx = ctx;
    this.#tuning = tuning;
    this.#rereadFrom = options.rereadFrom;
    this.#source = source;
    this.#backlog = new Backlog(ctx, tuning, source, {
      keeps: options.rereadFrom === undefined,
      view: () => this.view(),
    });
    this.#fetchAhead = new FetchAhead((some, signal) => this.fetch(some, signal), tuning);
  }

  /**
   * Reads what is new, fetches, decodes and records it. Returns how many transactions were found for the first time, how
   * many wait for the node to know them, and whether a history is still being read page by page. Rejects when the node or
   * the database fails; the next round then goes on where this one stopped.
   */
  async round(signal: AbortSignal) {
    await this.#load();
    const first = await this.#catchUp(signal);
    const found = first + (await this.#list(signal));
    await this.#takeDue(signal);
    await this.#write([], new Set());
    const waiting = this.#entries.waiting();
    const behind = this.#walking().length > 0;
    const proof = this.#listedUpTo;
    if (proof && waiting.every(({ slot }) => slot > proof.slot)) {
      await this.#checkBeginnings(proof.slot);
      if (!this.#seen || proof.slot >= this.#seen.slot) this.#seen = proof;
      this.#listedUpTo = undefined;
    }
    return { found, waiting: waiting.length, behind };
  }

  /**
   * Once everything is recorded: whether every integrator on chain has its first event. Looked at twice, because one that
   * was made a moment ago is on chain before it is recorded.
   */
  async #checkBeginnings(slot: bigint): Promise<void> {
    if (this.#rereadFrom !== undefined || this.#unbegun?.size === 0) return;
    const missing = await inTime(findMissingBeginnings(this.#ctx), this.#tuning.stallMs);
    const again = missing.filter(({ address }) => this.#unbegun?.has(address));
    if (again.length > 0) await reportMissingBeginnings(this.#ctx, slot, again);
    this.#unbegun = new Set(this.#unbegun ? [] : missing.map(({ address }) => address));
  }

  /**
   * Returns how far everything that the finalized chain carries is recorded; undefined before the first look at that.
   */
  seen(): Seen | undefined {
    return this.#seen;
  }

  /** Returns whether the history of the program is read page by page, so that what is new has to wait for it. */
  readsHistory(): boolean {
    return this.#tracks.get(this.#ctx.chain.programAddress)?.walk !== undefined;
  }

  /** Returns whether no process has read anything of the program's history before this one. */
  isFirstRun(): boolean {
    return this.#isFirstRun;
  }

  /** Has the next round read the overlap, which shows how far everything is recorded. */
  prove(): void {
    this.#proofWanted = true;
  }

  /**
   * Before the first overlap is read, which takes its time: records what has come since the cursors, for which people
   * wait. The cursors stay where they are. How much that was; nothing for a history that is read from its beginning.
   */
  async #catchUp(signal: AbortSignal): Promise<number> {
    const begun = this.#tracks.get(this.#ctx.chain.programAddress)?.position !== undefined;
    if (this.#swept() || !begun || this.readsHistory()) return 0;
    const tracks = this.#listed().filter((track) => !this.#isQuiet(track));
    await this.#takeListings(tracks, await this.#listAll(tracks, 0n, undefined, signal), 0n, signal);
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
    const horizon = this.#horizon();
    const due = this.#entries
      .waiting()
      .filter(({ nextTryMs, slot }) => nextTryMs <= now && (horizon === undefined || slot < horizon));
    const take = () => this.#takeInBatches(due, signal);
    await (due.length > 0 ? inOwnTrace('index', { 'karat.transactions': due.length }, take) : take());
  }

  async #takeInBatches(due: Entry[], signal: AbortSignal): Promise<void> {
    const late = this.#late(due);
    const behind = new Set(late);
    const news = due.filter((entry) => !behind.has(entry));
    const { batchSize } = this.#tuning;
    const newsEnd =
      this.#walking().length > 0 ? Math.min(news.length, batchesPerRound * batchSize) : news.length;
    const lateSize = Math.max(1, Math.ceil(batchSize / lateShare));
    const lateEnd = Math.min(late.length, lateBatchesPerRound * lateSize);
    const batches: { batch: Entry[]; next: Entry[] }[] = [];
    for (let at = 0, lateAt = 0; at < newsEnd || lateAt < lateEnd; at += batchSize, lateAt += lateSize) {
      const end = Math.min(at + batchSize, newsEnd);
      batches.push({ batch: news.slice(at, end), next: news.slice(at, at + fetchedAhead) });
      const next = news.slice(Math.max(at, end), at + fetchedAhead);
      batches.push({ batch: late.slice(lateAt, Math.min(lateAt + lateSize, lateEnd)), next });
    }
    await readAhead(
      batches.filter(({ batch }) => batch.length > 0),
      ({ batch, next }) => {
        this.#fetchAhead.want(
          next.map(({ signature }) => signature),
          signal,
        );
        return this.#read(batch, signal);
      },
      ({ records, handled }) => {
        signal.throwIfAborted();
        return this.#write(records, handled);
      },
    );
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
      for (const cursor of cursors) this.#follow(cursor.address, cursor, cursor.treasury);
      for (const set of await inTime(findServiceSignerSets(this.#ctx.db), this.#tuning.stallMs)) {
        this.#serviceSigners.add(set);
      }
      await this.#backlog.load(this.#tracks);
      const program = this.#tracks.get(programAddress);
      this.#isFirstRun = !program?.position && !program?.walk;
      this.#loaded = true;
    }
    const { serviceSigners, ...treasury } = this.#readConfig();
    this.#treasury = treasury;
    const { admin, operations, guardian, market } = treasury;
    this.#roleKeys = new Set([admin, operations, guardian, market]);
    this.#takeSigners(serviceSignersOf({ serviceSigners }));
    for (const signer of this.#serviceSigners.current()) this.#follow(signer, undefined);
    // Their own listings show the transfers that carry nothing of the service.
    for (const account of accountsOf(treasury)) this.#follow(account, undefined, true);
  }

  /**
   * Reads the program's configuration; the last one read while the reader has none to give. Throws before the first:
   * without the service signers a failed trade would look like a stranger's.
   */
  #readConfig(): Config {
    try {
      this.#config = this.#ctx.chain.program.config();
    } catch (error) {
      if (!this.#config) throw error;
    }
    return this.#config;
  }

  /**
   * Takes the service signers that the configuration names once two nodes name them, where two are configured. Until then
   * a trade or redemption waits that failed and would be theirs, and nothing else.
   */
  #takeSigners(signers: Address[]): void {
    const { chain } = this.#ctx;
    if (chain.witnesses.length < 2) return void this.#serviceSigners.setCurrent(signers);
    const known = this.#serviceSigners.current();
    this.#claimedSigners = new Set(signers.filter((key) => !known.has(key)));
    if (this.#claimedSigners.size === 0 && signers.length === known.size) return;
    this.#agreeing ??= areServiceSigners(chain, signers).then((areAgreed) => {
      if (areAgreed) this.#serviceSigners.setCurrent(signers);
      this.#agreeing = undefined;
    });
  }

  #follow(followed: Address, cursor: Cursor | undefined, treasury = false): void {
    if (this.#tracks.has(followed)) return;
    this.#tracks.set(followed, new Track(followed, this.#positionOf(cursor), treasury));
  }

  #positionOf(cursor: Cursor | undefined): Position {
    if (this.#rereadFrom !== undefined) return before(this.#rereadFrom);
    if (!cursor || cursor.signature === '') return undefined;
    return { signature: cursor.signature, slot: cursor.slot };
  }

  async #list(signal: AbortSignal): Promise<number> {
    const { sweepMs, overlapSlots } = this.#tuning;
    const waited = this.#entries.waiting().length;
    for (let page = 0; page < pagesPerRound && (await this.#advance(signal)); page += 1);
    // An overlap proves nothing while what comes before it is being read.
    const everyMs = this.pace === 'busy' ? sweepMs : idleSweeps * sweepMs;
    const isDue = this.#proofWanted || performance.now() - this.#sweptAtMs >= everyMs;
    const sweeps = isDue && this.#walking().length === 0;
    const tracks = this.#listed().filter((track) => sweeps || this.#isWatched(track));
    const reach = sweeps ? this.#reach() : 0n;
    const listings = sweeps
      ? await this.#listProven(tracks, reach, signal)
      : await this.#listAll(tracks, 0n, undefined, signal);
    const whole = await this.#takeListings(tracks, listings, reach, signal);
    if (sweeps && whole) {
      await this.#listByOthers(tracks, reach, signal);
      await this.#passOverRecorded();
      this.#overlapUnread = true;
      this.#proofWanted = false;
      this.#sweptAtMs = performance.now();
      this.#forgetBefore(this.#oldestWanted() - 3n * overlapSlots);
    } else if (sweeps) {
      this.#listedUpTo = undefined;
    }
    return Math.max(0, this.#entries.waiting().length - waited);
  }

  /** Goes on with every history that is read page by page; whether a page of any was taken. */
  async #advance(signal: AbortSignal): Promise<boolean> {
    const walking = this.#walking();
    if (walking.length === 0) return false;
    const options = this.#options(0n, undefined, signal);
    let failure: unknown;
    const stages = await Promise.allSettled(walking.map((track) => this.#backlog.advance(track, options)));
    for (const [index, stage] of stages.entries()) {
      const track = walking[index];
      if (stage.status === 'rejected') failure ??= stage.reason;
      else if (track && stage.value) {
        await this.#takeLines(track, stage.value, signal);
        this.#backlog.climbed(track);
      }
    }
    if (failure !== undefined) throw failure;
    await this.#passOverRecorded();
    const positions = walking.map(({ position }) => position?.slot ?? 0n);
    this.#forgetBefore(positions.reduce((oldest, slot) => (slot < oldest ? slot : oldest), this.slot()));
    return stages.some((stage) => stage.status === 'fulfilled' && stage.value !== undefined);
  }

  #walking(): Track[] {
    return [...this.#tracks.values()].filter(({ walk }) => walk !== undefined);
  }

  /** Returns those that are listed from the top. */
  #listed(): Track[] {
    return [...this.#tracks.values()].filter(({ walk }) => walk === undefined);
  }

  /**
   * Before which slot everything is listed that comes in order, while the history of the program is read page by page: what
   * other addresses list beyond that waits for the events before it.
   */
  #horizon(): bigint | undefined {
    if (!this.#tracks.get(this.#ctx.chain.programAddress)?.walk) return undefined;
    const ends = this.#walking().map(({ walk }) => walk?.listedBefore ?? -1n);
    return ends.reduce((lowest, slot) => (slot < lowest ? slot : lowest));
  }

  /** Takes what was listed; whether all of it was listed whole. */
  async #takeListings(
    tracks: Track[],
    listings: Listing[],
    overlapSlots: bigint,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { programAddress } = this.#ctx.chain;
    const program = this.#tracks.get(programAddress);
    const listing = program && listings[tracks.indexOf(program)];
    if (program && !program.position && listing && listing.steps.length === 0) {
      await this.#requireBeginning(program, listing.lines, signal);
    }
    let whole = true;
    for (const [index, track] of tracks.entries()) {
      const { lines, steps } = listings[index] ?? { lines: [], steps: [] };
      if (steps.length === 0) {
        await this.#takeLines(track, lines, signal);
        continue;
      }
      whole = false;
      // The first time after a start the overlap before the cursor is part of the way.
      const reach = this.#swept() ? overlapSlots : this.#reach();
      await this.#backlog.begin(track, steps, floorOf(track.position, reach));
    }
    return whole;
  }

  /** Takes the lines of a listing, without those of slots that the chain has not reached: no cursor may follow them. */
  async #takeLines(track: Track, lines: Listed[], signal: AbortSignal): Promise<void> {
    let newest = -1n;
    for (const { slot } of lines) if (slot > newest) newest = slot;
    const isReached = await this.#isReached(newest, signal);
    const taken = isReached ? lines : lines.filter(({ slot }) => slot <= this.#highestSlot);
    if (!isReached)
      this.#ctx.log.warn(
        { address: track.address, slot: newest },
        'a node lists slots that the chain has not reached',
      );
    track.take(taken, this.#entries, track.address === this.#ctx.chain.programAddress);
  }

  /**
   * Returns whether the chain can be as far as `slot`, by the node that is furthest behind of those that respond. Rejects
   * when none does.
   */
  async #isReached(slot: bigint, abortSignal: AbortSignal): Promise<boolean> {
    if (slot <= this.#highestSlot) return true;
    const slots = await Promise.allSettled(
      this.#ctx.chain.witnesses.map((rpc) => rpc.getSlot({ commitment: 'confirmed' }).send({ abortSignal })),
    );
    const reached = slots.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    const [first, ...others] = reached;
    if (first === undefined) throw new Error('no node reports its slot', { cause: slots[0] });
    this.#highestSlot =
      others.reduce((lowest, other) => (other < lowest ? other : lowest), first) + maxLeadSlots;
    return slot <= this.#highestSlot;
  }

  /** Throws a `LostCursorError` when a history without a cursor, listed whole, does not begin where the program did. */
  async #requireBeginning(program: Track, lines: Listed[], signal: AbortSignal): Promise<void> {
    if (program.queue.length > 0) return;
    await this.#backlog.requireBeginningIn(program.address, lines, signal);
  }

  /**
   * Returns how many slots before the cursors to read. The first time it is twice the overlap: what came late, and was
   * waited for when an indexer died, may lie a second overlap further back.
   */
  #reach(): bigint {
    const { overlapSlots } = this.#tuning;
    return this.#swept() ? overlapSlots : 2n * overlapSlots;
  }

  #forgetBefore(slot: bigint): void {
    const tracks = [...this.#tracks.values()];
    this.#entries.forgetBefore(slot, (entry) => tracks.some((track) => track.showsAgain(entry)));
  }

  /**
   * Returns whether it is listed between two looks at the overlap: while nothing happens, what would show that
   * something does.
   */
  #isWatched(track: Track): boolean {
    if (this.pace !== 'busy' && this.#isRetired(track)) return false;
    if (this.pace === 'busy' || !track.position) return !this.#isQuiet(track);
    if (this.pace === 'deaf') return !track.treasury;
    return track.address === this.#ctx.chain.programAddress;
  }

  /** Returns whether it is a service signer that was taken off, and all is recorded that is believed of it. */
  #isRetired({ address, treasury }: Track): boolean {
    if (treasury || address === this.#ctx.chain.programAddress || !this.#seen) return false;
    // What is proven lies some slots behind the change that registered a present key.
    const signers = this.#serviceSigners;
    return !signers.current().has(address) && !signers.at(this.#seen.slot).has(address);
  }

  /** What only the accounts of treasury and fees list carries nothing of the service: nothing waits for it. */
  #isQuiet({ address, treasury }: Track): boolean {
    return treasury && address !== this.#treasury?.escrowGold;
  }

  #listAll(
    tracks: Track[],
    overlapSlots: bigint,
    minContextSlot: bigint | undefined,
    signal: AbortSignal,
  ): Promise<Listing[]> {
    const options = this.#options(overlapSlots, minContextSlot, signal);
    return Promise.all(
      tracks.map(({ address, position }) => this.#source.listSince(address, position, options)),
    );
  }

  #options(overlapSlots: bigint, minContextSlot: bigint | undefined, signal: AbortSignal): ListingOptions {
    const { firstPage, laterPages, pages } = this.#tuning;
    return { firstPage, laterPages, pages, overlapSlots, minContextSlot, signal };
  }

  /**
   * Lists with the overlap by a node that has seen all that is final by now, and notes how far that is. When only nodes
   * nodes that lag behind, what they list is as good as ever, but proves nothing about what is missing in it. A node
   * that cannot report how far it has seen lags by less than a blockhash lives: what was final so long ago is in its
   * listing.
   */
  async #listProven(tracks: Track[], reach: bigint, signal: AbortSignal): Promise<Listing[]> {
    const accounts = tracks.filter(({ treasury }) => treasury).map(({ address }) => address);
    const final = await finalizedChain(this.#ctx, signal);
    try {
      const listings = await this.#listAll(tracks, reach, final.slot, signal);
      this.#listedUpTo = { ...final, accounts };
      return listings;
    } catch (error) {
      const unasked = refusesMinContextSlot(error);
      if (!unasked && !isLagging(error)) throw error;
      const listings = await this.#listAll(tracks, reach, undefined, signal);
      if (unasked) this.#listedUpTo = { ...earlier(final), accounts };
      return listings;
    }
  }

  /**
   * Takes what each of two nodes lists, where two are configured: one alone may keep a transaction back. While too few of
   * them respond, how far everything is recorded is not known.
   */
  async #listByOthers(tracks: Track[], reach: bigint, signal: AbortSignal): Promise<void> {
    const { witnesses } = this.#ctx.chain;
    const proof = this.#listedUpTo;
    if (witnesses.length < 2 || !proof) return;
    this.#listedUpTo = undefined;
    let upTo = proof;
    const listBy = (rpc: Rpc<SolanaRpcApi>, minContextSlot: bigint | undefined): Promise<Listing[]> => {
      const options = this.#options(reach, minContextSlot, signal);
      return Promise.all(tracks.map((track) => listSince(rpc, track.address, track.position, options)));
    };
    const list = async (rpc: Rpc<SolanaRpcApi>): Promise<boolean> => {
      const listings = await listBy(rpc, proof.slot).catch((error: unknown) => {
        if (!refusesMinContextSlot(error)) throw error;
        upTo = { ...proof, ...earlier(proof) };
        return listBy(rpc, undefined);
      });
      for (const [index, { lines }] of listings.entries()) {
        const track = tracks[index];
        if (track) await this.#takeLines(track, lines, signal);
      }
      return listings.every(({ steps }) => steps.length === 0);
    };
    try {
      if (await agreed(witnesses, list, signal)) this.#listedUpTo = upTo;
      this.#lacksOthers = false;
    } catch (err) {
      signal.throwIfAborted();
      if (!this.#lacksOthers) this.#ctx.log.warn({ err }, 'no two nodes list the chain: nothing expires');
      this.#lacksOthers = true;
    }
  }

  /** Fetches transactions, each from any node that knows it and whose response holds together. */
  async fetch(signatures: readonly Signature[], signal: AbortSignal): Promise<Fetched[]> {
    const { witnesses } = this.#ctx.chain;
    const fetched: Fetched[] = [];
    for (const [index, first] of (await this.#source.fetchTransactions(signatures, signal)).entries()) {
      const known = await this.#ifReached(first, signal);
      const isOpen = known.kind === 'unknown' || known.kind === 'undecodable';
      const other =
        isOpen && (await this.#fetchFromOthers(witnesses, signatures[index] as Signature, signal));
      fetched.push(other || known);
    }
    return fetched;
  }

  async #fetchFromOthers(
    witnesses: readonly Rpc<SolanaRpcApi>[],
    signature: Signature,
    signal: AbortSignal,
  ): Promise<Fetched | undefined> {
    if (witnesses.length < 2) return undefined;
    for (const witness of witnesses) {
      const other = await this.#ifReached(await fetchTransaction(witness, signature, signal), signal);
      if (other.kind === 'found') return other;
    }
    return undefined;
  }

  /** What is said to have landed in a slot that the chain has not reached is not known. */
  async #ifReached(fetched: Fetched, signal: AbortSignal): Promise<Fetched> {
    if (!('slot' in fetched) || (await this.#isReached(fetched.slot, signal))) return fetched;
    return { kind: 'unknown' };
  }

  /** Nearly all of an overlap is recorded, by the leader before mostly: none of that is fetched again. */
  async #passOverRecorded(): Promise<void> {
    const late = this.#late(this.#entries.waiting().filter(({ tries }) => tries === 0));
    const signatures = late.map(({ signature }) => signature);
    const recorded = await inTime(findRecordedSignatures(this.#ctx.db, signatures), this.#tuning.stallMs);
    for (const entry of late) if (recorded.has(entry.signature)) entry.done = true;
  }

  /** Returns those that lie behind every cursor. */
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

  /** Fetches and decodes a batch; other work gets its turn every few transactions, that of writing the one before it, too. */
  async #read(due: Entry[], signal: AbortSignal): Promise<{ records: ChainRecord[]; handled: Set<Entry> }> {
    const fetched = await this.#fetchAhead.take(
      due.map(({ signature }) => signature),
      signal,
    );
    await this.#requireListed(due, fetched);
    this.#compare(due, fetched);
    const handled = new Set<Entry>();
    const records: ChainRecord[] = [];
    for (const [index, entry] of due.entries()) {
      if (index % decodedInARow === decodedInARow - 1) await new Promise(setImmediate);
      const answer = fetched[index];
      const record = answer && (await this.#recordOf(entry, answer));
      if (!record || (record.events.length > 0 && this.#isAhead(entry))) continue;
      this.#noteSigners(record);
      records.push(record);
      handled.add(entry);
    }
    return { records, handled };
  }

  /** Begins to compare what two nodes have to say of several transactions, so that none waits for the one before it. */
  #compare(due: Entry[], fetched: Fetched[]): void {
    if (this.#ctx.chain.witnesses.length < 2) return;
    const view = this.view();
    for (const [index, entry] of due.entries()) {
      const found = fetched[index];
      if (found?.kind !== 'found' || !needsTwoNodes(found.transaction, view)) continue;
      entry.comparison ??= this.#newComparison();
      entry.comparison.begin(found.transaction);
    }
  }

  #newComparison(): Comparison {
    const { witnesses } = this.#ctx.chain;
    return new Comparison((transaction) => this.#comparing(() => isAgreed(witnesses, transaction)));
  }

  /**
   * Throws a `LostCursorError` when a transaction names an address whose history, read from nothing, was said to begin
   * later: the node cut it off, and it is walked on from there.
   */
  async #requireListed(due: Entry[], fetched: Fetched[]): Promise<void> {
    const begun = new Map([...this.#tracks].filter(([, track]) => track.beginsAt() !== undefined));
    if (begun.size === 0) return;
    for (const [index, entry] of due.entries()) {
      const found = fetched[index];
      if (found?.kind !== 'found') continue;
      for (const [address, track] of begun) {
        const beginsAt = track.beginsAt();
        if (beginsAt === undefined || entry.slot >= beginsAt || !names(found.transaction, address)) continue;
        await this.#backlog.reopen(track);
        throw new LostCursorError(
          `The node's history of ${address} begins in slot ${beginsAt}, but ${entry.signature} in slot ${entry.slot} names it.`,
        );
      }
    }
  }

  /**
   * Returns whether a transaction with events is listed by a signer alone yet, because the program was listed a moment
   * before: the events before it may be of transactions that only the program lists. It waits one round for that, no
   * longer.
   */
  #isAhead(entry: Entry): boolean {
    const program = this.#tracks.get(this.#ctx.chain.programAddress);
    if (entry.heldBack || !program || program.hasReached(entry)) return false;
    entry.heldBack = true;
    return true;
  }

  /** Records what was handled together with the cursors that may move then. */
  async #write(records: ChainRecord[], handled: ReadonlySet<Entry>): Promise<void> {
    const tracks = this.#movable();
    const cursors = tracks.flatMap((track) => track.reach(handled) ?? []);
    if (records.length === 0 && cursors.length === 0) return;
    await applyBatch(
      records,
      (some) => this.#record(some, cursors),
      (some) => this.#record(some, []),
    );
    for (const entry of handled) entry.done = true;
    for (const cursor of cursors) this.#tracks.get(cursor.address)?.advance(cursor);
  }

  /** Returns the addresses whose cursors may move, because everything behind them is read. */
  #movable(): Track[] {
    if (!this.#overlapUnread) return [...this.#tracks.values()];
    const walking = this.#walking();
    if (walking.length === 0) return [];
    // What lies beyond the horizon waits itself for the walks: no cursor comes that far before it is taken.
    const horizon = this.#horizon();
    const untried = this.#late(this.#entries.waiting()).some(
      ({ tries, slot }) => tries === 0 && (horizon === undefined || slot < horizon),
    );
    return untried ? [] : walking;
  }

  #record(records: ChainRecord[], reached: Cursor[]): Promise<void> {
    // Cursors that a database does not have yet would say that everything before the slot is recorded.
    const cursors = this.#rereadFrom === undefined ? reached : [];
    return inTime(recordTrades(this.#ctx, { records, cursors }), this.#tuning.stallMs);
  }

  /** Keys that the program has just taken for service signers are followed, and believed until it takes them off. */
  #noteSigners({ serviceSigners, events, slot }: ChainRecord): void {
    for (const signer of serviceSigners) this.#follow(signer, undefined);
    for (const { seq, serviceSigners: signers } of events) {
      if (signers) this.#serviceSigners.add({ seq, slot, signers });
    }
  }

  /** Returns how transactions are to be decoded at present. */
  view(): DecodeView {
    const { program, programAddress, witnesses } = this.#ctx.chain;
    return {
      programAddress,
      trustedSigners: (slot) => this.#serviceSigners.at(slot),
      roleKeys: this.#roleKeys,
      claimedSigners: this.#claimedSigners,
      treasury: this.#treasury,
      isAgreed: (transaction) => isAgreed(witnesses, transaction),
      integratorOf: (partnerId) => program.integratorAddress(partnerId),
    };
  }

  /**
   * Returns how transactions are to be decoded before the history up to them is known: which keys have been retired may
   * be in it, so only those are believed that are service signers now.
   */
  liveView(): DecodeView {
    const current = this.#serviceSigners.current();
    return { ...this.view(), trustedSigners: () => current };
  }

  /** Returns what to record of a listed transaction, or undefined while it is worth requesting it again. */
  async #recordOf(entry: Entry, fetched: Fetched): Promise<ChainRecord | undefined> {
    const compare = (transaction: ChainTransaction) => {
      entry.comparison ??= this.#newComparison();
      return entry.comparison.isAgreed(transaction);
    };
    const record = await decodeFetched(entry, fetched, { ...this.view(), isAgreed: compare });
    if (record) return record;
    if (fetched.kind === 'unsupported') return deadLetterRecord(entry, 'unsupported_version', {});
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
      fetched.kind === 'found'
        ? 'no two nodes say the same of a transaction'
        : 'the node does not know a listed transaction',
    );
    return deadLetterRecord(entry, 'transaction_unavailable', { tries: entry.tries, answer: fetched.kind });
  }
}

function accountsOf({ treasuryUsdc, treasuryGold, feeUsdc, escrowGold }: TreasuryAccounts): Address[] {
  return [escrowGold, treasuryUsdc, treasuryGold, feeUsdc];
}

/** Returns whether a transaction names an address. */
function names({ instructions, signers }: ChainTransaction, address: Address): boolean {
  return (
    signers.has(address) ||
    instructions.some(({ program, accounts }) => program === address || accounts.includes(address))
  );
}

/** Returns how far the finalized chain was at least, as long ago as a blockhash lives. */
function earlier({ slot, blockHeight }: FinalizedChain): FinalizedChain {
  const before = (at: bigint) => (at > maxLagSlots ? at - maxLagSlots : 0n);
  return { slot: before(slot), blockHeight: before(blockHeight) };
}

import type { Context } from '../context.js';
import { findRecordedSignatures } from '../db/indexing/recorded-signatures.js';
import type { TxSignature } from '../domain/solana.js';
import { inTime } from '../runtime/time.js';
import type { Recorder, Waits } from './record.js';
import type { Listed, Source, Stretch } from './source.js';
import type { Tuning } from './tuning.js';

/** A listed transaction on its way into the database. Times are of the monotonic clock. */
interface Entry {
  line: Listed;
  done: boolean;
  /** How often it could not be recorded, why the last time, and since when. */
  tries: number;
  why: Waits | undefined;
  waitsSinceMs: number | undefined;
  nextTryMs: number;
}

/** A part of the history that is longer than is listed at once: below `before`, down to the slot `reached`. */
interface History {
  before: Stretch['before'];
  /** Everything up to this slot is recorded. */
  reached: bigint;
}

const longestPauseMs = 2_000;
/** Lines of a history that are recorded before its progress is noted. */
const linesAtOnce = 5_000;

/**
 * Follows the end of the program's history, for as long as one process leads. All that it remembers can be lost at any
 * moment: the slot in the database says where to go on, and recording a transaction twice changes nothing.
 */
export class Tail {
  readonly #ctx: Context;
  readonly #source: Source;
  readonly #recorder: Recorder;
  readonly #tuning: Tuning;
  /** What was listed above the floor, and whatever waits. */
  readonly #entries = new Map<TxSignature, Entry>();
  readonly #histories: History[] = [];
  /** Nothing up to this slot is listed any more: it is recorded, waits, or is part of a history. */
  #floor: bigint;
  #cursor: bigint;
  #newest: bigint;

  /** @param cursor the slot up to which everything that was listed is handled. */
  constructor(ctx: Context, source: Source, recorder: Recorder, tuning: Tuning, cursor: bigint) {
    this.#ctx = ctx;
    this.#source = source;
    this.#recorder = recorder;
    this.#tuning = tuning;
    this.#floor = cursor;
    this.#cursor = cursor;
    this.#newest = cursor;
  }

  /**
   * Lists what is new and records it, and tries again what waits. Returns how many transactions were listed for the first
   * time. Rejects when the nodes or the database fail; the next round then goes on where this one stopped.
   */
  async round(signal: AbortSignal): Promise<number> {
    const news = await this.#list(signal);
    for (const line of news) this.#add(line);
    const due = await this.#due(signal);
    // Of what one node shows as failed, another one may show that it succeeded.
    const disputed = new Set(due.filter(({ why }) => why === 'not_final'));
    await this.#take(
      due.filter((entry) => !disputed.has(entry)),
      undefined,
      signal,
    );
    await this.#take([...disputed], 'each', signal);
    return news.length;
  }

  /** Goes on recording the parts of the history that are too long to be listed at once, until none is left. */
  async readHistories(signal: AbortSignal): Promise<void> {
    for (let history = this.#histories[0]; history; history = this.#histories[0]) {
      const { before, reached: floor } = history;
      let lines: Listed[] = [];
      for await (const page of this.#source.history({ before, floor }, signal)) {
        lines.push(...page);
        if (lines.length < linesAtOnce) continue;
        await this.#recordHistory(history, lines, signal);
        lines = [];
      }
      await this.#recordHistory(history, lines, signal);
      this.#histories.shift();
    }
  }

  /** Takes a transaction that was listed elsewhere and cannot be recorded yet. */
  wait(line: Listed, why: Waits): void {
    if (!this.#entries.has(line.signature)) this.#put(this.#add(line), why);
  }

  /** Transactions that cannot be recorded yet. */
  get waiting(): number {
    return [...this.#entries.values()].filter(({ done, tries }) => !done && tries > 0).length;
  }

  /** When the first of those is tried again, in milliseconds from now; undefined when none waits. */
  get nextTryMs(): number | undefined {
    const times = [...this.#entries.values()].filter(({ done }) => !done).map(({ nextTryMs }) => nextTryMs);
    return times.length === 0 ? undefined : Math.max(0, Math.min(...times) - performance.now());
  }

  /** The slot up to which a history is recorded; undefined while none is being read. */
  get historyAt(): bigint | undefined {
    return this.#histories[0]?.reached;
  }

  /** The newest slot in which a transaction was listed. */
  get newestSlot(): bigint {
    return this.#newest;
  }

  /** Forgets what lies behind a slot of the finalized chain and is handled; returns where a new leader has to go on. */
  settle(finalSlot: bigint): bigint {
    const open = [...this.#entries.values()].filter(({ done }) => !done);
    // What is newer may not have been listed yet.
    let handled = finalSlot < this.#newest ? finalSlot : this.#newest;
    for (const { line } of open) if (line.slot <= handled) handled = line.slot - 1n;
    if (handled > this.#floor) this.#floor = handled;
    for (const [signature, { line, done }] of this.#entries)
      if (done && line.slot <= this.#floor) this.#entries.delete(signature);
    const reached = this.historyAt;
    const cursor = reached === undefined || handled < reached ? handled : reached;
    if (cursor > this.#cursor) this.#cursor = cursor;
    return this.#cursor;
  }

  /**
   * Lists the newest transactions, down to one that is known; what is new, oldest first. Nodes list some transactions later
   * than others: those behind known ones show by their numbers.
   */
  async #list(signal: AbortSignal): Promise<Listed[]> {
    const { firstPage, laterPages, pages } = this.#tuning;
    const news: Listed[] = [];
    let oldest: Listed | undefined;
    for (let page = 0; page < pages; page += 1) {
      const limit = page === 0 ? firstPage : laterPages;
      const lines = await this.#source.list({ limit, before: oldest?.signature }, signal);
      const fresh = lines.filter(
        ({ signature, slot }) => slot > this.#floor && !this.#entries.has(signature),
      );
      news.push(...fresh);
      const [newest] = lines;
      if (newest && newest.slot > this.#newest) this.#newest = newest.slot;
      oldest = lines.at(-1);
      if (!oldest || fresh.length < lines.length) return news.reverse();
    }
    if (oldest) {
      this.#ctx.log.info({ below: oldest.slot, above: this.#floor }, 'a long history is read page by page');
      this.#histories.push({ before: oldest, reached: this.#floor });
      this.#floor = oldest.slot;
    }
    return news.reverse();
  }

  #add(line: Listed): Entry {
    const entry: Entry = {
      line,
      done: false,
      tries: 0,
      why: undefined,
      waitsSinceMs: undefined,
      // Of what failed long ago, as after a start, nothing has to be waited for.
      nextTryMs: line.failed && line.slot > this.#cursor ? performance.now() + this.#tuning.finalAfterMs : 0,
    };
    this.#entries.set(line.signature, entry);
    return entry;
  }

  /** Returns what can be tried now, oldest first; of what failed, what is final. */
  async #due(signal: AbortSignal): Promise<Entry[]> {
    const nowMs = performance.now();
    const due = [...this.#entries.values()].filter(({ done, nextTryMs }) => !done && nextTryMs <= nowMs);
    const failed = due.filter(({ line }) => line.failed);
    if (failed.length > 0) {
      const finalSlot = await this.#source.finalSlot(signal);
      for (const entry of failed)
        if (finalSlot === undefined || entry.line.slot > finalSlot) entry.nextTryMs = nowMs + longestPauseMs;
    }
    return due
      .filter(({ nextTryMs }) => nextTryMs <= nowMs)
      .sort((a, b) => (a.line.slot < b.line.slot ? -1 : a.line.slot > b.line.slot ? 1 : 0));
  }

  async #take(entries: readonly Entry[], from: 'each' | undefined, signal: AbortSignal): Promise<void> {
    if (entries.length === 0) return;
    const waiting = await this.#recorder.take(
      entries.map(({ line }) => line),
      signal,
      { from },
    );
    for (const entry of entries) {
      const why = waiting.get(entry.line);
      if (why === undefined) entry.done = true;
      else if (this.#isPatient(entry, why)) this.#put(entry, why);
      else {
        const { line, tries } = entry;
        this.#ctx.log.warn({ tx: line.signature, tries, why }, 'a listed transaction cannot be read');
        await this.#recorder.giveUp(line, 'transaction_unavailable', { tries, response: why });
        entry.done = true;
      }
    }
  }

  #isPatient({ waitsSinceMs = performance.now() }: Entry, why: Waits): boolean {
    const { unavailableAfterMs, brokenAfterMs } = this.#tuning;
    return performance.now() - waitsSinceMs < (why === 'unknown' ? unavailableAfterMs : brokenAfterMs);
  }

  #put(entry: Entry, why: Waits): void {
    const nowMs = performance.now();
    entry.why = why;
    entry.waitsSinceMs ??= nowMs;
    entry.tries += 1;
    entry.nextTryMs =
      nowMs +
      (why === 'not_final' && entry.line.failed
        ? longestPauseMs
        : Math.min(100 * 2 ** (entry.tries - 1), longestPauseMs));
  }

  async #recordHistory(history: History, lines: readonly Listed[], signal: AbortSignal): Promise<void> {
    const last = lines.at(-1);
    if (!last) return;
    const signatures = lines.map(({ signature }) => signature);
    const known = await inTime(findRecordedSignatures(this.#ctx.db, signatures), this.#tuning.stallMs);
    const news = lines.filter(({ signature }) => !known.has(signature));
    for (const [line, why] of await this.#recorder.take(news, signal)) this.wait(line, why);
    // The next lines may be of the same slot.
    if (last.slot - 1n > history.reached) history.reached = last.slot - 1n;
  }
}

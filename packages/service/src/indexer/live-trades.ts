import type { Signature } from '@solana/kit';
import { type ChainRecord, emptyRecord, recordTrades } from '../actions/trades/record-trade.js';
import type { Context } from '../context.js';
import { chunksOf } from '../runtime/chunks.js';
import { inTime } from '../runtime/time.js';
import { inOwnTrace } from '../tracing/spans.js';
import { decodeFetched } from './decode/decode.js';
import type { Follower } from './follower.js';
import type { Listed } from './listing.js';
import { applyBatch } from './record/apply.js';
import type { Source } from './source.js';
import type { Tuning } from './tuning.js';

/**
 * Records new trades while a long history is still being read: people wait for them. A trade that succeeded shows by
 * itself that it is one, so its row can be written before what came earlier. All else, its event among it, waits for its
 * place in the history, which comes by the trade again and finds its row written. No cursor moves. What a first run finds
 * when it begins is history: written first, its newest trades would have all others inserted in front of them, which leaves
 * the pages of indexes by id half empty.
 */
export class LiveTrades {
  readonly #ctx: Context;
  readonly #source: Source;
  readonly #tuning: Tuning;
  readonly #follower: Follower;
  /** What the last listing showed and was looked at. */
  #handled: ReadonlySet<Signature> = new Set();
  /** The newest slot of the history that a first run found; undefined before that, and in any other run. */
  #historyEndsAt: bigint | undefined;

  constructor(ctx: Context, source: Source, tuning: Tuning, follower: Follower) {
    this.#ctx = ctx;
    this.#source = source;
    this.#tuning = tuning;
    this.#follower = follower;
  }

  /** Rejects when the node or the database fails; nothing is lost by that. */
  async round(signal: AbortSignal): Promise<void> {
    if (!this.#follower.readsHistory()) {
      this.#handled = new Set();
      return;
    }
    const lines = await this.#list(signal);
    if (this.#follower.isFirstRun() && this.#historyEndsAt === undefined) {
      this.#historyEndsAt = lines[0]?.slot;
      this.#handled = new Set(lines.map(({ signature }) => signature));
      return;
    }
    const since = this.#historyEndsAt ?? 0n;
    const handled = new Set(
      lines.flatMap(({ signature }) => (this.#handled.has(signature) ? signature : [])),
    );
    const news = lines.filter(({ signature, slot }) => slot >= since && !handled.has(signature)).reverse();
    for (const some of chunksOf(news, this.#tuning.fetchSize)) {
      await inOwnTrace('index live trades', { 'karat.transactions': some.length }, async () => {
        const records = await this.#read(some, handled, signal);
        signal.throwIfAborted();
        if (records.length > 0) await applyBatch(records, this.#write, this.#write);
      });
    }
    this.#handled = handled;
  }

  /** Lists what is new, newest first. More than a page of it is left to the history. */
  async #list(signal: AbortSignal): Promise<Listed[]> {
    const { programAddress } = this.#ctx.chain;
    const lines = await this.#source.listNewest(programAddress, this.#tuning.firstPage, signal);
    const isWhole = this.#handled.size === 0 || lines.some(({ signature }) => this.#handled.has(signature));
    return isWhole ? lines : this.#source.listNewest(programAddress, this.#tuning.laterPages, signal);
  }

  async #read(some: Listed[], handled: Set<Signature>, signal: AbortSignal): Promise<ChainRecord[]> {
    const view = this.#follower.liveView();
    const signatures = some.map(({ signature }) => signature);
    const fetched = await this.#follower.fetch(signatures, signal);
    // Up to there, those who compare chain and records expect each trade with its movements.
    const seenSlot = this.#follower.seen()?.slot ?? -1n;
    const records: ChainRecord[] = [];
    for (const [index, listed] of some.entries()) {
      const found = fetched[index];
      // The next listing shows it again.
      if (!found || found.kind === 'unknown' || found.kind === 'broken') continue;
      handled.add(listed.signature);
      // Whether it failed, two nodes may have to say: the history waits for that.
      if (found.kind === 'found' && found.transaction.error !== null) continue;
      const record = await decodeFetched(listed, found, view);
      if (record?.trade?.status !== 'confirmed' || record.deadLetters.length > 0) continue;
      if (record.slot <= seenSlot) continue;
      records.push({ ...emptyRecord(record.signature, record.slot), trade: record.trade });
    }
    return records;
  }

  readonly #write = (records: ChainRecord[]): Promise<void> =>
    inTime(recordTrades(this.#ctx, { records, cursors: [] }), this.#tuning.stallMs);
}

import type { Rpc, SolanaRpcApi } from '@solana/kit';
import {
  type FinalizedChain,
  finalizedChain,
  furthestBehind,
  heldTo,
  type Reported,
  readOfEach,
} from '../chain/node/agreed.js';
import { readEventNumbers } from '../chain/program/event-numbers.js';
import type { Context } from '../context.js';
import {
  countComplete,
  findEventAbove,
  findEventAt,
  findProgramCounters,
} from '../db/indexing/program-counters.js';
import { configEvents } from '../db/indexing/program-events.js';
import { findRecordedSignatures } from '../db/indexing/recorded-signatures.js';
import type { Uuid } from '../domain/ids.js';
import { inTime } from '../runtime/time.js';
import type { Recorder } from './record.js';
import type { Listed, Source, Stretch } from './source.js';
import type { Tail } from './tail.js';
import type { Tuning } from './tuning.js';

/** A gap that could not be filled is tried again after this, twice as long each time. */
const firstPauseMs = 5_000;
const longestPauseMs = 300_000;
/** How far back from where it has to be a gap is searched the second time: four times as far each time after that, so often. */
const firstReachSlots = 150n;
const maxReaches = 12;

/** An event that the program has counted and that is not recorded. */
interface Gap {
  counter: Uuid;
  /** The first number that is missing. */
  seq: bigint;
  /** The number of the last event by the program. */
  last: bigint;
  /** The node that alone says so, of several. */
  reportedBy: number | undefined;
  tries: number;
  nextTryMs: number;
}

/** Up to where every event is recorded, by the program's own numbers. */
export interface Seen extends FinalizedChain {
  /** The counters of which events are missing: nothing ends of what they count. */
  incomplete: ReadonlySet<Uuid>;
}

/**
 * Compares the numbers that the program counts its events with, in its configuration and in every integrator, with those that
 * are recorded. If 1 to n are recorded, and the account at a finalized slot says n, then everything that succeeded up to
 * that slot is recorded: nothing has to be proven of any listing. A gap is filled from the history around it.
 */
export class Completeness {
  readonly #ctx: Context;
  readonly #source: Source;
  readonly #recorder: Recorder;
  readonly #tail: Pick<Tail, 'wait'>;
  readonly #tuning: Tuning;
  readonly #gaps = new Map<Uuid, Gap>();
  #seen: Seen | undefined;

  constructor(ctx: Context, source: Source, recorder: Recorder, tail: Pick<Tail, 'wait'>, tuning: Tuning) {
    this.#ctx = ctx;
    this.#source = source;
    this.#recorder = recorder;
    this.#tail = tail;
    this.#tuning = tuning;
  }

  /** Returns up to where every event was recorded at the last look; undefined before the first. */
  seen(): Seen | undefined {
    return this.#seen;
  }

  /** Returns in a sentence which event is missing, not by the word of one node alone where there are several; undefined while none is. */
  missing(): string | undefined {
    const [gap, ...others] = [...this.#gaps.values()].filter(({ reportedBy }) => reportedBy === undefined);
    if (!gap) return undefined;
    const { counter, seq, last, tries } = gap;
    const of = counter === configEvents ? "the program's configuration" : `partner ${counter}`;
    const more = others.length > 0 ? ` Events of ${others.length} others are missing, too.` : '';
    const why = tries > 1 ? " No node's history has it, or reaches back to it." : '';
    return `Event ${seq} of ${of} is not recorded; the program has counted ${last}.${why}${more}`;
  }

  /**
   * Compares the numbers. `withHeight`: reads how high the finalized chain is, too, for what ends with a block; otherwise
   * the height of the last look stands. Rejects when too few nodes respond, or the database fails.
   */
  async look(signal: AbortSignal, { withHeight = false } = {}): Promise<Seen> {
    const { chain } = this.#ctx;
    const reported = await readOfEach(chain, (rpc) => this.#numbersOf(rpc, withHeight, signal), signal);
    const { slot, blockHeight } = reported.map(({ value }) => value.final).reduce(furthestBehind);
    await this.#compare(reported);
    this.#seen = {
      slot,
      blockHeight: withHeight ? blockHeight : (this.#seen?.blockHeight ?? 0n),
      incomplete: new Set(this.#gaps.keys()),
    };
    return this.#seen;
  }

  /** Lists and records what lies around missing events, from one node after the other until they are there. */
  async fill(signal: AbortSignal): Promise<void> {
    const nowMs = performance.now();
    const due = [...this.#gaps.values()].filter(({ nextTryMs }) => nextTryMs <= nowMs);
    for (const gap of due) {
      if (this.#gaps.get(gap.counter) !== gap) continue;
      gap.tries += 1;
      gap.nextTryMs = performance.now() + Math.min(longestPauseMs, firstPauseMs * 2 ** (gap.tries - 1));
      const { counter, seq, last, reportedBy } = gap;
      this.#ctx.log.warn({ counter, seq, last, said_by: reportedBy }, 'an event of the program is missing');
      if (reportedBy !== undefined && gap.tries > 1)
        this.#ctx.chain.noteDisagreement({
          about: `the number of events of ${counter}`,
          nodes: [reportedBy],
        });
      for (const rpc of this.#ctx.chain.witnesses) {
        if (!(await this.#isOpen(gap))) break;
        await this.#fillFrom(rpc, gap, signal).catch((err: unknown) => {
          signal.throwIfAborted();
          this.#ctx.log.warn({ err }, 'a node does not give the history around a missing event');
        });
      }
      if (await this.#isOpen(gap)) continue;
      this.#ctx.log.info({ counter: gap.counter, seq: gap.seq }, 'a missing event was found');
    }
  }

  async #numbersOf(
    rpc: Rpc<SolanaRpcApi>,
    withHeight: boolean,
    abortSignal: AbortSignal,
  ): Promise<{ numbers: Map<Uuid, bigint>; final: FinalizedChain }> {
    const { programAddress } = this.#ctx.chain;
    // Before the accounts: these may be newer than the height, and never older.
    const chain = withHeight ? await finalizedChain(rpc, abortSignal) : undefined;
    const { slot, config, partners } = await readEventNumbers({ rpc, programAddress }, abortSignal);
    const numbers = new Map(partners);
    if (config !== undefined) numbers.set(configEvents, config);
    return { numbers, final: chain ? heldTo(chain, slot) : { slot, blockHeight: 0n } };
  }

  /** A node may leave events out, so the highest number counts; one that overstates it stops what would end, and no more. */
  async #compare(reported: readonly Reported<{ numbers: ReadonlyMap<Uuid, bigint> }>[]): Promise<void> {
    const { db } = this.#ctx;
    const known = await this.#inTime(findProgramCounters(db));
    for (const counter of new Set(reported.flatMap(({ value }) => [...value.numbers.keys()]))) {
      const numbers = reported.map(({ node, value }) => ({ node, seq: value.numbers.get(counter) ?? 0n }));
      const [highest, second] = numbers.sort((a, b) => (a.seq < b.seq ? 1 : -1));
      if (!highest) continue;
      const before = known.get(counter) ?? 0n;
      const complete =
        before < highest.seq
          ? await this.#inTime(db.transaction((tx) => countComplete(tx, counter)))
          : before;
      const isAlone = second !== undefined && second.seq <= complete;
      this.#note(counter, complete, highest.seq, isAlone ? highest.node : undefined);
    }
  }

  #note(counter: Uuid, complete: bigint, last: bigint, reportedBy: number | undefined): void {
    const known = this.#gaps.get(counter);
    const seq = complete + 1n;
    if (complete >= last) this.#gaps.delete(counter);
    else if (known?.seq === seq) Object.assign(known, { last, reportedBy });
    else {
      const nowMs = performance.now();
      this.#gaps.set(counter, { counter, seq, last, reportedBy, tries: 0, nextTryMs: nowMs });
    }
  }

  async #isOpen({ counter, seq }: Gap): Promise<boolean> {
    return (await this.#inTime(findEventAt(this.#ctx.db, counter, seq))) === undefined;
  }

  /** Records what a node lists between the last event before a gap and the first one behind it. */
  async #fillFrom(rpc: Rpc<SolanaRpcApi>, { counter, seq, tries }: Gap, signal: AbortSignal): Promise<void> {
    const { db } = this.#ctx;
    const below = seq > 1n ? await this.#inTime(findEventAt(db, counter, seq - 1n)) : undefined;
    const above = await this.#inTime(findEventAbove(db, counter, seq));
    // Both may be of one slot.
    const floor = below ? below.slot - 1n : -1n;
    const isNear = ({ slot }: Listed) => slot > floor && (!above || slot <= above.slot);
    // One node named those slots, and one that does not know the transaction above lists nothing below it: from the second
    // time on, all is listed, ever further back.
    const stretch: Stretch =
      tries === 1
        ? { before: above && { signature: above.txSignature, slot: above.slot }, floor }
        : { floor: this.#further(floor, tries) };
    for await (const page of this.#source.history(stretch, signal, { rpc })) {
      const far = page.filter((line) => !isNear(line)).map(({ signature }) => signature);
      const known = await this.#inTime(findRecordedSignatures(db, far));
      const lines = page.filter(({ signature }) => !known.has(signature));
      // What the preferred node has of it did not help the first time.
      const from = tries === 1 ? undefined : rpc;
      for (const [line, why] of await this.#recorder.take(lines, signal, { from }))
        this.#tail.wait(line, why);
    }
  }

  /** Returns a slot that lies the further below `floor`, and below what is final, the more often a gap was tried. */
  #further(floor: bigint, tries: number): bigint {
    const final = this.#seen?.slot ?? floor;
    const reach = firstReachSlots * 4n ** BigInt(Math.min(tries - 2, maxReaches));
    return (floor < final ? floor : final) - reach;
  }

  #inTime<T>(work: Promise<T>): Promise<T> {
    return inTime(work, this.#tuning.stallMs);
  }
}

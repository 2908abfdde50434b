import type { Blockhash } from '@solana/kit';
import type { Clock } from '../../clock.js';
import { toInteger } from '../../domain/integer.js';
import {
  blocksUntilEnd,
  lifetimeBlocks,
  lifetimeMs,
  maxBlockhashAgeMs,
  slotMs,
} from '../../domain/lifetime.js';
import { unavailable } from '../../errors.js';
import type { Demand } from '../../runtime/demand.js';
import { type Freshness, nodeFault } from '../../runtime/freshness.js';

export interface RecentBlockhash {
  blockhash: Blockhash;
  /** As one node stated it: what waits for it does not end by that alone (`db/ended.ts`). */
  lastValidBlockHeight: bigint;
  /** When a transaction with it can no longer land, by estimate: `slotMs` a block. */
  expiresAtMs: number;
}

/** Until when a transaction can land. */
export type Lifetime = Omit<RecentBlockhash, 'blockhash'>;

/** About as many as there are in two minutes. */
const rememberedBlockhashes = 300;

/** The blockhashes that were read lately at commitment `confirmed`, the commitment of preflight. */
export class RecentBlockhashes {
  readonly #clock: Clock;
  readonly #node: Freshness;
  readonly #demand: Demand;
  #latest: RecentBlockhash | undefined;
  /** The one of the furthest height that was read, which one that was read later need not have. */
  #newest: RecentBlockhash | undefined;
  /** The blockhashes of the last minutes; the oldest first. */
  readonly #recent = new Map<string, RecentBlockhash>();
  /** The ends of blockhashes that others gave away, as far as these are known; the oldest first. */
  readonly #foreign = new Map<string, Lifetime>();

  constructor(input: { clock: Clock; node: Freshness; demand: Demand }) {
    this.#clock = input.clock;
    this.#node = input.node;
    this.#demand = input.demand;
  }

  /**
   * Returns a blockhash fresh enough to give away. Throws `service_unavailable` when the node has not responded lately.
   */
  current(): RecentBlockhash {
    this.#demand.use();
    const fault = this.fault();
    if (fault === undefined && this.#latest) return this.#latest;
    throw unavailable(fault ?? 'No blockhash is known.', { reason: 'node_unavailable' });
  }

  /** Returns when a blockhash ends, milliseconds; undefined for one that was not given away in the last minutes. */
  expiryOf(blockhash: string): number | undefined {
    return this.#recent.get(blockhash)?.expiresAtMs;
  }

  /**
   * Returns until when a transaction can land. For a blockhash that another process gave away it is what its quote states
   * or, without that, what is so of one that was made when it was seen here first. Undefined while no node has responded.
   */
  lifetimeOf(blockhash: string, stated: Partial<Lifetime> = {}): Lifetime | undefined {
    const own = this.#recent.get(blockhash);
    if (own || !this.#latest) return own;
    const latest = this.#latest;
    const { lastValidBlockHeight, expiresAtMs } = stated;
    if (expiresAtMs !== undefined) {
      const blocks = blocksUntilEnd(expiresAtMs - latest.expiresAtMs);
      return { lastValidBlockHeight: latest.lastValidBlockHeight + blocks, expiresAtMs };
    }
    const seen = this.#foreign.get(blockhash) ?? {
      lastValidBlockHeight: latest.lastValidBlockHeight + lifetimeBlocks,
      expiresAtMs: latest.expiresAtMs,
    };
    keep(this.#foreign, blockhash, seen);
    return lastValidBlockHeight === undefined ? seen : { ...seen, lastValidBlockHeight };
  }

  #remember(recent: RecentBlockhash): RecentBlockhash {
    const { blockhash, lastValidBlockHeight } = recent;
    const known = this.#recent.get(blockhash);
    // Its life began when it was read first; how long it serves may have been understated then.
    const kept =
      known && known.lastValidBlockHeight < lastValidBlockHeight ? { ...known, lastValidBlockHeight } : known;
    keep(this.#recent, blockhash, kept ?? recent);
    return kept ?? recent;
  }

  fault(): string | undefined {
    const down = nodeFault(this.#node);
    if (down !== undefined) return down;
    if (!this.#latest) return 'No blockhash is known yet.';
    // On the service's clock: when time is moved, blockhashes expire with it.
    const ageMs = this.#clock.now() - (this.#latest.expiresAtMs - lifetimeMs);
    if (ageMs <= maxBlockhashAgeMs) return undefined;
    return `The last blockhash is ${Math.floor(ageMs / 1000)} s old; the Solana node does not give a newer one.`;
  }

  /**
   * Takes a blockhash as a node gave it, in response to a call that began at `beganMs` by this service's clock. Its age counts
   * from when it was first read, however often a node that is stuck repeats it.
   */
  accept(given: Omit<RecentBlockhash, 'expiresAtMs'>, beganMs: number): void {
    const taken = recentOf(given);
    const newest = this.#newest;
    const behind = newest ? newest.lastValidBlockHeight - taken.lastValidBlockHeight : -1n;
    // One of a node that lags was made so much earlier. Further back than a blockhash lives, the node was replaced or set back.
    const lags = newest !== undefined && behind >= 0n && behind <= lifetimeBlocks;
    const endsMs = lags ? newest.expiresAtMs - toInteger(behind) * slotMs : Number.POSITIVE_INFINITY;
    this.#latest = this.#remember({ ...taken, expiresAtMs: Math.min(beganMs + lifetimeMs, endsMs) });
    if (!lags) this.#newest = this.#latest;
  }
}

function keep<Value>(map: Map<string, Value>, blockhash: string, value: Value): void {
  map.set(blockhash, value);
  const [oldest] = map.keys();
  if (map.size > rememberedBlockhashes && oldest !== undefined) map.delete(oldest);
}

/** The greatest that a JSON number holds exactly, and no height that a chain comes to. */
const greatestHeight = BigInt(Number.MAX_SAFE_INTEGER);

/** Returns a blockhash as a node gave it, with a height that can be kept. */
export function recentOf({
  blockhash,
  lastValidBlockHeight: height,
}: Omit<RecentBlockhash, 'expiresAtMs'>): Omit<RecentBlockhash, 'expiresAtMs'> {
  return { blockhash, lastValidBlockHeight: height < greatestHeight ? height : greatestHeight };
}

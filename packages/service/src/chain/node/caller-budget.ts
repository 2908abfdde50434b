import { nodeShares } from '../../domain/limits.js';

/**
 * What callers cause calls to the nodes for: looking something up, submitting what carries out no waiting order, which needs no
 * key, and trades, redemptions and orders.
 */
export const callUses = ['look', 'open', 'trade'] as const;
export type CallUse = (typeof callUses)[number];

/** Calls to the nodes that a request may need. */
export interface CallRequest {
  /** Whose share they count against: the id of a partner, or the network of a caller without a key. */
  caller: string;
  use: CallUse;
  /** The most that the request may take; at most 4. */
  calls: number;
}

/** When calls were granted, or in how many milliseconds to try again. */
type CallGrant = { atMs: number } | { waitMs: number };

interface Granted extends CallRequest {
  /** Milliseconds of the budget's clock. */
  atMs: number;
}

const windowMs = 1_000;
const { partOfLooks, partOfOpen } = nodeShares;

/**
 * Limits the calls to the nodes within a second for all callers together. A caller gets about as many as it leaves to
 * all others together: one alone gets half, two get a third each, and there is room for the next. What Karat reads for
 * itself does not count, and never waits for this.
 */
export class CallerBudget {
  readonly #perSecond: number;
  readonly #now: () => number;
  /** What was granted in the last second, in that order. */
  #granted: Granted[] = [];

  /** @param now milliseconds of a monotonic clock. */
  constructor(perSecond: number, now: () => number = () => performance.now()) {
    this.#perSecond = perSecond;
    this.#now = now;
  }

  /** Counts calls that may go now, or returns when there may be room for them. */
  take(request: CallRequest): CallGrant {
    const nowMs = this.#now();
    this.#granted = this.#granted.filter(({ atMs, calls }) => nowMs - atMs < windowMs && calls > 0);
    const [oldest] = this.#granted;
    const own = sum(this.#granted.filter(({ caller }) => caller === request.caller));
    if (oldest && own + request.calls > this.#left(request.use)) {
      return { waitMs: oldest.atMs + windowMs - nowMs };
    }
    this.#granted.push({ ...request, atMs: nowMs });
    return { atMs: nowMs };
  }

  /** Takes back calls that were granted at that time and were not made. */
  giveBack({ caller, calls, atMs }: CallRequest & { atMs: number }): void {
    const granted = this.#granted.find(
      (each) => each.caller === caller && each.atMs === atMs && each.calls >= calls,
    );
    if (granted) granted.calls -= calls;
  }

  #left(use: CallUse): number {
    const used = sum(this.#granted);
    if (use === 'look') return this.#perSecond * partOfLooks - used;
    if (use === 'trade') return this.#perSecond - used;
    const open = sum(this.#granted.filter((each) => each.use === 'open'));
    return Math.min(this.#perSecond * partOfOpen - open, this.#perSecond - used);
  }
}

function sum(granted: readonly { calls: number }[]): number {
  return granted.reduce((total, { calls }) => total + calls, 0);
}

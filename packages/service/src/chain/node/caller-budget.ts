import { pause } from '../../runtime/time.js';

/**
 * What callers have the nodes called for, each with the part of the budget that may be in use before it has to stand back:
 * looking something up first, then what anyone may submit without a key, last what carries out the trade of a partner.
 */
const parts = { look: 1 / 2, open: 3 / 4, trade: 1 };
export type CallUse = keyof typeof parts;
export const callUses = Object.keys(parts) as CallUse[];

/** Calls to the nodes that a request needs. */
export interface CallRequest {
  /** Whose share they count against: the id of a partner, or the network of a caller without a key. */
  caller: string;
  use: CallUse;
  /** The most that the request may take; at most 5, which the smallest budget grants. */
  calls: number;
}

const windowMs = 1_000;
/** What moves value waits so long for its turn; it is cheaper than to be sent again. The rest is for the nodes. */
const patienceMs = 2_000;

/**
 * Calls to the nodes for callers: at most so many in any second, whoever they are for. A caller gets about as many as it
 * leaves to all others together: one alone gets half, two get a third each, and there is room for the next. What Karat
 * reads for itself does not count, and never waits for this.
 */
export class CallerBudget {
  readonly #perSecond: number;
  readonly #now: () => number;
  /** What was granted in the last second, in that order. */
  #granted: (Pick<CallRequest, 'caller' | 'calls'> & { atMs: number })[] = [];

  /** @param now milliseconds of a monotonic clock. */
  constructor(perSecond: number, now: () => number = () => performance.now()) {
    this.#perSecond = perSecond;
    this.#now = now;
  }

  /** Counts calls that may go now, and returns 0; else returns in how many milliseconds to try again. */
  take({ caller, use, calls }: CallRequest): number {
    const nowMs = this.#now();
    this.#granted = this.#granted.filter(({ atMs }) => nowMs - atMs < windowMs);
    const [oldest] = this.#granted;
    const own = sum(this.#granted.filter((each) => each.caller === caller));
    const left = this.#perSecond * parts[use] - sum(this.#granted);
    if (oldest && own + calls > left) return oldest.atMs + windowMs - nowMs;
    this.#granted.push({ caller, calls, atMs: nowMs });
    return 0;
  }

  /** Returns whether calls may go: at once for a look, after a wait of 2 s at most for what is to be sent. */
  async grantCalls(request: CallRequest): Promise<boolean> {
    const endMs = this.#now() + (request.use === 'look' ? 0 : patienceMs);
    for (;;) {
      const ms = this.take(request);
      if (ms === 0) return true;
      if (this.#now() + ms > endMs) return false;
      await pause(Math.ceil(ms), undefined);
    }
  }
}

function sum(granted: readonly { calls: number }[]): number {
  return granted.reduce((total, { calls }) => total + calls, 0);
}

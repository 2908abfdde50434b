/** The rest after a node refused a call by 429, before any doubling. */
const firstRestMs = 125;
const longestRestMs = 15_000;
/** More would not lengthen the rest. */
const maxDoublings = Math.ceil(Math.log2(longestRestMs / firstRestMs));
/** A node that requests a longer pause is tried again after this long. */
const longestRetryAfterMs = 60_000;

/**
 * When a node that refused calls by 429 may be called again: after the time that it named, or after a rest with jitter.
 * The first call after a rest goes alone; the others wait for its response. Each time it is refused too, the rest
 * doubles; each success takes back one doubling. So a node that goes on refusing rests ever longer, and one that
 * refuses some calls at random does not. Times are milliseconds of one monotonic clock.
 */
export class Pace {
  readonly #random: () => number;
  #doublings = 0;
  #lastRefusalMs = Number.NEGATIVE_INFINITY;
  #restsUntilMs = Number.NEGATIVE_INFINITY;
  #limited = false;
  #probing = false;

  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  /** Returns 0 when a call may go now, else in how many milliseconds to try again. */
  enter(nowMs: number): number {
    if (nowMs < this.#restsUntilMs) return this.#restsUntilMs - nowMs;
    if (!this.#limited) return 0;
    if (this.#probing) return probeMs;
    this.#probing = true;
    return 0;
  }

  /**
   * Records that the node refused a call that began at `beganMs`. `retryAfterMs` is the pause that it requested, if
   * any.
   */
  refused(beganMs: number, nowMs: number, retryAfterMs: number | undefined): void {
    // Calls that were under way together are one refusal.
    if (beganMs < this.#lastRefusalMs) return;
    this.#probing = false;
    // Until a call succeeds after a rest, each refusal is that of the one that went alone.
    if (this.#limited) this.#doublings = Math.min(this.#doublings + 1, maxDoublings);
    const restMs = Math.min(longestRestMs, firstRestMs * 2 ** this.#doublings);
    this.#lastRefusalMs = nowMs;
    this.#limited = true;
    const ms =
      retryAfterMs === undefined
        ? restMs * (0.5 + this.#random() / 2)
        : Math.min(longestRetryAfterMs, retryAfterMs) + (restMs / 10) * this.#random();
    this.#restsUntilMs = nowMs + ms;
  }

  /** Records that a call that began at `beganMs` ended without a refusal, with a response or not. */
  ended(beganMs: number, responded: boolean): void {
    if (beganMs < this.#restsUntilMs) return;
    this.#probing = false;
    if (!responded) return;
    this.#limited = false;
    this.#doublings = Math.max(0, this.#doublings - 1);
  }

  /** For how long no call goes out, milliseconds. */
  restMs(nowMs: number): number {
    return Math.max(0, this.#restsUntilMs - nowMs);
  }
}

/** After how long calls that wait for the first one after a rest look again. */
const probeMs = 100;

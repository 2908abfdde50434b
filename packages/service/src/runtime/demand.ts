/** How long after the last use what is read counts as wanted, in milliseconds of real time. */
const wantedForMs = 10_000;
const passEveryMs = 1_000;

/** Whether what the readers of the chain keep is in use: while it is not, they read less often. */
export class Demand {
  readonly #pass: (() => void) | undefined;
  #usedAtMs = Number.NEGATIVE_INFINITY;
  #passedAtMs = Number.NEGATIVE_INFINITY;

  /** `pass` is called at a use, once a second at most. */
  constructor(pass?: () => void) {
    this.#pass = pass;
  }

  use(): void {
    this.#usedAtMs = performance.now();
    if (!this.#pass || this.#usedAtMs - this.#passedAtMs < passEveryMs) return;
    this.#passedAtMs = this.#usedAtMs;
    this.#pass();
  }

  active(): boolean {
    return performance.now() - this.#usedAtMs < wantedForMs;
  }
}

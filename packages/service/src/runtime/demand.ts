/** How long after the last use what is read counts as wanted, in milliseconds of real time. */
const wantedForMs = 2_000;

/** Whether what the readers of the chain keep is in use: while it is not, they read less often. */
export class Demand {
  #usedAtMs = Number.NEGATIVE_INFINITY;

  use(): void {
    this.#usedAtMs = performance.now();
  }

  active(): boolean {
    return performance.now() - this.#usedAtMs < wantedForMs;
  }
}

import { outsideLanes } from './lanes.js';

export interface BatcherOptions<Item, Result> {
  /**
   * Does what the items of a batch need; returns results in the order of the items. An `Error` among them is the end of
   * that item alone; where it rejects, that is the end of all of them.
   */
  run(items: readonly Item[]): Promise<readonly (Result | Error)[]>;
  /** In a batch; default: any number. */
  maxItems?: number;
  /** Batches under way at once; default 1. */
  maxRunning?: number;
  /**
   * How long items wait for the end of a batch that has just begun before they make up another one, in milliseconds;
   * default 0.
   */
  joinWithinMs?: number;
  /** Items that may wait at once; default: any number. */
  maxWaiting?: number;
  /** The error of an item beyond `maxWaiting`, and of one that nothing waits for when its turn comes. */
  refusal?(): Error;
}

interface Waiting<Item, Result> {
  item: Item;
  isWanted: (() => boolean) | undefined;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Does together what is requested at the same time: the items of one turn of the event loop make up a batch, and so do
 * those that come while as many batches as may be are under way.
 */
export class Batcher<Item, Result> {
  readonly #options: BatcherOptions<Item, Result>;
  #waiting: Waiting<Item, Result>[] = [];
  #running = 0;
  /** When the latest batch began, by the monotonic clock. */
  #begunMs = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: BatcherOptions<Item, Result>) {
    this.#options = options;
  }

  /** Whether a batch is under way. */
  get isRunning(): boolean {
    return this.#running > 0;
  }

  /**
   * Returns what became of an item.
   * @param isWanted whether anything still waits for it when its turn comes; otherwise it is refused.
   */
  add(item: Item, isWanted?: () => boolean): Promise<Result> {
    const { maxWaiting = Number.POSITIVE_INFINITY } = this.#options;
    return new Promise((resolve, reject) => {
      if (this.#waiting.length >= maxWaiting) return reject(this.#refusal());
      this.#waiting.push({ item, isWanted, resolve, reject });
      if (this.#waiting.length === 1) setImmediate(() => this.#begin());
    });
  }

  /** Begins as many batches as may be under way. */
  #begin(): void {
    const { maxItems = this.#waiting.length, maxRunning = 1, joinWithinMs = 0 } = this.#options;
    while (this.#waiting.length > 0 && this.#running < maxRunning) {
      const waitMs = this.#running === 0 ? 0 : this.#begunMs + joinWithinMs - performance.now();
      if (waitMs > 0) {
        this.#timer ??= setTimeout(() => {
          this.#timer = undefined;
          this.#begin();
        }, waitMs);
        return;
      }
      const wanted = this.#waiting.splice(0, maxItems).filter((each) => this.#keepWanted(each));
      if (wanted.length > 0) void this.#run(wanted);
    }
  }

  #keepWanted({ isWanted, reject }: Waiting<Item, Result>): boolean {
    const keeps = isWanted?.() ?? true;
    if (!keeps) reject(this.#refusal());
    return keeps;
  }

  async #run(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    this.#running += 1;
    this.#begunMs = performance.now();
    try {
      // The items of a batch are of several callers.
      const results = await outsideLanes(() => this.#options.run(batch.map(({ item }) => item)));
      for (const [index, { resolve, reject }] of batch.entries()) {
        const result = results[index] as Result | Error;
        if (result instanceof Error) reject(result);
        else resolve(result);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      this.#running -= 1;
      this.#begin();
    }
  }

  #refusal(): Error {
    return this.#options.refusal?.() ?? new Error('too many wait, or none waits any more');
  }
}

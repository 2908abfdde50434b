/** Does things in batches: those that come while a batch is under way make up the next one, so that one alone never waits. */
export class Batches<T> {
  readonly #run: (items: readonly T[]) => Promise<void>;
  #next: { items: T[]; done: Promise<void> } | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(run: (items: readonly T[]) => Promise<void>) {
    this.#run = run;
  }

  /** Settles with the batch that the item is in. */
  add(item: T): Promise<void> {
    if (this.#next) {
      this.#next.items.push(item);
      return this.#next.done;
    }
    const items = [item];
    const begin = () => {
      this.#next = undefined;
      return this.#run(items);
    };
    const done = this.#running.then(begin, begin);
    this.#running = done;
    this.#next = { items, done };
    return done;
  }
}

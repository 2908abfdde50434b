/**
 * What is under way now, in no order. Not a `Set`: V8 makes it a new table every few entries, and an old one, once it has
 * outlived the young generation, keeps all that it held from being collected until the next collection of everything.
 */
export class Slots<T> {
  readonly #items: (T | undefined)[] = [];
  readonly #free: number[] = [];

  /** Returns the place of the item, by which it is removed. */
  add(item: T): number {
    const place = this.#free.pop() ?? this.#items.length;
    this.#items[place] = item;
    return place;
  }

  /** Empties a place that `add` has returned. Each is to be emptied once. */
  remove(place: number): void {
    this.#items[place] = undefined;
    this.#free.push(place);
  }

  /** Returns every item. Each may be removed meanwhile. */
  *[Symbol.iterator](): Generator<T> {
    for (const item of this.#items) if (item !== undefined) yield item;
  }
}

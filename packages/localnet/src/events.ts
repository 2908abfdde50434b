/** A list of listeners for one kind of event. Listeners run at once, in the order they came. */
export class Signal<T> {
  readonly #listeners = new Set<(event: T) => void>();

  /** Adds a listener; the function it returns removes it. */
  on(listener: (event: T) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  emit(event: T): void {
    for (const listener of this.#listeners) listener(event);
  }
}

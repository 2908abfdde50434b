/** How the wait for a turn ended: it came, or one before had an outcome that spares it. */
export type Turn<Outcome> = { end(outcome?: Outcome): void } | { outcome: Outcome };

/**
 * Lets one piece of work at a time have a name. The others wait in memory, in the order in which they came, for their turn or
 * for an outcome that is theirs, too.
 */
export class Turns<Outcome> {
  /** Those who wait, by the names that are taken. */
  readonly #taken = new Map<string, Set<(turn: Turn<Outcome>) => void>>();

  /** Waits for a name; undefined if neither it nor an outcome came within `withinMs`. */
  async take(name: string, withinMs: number): Promise<Turn<Outcome> | undefined> {
    const waiting = this.#taken.get(name);
    if (waiting) return waitAmong(waiting, withinMs);
    this.#taken.set(name, new Set());
    return this.#turnOf(name);
  }

  #turnOf(name: string): Turn<Outcome> {
    return { end: (outcome) => this.#end(name, outcome) };
  }

  #end(name: string, outcome: Outcome | undefined): void {
    const waiting = this.#taken.get(name);
    const [next] = waiting ?? [];
    if (!waiting || !next || outcome !== undefined) {
      this.#taken.delete(name);
      if (outcome !== undefined) for (const each of waiting ?? []) each({ outcome });
      return;
    }
    waiting.delete(next);
    next(this.#turnOf(name));
  }
}

function waitAmong<T>(waiting: Set<(value: T) => void>, withinMs: number): Promise<T | undefined> {
  return new Promise((resolve) => {
    const enter = (value: T) => {
      clearTimeout(timer);
      resolve(value);
    };
    const timer = setTimeout(() => {
      waiting.delete(enter);
      resolve(undefined);
    }, withinMs);
    waiting.add(enter);
  });
}

import { AsyncLocalStorage } from 'node:async_hooks';

export interface LaneRules {
  /** How many may be in a lane at once. */
  places: number;
  /** How long work waits for its first place, in milliseconds. */
  maxWaitMs: number;
}

/**
 * What one caller uses at once of something that all callers share, such as the connections to the database: each has a lane
 * with a few places, so that none takes them all. Work waits for a place in memory.
 */
export class Lane {
  readonly #rules: LaneRules;
  readonly #refusal: () => Error;
  #taken = 0;
  /** Work that has had a place before goes first: what is begun is finished. */
  readonly #begun = new Set<() => void>();
  readonly #new = new Set<() => void>();

  /** @param refusal the error of work that got no place in time. */
  constructor(rules: LaneRules, refusal: () => Error) {
    this.#rules = rules;
    this.#refusal = refusal;
  }

  /**
   * Does work whose connections take places of this lane. It waits for its first place as long as the rules say, and is
   * refused then, before it has done anything; for further ones it waits its turn.
   */
  run<T>(work: () => T): T {
    return inHand.run(new Course(this, false), work);
  }

  /** Does work that waits for its first place, too, until there is one. */
  runPatiently<T>(work: () => T): T {
    return inHand.run(new Course(this, true), work);
  }

  async enter(hasBegun: boolean): Promise<void> {
    if (this.#taken < this.#rules.places) this.#taken += 1;
    else await (hasBegun ? this.#wait() : this.#waitInTime());
  }

  leave(): void {
    const [next] = this.#begun.size > 0 ? this.#begun : this.#new;
    if (next === undefined) {
      this.#taken -= 1;
      return;
    }
    this.#begun.delete(next);
    this.#new.delete(next);
    next();
  }

  #wait(): Promise<void> {
    return new Promise((resolve) => this.#begun.add(resolve));
  }

  #waitInTime(): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#new.delete(enter);
        reject(this.#refusal());
      }, this.#rules.maxWaitMs);
      this.#new.add(enter);
    });
  }
}

/** The way of one piece of work through its lane. */
class Course {
  readonly lane: Lane;
  #hasBegun: boolean;

  constructor(lane: Lane, hasBegun: boolean) {
    this.lane = lane;
    this.#hasBegun = hasBegun;
  }

  /** Takes a place, and returns what gives it back. */
  async enter(): Promise<() => void> {
    await this.lane.enter(this.#hasBegun);
    this.#hasBegun = true;
    return () => this.lane.leave();
  }
}

const inHand = new AsyncLocalStorage<Course | undefined>();

/** Returns the way through its lane of what is done now; undefined outside of every lane. */
export function courseInHand(): Course | undefined {
  return inHand.getStore();
}

/** Returns the lane in hand, for work that goes on after its request. */
export function laneInHand(): Lane | undefined {
  return courseInHand()?.lane;
}

/**
 * Does work outside of every lane: what several callers share, and what goes on with a connection in hand, which must not
 * wait for a place that its own work may hold.
 */
export function outsideLanes<T>(work: () => T): T {
  return courseInHand() ? inHand.run(undefined, work) : work();
}

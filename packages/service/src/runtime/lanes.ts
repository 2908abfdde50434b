import { AsyncLocalStorage } from 'node:async_hooks';

export interface LaneRules {
  /** How many may be in a lane at once. */
  places: number;
  /** How long work waits for its first place, in milliseconds. */
  maxWaitMs: number;
}

/** A piece of work in a lane, and whether it has had a place before. */
interface Course {
  readonly lane: Lane;
  hasBegun: boolean;
}

const inHand = new AsyncLocalStorage<Course | undefined>();

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
    return inHand.run({ lane: this, hasBegun: false }, work);
  }

  async enter(course: Course): Promise<void> {
    if (this.#taken < this.#rules.places) this.#taken += 1;
    else await this.#wait(course.hasBegun);
    course.hasBegun = true;
  }

  leave(): void {
    const waiting = this.#begun.size > 0 ? this.#begun : this.#new;
    const [next] = waiting;
    if (next === undefined) {
      this.#taken -= 1;
      return;
    }
    waiting.delete(next);
    next();
  }

  #wait(hasBegun: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      if (hasBegun) {
        this.#begun.add(resolve);
        return;
      }
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

/** Takes a place in the lane in hand, and returns what gives it back; outside of lanes, both do nothing. */
export async function takePlace(): Promise<() => void> {
  const course = inHand.getStore();
  if (!course) return () => {};
  await course.lane.enter(course);
  return () => course.lane.leave();
}

/** Returns the lane in hand, for work that goes on after its request. */
export function laneInHand(): Lane | undefined {
  return inHand.getStore()?.lane;
}

/**
 * Does work outside of every lane: what several callers share, and what goes on with a connection in hand, which must not
 * wait for a place that its own work may hold.
 */
export function outsideLanes<T>(work: () => T): T {
  return inHand.run(undefined, work);
}

import type { Context } from '../../context.js';
import { type BudgetLease, leaseBudgets, returnBudgets, type UnusedGrant } from '../../db/limits/budgets.js';
import { unlessHung } from '../../db/outage.js';
import { type BudgetRule, budgetWindowMs } from '../../domain/limits.js';
import { Batcher } from '../../runtime/batcher.js';

export interface BudgetState {
  admitted: boolean;
  /** What is left; what other processes have leased counts as used. */
  remaining: number;
  /** Until what was used first is free again. */
  resetSeconds: number;
}

/** What is left after requests were counted, and when they were granted, in milliseconds since the Unix epoch. */
export interface TakenShare extends BudgetState {
  grantedMs: number;
}

interface Share {
  owner: string;
  /** What was granted here and is not used, the oldest first. */
  held: { atMs: number; count: number }[];
  /** Granted to all processes, and when the oldest of it was, when last heard. */
  taken: number;
  oldestMs: number;
  /** By the monotonic clock. */
  heardMs: number;
  /** Requests that wait for a lease. */
  waiting: number;
  filling: Promise<void> | undefined;
  /** Whether it was used since the last check of idle shares. */
  isUsed: boolean;
}

/** Smaller leases are not fetched early: another process may need what would lie idle here. */
const smallestEarlyLease = 8;
/** How long a process that has no more believes that others have not given any back. */
const believedMs = 250;
/** Beyond that, those that hold nothing are forgotten, and are read from the database again. */
const maxShares = 10_000;

/**
 * Requests that each owner may make within a minute over all processes. Of a leased budget, a process takes a few at a
 * time from the database, early enough that requests seldom wait for it, and gives back what it has not touched for a
 * second. So no owner ever gets more than its budget, and one that calls through several processes may be refused early
 * only by what lies idle in another one for that second. A process that dies takes its lease with it for the rest of the
 * minute. Of an exact budget, each request is taken by itself; an owner that goes on after a refusal is refused without
 * the database, which all others need.
 */
export class Budget {
  readonly #ctx: Pick<Context, 'db' | 'clock'>;
  readonly #rule: BudgetRule;
  readonly #shares = new Map<string, Share>();
  readonly #leases: Batcher<{ owner: string; count: number }, BudgetLease>;
  /** Ends with the return of idle requests, which counts before the next lease. */
  #returned: Promise<unknown> = Promise.resolve();

  constructor(ctx: Pick<Context, 'db' | 'clock'>, rule: BudgetRule) {
    this.#ctx = ctx;
    this.#rule = rule;
    this.#leases = new Batcher({ run: (wanted) => this.#leaseAll(wanted) });
  }

  get limit(): number {
    return this.#rule.limit;
  }

  /** Begins to lease for an owner that is about to make a request. */
  prepare(id: string): void {
    const share = this.#shareOf(id);
    if (this.#left(share) === 0) this.#fillEarly(share);
  }

  /** Counts a request, as nearly all of a leased budget, without the database; undefined: it has to `take`. */
  takeNow(id: string): TakenShare | undefined {
    const share = this.#shares.get(id);
    return share && this.#left(share) > 0 ? this.#takeFrom(share, 1) : undefined;
  }

  /**
   * Counts a request as `count`, or does not count it because there is no room. Rejects only when the database does, or does
   * not respond for 4 s.
   */
  async take(id: string, count = 1): Promise<TakenShare> {
    const share = this.#shareOf(id);
    share.isUsed = true;
    while (this.#left(share) < count) {
      if (this.#isKnownFull(share, count - this.#left(share)))
        return this.#stateOf(share, false, share.oldestMs);
      share.waiting += count;
      try {
        await this.#fill(share, count);
      } finally {
        share.waiting -= count;
      }
    }
    return this.#takeFrom(share, count);
  }

  /** Takes back that a request was counted which another budget did not admit. */
  putBack(id: string, grantedMs: number): void {
    const share = this.#shares.get(id);
    if (share) hold(share, grantedMs, 1);
  }

  /** Returns what is left to an owner that is known to be refused; undefined for any other one. */
  refusalOf(id: string): BudgetState | undefined {
    const share = this.#shares.get(id);
    const isRefused = share && this.#left(share) === 0 && this.#isKnownFull(share, 1);
    return isRefused ? this.#stateOf(share, false, share.oldestMs) : undefined;
  }

  /** Returns what is left to an owner that has not used any of it. */
  untouched(): BudgetState {
    return { admitted: true, remaining: this.limit, resetSeconds: budgetWindowMs / 1_000 };
  }

  /** Gives back what was not used since the last call, or everything. Rejects when the database does. */
  async giveBack(everything: boolean): Promise<void> {
    const unused: UnusedGrant[] = [];
    for (const [id, share] of this.#shares) {
      const isIdle = !share.isUsed && !share.filling;
      share.isUsed = false;
      if (!everything && !isIdle) continue;
      share.taken -= this.#left(share);
      for (const { atMs, count } of share.held) unused.push({ owner: share.owner, atMs, count });
      share.held = [];
      if (isIdle && !this.#isRecent(share.oldestMs)) this.#shares.delete(id);
    }
    if (unused.length === 0) return;
    const returning = returnBudgets(this.#ctx.db, unused);
    this.#returned = Promise.allSettled([this.#returned, returning]);
    await returning;
  }

  #shareOf(id: string): Share {
    const known = this.#shares.get(id);
    if (known) return known;
    if (this.#shares.size >= maxShares) {
      for (const [other, { held, filling }] of this.#shares)
        if (held.length === 0 && !filling) this.#shares.delete(other);
    }
    const share: Share = {
      owner: `${this.#rule.name}:${id}`.slice(0, 64),
      held: [],
      taken: 0,
      oldestMs: Number.NEGATIVE_INFINITY,
      heardMs: 0,
      waiting: 0,
      filling: undefined,
      isUsed: true,
    };
    this.#shares.set(id, share);
    return share;
  }

  /** Returns whether what was granted at a time still counts. */
  #isRecent(atMs: number): boolean {
    const ageMs = this.#ctx.clock.now() - atMs;
    return ageMs < budgetWindowMs && ageMs >= -budgetWindowMs;
  }

  #left(share: Share): number {
    if (share.held.some(({ atMs }) => !this.#isRecent(atMs)))
      share.held = share.held.filter(({ atMs }) => this.#isRecent(atMs));
    return share.held.reduce((total, { count }) => total + count, 0);
  }

  /** Returns whether the database would not grant that many, by what was heard of it. */
  #isKnownFull(share: Share, count: number): boolean {
    const isBelieved = this.#rule.isExact || performance.now() < share.heardMs + believedMs;
    return isBelieved && this.limit - share.taken < count && this.#isRecent(share.oldestMs);
  }

  #takeFrom(share: Share, count: number): TakenShare {
    share.isUsed = true;
    let grantedMs = 0;
    for (let wanted = count; wanted > 0; ) {
      const [oldest] = share.held;
      if (!oldest) throw new Error('more was taken than there is');
      const taken = Math.min(wanted, oldest.count);
      grantedMs = oldest.atMs;
      oldest.count -= taken;
      wanted -= taken;
      if (oldest.count === 0) share.held.shift();
    }
    const { leaseSize } = this.#rule;
    if (leaseSize >= smallestEarlyLease && this.#left(share) < leaseSize / 4) this.#fillEarly(share);
    return this.#stateOf(share, true, grantedMs);
  }

  #stateOf(share: Share, admitted: boolean, grantedMs: number): TakenShare {
    // Once what was granted first is over, what is known of the window is what was granted here.
    const oldestMs = this.#isRecent(share.oldestMs) ? share.oldestMs : grantedMs;
    const resetMs = oldestMs + budgetWindowMs - this.#ctx.clock.now();
    return {
      admitted,
      remaining: Math.max(0, this.limit - share.taken + this.#left(share)),
      resetSeconds: Math.max(1, Math.ceil(resetMs / 1_000)),
      grantedMs,
    };
  }

  /** Runs in the background: a caller that needs what does not come tries again and gets the error. */
  #fillEarly(share: Share): void {
    if (!this.#isKnownFull(share, 1)) this.#fill(share, 1).catch(() => {});
  }

  #fill(share: Share, count: number): Promise<void> {
    share.filling ??= this.#lease(share, count).finally(() => {
      share.filling = undefined;
    });
    return share.filling;
  }

  async #lease(share: Share, count: number): Promise<void> {
    const { isExact, leaseSize } = this.#rule;
    const wanted = isExact ? count - this.#left(share) : Math.max(leaseSize, share.waiting);
    const lease = await this.#leases.add({ owner: share.owner, count: wanted });
    const { granted, taken, grantedMs, oldestMs } = lease;
    share.taken = taken;
    share.oldestMs = oldestMs;
    share.heardMs = performance.now();
    if (granted > 0) hold(share, grantedMs, granted);
  }

  async #leaseAll(wanted: readonly { owner: string; count: number }[]): Promise<(BudgetLease | Error)[]> {
    const { db, clock } = this.#ctx;
    const { limit, isExact } = this.#rule;
    // A lease that overtook it would count them as taken, and might refuse what no process holds.
    await this.#returned;
    const nowMs = clock.now();
    // A request may wait for the chain much longer than anything may wait for the database.
    const leases = await unlessHung(
      leaseBudgets(db, { wanted, nowMs, windowMs: budgetWindowMs, limit, inPart: !isExact }),
    );
    return wanted.map(({ owner }) => leases.get(owner) ?? new Error('an upsert returned no row'));
  }
}

/** Adds what was granted at a time to what is held. */
function hold(share: Share, atMs: number, count: number): void {
  const same = share.held.find((each) => each.atMs === atMs);
  if (same) same.count += count;
  else share.held.push({ atMs, count });
}

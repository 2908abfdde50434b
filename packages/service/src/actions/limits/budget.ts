import type { Context } from '../../context.js';
import {
  type BudgetLease,
  findBudgetUse,
  leaseBudgets,
  returnBudgets,
  type UnusedGrant,
} from '../../db/limits/budgets.js';
import { unlessHung } from '../../db/outage.js';
import { type BudgetRule, budgetWindowMs } from '../../domain/limits.js';
import { Batcher } from '../../runtime/batcher.js';
import type { atMost } from '../../runtime/limit.js';

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

/** What an owner has used of a budget within a minute. */
export interface BudgetUse {
  used: number;
  limit: number;
  /** When the first of it is free again, in milliseconds since the Unix epoch; undefined when nothing is used. */
  resetsAtMs: number | undefined;
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

/** A request that counts as so many and needs a lease. */
interface Want {
  share: Share;
  count: number;
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
 * second. So within a minute no owner makes more requests than its budget and one lease of each process, and one that calls through several processes may be refused early
 * only by what lies idle in another one for that second. A process that dies takes its lease with it for the rest of the
 * minute. Of an exact budget, each request is taken by itself; an owner that goes on after a refusal is refused without
 * the database, which all others need.
 */
export class Budget {
  readonly #ctx: Pick<Context, 'db' | 'clock'>;
  readonly #rule: BudgetRule;
  readonly #shares = new Map<string, Share>();
  readonly #leases: Batcher<Want, BudgetLease>;
  /** Ends with the return of idle requests, which counts before the next lease. */
  #returned: Promise<unknown> = Promise.resolve();

  /** @param inTurn runs what leases: of budgets that share it, only so many use the database at once; default: any number. */
  constructor(
    ctx: Pick<Context, 'db' | 'clock'>,
    rule: BudgetRule,
    inTurn: ReturnType<typeof atMost> = (run) => run(),
  ) {
    this.#ctx = ctx;
    this.#rule = rule;
    this.#leases = new Batcher({ run: (wants) => inTurn(() => this.#leaseAll(wants)) });
  }

  get limit(): number {
    return this.#rule.limit;
  }

  /** Begins to lease for an owner that is about to make a request. */
  prepare(id: string): void {
    const share = this.#shareOf(id);
    const nowMs = this.#ctx.clock.now();
    if (leftOf(share, nowMs) === 0) this.#fillEarly(share, nowMs);
  }

  /** Counts a request, as nearly all of a leased budget, without the database; undefined: it has to `take`. */
  takeNow(id: string): TakenShare | undefined {
    const share = this.#shares.get(this.#ownerOf(id));
    if (!share) return undefined;
    const nowMs = this.#ctx.clock.now();
    return leftOf(share, nowMs) > 0 ? this.#takeFrom(share, 1, nowMs) : undefined;
  }

  /**
   * Counts a request as `count`, or does not count it because there is no room. Rejects only when the database does, or does
   * not respond for 4 s.
   */
  take(id: string, count = 1): Promise<TakenShare> {
    const share = this.#shareOf(id);
    share.isUsed = true;
    // A request may wait for the chain much longer than anything may wait for the database, leases before its own included.
    return unlessHung(this.#takeLeased(share, count));
  }

  async #takeLeased(share: Share, count: number): Promise<TakenShare> {
    for (;;) {
      const nowMs = this.#ctx.clock.now();
      const left = leftOf(share, nowMs);
      if (left >= count) return this.#takeFrom(share, count, nowMs);
      if (this.#isKnownFull(share, count - left, nowMs)) return this.#stateOf(share, nowMs);
      share.waiting += count;
      try {
        await this.#fill(share, count);
      } finally {
        share.waiting -= count;
      }
    }
  }

  /** Takes back that a request was counted, as `count`, which another budget did not admit. */
  putBack(id: string, grantedMs: number, count = 1): void {
    const share = this.#shares.get(this.#ownerOf(id));
    if (share) hold(share, grantedMs, count);
  }

  /** Returns what is left to an owner that is known to be refused; undefined for any other one. */
  refusalOf(id: string): BudgetState | undefined {
    const share = this.#shares.get(this.#ownerOf(id));
    const nowMs = this.#ctx.clock.now();
    const isRefused = share && leftOf(share, nowMs) === 0 && this.#isKnownFull(share, 1, nowMs);
    return isRefused ? this.#stateOf(share, nowMs) : undefined;
  }

  /** Returns what is left to an owner that has not used any of it. */
  untouched(): BudgetState {
    return { admitted: true, remaining: this.limit, resetSeconds: budgetWindowMs / 1_000 };
  }

  /**
   * Reads what an owner has used in all processes, without taking any; what another process has leased counts as used, as in
   * what requests are refused by.
   */
  async look(id: string): Promise<BudgetUse> {
    const owner = this.#ownerOf(id);
    const { db, clock } = this.#ctx;
    const nowMs = clock.now();
    const found = await findBudgetUse(db, owner, { nowMs, windowMs: budgetWindowMs });
    const share = this.#shares.get(owner);
    const used = Math.max(0, (found?.taken ?? 0) - (share ? leftOf(share, nowMs) : 0));
    return {
      used,
      limit: this.limit,
      resetsAtMs: found && used > 0 ? found.oldestMs + budgetWindowMs : undefined,
    };
  }

  /** Gives back what was not used since the last call, or everything. Rejects when the database does. */
  async giveBack(everything: boolean): Promise<void> {
    const unused: UnusedGrant[] = [];
    const nowMs = this.#ctx.clock.now();
    for (const [id, share] of this.#shares) {
      const isIdle = !share.isUsed && !share.filling;
      share.isUsed = false;
      if (!everything && !isIdle) continue;
      share.taken -= leftOf(share, nowMs);
      for (const { atMs, count } of share.held) unused.push({ owner: share.owner, atMs, count });
      share.held = [];
      if (isIdle && !isRecent(share.oldestMs, nowMs)) this.#shares.delete(id);
    }
    if (unused.length === 0) return;
    const returning = returnBudgets(this.#ctx.db, unused);
    this.#returned = Promise.allSettled([this.#returned, returning]);
    await returning;
  }

  /** Returns the owner as the table names it: what is too long, such as what a proxy passes on as an address, is cut. */
  #ownerOf(id: string): string {
    return `${this.#rule.name}:${id}`.slice(0, 64);
  }

  #shareOf(id: string): Share {
    const owner = this.#ownerOf(id);
    const known = this.#shares.get(owner);
    if (known) return known;
    if (this.#shares.size >= maxShares) {
      for (const [other, { held, filling }] of this.#shares)
        if (held.length === 0 && !filling) this.#shares.delete(other);
    }
    const share: Share = {
      owner,
      held: [],
      taken: 0,
      oldestMs: Number.NEGATIVE_INFINITY,
      heardMs: 0,
      waiting: 0,
      filling: undefined,
      isUsed: true,
    };
    this.#shares.set(owner, share);
    return share;
  }

  /** Returns whether the database would not grant that many, by what was heard of it. */
  #isKnownFull(share: Share, count: number, nowMs: number): boolean {
    const isBelieved = this.#rule.isExact || performance.now() < share.heardMs + believedMs;
    return isBelieved && this.limit - share.taken < count && isRecent(share.oldestMs, nowMs);
  }

  #takeFrom(share: Share, count: number, nowMs: number): TakenShare {
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
    const needsMore = leaseSize >= smallestEarlyLease && leftOf(share, nowMs) < leaseSize / 4;
    if (needsMore) this.#fillEarly(share, nowMs);
    return this.#stateOf(share, nowMs, grantedMs);
  }

  /** @param grantedMs when the request was granted; undefined for one that is refused. */
  #stateOf(share: Share, nowMs: number, grantedMs?: number): TakenShare {
    // Once what was granted first is over, what is known of the window is what was granted here.
    const oldestMs = isRecent(share.oldestMs, nowMs) ? share.oldestMs : (grantedMs ?? nowMs);
    const resetMs = oldestMs + budgetWindowMs - nowMs;
    return {
      admitted: grantedMs !== undefined,
      remaining: Math.max(0, this.limit - share.taken + leftOf(share, nowMs)),
      resetSeconds: Math.max(1, Math.ceil(resetMs / 1_000)),
      grantedMs: grantedMs ?? nowMs,
    };
  }

  /** Runs in the background: a caller that needs what does not come tries again and gets the error. */
  #fillEarly(share: Share, nowMs: number): void {
    if (!this.#isKnownFull(share, 1, nowMs)) this.#fill(share, 1).catch(() => {});
  }

  #fill(share: Share, count: number): Promise<void> {
    share.filling ??= this.#lease(share, count).finally(() => {
      share.filling = undefined;
    });
    return share.filling;
  }

  async #lease(share: Share, count: number): Promise<void> {
    const { granted, taken, grantedMs, oldestMs } = await this.#leases.add({ share, count });
    share.taken = taken;
    share.oldestMs = oldestMs;
    share.heardMs = performance.now();
    if (granted > 0) hold(share, grantedMs, granted);
  }

  async #leaseAll(wants: readonly Want[]): Promise<(BudgetLease | Error)[]> {
    const { db, clock } = this.#ctx;
    const { limit, isExact, leaseSize } = this.#rule;
    // A lease that overtook it would count them as taken, and might refuse what no process holds.
    await this.#returned;
    const nowMs = clock.now();
    const wanted = wants.map(({ share, count }) => ({
      owner: share.owner,
      count: isExact ? count - leftOf(share, nowMs) : Math.max(leaseSize, share.waiting),
    }));
    // A statement that hangs holds the next one up for no longer than its own requests.
    const leases = await unlessHung(
      leaseBudgets(db, { wanted, nowMs, windowMs: budgetWindowMs, limit, inPart: !isExact }),
    );
    return wanted.map(({ owner }) => leases.get(owner) ?? new Error('an upsert returned no row'));
  }
}

/** Returns whether what was granted at a time still counts. */
function isRecent(atMs: number, nowMs: number): boolean {
  const ageMs = nowMs - atMs;
  return ageMs < budgetWindowMs && ageMs >= -budgetWindowMs;
}

/** Returns how much of what is held may be used, and drops the rest. */
function leftOf(share: Share, nowMs: number): number {
  let left = 0;
  let held = 0;
  for (const { atMs, count } of share.held) {
    held += count;
    if (isRecent(atMs, nowMs)) left += count;
  }
  if (left < held) share.held = share.held.filter(({ atMs }) => isRecent(atMs, nowMs));
  return left;
}

/** Adds what was granted at a time to what is held. */
function hold(share: Share, atMs: number, count: number): void {
  const same = share.held.find((each) => each.atMs === atMs);
  if (same) same.count += count;
  else share.held.push({ atMs, count });
}

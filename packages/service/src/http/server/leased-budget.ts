import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Context } from '../../context.js';
import { type KeyBudgetLease, leaseKeyBudgets, returnKeyBudgets } from '../../db/limits/key-budgets.js';
import type { Uuid } from '../../domain/index.js';
import { AppError } from '../../errors.js';

export interface BudgetState {
  admitted: boolean;
  /** What is left of the window; what other processes have leased of it counts as used. */
  remaining: number;
  /** Until the whole budget is there again. */
  resetSeconds: number;
}

/** What is left after a request was counted, and the window that it was counted in. */
export interface TakenShare extends BudgetState {
  startedMs: number;
}

interface Share {
  startedMs: number;
  /** Leased of the window by all processes, when last heard. */
  taken: number;
  left: number;
  waiting: number;
  filling: Promise<void> | undefined;
  /** Until then, the database is not checked again for returned requests; by the monotonic clock. */
  dryUntilMs: number;
  /** Whether it was used since the last check of idle shares. */
  used: boolean;
  idleLooks: number;
}

/** An owner that needs a lease. */
interface Wanting {
  ownerId: Uuid;
  share: Share;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/** Length of the window in which an owner may make as many requests as its limit allows. */
const budgetWindowMs = 60_000;
/** A lease is this part of the budget. */
const leasesPerBudget = 20;
/** Smaller leases are not fetched early: another process may need what would lie idle here. */
const smallestEarlyLease = 8;
const dryMs = 250;
const lookEveryMs = 1_000;
const forgetAfterLooks = 300;

/**
 * Requests that each owner, a key, a partner or an operator, may make in a minute over all processes. A process leases a few of them
 * at a time from the database, early enough that requests seldom wait for it, and gives back what it has not touched
 * for a second. So no owner ever gets more than its budget, and one that calls through several processes may be refused
 * early only by what lies idle in another one for that second. A process that dies takes its lease with it for the rest
 * of the minute.
 */
export class LeasedBudget {
  readonly limit: number;
  readonly #ctx: Context;
  readonly #shares = new Map<Uuid, Share>();
  #wanting: Wanting[] = [];
  #isLeasing = false;
  /** Ends with the return of idle requests, which counts before the next lease. */
  #returned: Promise<unknown> = Promise.resolve();

  constructor(ctx: Context, limit: number) {
    this.#ctx = ctx;
    this.limit = limit;
  }

  /** Begins to lease for an owner that is about to make a request; nothing for an unknown one. */
  prepare(ownerId: Uuid): void {
    const share = this.#shares.get(ownerId);
    if (share && this.#left(share) === 0) this.#fillQuietly(ownerId, share);
  }

  /** Takes back that a request of a window was counted, which another budget did not admit. */
  putBack(ownerId: Uuid, startedMs: number): void {
    const share = this.#shares.get(ownerId);
    if (share?.startedMs === startedMs) share.left += 1;
  }

  /** Counts a request, as nearly all of them, without the database; undefined: it has to `take`. */
  takeNow(ownerId: Uuid): TakenShare | undefined {
    const share = this.#shares.get(ownerId);
    if (!share || this.#left(share) === 0) return undefined;
    share.used = true;
    return this.#takeOne(ownerId, share);
  }

  /** Counts a request. Rejects only when the database does. */
  async take(ownerId: Uuid): Promise<TakenShare> {
    const share = this.#shareOf(ownerId);
    share.used = true;
    while (this.#left(share) === 0) {
      if (performance.now() < share.dryUntilMs && !this.#isOver(share)) return this.#state(share, false);
      share.waiting += 1;
      try {
        await this.#fill(ownerId, share);
      } finally {
        share.waiting -= 1;
      }
    }
    return this.#takeOne(ownerId, share);
  }

  #takeOne(ownerId: Uuid, share: Share): TakenShare {
    share.left -= 1;
    const { leaseSize } = this;
    if (leaseSize >= smallestEarlyLease && share.left < leaseSize / 4) this.#fillQuietly(ownerId, share);
    return this.#state(share, true);
  }

  get leaseSize(): number {
    return Math.ceil(this.limit / leasesPerBudget);
  }

  #shareOf(ownerId: Uuid): Share {
    const share = this.#shares.get(ownerId) ?? {
      startedMs: Number.NEGATIVE_INFINITY,
      taken: 0,
      left: 0,
      waiting: 0,
      filling: undefined,
      dryUntilMs: 0,
      used: true,
      idleLooks: 0,
    };
    this.#shares.set(ownerId, share);
    return share;
  }

  #left(share: Share): number {
    return this.#isOver(share) ? 0 : share.left;
  }

  #isOver(share: Share): boolean {
    const ageMs = this.#ctx.clock.now() - share.startedMs;
    return ageMs >= budgetWindowMs || ageMs < -budgetWindowMs;
  }

  #fill(ownerId: Uuid, share: Share): Promise<void> {
    share.filling ??= this.#lease(ownerId, share).finally(() => {
      share.filling = undefined;
    });
    return share.filling;
  }

  /** Runs in the background: a caller that needs what does not come tries again and gets the error. */
  #fillQuietly(ownerId: Uuid, share: Share): void {
    if (performance.now() >= share.dryUntilMs || this.#isOver(share))
      this.#fill(ownerId, share).catch(() => {});
  }

  /** Leases of one tick of the event loop, and of those during which a statement is under way, share the next statement. */
  #lease(ownerId: Uuid, share: Share): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#wanting.push({ ownerId, share, resolve, reject });
      if (this.#wanting.length === 1 && !this.#isLeasing) setImmediate(() => void this.#leaseAll());
    });
  }

  async #leaseAll(): Promise<void> {
    const { db, clock } = this.#ctx;
    this.#isLeasing = true;
    while (this.#wanting.length > 0) {
      const wanting = this.#wanting.splice(0);
      // A lease that overtook it would count them as taken, and might refuse what no process holds.
      await this.#returned;
      const owners = wanting.map(({ ownerId, share }) => ({
        ownerId,
        wanted: Math.max(this.leaseSize, share.waiting),
      }));
      const now = new Date(clock.now());
      try {
        const leases = await leaseKeyBudgets(db, {
          owners,
          now,
          windowMs: budgetWindowMs,
          limit: this.limit,
        });
        for (const { ownerId, share, resolve } of wanting) {
          this.#add(share, leases.get(ownerId));
          resolve();
        }
      } catch (error) {
        for (const { reject } of wanting) reject(error);
      }
    }
    this.#isLeasing = false;
  }

  #add(share: Share, lease: KeyBudgetLease | undefined): void {
    if (!lease) throw new Error('an upsert returned no row');
    const startedMs = lease.startedAt.getTime();
    share.left = lease.granted + (startedMs === share.startedMs ? share.left : 0);
    share.startedMs = startedMs;
    share.taken = lease.taken;
    share.dryUntilMs = lease.granted === 0 ? performance.now() + dryMs : 0;
  }

  #state(share: Share, admitted: boolean): TakenShare {
    const resetMs = share.startedMs + budgetWindowMs - this.#ctx.clock.now();
    return {
      admitted,
      remaining: Math.max(0, this.limit - share.taken + share.left),
      resetSeconds: Math.max(1, Math.ceil(resetMs / 1_000)),
      startedMs: share.startedMs,
    };
  }

  /** Looks every second at what lies idle while the app runs, and gives everything back when it closes. */
  attach(app: FastifyInstance): void {
    const quietly = async (everything: boolean) => {
      try {
        await this.#giveBack(everything);
      } catch (err) {
        this.#ctx.log.warn({ err }, 'unused requests of a budget were not returned');
      }
    };
    const timer = setInterval(() => void quietly(false), lookEveryMs).unref();
    app.addHook('onClose', async () => {
      clearInterval(timer);
      await quietly(true);
    });
  }

  /** Returns what is left to an owner that has not used any of it. */
  untouched(): BudgetState {
    return { admitted: true, remaining: this.limit, resetSeconds: budgetWindowMs / 1_000 };
  }

  async #giveBack(everything: boolean): Promise<void> {
    const unused: Parameters<typeof returnKeyBudgets>[1] = [];
    for (const [ownerId, share] of this.#shares) {
      const { used, filling } = share;
      share.used = false;
      share.idleLooks = used ? 0 : share.idleLooks + 1;
      if (!everything && (used || filling)) continue;
      const count = this.#left(share);
      if (count > 0) unused.push({ ownerId, startedAt: new Date(share.startedMs), count });
      share.left = 0;
      share.taken -= count;
      if (share.idleLooks > forgetAfterLooks) this.#shares.delete(ownerId);
    }
    if (unused.length === 0) return;
    const returning = returnKeyBudgets(this.#ctx.db, unused);
    this.#returned = Promise.allSettled([this.#returned, returning]);
    await returning;
  }
}

/** Sets the headers that say what is left, on every response of a limited route. */
export function showBudget(reply: FastifyReply, limit: number, state: BudgetState): void {
  reply.headers({
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(state.remaining),
    'ratelimit-reset': String(state.resetSeconds),
  });
}

export function refuseAboveLimit(
  limit: number,
  { resetSeconds, of }: BudgetState & { of?: 'key' | 'partner' },
): AppError {
  const what =
    of === 'partner'
      ? `All keys of a partner together may make ${limit} requests a minute`
      : `Only ${limit} requests a minute are allowed here`;
  const message = `${what}; try again in ${resetSeconds} s.`;
  return new AppError('rate_limited', message, { retryAfterSeconds: resetSeconds });
}

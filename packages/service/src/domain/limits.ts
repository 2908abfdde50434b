import type { DelayRule } from './sign-in-delay.js';

/**
 * The numbers of everything that slows callers down: budgets of requests, delays of signing in, and shares of the calls
 * to the nodes. What users and partners may trade in a day is in `velocity.ts`.
 */

/**
 * In any time of this length, in milliseconds, an owner is granted no more requests than its budget has. What is leased may be
 * used later: up to one lease of each process more.
 */
export const budgetWindowMs = 60_000;

/** Requests in a budget, unless the settings name another number. */
export const usualBudgets = {
  /** Of an API key, and of a member in the portal, for reads and for writes each. */
  key: 600,
  /** Of an operator, over all tokens and sessions. */
  operator: 600,
  /** Of a network, on the routes that mint keys. */
  auth: 10,
  /** Of a network, on each other kind of route without a key, and with invalid keys. */
  open: 60,
};

/**
 * What requests with a key are counted as, each against a budget of its own, so that a program which polls a record does not use
 * up what trades need.
 */
export type RequestKind = 'reads' | 'writes';

/** Returns what a request is counted as, by its method. Quotes of trades are writes, though they write nothing. */
export function requestKindOf(method: string): RequestKind {
  return method === 'GET' || method === 'HEAD' ? 'reads' : 'writes';
}

/** All keys and members of a partner together may make as many requests as this many keys, however many it has. */
export const keysPerPartner = 5;

/** The /48 that IPv6 networks are in may make as many requests as this many of them: a whole one is easy to come by. */
export const networksPerSite = 10;

/**
 * Connections to the database that a process uses at once, at most: for one caller, as which all without a key count, to
 * look keys up, and to count the requests of networks.
 */
export const connectionShares = { caller: 3, keys: 4, networks: 2 };
/** What a partner, callers without a key, keys and networks use at most, and two for what the process itself does. */
export const leastPoolSize =
  2 * connectionShares.caller + connectionShares.keys + connectionShares.networks + 2;

/** What networks have budgets for: routes that need no key, and keys that are not good. */
export const networkBudgetNames = [
  'auth',
  'tradebook_auth',
  'submit',
  'price',
  'reserves',
  'bad_key',
] as const;
export type NetworkBudgetName = (typeof networkBudgetNames)[number];
/** The budgets that a route without a key can be counted against. */
export type OpenBudgetName = Exclude<NetworkBudgetName, 'bad_key'>;

/** How much an owner may request, and how it is counted. */
export interface BudgetRule {
  /** Begins the names of its owners. */
  name: NetworkBudgetName | `${'key' | 'member' | 'partner'}_${RequestKind}` | 'operator';
  limit: number;
  /** Requests that a process leases at a time. */
  leaseSize: number;
  /** Each request is leased by itself, and none ahead or given back: what is known of a full budget holds for its time. */
  isExact: boolean;
}

/** A lease is this part of a budget. */
const leasesPerBudget = 20;

/** Returns the rule of a budget of which processes lease a part ahead, so that requests seldom wait for the database. */
export function leasedBudget(name: BudgetRule['name'], limit: number): BudgetRule {
  return { name, limit, leaseSize: Math.ceil(limit / leasesPerBudget), isExact: false };
}

/** Returns the rule of a budget whose every request is counted in the database. */
export function exactBudget(name: BudgetRule['name'], limit: number): BudgetRule {
  return { name, limit, leaseSize: 1, isExact: true };
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** The longest that a failed sign-in is kept: that of a second factor. */
export const failuresKeptMs = 24 * hourMs;
/** How long an account is at home in a network after its latest sign-in there. */
export const networkKnownMs = 90 * 24 * hourMs;

/** One person at one place mistypes a few times; further guesses from there wait longer and longer. */
const pair: DelayRule = { free: 3, maxMs: 15 * minuteMs, forgottenMs: hourMs };
/** A network with many people, and an account that many networks try: slowed to one guess a minute. */
const crowd: DelayRule = { free: 20, maxMs: minuteMs, forgottenMs: hourMs };

/** How failed sign-ins delay the next attempt. */
export const signInDelays = {
  pair,
  factorPair: { ...pair, forgottenMs: failuresKeptMs },
  crowd,
  /** The /48 that IPv6 networks are in. */
  site: { ...crowd, free: crowd.free * networksPerSite },
  /**
   * The second factor of an account that many networks try, with the right password. After some 20 guesses these are four
   * an hour, which a code of six digits withstands for years; a day without a guess gives no more than that.
   */
  factor: { free: 10, maxMs: 15 * minuteMs, forgottenMs: failuresKeptMs },
} satisfies Record<string, DelayRule>;

/** What the service may pay to the network for a partner within an hour before that partner gets no quotes. */
export const feeBudget = {
  /** Lamports, unless the partner's terms name another number: half a SOL. */
  usualLamports: 500_000_000n,
  /** The highest that terms may name: 1,000 SOL. */
  maxLamports: 1_000_000_000_000n,
  /**
   * Lamports that a base unit of USDC makes up for, where the service earned it: as if SOL cost 1,000 USD. There is no price of SOL
   * here, and a rate below the true one takes no more than was earned for granted.
   */
  lamportsPerUsdcUnit: 1n,
  /** By UTC, from its full hour on, milliseconds. */
  windowMs: hourMs,
};

/** Token accounts that a partner pays for, for one of its users within a day; for others the user pays. */
export const madeAccounts = { maxPerDay: 2, windowMs: 24 * hourMs };

/** Returns the full hour that a moment lies in. */
export function fullHourOf(ms: number): Date {
  return new Date(Math.floor(ms / hourMs) * hourMs);
}

/** How callers share the calls to the nodes of a process. */
export const nodeShares = {
  /** Calls for all callers together, unless the settings name another number. */
  usualPerSecond: 40,
  /** Lookups leave the rest to trades. */
  partOfLooks: 1 / 2,
  /** Of what needs no key: even with all lookups, a quarter is left to trades. */
  partOfOpen: 1 / 4,
  /** How long a submission or an order waits for room: long enough for its turn, and the response still comes in time. */
  waitMs: 2_000,
  /** How long a transaction of a waiting order does: a batch of orders of one partner takes turns. */
  orderWaitMs: 10_000,
};

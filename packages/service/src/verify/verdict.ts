/** What is verified, in the order of the report. */
export const invariants = [
  'gold_supply',
  'treasury_balances',
  'vault_balances',
  'escrow',
  'backing',
  'program_events',
  'one_record_each',
  'recorded_amounts',
  'landed_on_chain',
  'transitions',
  'event_numbers',
  'event_objects',
  'events_of_records',
  'deliveries',
  'settled_once',
  'bars',
  'statements',
  'audit_log',
  'audit_anchors',
  'daily_limits',
] as const;
export type Invariant = (typeof invariants)[number];

/** A row that breaks an invariant, or what of the chain does. */
export interface Broken {
  /** Table and id, such as `trades trd_…`, or a transaction or an account of the chain. */
  row: string;
  fault: string;
}

/**
 * What was found of one invariant. `pending`: it could not be compared, because the records have not followed the chain or
 * the node does not respond; that is no sign of a fault.
 */
export interface Verdict {
  invariant: Invariant;
  verdict: 'green' | 'red' | 'pending';
  /** A sentence: what holds and for how much of it, or why nothing could be compared. */
  detail: string;
  /** The first rows that break it; `brokenCount` says how many there are. */
  broken: Broken[];
  brokenCount: number;
}

/** A verdict, and how long it took to find, ms: those that are found by one look have its time each. */
export interface TimedVerdict extends Verdict {
  tookMs: number;
}

/** Looks at one invariant, or at several at once. */
export type Check = () => Promise<Verdict | Verdict[]>;

/** Broken rows that one line names, at most. */
export const maxNamed = 20;

/** Returns the verdict of what was looked at. `detail` is a sentence about what holds. */
export function verdictOf(
  invariant: Invariant,
  detail: string,
  broken: readonly Broken[],
  brokenCount = broken.length,
): Verdict {
  const verdict = brokenCount === 0 ? 'green' : 'red';
  return { invariant, verdict, detail, broken: broken.slice(0, maxNamed), brokenCount };
}

/** Returns the verdict of what could not be looked at. */
export const pending = (invariant: Invariant, why: string): Verdict => ({
  invariant,
  verdict: 'pending',
  detail: why,
  broken: [],
  brokenCount: 0,
});

/** Returns a number and a noun, such as `3 bars`. */
export const counted = (count: number | bigint, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en-US')} ${count.toString() === '1' ? one : many}`;

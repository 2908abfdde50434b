/** How the chain and the records can differ; docs/operations/dead-letters.md explains each difference. */
export const differenceKinds = [
  'record_missing',
  'record_doubled',
  'amount_differs',
  'movement_missing',
  'event_missing',
  'moved_without_service',
  'balance_differs',
  'supply_above_attested',
  'escrow_differs',
  'burned_differs',
] as const;
export type DifferenceKind = (typeof differenceKinds)[number];

/** Amounts by treasury account, base units as text. */
export type TreasuryAmounts = Record<string, string>;

/** The content of a dead letter of the reconciliation: JSON, the same whenever the same is found. */
export interface DifferenceDetail extends Record<string, unknown> {
  kinds: DifferenceKind[];
  /** What the chain holds beyond what is accounted for. */
  unexplained: TreasuryAmounts;
}

/** What one treasury account shows of one transaction. */
export interface Sides {
  /** By how much the balance changed, base units; 0 for a transaction that moved nothing. */
  change: bigint;
  /** The part that records have to account for. */
  due: bigint;
  /** What records say. */
  recorded: bigint;
  records: number;
}

/** Returns what is wrong with one account of one transaction. */
export function kindsOf({ change, due, recorded, records }: Sides): DifferenceKind[] {
  const kinds: DifferenceKind[] = [];
  if (due !== recorded) {
    if (records === 0) kinds.push('record_missing');
    else if (due === 0n) kinds.push('movement_missing');
    else if (records > 1 && recorded === due * BigInt(records)) kinds.push('record_doubled');
    else kinds.push('amount_differs');
  }
  if (change !== due) kinds.push('moved_without_service');
  return kinds;
}

/** Returns the sums of what is unexplained, in base units of GOLD and of USDC. */
export function sumUnexplained(details: DifferenceDetail[]): { gold: bigint; usdc: bigint } {
  const sums = { gold: 0n, usdc: 0n };
  for (const { unexplained } of details) {
    for (const [role, amount] of Object.entries(unexplained)) {
      sums[role.endsWith('_gold') ? 'gold' : 'usdc'] += BigInt(amount);
    }
  }
  return sums;
}

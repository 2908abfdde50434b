import type { TreasuryAccountBalance, TreasurySnapshot } from '../../chain/program/program-snapshot.js';
import type { Db, Tx } from '../../db/client.js';
import {
  findFirstTreasuryMovement,
  findTreasuryBaselines,
  sumTreasuryMovements,
  type TreasuryBaseline,
} from '../../db/treasury/treasury-movements.js';

/**
 * What balances differed by the last time, by account. A difference is believed when it comes back: a deposit past the
 * program may be listed a moment after it shows.
 */
export type Doubts = Map<string, bigint>;

export interface BalanceCheck {
  /** Accounts that hold another amount than their movements lead to, and by how much more; base units. */
  differences: (TreasuryAccountBalance & { difference: bigint })[];
  /** Accounts of which nothing can be said this time. */
  undecided: string[];
  /** To be kept for the next time: what accounts held to begin with, and the sums of their movements. */
  baselines: TreasuryBaseline[];
}

/** Returns the first slot from which every transaction of the treasury accounts is known. */
export async function findKnownSince(db: Db | Tx, snapshot: TreasurySnapshot): Promise<bigint> {
  const first = (await findFirstTreasuryMovement(db)) ?? snapshot.slot;
  const slots = (await findTreasuryBaselines(db)).map(({ slot }) => slot);
  return slots.reduce((since, slot) => (slot < since ? slot : since), first);
}

/** An account that holds another amount than its movements lead to, and up to which slot they did lead to it. */
export interface Mismatch {
  account: TreasuryAccountBalance['account'];
  agreedSlot: bigint;
}

/** Returns the accounts that were compared before and hold another amount than their movements lead to. */
export async function findMismatches(tx: Tx, snapshot: TreasurySnapshot): Promise<Mismatch[]> {
  const baselines = new Map((await findTreasuryBaselines(tx)).map((row) => [row.account, row]));
  const mismatches: Mismatch[] = [];
  for (const held of snapshot.balances) {
    const baseline = baselines.get(held.account);
    if (!baseline) continue;
    const { difference } = await compareBalance(tx, snapshot, held, baseline);
    if (difference !== 0n) mismatches.push({ account: held.account, agreedSlot: baseline.summedSlot });
  }
  return mismatches;
}

/**
 * Compares what the treasury accounts hold with the sum of their movements, and leaves in `doubts` what is to be looked
 * at once more. Everything up to the slot of `snapshot` has to be recorded. What an account held to begin with is taken from the
 * first comparison: nothing where its history is complete.
 */
export async function checkBalances(
  tx: Tx,
  snapshot: TreasurySnapshot,
  doubts: Doubts,
): Promise<BalanceCheck> {
  const baselines = new Map((await findTreasuryBaselines(tx)).map((row) => [row.account, row]));
  const since = await findKnownSince(tx, snapshot);
  const check: BalanceCheck = { differences: [], undecided: [], baselines: [] };
  for (const held of snapshot.balances) {
    const baseline = baselines.get(held.account);
    const { difference, summed } = await compareBalance(tx, snapshot, held, baseline);
    const sums = { summedSlot: snapshot.slot, summed };
    if (!baseline) check.baselines.push({ ...held, ...sums, balance: difference, slot: since });
    else if (difference === 0n) {
      doubts.delete(held.account);
      check.baselines.push({ ...baseline, ...sums });
    } else {
      const isKnown = doubts.get(held.account) === difference;
      doubts.set(held.account, difference);
      if (isKnown) check.differences.push({ ...held, difference });
      else check.undecided.push(held.account);
    }
  }
  return check;
}

/** Returns what a balance differs by from what its movements lead to, and their sum. */
async function compareBalance(
  tx: Tx,
  { slot }: TreasurySnapshot,
  { account, balance }: TreasuryAccountBalance,
  baseline: TreasuryBaseline | undefined,
): Promise<{ difference: bigint; summed: bigint }> {
  const begun = baseline?.balance ?? 0n;
  if (baseline && baseline.summedSlot <= slot) {
    const news = await sumTreasuryMovements(tx, account, { after: baseline.summedSlot, slot });
    const summed = baseline.summed + news;
    if (begun + summed === balance) return { difference: 0n, summed };
  }
  const summed = await sumTreasuryMovements(tx, account, { after: -1n, slot });
  return { difference: balance - begun - summed, summed };
}

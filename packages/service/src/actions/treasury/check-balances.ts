import type { TreasuryAccountBalance, TreasurySnapshot } from '../../chain/program/program-snapshot.js';
import type { Db, Tx } from '../../db/client.js';
import {
  findFirstTreasuryMovement,
  findTreasuryBaselines,
  findTreasuryChanges,
  sumTreasuryMovements,
  type TreasuryBaseline,
} from '../../db/treasury/treasury-movements.js';

/**
 * What balances differed by the last time, by account. A node may put a transaction more into a balance than the slot that
 * it names, so that several figures are possible at once: only one that comes back is believed.
 */
export type Doubts = Map<string, ReadonlySet<bigint>>;

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

/**
 * Returns the accounts that were compared before and hold another amount than their movements lead to, whichever of the
 * slots around the snapshot the balance is of.
 */
export async function findMismatches(tx: Tx, snapshot: TreasurySnapshot): Promise<Mismatch[]> {
  const baselines = new Map((await findTreasuryBaselines(tx)).map((row) => [row.account, row]));
  const mismatches: Mismatch[] = [];
  for (const held of snapshot.balances) {
    const baseline = baselines.get(held.account);
    if (!baseline) continue;
    const { candidates } = await differencesOf(tx, snapshot, held, baseline);
    if (!candidates.has(0n)) mismatches.push({ account: held.account, agreedSlot: baseline.summedSlot });
  }
  return mismatches;
}

/**
 * Compares what the treasury accounts hold with the sum of their movements, and leaves in `doubts` what is to be looked
 * at once more. Everything up to `snapshot.upTo` has to be recorded. What an account held to begin with is taken from the
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
    const { candidates, summed } = await differencesOf(tx, snapshot, held, baseline);
    const sums = { summedSlot: snapshot.slot, summed };
    if (!baseline) {
      const found = candidates.has(0n) ? 0n : candidates.size === 1 ? [...candidates][0] : undefined;
      if (found === undefined) check.undecided.push(held.account);
      else check.baselines.push({ ...held, ...sums, balance: found, slot: since });
    } else if (candidates.has(0n)) {
      doubts.delete(held.account);
      check.baselines.push({ ...baseline, ...sums });
    } else {
      const again = [...candidates].find((difference) => doubts.get(held.account)?.has(difference));
      doubts.set(held.account, candidates);
      if (again === undefined) check.undecided.push(held.account);
      else check.differences.push({ ...held, difference: again });
    }
  }
  return check;
}

/**
 * Returns what a balance may differ by, one figure for each transaction that may be in it already, and the sum of the
 * movements.
 */
async function differencesOf(
  tx: Tx,
  { slot, upTo }: TreasurySnapshot,
  { account, balance }: TreasuryAccountBalance,
  baseline: TreasuryBaseline | undefined,
): Promise<{ candidates: Set<bigint>; summed: bigint }> {
  const changes = await findTreasuryChanges(tx, account, { after: slot, slot: upTo });
  const beyond = (summed: bigint) => {
    let rest = balance - (baseline?.balance ?? 0n) - summed;
    const candidates = new Set([rest]);
    for (const change of changes) {
      rest -= change;
      candidates.add(rest);
    }
    return { candidates, summed };
  };
  if (baseline && baseline.summedSlot <= slot) {
    const news = await sumTreasuryMovements(tx, account, { after: baseline.summedSlot, slot });
    const quick = beyond(baseline.summed + news);
    if (quick.candidates.has(0n)) return quick;
  }
  return beyond(await sumTreasuryMovements(tx, account, { after: -1n, slot }));
}

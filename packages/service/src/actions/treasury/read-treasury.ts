import { readTreasurySnapshot, type TreasurySnapshot } from '../../chain/program/program-snapshot.js';
import { type DailyLimit, usedIn } from '../../chain/program/window.js';
import type { Context } from '../../context.js';
import { findReconciliation, type Reconciliation } from '../../db/treasury/reconciliations.js';
import type { Backing } from '../../domain/reserves/backing.js';
import { unavailable } from '../../errors.js';
import { readBacking } from '../reserves/read-backing.js';
import { outflowOf } from '../trades/require-daily-limits.js';

/** What the treasury accounts hold now, and how chain and records compared the last time. Base units. */
export interface Treasury {
  balances: Record<TreasurySnapshot['balances'][number]['role'], bigint>;
  /** What open redemptions need of escrow, as the program counts it. */
  escrowOpen: bigint;
  /** Whether attestation and bars cover the tokens. */
  backing: Backing;
  /** What left the treasury in 24 hours, and how much may. */
  outflow: Record<'usdc' | 'gold', DailyLimit>;
  /** What was minted in 24 hours, and how much may be. */
  minted: DailyLimit;
  /** Undefined before the first comparison. */
  last: Reconciliation | undefined;
}

/** A request does not wait longer for the node. */
const timeoutMs = 3_000;

/** Reads from the node and the database. Throws `service_unavailable` when the node does not respond. */
export async function readTreasury(ctx: Context): Promise<Treasury> {
  const [snapshot, backing, last] = await Promise.all([
    readNow(ctx),
    readBacking(ctx),
    findReconciliation(ctx.db),
  ]);
  const balances = { treasury_usdc: 0n, treasury_gold: 0n, fee_usdc: 0n, escrow_gold: 0n };
  for (const { role, balance } of snapshot.balances) balances[role] = balance;
  const { config } = snapshot;
  const nowMs = ctx.clock.now();
  const outflow = { usdc: outflowOf(config, 'usdc', nowMs), gold: outflowOf(config, 'gold', nowMs) };
  const minted = { limit: config.settings.dailyMint, used: usedIn(config.minted, nowMs) };
  return { balances, escrowOpen: config.escrowOpen, backing, outflow, minted, last };
}

async function readNow(ctx: Context): Promise<TreasurySnapshot> {
  try {
    return await readTreasurySnapshot(ctx.chain, AbortSignal.timeout(timeoutMs));
  } catch (cause) {
    const message = 'The Solana node does not report what the treasury holds; try again shortly.';
    throw unavailable(message, { cause });
  }
}

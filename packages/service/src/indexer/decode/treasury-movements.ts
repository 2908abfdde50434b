import {
  BUY_DISCRIMINATOR,
  MINT_GOLD_DISCRIMINATOR,
  PARTNER_PURCHASE_DISCRIMINATOR,
  PARTNER_SALE_DISCRIMINATOR,
  RECLAIM_REDEMPTION_DISCRIMINATOR,
  REDEEM_DISCRIMINATOR,
  SELL_DISCRIMINATOR,
  SETTLE_REDEMPTION_DISCRIMINATOR,
  SWEEP_ESCROW_DISCRIMINATOR,
  TREASURY_WITHDRAW_DISCRIMINATOR,
} from '@karat/program-client';
import type { Address } from '@solana/kit';
import type { TreasuryMovementFacts, TreasuryRole } from '../../db/treasury/treasury-movements.js';
import type { ProgramCall } from './program-calls.js';
import { transfersOf } from './token-transfers.js';
import { readVaultAccounts, type TradeAccounts } from './trade-call.js';
import type { ChainTransaction } from './transaction.js';
import type { TreasuryAccounts } from './view.js';

/** Calls of the program that have a record of the service when they move something of the treasury. */
const recordedKinds = new Set([
  BUY_DISCRIMINATOR,
  SELL_DISCRIMINATOR,
  PARTNER_PURCHASE_DISCRIMINATOR,
  PARTNER_SALE_DISCRIMINATOR,
  REDEEM_DISCRIMINATOR,
  SETTLE_REDEMPTION_DISCRIMINATOR,
  RECLAIM_REDEMPTION_DISCRIMINATOR,
]);

/** Calls by which the admin moves something out of the treasury; only their events report them. */
const adminKinds = new Set([
  MINT_GOLD_DISCRIMINATOR,
  SWEEP_ESCROW_DISCRIMINATOR,
  TREASURY_WITHDRAW_DISCRIMINATOR,
]);

/**
 * By how much a transaction changed the treasury accounts, by the node's balances before and after it, and how much of
 * that the program moved for a call that has to have a record, or for the admin. What was taken for true of
 * it does not matter here: a trade that could not be taken has moved the treasury's tokens all the same.
 */
export function treasuryMovementsOf(
  transaction: ChainTransaction,
  calls: ProgramCall[],
  treasury: TreasuryAccounts | undefined,
): TreasuryMovementFacts[] {
  if (transaction.error !== null) return [];
  const roles = rolesOf(transaction, calls, treasury);
  const due = movedBy(recordedKinds, transaction, calls);
  const byAdmin = movedBy(adminKinds, transaction, calls);
  return [...roles].flatMap(([account, role]) => {
    const movement = {
      account,
      role,
      change: transaction.tokenChanges.get(account) ?? 0n,
      due: due.get(account) ?? 0n,
      byAdmin: byAdmin.get(account) ?? 0n,
    };
    const { change, due: owed, byAdmin: administered } = movement;
    return change === 0n && owed === 0n && administered === 0n ? [] : [movement];
  });
}

/** Returns the treasury accounts of now, and those that the program took for them when it executed these calls. */
function rolesOf(
  { instructions }: ChainTransaction,
  calls: ProgramCall[],
  treasury: TreasuryAccounts | undefined,
): Map<Address, TreasuryRole> {
  const roles = new Map<Address, TreasuryRole>();
  const add = (accounts: Pick<TradeAccounts, 'treasuryUsdc' | 'treasuryGold' | 'feeUsdc'>) => {
    roles.set(accounts.treasuryUsdc, 'treasury_usdc');
    roles.set(accounts.treasuryGold, 'treasury_gold');
    roles.set(accounts.feeUsdc, 'fee_usdc');
  };
  for (const { at, kind, trade } of calls) {
    const instruction = instructions[at];
    const purchase = kind === PARTNER_PURCHASE_DISCRIMINATOR;
    const sale = kind === PARTNER_SALE_DISCRIMINATOR;
    const accounts =
      trade ??
      ((purchase || sale) && instruction && readVaultAccounts(instruction, purchase ? 'buy' : 'sell'));
    if (accounts) add(accounts);
  }
  if (treasury) {
    add(treasury);
    roles.set(treasury.escrowGold, 'escrow_gold');
  }
  return roles;
}

/** Returns what the program moved for calls of some kinds, by token account. */
function movedBy(
  kinds: ReadonlySet<number>,
  { instructions }: ChainTransaction,
  calls: ProgramCall[],
): Map<Address, bigint> {
  const moved = new Map<Address, bigint>();
  const add = (account: Address, amount: bigint) => moved.set(account, (moved.get(account) ?? 0n) + amount);
  for (const { at, kind } of calls) {
    if (!kinds.has(kind)) continue;
    for (const { source, target, amount } of transfersOf(instructions, at)) {
      if (source !== undefined) add(source, -amount);
      if (target !== undefined) add(target, amount);
    }
  }
  return moved;
}

import type { Context } from '../context.js';
import { insertDeadLetter } from '../db/dead-letters.js';
import { forgetHouseMovements } from '../db/house-movements.js';
import {
  type LandedOperatorTransaction,
  markOperatorTransactionsFinalized,
} from '../db/landed-operator-transactions.js';
import type { Uuid } from '../domain/ids.js';

/** Notes that these operator transactions can no longer be undone by the chain. */
export async function finalizeOperatorTransactions(ctx: Context, ids: Uuid[]): Promise<void> {
  if (ids.length > 0) await ctx.db.transaction((tx) => markOperatorTransactionsFinalized(tx, ids));
}

/**
 * Tells the operators that the chain does not carry a transaction of theirs as it was recorded: it dropped it
 * (`vanished`), or had it fail where it succeeded before, or the other way round (`conflicting_record`). The row stays:
 * whether to do it again is for people to say.
 */
export async function reportOperatorTransaction(
  ctx: Context,
  row: LandedOperatorTransaction,
  reason: 'vanished' | 'conflicting_record',
): Promise<void> {
  const { id, kind, status, redemptionId, amount, txSignature: signature, slot } = row;
  const detail = {
    operator_transaction_id: id,
    kind,
    status,
    redemption_id: redemptionId,
    amount: amount?.toString() ?? null,
  };
  const at = new Date(ctx.clock.now());
  await ctx.db.transaction(async (tx) => {
    await insertDeadLetter(tx, { signature, slot, reason, detail }, at);
    if (reason === 'vanished') await forgetHouseMovements(tx, signature);
  });
}

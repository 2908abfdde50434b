import { findLandingAgain, type Landing, responseOf } from '../../chain/node/landing.js';
import type { Context } from '../../context.js';
import {
  findRevocableOperatorTransactions,
  type LandedOperatorTransaction,
  takeBackOperatorTransaction,
} from '../../db/approvals/operator-transactions.js';
import { findSeenChain } from '../../db/indexing/indexer-rounds.js';
import type { TxSignature } from '../../domain/solana.js';
import { type AppError, notAllowed } from '../../errors.js';
import { recordChange } from '../audit.js';
import type { ChangeTx } from '../change.js';

/**
 * Operator transactions that were carried out by a transaction which the chain dropped and can no longer take: making
 * them again does nothing twice. None where the indexer has seen it final since, or where the chain refused it. Throws
 * `transition_not_allowed` as long as the node does not say so of the finalized chain, `service_unavailable` when it is
 * silent.
 */
export async function findDroppedOperatorTransactions(
  ctx: Context,
  signature: TxSignature,
): Promise<LandedOperatorTransaction[]> {
  const rows = await findRevocableOperatorTransactions(ctx.db, signature);
  const seen = await findSeenChain(ctx.db);
  const dropped: LandedOperatorTransaction[] = [];
  for (const row of rows) {
    const { slot, lastValidBlockHeight } = row;
    const landing = await responseOf(
      findLandingAgain(ctx.chain, { txHash: signature, lastValidBlockHeight, slot }, seen?.slot ?? 0n),
    );
    if (landing.kind === 'expired') dropped.push(row);
    else if (landing.kind !== 'failed') throw notGone(signature, landing);
  }
  return dropped;
}

function notGone(signature: TxSignature, { kind }: Landing): AppError {
  const message =
    kind === 'confirmed'
      ? `The node knows the transaction ${signature} after all; check again once it is final.`
      : `It is not certain yet that the transaction ${signature} can no longer land; try again in a few minutes.`;
  return notAllowed(message);
}

/**
 * Moves what the chain dropped from `confirmed` to `expired`, so that it can be requested again, each with a row of the
 * audit log. Throws `transition_not_allowed` for one that is settled by now.
 */
export async function takeBackDropped(
  { tx, by, at }: ChangeTx,
  dropped: LandedOperatorTransaction[],
  reason: string,
): Promise<void> {
  for (const row of dropped) {
    if (!(await takeBackOperatorTransaction(tx, row, at))) {
      throw notAllowed('The transaction was settled in the meantime; check it again.');
    }
    const { id, kind, redemptionId, partnerId, txSignature } = row;
    const shown = { kind, redemption_id: redemptionId, partner_id: partnerId, tx_hash: txSignature };
    const change = {
      action: 'operator_transaction.expire' as const,
      objectType: 'operator_transaction',
      objectId: id,
      before: { ...shown, status: 'confirmed' },
      after: { ...shown, status: 'expired' },
      reason,
    };
    await recordChange(tx, by, change, at);
  }
}

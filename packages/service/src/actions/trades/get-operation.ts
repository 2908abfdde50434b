import type { Context } from '../../context.js';
import { findRedemption } from '../../db/redemptions/redemptions.js';
import { type Operation, submittedOperation } from '../../db/trades/operation.js';
import { findSubmission } from '../../db/trades/submissions.js';
import { findTrade } from '../../db/trades/trades.js';
import { asRedemptionId, asTradeId, type RedemptionId, type TradeId } from '../../domain/ids.js';
import { requireOwn } from '../../domain/ownership.js';
import type { Principal } from '../../domain/principal.js';
import { isVisible } from '../../domain/redemption.js';
import { AppError } from '../../errors.js';

/**
 * Returns where the transaction of a trade or of a redemption is: what the chain made of it, else what was sent. Throws
 * `trade_not_found` or `redemption_not_found` for what is no id, and `partner_mismatch`.
 */
export async function getOperation(
  ctx: Pick<Context, 'db'>,
  principal: Principal,
  text: string,
): Promise<Operation> {
  const tradeId = asTradeId(text);
  if (tradeId) return getTradeOperation(ctx, principal, tradeId);
  const redemptionId = asRedemptionId(text);
  if (redemptionId) return getRedemptionOperation(ctx, principal, redemptionId);
  if (text.startsWith('red_'))
    throw new AppError('redemption_not_found', 'This is not the id of a redemption.');
  throw new AppError('trade_not_found', 'This is the id neither of a trade nor of a redemption.');
}

async function getTradeOperation(
  { db }: Pick<Context, 'db'>,
  principal: Principal,
  id: TradeId,
): Promise<Operation> {
  const [submission, trade] = await Promise.all([findSubmission(db, id), findTrade(db, id)]);
  const owned = trade ?? submission;
  if (!owned) return unknown(id);
  requireOwn(principal, owned, 'trade');
  const sent = submission ? submittedOperation(submission) : unknown(id);
  if (!trade) return sent;
  const { side, txSignature } = trade;
  return { ...sent, kind: side, status: landedStatus(trade), txSignature, failure: trade, trade };
}

async function getRedemptionOperation(
  { db }: Pick<Context, 'db'>,
  principal: Principal,
  id: RedemptionId,
): Promise<Operation> {
  const [submission, redemption] = await Promise.all([findSubmission(db, id), findRedemption(db, id)]);
  const owned = redemption ?? submission;
  if (!owned) return { ...unknown(id), kind: 'redemption' };
  requireOwn(principal, owned, 'redemption');
  const sent = submission ? submittedOperation(submission) : { ...unknown(id), kind: 'redemption' as const };
  // The quote of one that was sent is deleted only after it has lapsed.
  if (!redemption || redemption.status === 'lapsed') return { ...sent, status: 'expired' };
  const { status, txSignature } = redemption;
  if (!isVisible(status)) return sent;
  const record = { ...redemption, status };
  return { ...sent, status: landedStatus(redemption), txSignature, failure: record, redemption: record };
}

function landedStatus({ status, finalized }: { status: string; finalized: boolean }): Operation['status'] {
  if (status === 'failed') return 'failed';
  return finalized ? 'finalized' : 'confirmed';
}

function unknown(id: TradeId | RedemptionId): Operation {
  return { id, kind: null, status: 'unknown', txSignature: null, failure: undefined, expiresAt: null };
}

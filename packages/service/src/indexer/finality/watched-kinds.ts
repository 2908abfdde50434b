import {
  dropRow,
  type RewritableRows,
  reportRow,
  rewriteRow,
  type SeenRow,
} from '../../actions/indexing/correct-record.js';
import { movedBy, recordTrades } from '../../actions/trades/record-trade.js';
import type { SeenTransaction } from '../../chain/node/absence.js';
import {
  findLandedOperatorTransaction,
  type LandedOperatorTransaction,
} from '../../db/approvals/operator-transactions.js';
import { uncountVelocity } from '../../db/limits/velocity.js';
import { findSettledOrder, type SettledOrder, takeBackOrder } from '../../db/orders/landed-orders.js';
import { findLandedRedemption, type LandedRedemption } from '../../db/redemptions/redemptions.js';
import { orders, trades } from '../../db/schema.js';
import { deleteTrade, findTrade, type Trade } from '../../db/trades/trades.js';
import { prefixedId } from '../../domain/ids.js';
import { keepTradeEvents, tradeEvent } from '../../partner-events.js';
import type { WatchedKind } from './finality.js';

/** A trade that the chain dropped is removed; one in another block is written again from there. */
export const tradeRows: RewritableRows<Trade> = {
  kind: 'trade',
  table: trades,
  async takeBack(tx, row) {
    if (!(await deleteTrade(tx, row))) return false;
    await keepTradeEvents(tx, row);
    await uncountVelocity(tx, movedBy(row), row.createdAt);
    return true;
  },
  reverted: (row) => [tradeEvent('trade.reverted', row)],
};
const tradeKind: WatchedKind<Trade> = {
  kind: 'trade',
  isOfItsBlock: true,
  find: (db, id) => findTrade(db, prefixedId('trd', id)),
  async correct(ctx, row, read) {
    const record = await read();
    if (!record) return;
    if (record.trade?.id === row.id) return rewriteRow(ctx, tradeRows, row, record);
    // The transaction does not hold the trade any more.
    const detail = { trade_id: row.id, status: row.status, found: record.trade?.id ?? null };
    await reportRow(ctx, row, 'conflicting_record', detail);
  },
  drop(ctx, row) {
    const { id, side, status, usdcAmount, goldAmount, partnerId, userId } = row;
    return dropRow(ctx, tradeRows, row, {
      trade_id: id,
      side,
      status,
      usdc: usdcAmount.toString(),
      gold: goldAmount.toString(),
      partner_id: partnerId,
      user_id: userId,
    });
  },
};

/** An order that the chain dropped waits again, and a movement without an order is removed. */
const orderRows: RewritableRows<SettledOrder> = {
  kind: 'order',
  table: orders,
  takeBack: takeBackOrder,
};
const orderKind: WatchedKind<SettledOrder> = {
  kind: 'order',
  isOfItsBlock: true,
  find: findSettledOrder,
  async correct(ctx, row, read) {
    const record = await read();
    if (record) await rewriteRow(ctx, orderRows, row, record);
  },
  drop(ctx, row) {
    const { id, kind, status, partnerId, executedGold, executedUsdc } = row;
    return dropRow(ctx, orderRows, row, {
      order_id: id,
      kind,
      status,
      partner_id: partnerId,
      gold: executedGold?.toString() ?? null,
      usdc: executedUsdc?.toString() ?? null,
    });
  },
};

const reportedRedemption = reported<LandedRedemption>({
  kind: 'redemption',
  find: (db, id) => findLandedRedemption(db, prefixedId('red', id)),
  detailOf: ({ id, status, tokensRequired }) => ({
    redemption_id: id,
    status,
    tokens: tokensRequired.toString(),
  }),
});

/**
 * A redemption is never taken back: what the chain drops after having confirmed it is for the operators, who see a dead
 * letter. A payment is the same whichever block it is in. One that was said to have failed, and did not, is recorded.
 */
const redemptionKind: WatchedKind<LandedRedemption> = {
  ...reportedRedemption,
  async correct(ctx, row, read) {
    const hasFailed = row.status === 'failed';
    const record = hasFailed ? await read() : undefined;
    if (hasFailed && !record) return;
    if (record?.redemption?.id !== row.id) return reportedRedemption.correct(ctx, row, read);
    await recordTrades(ctx, { records: [record], cursors: [] });
  },
};

/** What becomes of an operator transaction that the chain dropped is for people to say. */
const operatorTransactionKind = reported<LandedOperatorTransaction>({
  kind: 'operator_transaction',
  find: findLandedOperatorTransaction,
  detailOf: ({ id, kind, status, redemptionId, amount }) => ({
    operator_transaction_id: id,
    kind,
    status,
    redemption_id: redemptionId,
    amount: amount?.toString() ?? null,
  }),
});

/** A kind whose rows stay as they are, and are reported. */
function reported<Row extends SeenRow>({
  detailOf,
  ...kind
}: Pick<WatchedKind<Row>, 'kind' | 'find'> & {
  detailOf(row: Row): Record<string, unknown>;
}): WatchedKind<Row> {
  return {
    ...kind,
    isOfItsBlock: false,
    correct: (ctx, row) => reportRow(ctx, row, 'conflicting_record', detailOf(row)),
    drop: (ctx, row) => reportRow(ctx, row, 'vanished', detailOf(row)),
  };
}

export const watchedKinds: readonly WatchedKind<SeenTransaction>[] = [
  tradeKind,
  redemptionKind,
  orderKind,
  operatorTransactionKind,
];

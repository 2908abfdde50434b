import {
  dropRow,
  type RewritableRows,
  reportRow,
  rewriteRow,
} from '../../actions/indexing/correct-record.js';
import { movedBy } from '../../actions/trades/record-trade.js';
import type { Status } from '../../chain/node/statuses.js';
import type { LandedOperatorTransaction } from '../../db/approvals/operator-transactions.js';
import { uncountVelocity } from '../../db/limits/velocity.js';
import { type SettledOrder, takeBackOrder } from '../../db/orders/landed-orders.js';
import type { LandedRedemption } from '../../db/redemptions/redemptions.js';
import { operatorTransactions, orders, redemptions, trades } from '../../db/schema.js';
import { deleteTrade, type Trade } from '../../db/trades/trades.js';
import { tradeEvent } from '../../partner-events.js';
import type { Watched, WatchedKind } from './finality.js';

/** A trade that the chain dropped is removed; one in another block is written again from there. */
export const tradeRows: RewritableRows<Trade> = {
  table: trades,
  async takeBack(tx, row) {
    if (!(await deleteTrade(tx, row))) return false;
    await uncountVelocity(tx, movedBy(row), row.createdAt);
    return true;
  },
  reverted: (row) => [tradeEvent('trade.reverted', row)],
};
const tradeKind: WatchedKind<Trade> = {
  name: 'trade',
  table: trades,
  isAsRecorded: (row, status) =>
    status.slot === row.slot && succeeded(status) === (row.status === 'confirmed'),
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
const orderRows: RewritableRows<SettledOrder> = { table: orders, takeBack: takeBackOrder };
const orderKind: WatchedKind<SettledOrder> = {
  name: 'order',
  table: orders,
  isAsRecorded: (row, status) =>
    status.slot === row.slot && succeeded(status) === (row.status === 'confirmed'),
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

/**
 * A redemption is never taken back: what the chain drops after having confirmed it is for the operators, who see a dead
 * letter. A payment is the same whichever block it is in.
 */
const redemptionKind = reported<LandedRedemption>({
  name: 'redemption',
  table: redemptions,
  isAsRecorded: (row, status) => succeeded(status) === (row.status !== 'failed'),
  detailOf: ({ id, status, tokensRequired }) => ({
    redemption_id: id,
    status,
    tokens: tokensRequired.toString(),
  }),
});

/** What becomes of an operator transaction that the chain dropped is for people to say. */
const operatorTransactionKind = reported<LandedOperatorTransaction>({
  name: 'operator_transaction',
  table: operatorTransactions,
  isAsRecorded: (row, status) => succeeded(status) === (row.status === 'confirmed'),
  detailOf: ({ id, kind, status, redemptionId, amount }) => ({
    operator_transaction_id: id,
    kind,
    status,
    redemption_id: redemptionId,
    amount: amount?.toString() ?? null,
  }),
});

/** A kind whose rows stay as they are, and are reported. */
function reported<Row extends Watched>({
  detailOf,
  ...kind
}: Pick<WatchedKind<Row>, 'name' | 'table' | 'isAsRecorded'> & {
  detailOf(row: Row): Record<string, unknown>;
}): WatchedKind<Row> {
  return {
    ...kind,
    correct: (ctx, row) => reportRow(ctx, row, 'conflicting_record', detailOf(row)),
    drop: (ctx, row) => reportRow(ctx, row, 'vanished', detailOf(row)),
  };
}

export const watchedKinds: readonly WatchedKind<Watched>[] = [
  tradeKind,
  redemptionKind,
  orderKind,
  operatorTransactionKind,
];

function succeeded({ err }: Status): boolean {
  return err === null;
}

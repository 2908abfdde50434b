import {
  finalizeOperatorTransactions,
  reportOperatorTransaction,
} from '../actions/finalize-operator-transactions.js';
import { finalizeOrders, replaceOrder, takeBackVanishedOrder } from '../actions/settle-order.js';
import { finalizeRedemptions, reportRedemption } from '../actions/settle-redemption.js';
import { finalizeTrades, removeVanishedTrade, replaceTrade } from '../actions/settle-trade.js';
import type { Status } from '../chain/statuses.js';
import { postponeChecks } from '../db/finality.js';
import {
  findUnfinalizedOperatorTransactions,
  type LandedOperatorTransaction,
} from '../db/landed-operator-transactions.js';
import { findUnfinalizedOrders, type SettledOrder } from '../db/landed-orders.js';
import { findUnfinalizedRedemptions, type LandedRedemption } from '../db/redemptions.js';
import { operatorTransactions, orders, redemptions, trades } from '../db/schema.js';
import { findUnfinalizedTrades, type Trade } from '../db/trades.js';
import type { Watched, WatchedKind } from './finality.js';

/** A trade that the chain dropped is removed; one in another block is written again from there. */
const tradeKind: WatchedKind<Trade> = {
  name: 'trade',
  due: (ctx, checks) => findUnfinalizedTrades(ctx.db, checks),
  postpone: (tx, rows, until) => postponeChecks(tx, trades, idsOf(rows), until),
  isAsRecorded: (row, status) =>
    status.slot === row.slot && succeeded(status) === (row.status === 'confirmed'),
  finalize: (ctx, rows) => finalizeTrades(ctx, idsOf(rows)),
  async correct(ctx, row, read) {
    const record = await read();
    if (record) await replaceTrade(ctx, row, record);
  },
  drop: removeVanishedTrade,
};

/**
 * A redemption is never taken back: what the chain drops after having confirmed it is for the operators, who see a dead
 * letter. Which block carries a payment changes nothing about it.
 */
const redemptionKind: WatchedKind<LandedRedemption> = {
  name: 'redemption',
  due: (ctx, checks) => findUnfinalizedRedemptions(ctx.db, checks),
  postpone: (tx, rows, until) => postponeChecks(tx, redemptions, idsOf(rows), until),
  isAsRecorded: (row, status) => succeeded(status) === (row.status !== 'failed'),
  finalize: (ctx, rows) => finalizeRedemptions(ctx, idsOf(rows)),
  correct: (ctx, row) => reportRedemption(ctx, row, 'conflicting_record'),
  drop: (ctx, row) => reportRedemption(ctx, row, 'vanished'),
};

/** An order that the chain dropped waits again, and a movement without an order is removed. */
const orderKind: WatchedKind<SettledOrder> = {
  name: 'order',
  due: (ctx, checks) => findUnfinalizedOrders(ctx.db, checks),
  postpone: (tx, rows, until) => postponeChecks(tx, orders, idsOf(rows), until),
  isAsRecorded: (row, status) =>
    status.slot === row.slot && succeeded(status) === (row.status === 'confirmed'),
  finalize: (ctx, rows) => finalizeOrders(ctx, idsOf(rows)),
  async correct(ctx, row, read) {
    const record = await read();
    if (record) await replaceOrder(ctx, row, record);
  },
  drop: takeBackVanishedOrder,
};

/** What becomes of an operator transaction that the chain dropped is for people to say. */
const operatorTransactionKind: WatchedKind<LandedOperatorTransaction> = {
  name: 'operator_transaction',
  due: (ctx, checks) => findUnfinalizedOperatorTransactions(ctx.db, checks),
  postpone: (tx, rows, until) => postponeChecks(tx, operatorTransactions, idsOf(rows), until),
  isAsRecorded: (row, status) => succeeded(status) === (row.status === 'confirmed'),
  finalize: (ctx, rows) => finalizeOperatorTransactions(ctx, idsOf(rows)),
  correct: (ctx, row) => reportOperatorTransaction(ctx, row, 'conflicting_record'),
  drop: (ctx, row) => reportOperatorTransaction(ctx, row, 'vanished'),
};

/** Every kind of record that is watched until it is final. */
export const watchedKinds: readonly WatchedKind<Watched>[] = [
  tradeKind,
  redemptionKind,
  orderKind,
  operatorTransactionKind,
];

function idsOf<Row extends Watched>(rows: Row[]): Row['id'][] {
  return rows.map(({ id }) => id);
}

function succeeded({ err }: Status): boolean {
  return err === null;
}

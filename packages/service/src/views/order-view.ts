import { Type } from '@fastify/type-provider-typebox';
import type { NewOrder, Order } from '../db/orders/orders.js';
import { orderStatuses, vaultTokens } from '../domain/order.js';
import { storedPriceOrNull } from '../domain/quote.js';
import { failureNamesOf } from './failure-view.js';
import { orderField as field, recordParts } from './order-fields.js';
import { choice, Nullable, titled } from './schemas.js';
import { viewOf } from './view.js';

/** What the record of a trade ends with. */
const tradeParts = (executedUsdc: typeof field.executedCost) => ({
  quotedGoldPrice: Nullable(Type.Number(), field.quotedGoldPrice),
  executedGoldAmount: Nullable(Type.Number(), field.executedGoldAmount),
  executedUsdcAmount: Nullable(Type.Number(), executedUsdc),
  executedGoldPrice: Nullable(Type.Number(), field.executedGoldPrice),
  feeUsdcAmount: Nullable(Type.Number(), field.feeUsdcAmount),
  ...recordParts,
});

/** A purchase of a vault, as its partner sees it. */
export const Purchase = titled('Purchase', {
  purchaseId: Type.String(field.purchaseId),
  status: choice(orderStatuses, field.status),
  goldAmount: Type.Number(field.goldAmount),
  quoteUsdcAmount: Nullable(Type.Number(), field.quotedCost),
  maxUsdcAmount: Type.Number(field.maxUsdcAmount),
  ...tradeParts(field.executedCost),
});

/** A sale of a vault. */
export const Sale = titled('Sale', {
  sellId: Type.String(field.sellId),
  status: choice(orderStatuses, field.status),
  goldAmount: Type.Number(field.goldAmount),
  quoteUsdcAmount: Nullable(Type.Number(), field.quotedProceeds),
  minimumUsdcAmount: Type.Number(field.minimumUsdcAmount),
  ...tradeParts(field.executedProceeds),
});

export const TokenType = choice(vaultTokens, { ...field.tokenType, description: '`usdc` or `gold`.' });

/** A withdrawal from a vault. */
export const WithdrawalView = titled('Withdrawal', {
  withdrawalId: Type.String(field.withdrawalId),
  status: choice(orderStatuses, field.status),
  amount: Type.Number(field.amount),
  tokenType: TokenType,
  destination: Type.String(field.destination),
  executedAmount: Nullable(Type.Number(), field.executedAmount),
  ...recordParts,
});

const purchaseView = viewOf(Purchase);
const saleView = viewOf(Sale);
const withdrawalView = viewOf(WithdrawalView);

export const toPurchaseView = (order: Order) => purchaseView(recordColumns(order));
export const toSaleView = (order: Order) => saleView(recordColumns(order));

/** A purchase and a sale call the same columns by different names. */
export function commonColumns({ id, goldAmount, usdcLimit }: Pick<Order, 'id' | 'goldAmount' | 'usdcLimit'>) {
  const limit = usdcLimit ?? 0n;
  const names = { purchaseId: id, maxUsdcAmount: limit, sellId: id, minimumUsdcAmount: limit };
  return { goldAmount: goldAmount ?? 0n, ...names };
}

function recordColumns(order: Order) {
  return {
    ...order,
    ...commonColumns(order),
    quoteUsdcAmount: order.usdcAmount,
    quotedGoldPrice: storedPriceOrNull(order.quotedPrice),
    executedGoldAmount: order.executedGold,
    executedUsdcAmount: order.executedUsdc,
    executedGoldPrice: storedPriceOrNull(order.executedPrice),
    feeUsdcAmount: order.feeUsdc,
    signature: order.txSignature,
    ...failureNamesOf(order),
  };
}

/** What a withdrawal moves. */
export function movedColumns({
  token,
  goldAmount,
  usdcAmount,
}: Pick<NewOrder, 'token' | 'goldAmount' | 'usdcAmount'>) {
  return { amount: (token === 'gold' ? goldAmount : usdcAmount) ?? 0n, tokenType: token ?? 'usdc' };
}

export function toWithdrawalView(order: Order) {
  return withdrawalView({
    ...order,
    ...movedColumns(order),
    withdrawalId: order.id,
    destination: order.destination ?? '',
    executedAmount: order.token === 'gold' ? order.executedGold : order.executedUsdc,
    signature: order.txSignature,
    ...failureNamesOf(order),
  });
}

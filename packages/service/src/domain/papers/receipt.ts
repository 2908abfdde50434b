import type { RedemptionId, TradeId, Uuid } from '../ids.js';

/** The form of what is signed of a receipt. It has room in a QR code. */
export const receiptFormat = 'karat.receipt/1';

interface ReceiptHead {
  format: typeof receiptFormat;
  issued_at: string;
  partner_id: Uuid;
  partner_name: string;
  tx_hash: string;
}

/** The receipt of a customer's trade that is final. Amounts are decimals. */
export interface TradeReceipt extends ReceiptHead {
  kind: 'trade';
  trade_id: TradeId;
  side: 'buy' | 'sell';
  at: string;
  /** The partner's own id of the customer. */
  user_id: string;
  wallet: string;
  gold: string;
  usdc: string;
  fee_usd: string;
  price_per_troy_oz: string;
}

/** The receipt of a hand-over. Names of persons are not in it: what is signed may be shown to anyone who has the paper. */
export interface RedemptionReceipt extends ReceiptHead {
  kind: 'redemption';
  redemption_id: RedemptionId;
  wallet: string;
  denomination: string;
  weight_g: string;
  city: string;
  bar: { refiner: string; serial: string; fineness: string; weight_g: string } | null;
  /** GOLD that the customer paid, the fee included. */
  gold: string;
  gold_value_usd: string;
  fee_usd: string;
  paid_at: string;
  collected_at: string;
}

export type SignedReceipt = TradeReceipt | RedemptionReceipt;

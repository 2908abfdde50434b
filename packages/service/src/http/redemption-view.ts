import { Type } from '@fastify/type-provider-typebox';
import type { VisibleRedemption } from '../db/redemptions.js';
import { amountNumber, formatFixed, tokenDecimals } from '../domain/money.js';
import { storedPriceNumber } from '../domain/quote.js';
import { visibleRedemptionStatuses } from '../domain/redemption.js';
import { field } from './partner/fields.js';
import { choice, Nullable } from './schemas.js';

export const RedemptionStatusName = choice(visibleRedemptionStatuses, field.redemptionStatus);

/** The dollars of a redemption, and the tokens that it costs. */
export const redemptionFigures = {
  spot_price_usd: Type.Number(field.spotPriceUsd),
  gold_value_usd: Type.Number(field.goldValueUsd),
  fee_usd: Type.Number(field.redemptionFeeUsd),
  total_usd: Type.Number(field.totalUsd),
  tokens_required: Type.String(field.tokensRequired),
};

/** A redemption as lists show it, to partners and to operators. */
export const redemptionShape = {
  redemption_id: Type.String(field.redemptionId),
  status: RedemptionStatusName,
  denomination: Type.String(field.denomination),
  weight_g: Type.Number(field.weightG),
  city: Type.String(field.city),
  quote: Type.Object(redemptionFigures),
  submitted_tx_hash: Nullable(Type.String(), field.txHash),
  created_at: Type.String(field.createdAt),
  updated_at: Type.String(field.updatedAt),
};

type Figures = Pick<
  VisibleRedemption,
  'spotPriceUsd' | 'goldValueUsd' | 'feeUsd' | 'totalUsd' | 'tokensRequired'
>;

export function toFiguresView({ spotPriceUsd, goldValueUsd, feeUsd, totalUsd, tokensRequired }: Figures) {
  return {
    spot_price_usd: storedPriceNumber(spotPriceUsd),
    gold_value_usd: amountNumber(goldValueUsd),
    fee_usd: amountNumber(feeUsd),
    total_usd: amountNumber(totalUsd),
    tokens_required: formatFixed(tokensRequired, tokenDecimals),
  };
}

export function toRedemptionView(redemption: VisibleRedemption) {
  return {
    redemption_id: redemption.id,
    status: redemption.status,
    denomination: redemption.denomination,
    weight_g: Number(redemption.weightG),
    city: redemption.city,
    quote: toFiguresView(redemption),
    submitted_tx_hash: redemption.txSignature,
    created_at: redemption.createdAt.toISOString(),
    updated_at: redemption.updatedAt.toISOString(),
  };
}

import { Type } from '@fastify/type-provider-typebox';
import type { VisibleRedemption } from '../../db/redemptions/redemptions.js';
import { decimalNumber, formatFixed, tokenDecimals } from '../../domain/money.js';
import { storedPriceNumber } from '../../domain/quote.js';
import { visibleRedemptionStatuses } from '../../domain/redemption.js';
import { field } from '../partner/fields.js';
import { choice, Nullable, titled } from '../server/schemas.js';
import { viewOf } from '../server/view.js';
import { failureParts, failureShape } from './failure-view.js';

export const RedemptionStatusName = choice(visibleRedemptionStatuses, field.redemptionStatus);

/** The dollars of a redemption, and the tokens that it costs. */
export const redemptionFigures = {
  spot_price_usd: Type.Number(field.spotPriceUsd),
  gold_value_usd: Type.Number(field.goldValueUsd),
  fee_usd: Type.Number(field.redemptionFeeUsd),
  total_usd: Type.Number(field.totalUsd),
  tokens_required: Type.String(field.tokensRequired),
};

const FiguresView = titled('RedemptionFigures', redemptionFigures);

/** A redemption as lists show it, to partners and to operators. */
export const redemptionShape = {
  redemption_id: Type.String(field.redemptionId),
  status: RedemptionStatusName,
  denomination: Type.String(field.denomination),
  weight_g: Type.Number(field.weightG),
  city: Type.String(field.city),
  quote: FiguresView,
  submitted_tx_hash: Nullable(Type.String(), field.txHash),
  ...failureShape,
  created_at: Type.String(field.createdAt),
  updated_at: Type.String(field.updatedAt),
};

/** A redemption as it is shown to its partner. */
export const RedemptionView = titled('RedemptionWithFigures', {
  ...redemptionShape,
  cancellation_reason: Nullable(Type.String(), { ...field.reason, examples: [null] }),
});

/** The single record alone has the code: no list, no event, no webhook. */
export const OwnRedemptionView = titled('RedemptionWithCode', {
  ...RedemptionView.properties,
  pickup_code: Type.Optional(Type.String(field.pickupCode)),
});

type Figures = Pick<
  VisibleRedemption,
  'spotPriceUsd' | 'goldValueUsd' | 'feeUsd' | 'totalUsd' | 'tokensRequired'
>;

const figuresView = viewOf(FiguresView);

export function toFiguresView(figures: Figures) {
  return figuresView({
    ...figures,
    spotPriceUsd: storedPriceNumber(figures.spotPriceUsd),
    tokensRequired: formatFixed(figures.tokensRequired, tokenDecimals),
  });
}

export function redemptionParts(redemption: VisibleRedemption) {
  return {
    ...redemption,
    redemptionId: redemption.id,
    weightG: decimalNumber(redemption.weightG),
    quote: toFiguresView(redemption),
    submittedTxHash: redemption.txSignature,
    ...failureParts(redemption),
  };
}

const redemptionView = viewOf(RedemptionView);

export const toRedemptionView = (redemption: VisibleRedemption) =>
  redemptionView(redemptionParts(redemption));

const ownRedemptionView = viewOf(OwnRedemptionView);

/** The record of a redemption as a GET of its partner returns it. */
export const toOwnRedemptionView = (redemption: VisibleRedemption, pickupCode: string | undefined) =>
  ownRedemptionView({ ...redemptionParts(redemption), pickupCode });

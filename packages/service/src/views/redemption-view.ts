import { Type } from '@fastify/type-provider-typebox';
import type { CollectedBar } from '../db/bars/find-collected-bar.js';
import type { VisibleRedemption } from '../db/redemptions/redemptions.js';
import { decimalNumber, formatFixed, tokenDecimals } from '../domain/money.js';
import { qrTextOf } from '../domain/pickup-code.js';
import { storedPriceNumber } from '../domain/quote.js';
import { visibleRedemptionStatuses } from '../domain/redemption.js';
import { failureParts, failureShape } from './failure-view.js';
import { about, field } from './fields.js';
import { choice, Nullable, titled } from './schemas.js';
import { viewOf } from './view.js';

export const RedemptionStatusName = choice(visibleRedemptionStatuses, field.redemptionStatus);

/** The dollars of a redemption, and the tokens that it costs. */
export const redemptionFigures = {
  spot_price_usd: Type.Number(field.spotPriceUsd),
  gold_value_usd: Type.Number(field.goldValueUsd),
  fee_usd: Type.Number(field.redemptionFeeUsd),
  total_usd: Type.Number(field.totalUsd),
  tokens_required: Type.String(field.tokensRequired),
};

export const FiguresView = titled('RedemptionFigures', redemptionFigures);

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

const CollectedBarView = titled('CollectedBar', {
  refiner: Type.String(about('Refiner stamped on the bar.', 'Valcambi')),
  serial: Type.String(about('Serial number stamped on the bar.', 'AA123456')),
  weight_g: Type.Number(about('Gross weight in grams.', 11.6638)),
  fineness: Type.Number(about('Parts of gold per thousand.', 999.9)),
  proof: Nullable(
    Type.String(),
    about(
      'Path of the proof that the bar was in the reserve, from the last statement that lists it; null when no statement was made while it was held.',
      '/v1/reserves/statements/rs_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10/proof?refiner=Valcambi&serial=AA123456',
    ),
  ),
  left: Nullable(
    Type.String(),
    about(
      'Path of the list of bars in the first statement after the bar was collected, which no longer contains it; null until that statement is made.',
      '/v1/reserves/statements/rs_019ca945-0a00-7c3e-9d61-4b8f2a7e5c11/bars',
    ),
  ),
});

/** Only the single record has the code and the bar, not lists, events or webhooks. */
export const OwnRedemptionView = titled('RedemptionWithCode', {
  ...RedemptionView.properties,
  pickup_code: Type.Optional(Type.String(field.pickupCode)),
  pickup_qr: Type.Optional(Type.String(field.pickupQr)),
  bar: Type.Optional(CollectedBarView),
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
export const toOwnRedemptionView = (
  redemption: VisibleRedemption,
  { pickupCode, bar }: { pickupCode: string | undefined; bar: CollectedBar | undefined },
) =>
  ownRedemptionView({
    ...redemptionParts(redemption),
    pickupCode,
    pickupQr: pickupCode && qrTextOf(redemption.id, pickupCode),
    bar: bar && toCollectedBarView(bar),
  });

function toCollectedBarView({ refiner, serial, heldIn, leftIn, ...bar }: CollectedBar) {
  const stamped = new URLSearchParams({ refiner, serial });
  return {
    refiner,
    serial,
    weight_g: decimalNumber(bar.weightG),
    fineness: decimalNumber(bar.fineness),
    proof: heldIn ? `/v1/reserves/statements/${heldIn}/proof?${stamped}` : null,
    left: leftIn ? `/v1/reserves/statements/${leftIn}/bars` : null,
  };
}

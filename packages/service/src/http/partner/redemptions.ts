import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { cancelRedemption } from '../../actions/cancel-redemption.js';
import { getOwnRedemption } from '../../actions/get-redemption.js';
import { type QuotedRedemption, quoteRedemption } from '../../actions/quote-redemption.js';
import type { Settle } from '../../actions/settle-idempotency-key.js';
import { submitRedemption } from '../../actions/submit-redemption.js';
import type { Context } from '../../context.js';
import { findRedemptions, type VisibleRedemption } from '../../db/redemptions.js';
import { isStorable } from '../../domain/encoding.js';
import { asId, type RedemptionId, type Uuid } from '../../domain/ids.js';
import { amountNumber, formatFixed, parseDecimal, tokenDecimals } from '../../domain/money.js';
import { priceNumber } from '../../domain/quote.js';
import { type VisibleRedemptionStatus, visibleRedemptionStatuses } from '../../domain/redemption.js';
import { answerOnce } from '../idempotency.js';
import { type Page, PageQuery, parsePage, readPage } from '../lists.js';
import { Nullable, Reference, Timestamp } from '../schemas.js';

const Status = Type.Unsafe<VisibleRedemptionStatus>({ type: 'string', enum: [...visibleRedemptionStatuses] });

/** The dollars of a redemption, and the tokens that it costs. */
const figures = {
  spot_price_usd: Type.Number(),
  gold_value_usd: Type.Number(),
  fee_usd: Type.Number(),
  total_usd: Type.Number(),
  tokens_required: Type.String(),
};

const listed = {
  redemption_id: Type.String(),
  status: Status,
  denomination: Type.String(),
  weight_g: Type.Number(),
  city: Type.String(),
  quote: Type.Object(figures),
  submitted_tx_hash: Nullable(Type.String()),
  created_at: Timestamp,
  updated_at: Timestamp,
};

const params = Type.Object({ redemption_id: Type.String() });

const quoteSchema = {
  body: Type.Object({ service_user_id: Reference, denomination_id: Reference, city: Reference }),
  response: {
    201: Type.Object({
      redemption_id: Type.String(),
      quote: Type.Object({ denomination: Type.String(), weight_g: Type.Number(), ...figures }),
      partially_signed_transaction: Type.String(),
      expires_at: Timestamp,
      last_valid_block_height: Type.Integer(),
    }),
  },
};

const submitSchema = {
  params,
  body: Type.Object({ signed_tx: Type.String() }),
  response: { 200: Type.Object({ redemption_id: Type.String(), tx_hash: Type.String() }) },
};

/** The body may be left out, hence also null. */
const CancelBody = Type.Unsafe<{ reason?: string } | null>({
  type: ['object', 'null'],
  properties: { reason: { type: 'string', maxLength: 1_000 } },
});

const cancelSchema = {
  params,
  body: CancelBody,
  response: {
    200: Type.Object({ redemption_id: Type.String(), status: Type.Literal('cancellation_requested') }),
  },
};

const getSchema = {
  params,
  response: { 200: Type.Object({ ...listed, cancellation_reason: Nullable(Type.String()) }) },
};

const listSchema = {
  querystring: Type.Object({
    service_user_id: Type.Optional(Type.String()),
    status: Type.Optional(Status),
    city: Type.Optional(Type.String()),
    ...PageQuery,
  }),
  response: {
    200: Type.Object({
      redemptions: Type.Array(Type.Object(listed)),
      next_cursor: Nullable(Type.String()),
    }),
  },
};

const config = { auth: 'partner' } as const;
const writing = { ...config, idempotent: true } as const;

/** Redemptions of tokens for gold that is picked up: quote, broadcast, cancel, get and list. */
export function redemptionRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/v1/redemptions',
      { config: { ...writing, namesUser: true }, schema: quoteSchema },
      async (request, reply) => {
        const { service_user_id: serviceUserId, denomination_id: denominationId, city } = request.body;
        const input = { serviceUserId, denominationId, city };
        const quote = (settle: Settle<QuotedRedemption>) =>
          quoteRedemption(ctx, request.principal, input, settle);
        return answerOnce(reply, 201, quote, toQuoteView);
      },
    );

    app.post('/v1/redemptions/:redemption_id/submit', { config, schema: submitSchema }, async (request) => {
      const input = { redemptionId: request.params.redemption_id, signedTx: request.body.signed_tx };
      const { redemptionId, txHash } = await submitRedemption(ctx, request.principal, input);
      return { redemption_id: redemptionId, tx_hash: txHash };
    });

    app.post(
      '/v1/redemptions/:redemption_id/cancel',
      { config: writing, schema: cancelSchema },
      async (request, reply) => {
        const input = { redemptionId: request.params.redemption_id, reason: request.body?.reason };
        const cancel = (settle: Settle<RedemptionId>) =>
          cancelRedemption(ctx, request.principal, input, settle);
        return answerOnce(reply, 200, cancel, toCancelledView);
      },
    );

    app.get('/v1/redemptions/:redemption_id', { config, schema: getSchema }, async (request) => {
      const redemption = await getOwnRedemption(ctx.db, request.principal, request.params.redemption_id);
      return { ...toListedView(redemption), cancellation_reason: redemption.cancellationReason };
    });

    app.get('/v1/redemptions', { config, schema: listSchema }, async (request) => {
      const page = parsePage(request.query, (id) => asId('red', id) !== undefined);
      const { rows, nextCursor } = await readPage(
        page,
        (wanted) => readList(ctx, request.principal.partnerId, request.query, wanted),
        (redemption) => redemption,
      );
      return { redemptions: rows.map(toListedView), next_cursor: nextCursor };
    });
  };
}

interface ListQuery {
  service_user_id?: string;
  status?: VisibleRedemptionStatus;
  city?: string;
}

/** A filter that names nobody and nowhere leaves nothing over. */
async function readList(
  ctx: Context,
  partnerId: Uuid,
  query: ListQuery,
  page: Page,
): Promise<VisibleRedemption[]> {
  const { service_user_id: user, status, city } = query;
  const userId = user === undefined ? undefined : asId('gu', user);
  if (user !== undefined && userId === undefined) return [];
  if (city !== undefined && !isStorable(city)) return [];
  return findRedemptions(ctx.db, partnerId, { userId, status, city }, page);
}

/** Decimals of the column `spot_price_usd`. */
const priceColumnDecimals = 12;

type Figures = Pick<
  VisibleRedemption,
  'spotPriceUsd' | 'goldValueUsd' | 'feeUsd' | 'totalUsd' | 'tokensRequired'
>;

function toFiguresView({ spotPriceUsd, goldValueUsd, feeUsd, totalUsd, tokensRequired }: Figures) {
  const price = parseDecimal(spotPriceUsd, priceColumnDecimals) ?? 0n;
  return {
    spot_price_usd: priceNumber({ price, exponent: -priceColumnDecimals }),
    gold_value_usd: amountNumber(goldValueUsd),
    fee_usd: amountNumber(feeUsd),
    total_usd: amountNumber(totalUsd),
    tokens_required: formatFixed(tokensRequired, tokenDecimals),
  };
}

function toQuoteView(quoted: QuotedRedemption) {
  return {
    redemption_id: quoted.id,
    quote: {
      denomination: quoted.denomination,
      weight_g: Number(quoted.weightG),
      ...toFiguresView(quoted),
    },
    partially_signed_transaction: Buffer.from(quoted.transaction).toString('base64'),
    expires_at: new Date(quoted.expiresAtMs).toISOString(),
    last_valid_block_height: Number(quoted.lastValidBlockHeight),
  };
}

function toCancelledView(id: RedemptionId) {
  return { redemption_id: id, status: 'cancellation_requested' as const };
}

function toListedView(redemption: VisibleRedemption) {
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

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { cancelRedemption } from '../../actions/redemptions/cancel-redemption.js';
import { getOwnRedemption } from '../../actions/redemptions/get-redemption.js';
import { readPickupCode } from '../../actions/redemptions/pickup-code.js';
import {
  type QuotedRedemption,
  quoteRedemption,
  storeRedemptionQuote,
} from '../../actions/redemptions/quote-redemption.js';
import { submitRedemption } from '../../actions/trades/submit-quote.js';
import type { Context } from '../../context.js';
import { findCollectedBar } from '../../db/bars/find-collected-bar.js';
import { findRedemptions } from '../../db/redemptions/redemptions.js';
import { asRedemptionId, type RedemptionId } from '../../domain/ids.js';
import { toInteger } from '../../domain/integer.js';
import { decimalNumber } from '../../domain/money.js';
import { maxOpenQuotes } from '../../domain/redemption.js';
import { counted } from '../../metrics/counted.js';
import { field } from '../../views/fields.js';
import {
  OwnRedemptionView,
  RedemptionStatusName,
  redemptionFigures,
  redemptionParts,
  redemptionShape,
  toFiguresView,
  toOwnRedemptionView,
} from '../../views/redemption-view.js';
import { reference, titled } from '../../views/schemas.js';
import { viewOf } from '../../views/view.js';
import { callerMay } from '../auth/permission.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { completeOnce } from '../server/idempotency.js';
import { cursorBehind, filterBy, pageOf, pageQuery, readPage, storable } from '../server/lists.js';
import { logOf } from '../server/request-log.js';
import { route } from '../server/route.js';
import { createdFilters, readCreated } from '../server/times.js';
import { reading, trading } from './settings.js';
import { filterByUser, userFilters } from './user-filters.js';

const params = Type.Object({ redemption_id: Type.String(field.redemptionId) });

const quoting = {
  ...trading,
  idempotent: true,
  namesUser: true,
  quotes: ({ redemption_id: id, expires_at: expiresAt }: Record<string, unknown>) => ({
    id: String(id),
    expiresAt: String(expiresAt),
  }),
} as const;
const quoteRoute = route(quoting, {
  operationId: 'quoteRedemption',
  summary: 'Quote a redemption',
  description: `Returns what a bar costs in GOLD, and the transaction that pays for it. Only the service and the user sign it. The redemption can be read once that transaction is confirmed. While redemptions are paused, the response is 503 \`service_unavailable\`; while ${maxOpenQuotes} quotes of the partner can still be submitted, or once the service has paid as much to the network for its transactions within the hour as its terms allow, it is 429 \`rate_limited\`. Repeated with its \`Idempotency-Key\` after it has expired, it is 409 \`idempotency_conflict\` with the reason \`quote_expired\`.`,
  errors: codes(
    'user_not_found',
    'partner_mismatch',
    'kyc_level_insufficient',
    'user_suspended',
    'wallet_not_allowed',
    'invalid_denomination',
    'invalid_city',
    'limit_exceeded',
    'pricing_unavailable',
  ),
  body: Type.Object({
    service_user_id: reference(field.serviceUserId),
    denomination_id: reference(field.denominationId),
    city: reference({
      ...field.city,
      description:
        'City of the pickup, which must be the city of the denomination; upper and lower case are equal.',
    }),
  }),
  response: {
    201: Type.Object({
      redemption_id: Type.String(field.redemptionId),
      quote: Type.Object({
        denomination: Type.String(field.denomination),
        weight_g: Type.Number(field.weightG),
        ...redemptionFigures,
      }),
      partially_signed_transaction: Type.String(field.transaction),
      expires_at: Type.String(field.quoteExpiresAt),
      last_valid_block_height: Type.Integer(field.lastValidBlockHeight),
    }),
  },
});

const submitRoute = route(trading, {
  operationId: 'submitRedemption',
  summary: 'Submit the payment of a redemption',
  description:
    "Sends the quote's transaction, signed by the user, to the chain. Submitting the same bytes again returns the same response, even after they have landed. Nothing is sent for a user who has been suspended since the quote.",
  errors: codes(
    'redemption_not_found',
    'partner_mismatch',
    'broadcast_failed',
    'user_suspended',
    'kyc_level_insufficient',
    'wallet_not_allowed',
    'limit_exceeded',
  ),
  params,
  body: Type.Object({ signed_tx: Type.String(field.signedTransaction) }),
  response: {
    200: Type.Object({
      redemption_id: Type.String(field.redemptionId),
      tx_hash: Type.String(field.txHash),
    }),
  },
});

/** The body may be left out, hence also null. */
const CancelBody = Type.Unsafe<{ reason?: string } | null>({
  type: ['object', 'null'],
  properties: { reason: { ...field.reason, type: 'string', maxLength: 1_000 } },
});

const cancelRoute = route({ ...trading, idempotent: true } as const, {
  operationId: 'cancelRedemption',
  summary: 'Request the cancellation of a redemption',
  description:
    'Possible until preparation begins. The tokens stay in escrow until an operator refunds them. The body may be left out.',
  errors: codes('redemption_not_found', 'partner_mismatch', 'cancellation_not_allowed'),
  params,
  body: CancelBody,
  response: {
    200: Type.Object({
      redemption_id: Type.String(field.redemptionId),
      status: Type.Literal('cancellation_requested'),
    }),
  },
});

const ListedView = titled('Redemption', redemptionShape);
const listedView = viewOf(ListedView);

const getRoute = route(reading, {
  operationId: 'getRedemption',
  summary: 'Get a redemption',
  description:
    'A quote whose payment is not on chain yet is 404. While the redemption is `ready`, it has the `pickup_code` that the customer shows at the counter, and as `pickup_qr` the text of a QR code of it. Once it is `collected`, it has the `bar`, with links to the proof that it was in the reserve, and to the first list without it.',
  errors: codes('redemption_not_found', 'partner_mismatch'),
  params,
  response: {
    200: OwnRedemptionView,
  },
});

const listRoute = route(reading, {
  operationId: 'listRedemptions',
  summary: 'List the redemptions',
  description: 'Newest first, without unpaid quotes. A filter for an unknown value gives an empty list.',
  querystring: pageQuery(
    {
      ...userFilters,
      status: RedemptionStatusName,
      city: Type.String({
        ...field.city,
        description: 'Only those in this city; upper and lower case are equal.',
      }),
      ...createdFilters,
    },
    cursorBehind(field.redemptionId.examples[0] ?? ''),
  ),
  response: { 200: pageOf('redemptions', ListedView) },
});

/** Redemptions of tokens for gold that is picked up: quote, broadcast, cancel, get and list. */
export function redemptionRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'Redemptions');
    app.post('/v1/redemptions', quoteRoute, async (request, reply) => {
      const { principal, body, id: requestId } = request;
      const { service_user_id: serviceUserId, denomination_id: denominationId, city } = body;
      const input = { serviceUserId, denominationId, city };
      const quote = async () => {
        const quoted = await quoteRedemption(ctx, principal, input);
        logOf(request).note({ redemption_id: quoted.id });
        return ctx.db.transaction(async (tx) => {
          await storeRedemptionQuote(ctx, tx, { principal, requestId }, quoted);
          return completeOnce(tx, reply, 201, toQuoteView(quoted));
        });
      };
      return counted(ctx.metrics.quotes, 'redemption', quote());
    });

    app.post('/v1/redemptions/:redemption_id/submit', submitRoute, async (request) => {
      logOf(request).note({ redemption_id: asRedemptionId(request.params.redemption_id) });
      const input = {
        id: request.params.redemption_id,
        signedTx: request.body.signed_tx,
        requestId: request.id,
      };
      const submitting = submitRedemption(ctx, request.principal, input);
      const { id, txHash } = await counted(ctx.metrics.submits, 'redemption', submitting);
      return { redemption_id: id, tx_hash: txHash };
    });

    app.post(
      '/v1/redemptions/:redemption_id/cancel',
      cancelRoute,
      async ({ principal, params, body, id: requestId }, reply) => {
        const input = { redemptionId: params.redemption_id, reason: body?.reason, requestId };
        return ctx.db.transaction(async (tx) => {
          const id = await cancelRedemption(ctx, tx, principal, input);
          return completeOnce(tx, reply, 200, toCancelledView(id));
        });
      },
    );

    app.get('/v1/redemptions/:redemption_id', getRoute, async (request) => {
      const { principal, params } = request;
      const redemption = await getOwnRedemption(ctx.db, principal, params.redemption_id);
      return toOwnRedemptionView(redemption, {
        pickupCode: callerMay(request, 'trade') ? await readPickupCode(ctx, redemption) : undefined,
        bar: await findCollectedBar(ctx.db, redemption),
      });
    });

    app.get('/v1/redemptions', listRoute, async (request) => {
      const { query, principal } = request;
      const created = readCreated(query);
      const { rows, nextCursor } = await readPage(query, asRedemptionId, async (page) =>
        findRedemptions(
          ctx.db,
          {
            partnerId: principal.partnerId,
            userId: await filterByUser(ctx, principal.partnerId, query),
            status: query.status,
            city: filterBy(query.city, storable),
          },
          { ...page, created },
        ),
      );
      return { redemptions: rows.map((row) => listedView(redemptionParts(row))), next_cursor: nextCursor };
    });
  };
}

function toQuoteView(quoted: QuotedRedemption) {
  return {
    redemption_id: quoted.id,
    quote: {
      denomination: quoted.denomination,
      weight_g: decimalNumber(quoted.weightG),
      ...toFiguresView(quoted),
    },
    partially_signed_transaction: Buffer.from(quoted.transaction).toString('base64'),
    expires_at: new Date(quoted.expiresAtMs).toISOString(),
    last_valid_block_height: toInteger(quoted.lastValidBlockHeight),
  };
}

function toCancelledView(id: RedemptionId) {
  return { redemption_id: id, status: 'cancellation_requested' as const };
}

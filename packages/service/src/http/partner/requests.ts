import { METHODS } from 'node:http';
import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import type { Context } from '../../context.js';
import {
  findRequest,
  findRequestCounts,
  findRequests,
  type ListedRequest,
  type LoggedRequest,
} from '../../db/requests/request-log.js';
import { asRequestId, asUuid } from '../../domain/ids.js';
import { toInteger } from '../../domain/integer.js';
import { requireOwn } from '../../domain/ownership.js';
import { dayOf, maxLoggedPerDay, requestsKeptMs } from '../../domain/request-log.js';
import { AppError, type ErrorCode } from '../../errors.js';
import { type Reason, reasonTexts } from '../../reasons.js';
import { about, field, gold, usdc } from '../../views/fields.js';
import { Nullable, titled } from '../../views/schemas.js';
import { viewOf } from '../../views/view.js';
import { callerMay } from '../auth/permission.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { errorAdvice, errorTexts } from '../openapi/error-texts.js';
import { cursorBehind, filterBy, pageOf, pageQuery, readPage, storable } from '../server/lists.js';
import type { RequestRecorder } from '../server/request-recorder.js';
import { route } from '../server/route.js';
import { readingRequests } from './settings.js';

const uuid = '019ca945-0a00-7c3e-9d61-4b8f2a7e5c10';
const id = about('Id of the logged request, prefixed `req_`.', `req_${uuid}`);
const method = about('Method of HTTP.', 'POST');
const objectId = about(
  'What the request is about: the object that its path names, else the one in the response, else the user in the body.',
  field.tradeId.examples[0] ?? '',
);

const parts = {
  request_id: Type.String(id),
  created_at: Type.String({
    ...field.createdAt,
    description: 'When the request came; UTC, with milliseconds.',
  }),
  method: Type.String(method),
  path: Type.String(about('Path without the query; what is not an id of Karat is `[redacted]`.', '/v1/buy')),
  status: Type.Integer(about('Status of the response.', 400)),
  duration_ms: Type.Integer(about('Until the response was sent, in milliseconds.', 12)),
  key_id: Nullable(Type.String(), {
    ...field.keyId,
    description: 'The key that made the request; null for a member.',
  }),
  member_id: Nullable(
    Type.String(),
    about('The member of your team who made the request in the portal; null for a key.', null),
  ),
  x_request_id: Type.String(
    about('The `x-request-id` of the response, which the request may have chosen.', 'order-1042'),
  ),
  error_code: Nullable(Type.String(), about('Code of the error; null for a success.', 'invalid_request')),
  reason: Nullable(Type.String(), about('Reason of the error; null if it has none.', 'quote_expired')),
  object_id: Nullable(Type.String(), objectId),
  service_user_id: Nullable(Type.String(), {
    ...field.serviceUserId,
    description: 'The user whom the request names.',
  }),
  usdc_amount: Nullable(Type.Number(), usdc('Of a quote of a trade.', 100)),
  gold_amount: Nullable(Type.Number(), gold('Of a quote of a trade.', 0.024267)),
};
const RequestView = titled('LoggedRequest', parts);

const body = (whose: string, example: string) =>
  Nullable(
    Type.String(),
    about(
      `Body of the ${whose}, as JSON text of at most 16 KiB; one that ends with \`…\` was cut. \`[redacted]\` stands for what is not kept. Null where there was none, for quotes of trades, and for members who may not read bodies.`,
      example,
    ),
  );
const DetailView = titled('LoggedRequestDetail', {
  ...parts,
  meaning: Nullable(
    Type.String(),
    about('What the reason, or else the error, means; null for a success.', errorTexts.invalid_request),
  ),
  advice: Nullable(
    Type.String(),
    about('What to do about it; null for a success.', errorAdvice.invalid_request),
  ),
  request_body: body('request', `{"service_user_id":"gu_${uuid}","usdc_amount":0}`),
  response_body: body('response', '{"error":"invalid_request","field":"usdc_amount"}'),
});

const DayView = titled('RequestDay', {
  date: Type.String(about('The day, in UTC.', '2026-03-01')),
  requests: Type.Integer(about('Requests of the day that changed something or failed.', 120_431)),
  logged: Type.Integer(about('How many of them are in the log.', 100_000)),
});

const kept = `Requests that were not a GET, and those that failed, of the last 7 days; not those that had no valid key. At most ${maxLoggedPerDay.toLocaleString('en-US')} a day (UTC) are logged, of which quotes of trades take nine tenths at most, and the others are counted in \`days\`. A request is in the log within a second.`;

const listRoute = route(readingRequests, {
  operationId: 'listRequests',
  summary: 'List the logged requests',
  description: `Newest first. ${kept}`,
  querystring: pageQuery(
    {
      status: Type.String(about('Only those with this status.', '400')),
      method: Type.String({ ...method, description: 'Only those with this method.' }),
      path: Type.String(
        about(
          'Only those to this path: with its ids, or as the reference has it.',
          '/v1/buy/{trade_id}/submit',
        ),
      ),
      key_id: Type.String({ ...field.keyId, description: 'Only those of this key.' }),
      object_id: Type.String({ ...objectId, description: 'Only those about this object.' }),
      q: Type.String({ ...about('Only those with this `x-request-id`.', 'order-1042'), minLength: 1 }),
    },
    cursorBehind(`req_${uuid}`),
  ),
  response: {
    200: Type.Object({
      ...pageOf('requests', RequestView).properties,
      days: Type.Array(DayView, { description: 'What was counted on each day, the newest first.' }),
    }),
  },
});

const getRoute = route(readingRequests, {
  operationId: 'getRequest',
  summary: 'Get a logged request',
  description:
    'Returns a request with its bodies, which are null for members who may not read them, and in which `[redacted]` stands for KYC data, secrets, signatures, transactions, texts and whatever else has no place in a log.',
  errors: codes('request_not_found', 'partner_mismatch'),
  params: Type.Object({ request_id: Type.String(id) }),
  response: { 200: DetailView },
});

/** The log of a partner's requests. */
export function requestRoutes(ctx: Context, recorder: RequestRecorder): FastifyPluginAsyncTypebox {
  const keptSince = () => new Date(ctx.clock.now() - requestsKeptMs);
  return async (app) => {
    tagRoutes(app, 'Requests');
    app.get('/v1/requests', listRoute, async ({ principal: { partnerId }, query }) => {
      await recorder.flush();
      const since = keptSince();
      const { rows, nextCursor } = await readPage(query, asRequestId, (page) => {
        const filter = {
          status: filterBy(query.status, asStatus),
          method: filterBy(query.method, asMethod),
          path: filterBy(query.path, storable),
          keyId: filterBy(query.key_id, asUuid),
          objectId: filterBy(query.object_id?.toLowerCase(), storable),
          requestId: filterBy(query.q, storable),
        };
        return findRequests(ctx.db, partnerId, filter, since, page);
      });
      const days = await findRequestCounts(ctx.db, partnerId, new Date(dayOf(since.getTime())));
      return { requests: rows.map(toRequestView), next_cursor: nextCursor, days: days.map(toDayView) };
    });

    app.get('/v1/requests/:request_id', getRoute, async (request) => {
      const { principal, params } = request;
      await recorder.flush();
      const wanted = asRequestId(params.request_id);
      const found = wanted && (await findRequest(ctx.db, wanted, keptSince()));
      if (!found) {
        throw new AppError('request_not_found', 'There is no such request in the log, or none any more.');
      }
      requireOwn(principal, found, 'request');
      return toDetailView(found, callerMay(request, 'read_bodies'));
    });
  };
}

/** Returns a status; undefined for a text that is none. */
const asStatus = (text: string) => (/^[1-5]\d\d$/.test(text) ? toInteger(text) : undefined);
const asMethod = (text: string) => METHODS.find((each) => each === text.toUpperCase());

const requestView = viewOf(RequestView);
const detailView = viewOf(DetailView);

function factsOf({ id: requestId, ...row }: ListedRequest) {
  return {
    ...row,
    requestId,
    path: row.path ?? row.route,
    xRequestId: row.requestId,
    errorCode: row.error as ErrorCode | null,
    reason: row.reason as Reason | null,
    serviceUserId: row.userId,
  };
}

const toRequestView = (row: ListedRequest) => requestView(factsOf(row));

function toDetailView(row: LoggedRequest, mayReadBodies: boolean) {
  const bodies = mayReadBodies ? {} : { requestBody: null, responseBody: null };
  return detailView({ ...row, ...factsOf(row), ...wordsOf(row), ...bodies });
}

/** Why a request failed, in the words of the page that its error links. */
function wordsOf(row: LoggedRequest) {
  const { errorCode: error, reason } = factsOf(row);
  if (reason) return reasonTexts[reason];
  return { meaning: error && errorTexts[error], advice: error && errorAdvice[error] };
}

function toDayView({ day, requests, logged }: { day: Date; requests: number; logged: number }) {
  return { date: day.toISOString().slice(0, 10), requests, logged };
}

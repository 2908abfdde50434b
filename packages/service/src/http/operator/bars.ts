import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { type AddedBars, type RefusedBar, toReported } from '../../actions/bars/add-bars.js';
import { barNotFound } from '../../actions/bars/change-bar.js';
import { checkBars, planBarChange, planNewBars } from '../../actions/bars/plan-bars.js';
import type { Context } from '../../context.js';
import { type Bar, findBar, findBars } from '../../db/bars/bars.js';
import { findStock, type Stock } from '../../db/bars/stock.js';
import { barStatuses, shortBy } from '../../domain/bar.js';
import { asUuid } from '../../domain/ids.js';
import { decimalNumber } from '../../domain/money.js';
import { choice, closed, Label, Nullable, titled } from '../../views/schemas.js';
import { viewOf } from '../../views/view.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { filterBy, storable } from '../server/lists.js';
import { route } from '../server/route.js';
import { barField as field } from './bar-fields.js';
import { field as operatorField } from './fields.js';
import { countedPageOf, endOf, listQuery, readList, searchFor } from './lists.js';
import { ApprovalWaitingView, changeOnce } from './operations.js';
import { recordField } from './record-fields.js';
import { fulfil, Reason, read } from './shapes.js';

export const BarView = titled('Bar', {
  bar_id: Type.String(field.barId),
  serial: Type.String(field.serial),
  refiner: Type.String(field.refiner),
  fineness: Type.Number(field.fineness),
  weight_g: Type.Number(field.weightG),
  denomination_id: Type.String(operatorField.denominationId),
  city: Type.String(field.city),
  status: choice(barStatuses, field.status),
  redemption_id: Nullable(Type.String(), { ...field.redemptionId, examples: [null] }),
  reason: Nullable(Type.String(), field.reason),
  created_at: Type.String(recordField.createdAt),
  updated_at: Type.String(recordField.updatedAt),
});

const listRoute = route(read, {
  operationId: 'listBars',
  summary: 'List the bars',
  description: 'Newest first, with those that were handed over or withdrawn.',
  querystring: listQuery({
    q: searchFor('part of a serial or refiner', 'A123'),

    status: choice(barStatuses, { ...field.status, description: 'Only bars with this status.' }),
    city: Type.String({ ...field.city, description: 'Only this city; upper and lower case are equal.' }),
    denomination_id: Type.String({
      ...operatorField.denominationId,
      description: 'Only bars of this denomination.',
    }),
    serial: Type.String({
      ...field.serial,
      description:
        'Only bars with this serial. Upper and lower case, variants of dashes and spacing make no difference.',
    }),
  }),
  response: { 200: countedPageOf('bars', BarView) },
});

const params = Type.Object({ bar_id: Type.String(field.barId) });

const getRoute = route(read, {
  operationId: 'getBar',
  summary: 'Get a bar',
  description: 'Its moves are in the audit log, with the id of the bar as `object_id`.',
  errors: codes('not_found'),
  params,
  response: { 200: BarView },
});

/** What is wrong with a text or a number of one bar refuses that bar alone. */
const ReportedBar = Type.Object(
  {
    serial: Type.String(field.serial),
    refiner: Type.String(field.refiner),
    fineness: Type.Number(field.fineness),
    weight_g: Type.Number(field.weightG),
    denomination_id: Type.String(operatorField.denominationId),
    city: Type.String(field.city),
  },
  { title: 'ReportedBar', additionalProperties: false },
);

const RefusedView = titled('RefusedBar', {
  index: Type.Integer(field.index),
  serial: Type.String(field.serial),
  refiner: Type.String(field.refiner),
  error: Type.String(field.refusal),
  message: Type.String(field.refusalMessage),
  field: Nullable(Type.String(), field.refusedField),
});

/** Bars that were taken into stock, and those that were not. */
export const AddedBarsView = titled('AddedBars', {
  bars: Type.Array(BarView),
  refused: Type.Array(RefusedView),
});

/** Bars that another operator has to approve first, and those that are refused whatever becomes of that. */
const WaitingBarsView = titled('BarsWaitingForApproval', {
  ...ApprovalWaitingView.properties,
  refused: Type.Array(RefusedView),
});

const maxBars = 500;

const addRoute = route(fulfil, {
  operationId: 'addBars',
  summary: 'Take bars into stock',
  description: `Takes 1 to ${maxBars} bars as \`bars\`, or one as the body, each for itself: \`bars\` are those that were taken, \`refused\` those that were not, and why. A serial and refiner that are there already are refused, whatever became of that bar. Names are stored with plain letters and digits in place of variants, \`-\` for every dash and one space between words; invisible characters are refused. The body may have 256 KiB. While \`KARAT_APPROVALS=2\` this needs a second operator, and a session: 202 with an \`approval_id\` for the bars that can be taken, all of them or none; 403 \`forbidden\` for a token.`,
  errors: codes('transition_not_allowed'),
  body: Type.Union([
    closed({
      bars: Type.Array(ReportedBar, {
        description: 'The bars.',
        minItems: 1,
        maxItems: maxBars,
      }),
    }),
    ReportedBar,
  ]),
  response: { 201: AddedBarsView, 202: WaitingBarsView },
});

/** Not idempotent: it changes nothing. */
const checkRoute = route(
  { auth: 'operator', permission: 'fulfil' },
  {
    operationId: 'checkBars',
    summary: 'Check bars before they are taken into stock',
    description: `Says which of 1 to ${maxBars} bars would be refused now, and why, and stores nothing: a file can be mended before it is sent. Another request may still be first. Takes no \`Idempotency-Key\`.`,
    body: closed({
      bars: Type.Array(ReportedBar, { description: 'The bars.', minItems: 1, maxItems: maxBars }),
    }),
    response: { 200: Type.Object({ refused: Type.Array(RefusedView) }) },
  },
);

const changeRoute = route(fulfil, {
  operationId: 'changeBar',
  summary: 'Change a bar',
  description:
    'Omitted fields stay unchanged. A bar in stock can be corrected, moved to another city with its denomination, or withdrawn, which takes a `reason`. `"status":"in_stock"` takes a reserved bar back, and leaves its redemption without one. `reserved` and `handed_over` follow from redemptions alone. Withdrawing, moving and correcting need a second operator while `KARAT_APPROVALS=2`, and a session: 202 with an `approval_id`; 403 `forbidden` for a token.',
  errors: codes('not_found', 'invalid_city', 'invalid_denomination', 'transition_not_allowed'),
  params,
  body: closed({
    city: Type.Optional(Label(100, field.city)),
    denomination_id: Type.Optional(
      Type.String({
        ...operatorField.denominationId,
        minLength: 1,
        description: 'Another of the same weight, such as that of the city which the bar is moved to.',
      }),
    ),
    fineness: Type.Optional(Type.Number(field.fineness)),
    weight_g: Type.Optional(Type.Number(field.weightG)),
    status: Type.Optional(
      choice(['in_stock', 'withdrawn'], { ...field.status, description: '`in_stock` or `withdrawn`.' }),
    ),
    reason: Type.Optional(Reason),
  }),
  response: { 200: BarView, 202: ApprovalWaitingView },
});

const StockView = titled('Stock', {
  city: Type.String(field.city),
  denomination_id: Type.String(operatorField.denominationId),
  denomination: Type.String(operatorField.denomination),
  weight_g: Type.Number(operatorField.weightG),
  in_stock: Type.Integer(field.inStock),
  reserved: Type.Integer(field.reserved),
  waiting: Type.Integer(field.waiting),
  short_by: Type.Integer(field.shortBy),
});

const stockRoute = route(read, {
  operationId: 'getStock',
  summary: 'Get the stock',
  description:
    'For each city and denomination: the bars, the redemptions that wait for one, and how many bars are missing. Sorted by city and weight.',
  querystring: Type.Partial(
    Type.Object({
      city: Type.String({ ...field.city, description: 'Only this city; upper and lower case are equal.' }),
      denomination_id: Type.String({
        ...operatorField.denominationId,
        description: 'Only this denomination.',
      }),
      format: choice(['json', 'csv'], {
        description: '`csv`: the same rows as a table.',
        examples: ['json'],
      }),
    }),
  ),
  response: { 200: Type.Object({ stock: Type.Array(StockView) }) },
});

/** 500 bars with long names. */
const maxBodyBytes = 256 * 1024;

/** Bars in the vaults, one by one and as stock. */
export function barRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'Bars');
    app.get('/bars', listRoute, async ({ query }) => {
      const { rows, ...end } = await readList(
        query,
        asUuid,
        (page) =>
          findBars(
            ctx.db,
            {
              status: query.status,
              city: filterBy(query.city, storable),
              denominationId: filterBy(query.denomination_id, storable),
              serial: filterBy(query.serial, storable),
            },
            page,
          ),
        'bars',
      );
      return { bars: rows.map(toBarView), ...endOf(end) };
    });

    app.get('/bars/:bar_id', getRoute, async ({ params }) => {
      const id = asUuid(params.bar_id);
      const bar = id && (await findBar(ctx.db, id));
      if (!bar) throw barNotFound();
      return toBarView(bar);
    });

    app.post('/bars', { ...addRoute, bodyLimit: maxBodyBytes }, async (request, reply) => {
      const { body } = request;
      const given = 'bars' in body ? body.bars : [body];
      const { plan, refused } = await planNewBars(ctx, given.map(toReported));
      const also = { refused: refused.map(toRefusedView) };
      return changeOnce(ctx, reply, plan, ({ bars }) => toAddedBarsView(bars), { status: 201, also });
    });

    app.post('/bars/check', { ...checkRoute, bodyLimit: maxBodyBytes }, async ({ body }) => {
      const refused = await checkBars(ctx, body.bars.map(toReported));
      return { refused: refused.map(toRefusedView) };
    });

    app.patch('/bars/:bar_id', changeRoute, async (request, reply) => {
      const { weight_g: weightG, denomination_id: denominationId, ...changes } = request.body;
      const plan = await planBarChange(ctx, {
        ...changes,
        weightG,
        denominationId,
        barId: request.params.bar_id,
      });
      return changeOnce(ctx, reply, plan, ({ bar }) => toBarView(bar));
    });

    app.get('/stock', stockRoute, async ({ query }) => {
      const { city, denomination_id: id } = query;
      // What cannot even be written down has no stock.
      if ([city, id].some((text) => text !== undefined && storable(text) === undefined)) return { stock: [] };
      const found = await findStock(ctx.db, { city, denominationIds: id === undefined ? undefined : [id] });
      return { stock: found.map(toStockView) };
    });
  };
}

const barView = viewOf(BarView);
const stockView = viewOf(StockView);

export function toBarView(bar: Bar) {
  return barView({
    ...bar,
    barId: bar.id,
    fineness: decimalNumber(bar.fineness),
    weightG: decimalNumber(bar.weightG),
  });
}

export function toAddedBarsView({ taken, refused }: AddedBars) {
  return { bars: taken.map(toBarView), refused: refused.map(toRefusedView) };
}

function toRefusedView({ index, bar: { serial, refiner }, refusal }: RefusedBar) {
  const { code: error, message, field: blamed = null } = refusal;
  return { index, serial, refiner, error, message, field: blamed };
}

function toStockView(stock: Stock) {
  return stockView({ ...stock, weightG: decimalNumber(stock.weightG), shortBy: shortBy(stock) });
}

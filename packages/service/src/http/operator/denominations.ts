import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { planDenomination, planDenominationChange } from '../../actions/catalogue/plan-denomination.js';
import type { Context } from '../../context.js';
import { type Denomination, findDenominations } from '../../db/catalogue/denominations.js';
import { decimalNumber } from '../../domain/money.js';
import { weightTroyOz } from '../../domain/redemption.js';
import {
  gramsText,
  maxWeight,
  minDenominationWeight,
  tolerance,
  weightDecimals,
} from '../../domain/weight.js';
import { choice, closed, Label, Name, reference, titled } from '../../views/schemas.js';
import { viewOf } from '../../views/view.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { cursorBehind, filterBy, storable } from '../server/lists.js';
import { route } from '../server/route.js';
import { field } from './fields.js';
import { countedPageOf, endOf, listQuery, readList, searchFor } from './lists.js';
import { ApprovalWaitingView, changeOnce } from './operations.js';
import { administer, read } from './shapes.js';

export const DenominationView = titled('Denomination', {
  id: Type.String(field.denominationId),
  label: Type.String(field.denomination),
  weight_g: Type.Number(field.weightG),
  weight_troy_oz: Type.Number(field.weightTroyOz),
  country: Type.String(field.denominationCountry),
  city: Type.String(field.city),
  active: Type.Boolean(field.denominationActive),
  created_at: Type.String(field.createdAt),
  updated_at: Type.String(field.updatedAt),
});

const listRoute = route(read, {
  operationId: 'listDenominations',
  summary: 'List the denominations',
  description:
    'Lists active and inactive denominations, newest first. A country or city without any gives an empty list.',
  querystring: listQuery(
    {
      q: searchFor('part of an id, label or city', 'tola'),

      country: Type.String({
        ...field.denominationCountry,
        description: 'Only this country; upper and lower case are equal.',
      }),
      city: Type.String({ ...field.city, description: 'Only this city; upper and lower case are equal.' }),
      active: choice(['true', 'false'], {
        description: 'Only those that are offered, or only those that are not.',
        examples: ['true'],
      }),
    },
    cursorBehind(field.denominationId.examples[0] ?? ''),
  ),
  response: { 200: countedPageOf('denominations', DenominationView) },
});

/** Fields that may change. */
const terms = {
  label: Label(255, field.denomination),
  country: reference(field.denominationCountry),
  city: Name(100, field.city),
  active: Type.Boolean(field.denominationActive),
};

const createRoute = route(administer, {
  operationId: 'createDenomination',
  summary: 'Create a denomination',
  description: `A piece of gold that can be picked up in a city. \`id\` and \`weight_g\` (from ${gramsText(minDenominationWeight)} to ${gramsText(maxWeight)}, at most ${weightDecimals} decimals) never change. A \`label\` that names a mass, such as \`1 kg\` or \`1/2 oz\`, must name that weight to within ${tolerance}, and it must not contain invisible characters. Needs a second operator while \`KARAT_APPROVALS=2\`: 202 with an \`approval_id\`.`,
  errors: codes('already_exists', 'transition_not_allowed'),
  body: closed({
    id: Type.String({ ...field.denominationId, minLength: 1, maxLength: 64, pattern: '^[a-z0-9_]*$' }),
    weight_g: Type.Number(field.weightG),
    ...terms,
  }),
  bodyExample: {
    ...{ id: 'pk_g_20', weight_g: 20, label: '20 g bar', country: 'PK', city: 'Lahore', active: true },
  },
  response: { 201: DenominationView, 202: ApprovalWaitingView },
});

const changeRoute = route(administer, {
  operationId: 'changeDenomination',
  summary: 'Change a denomination',
  description:
    'Omitted fields stay unchanged. Redemptions that are already quoted or paid keep what they were quoted. An inactive denomination is no longer offered. A new `label` needs a second operator while `KARAT_APPROVALS=2`: 202 with an `approval_id`, and the whole change waits.',
  errors: codes('not_found', 'invalid_request', 'transition_not_allowed'),
  params: Type.Object({ id: Type.String(field.denominationId) }),
  body: closed({
    label: Type.Optional(terms.label),
    country: Type.Optional(terms.country),
    city: Type.Optional(terms.city),
    active: Type.Optional(terms.active),
  }),
  response: { 200: DenominationView, 202: ApprovalWaitingView },
});

/** Routes of the denominations that can be picked up. */
export function denominationRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'Denominations');
    app.get('/denominations', listRoute, async ({ query }) => {
      const { rows, ...end } = await readList(
        query,
        asDenominationId,
        (page) =>
          findDenominations(
            ctx.db,
            {
              country: filterBy(query.country?.toUpperCase(), storable),
              city: filterBy(query.city, storable),
              active: query.active && query.active === 'true',
            },
            page,
          ),
        'denominations',
      );
      return { denominations: rows.map(toDenominationView), ...endOf(end) };
    });

    app.post('/denominations', createRoute, async (request, reply) => {
      const { weight_g: weightG, ...rest } = request.body;
      const plan = await planDenomination(ctx, { ...rest, weightG });
      return changeOnce(ctx, reply, plan, ({ denomination }) => toDenominationView(denomination), {
        status: 201,
      });
    });

    app.patch('/denominations/:id', changeRoute, async (request, reply) => {
      const { label, country, city, active } = request.body;
      const input = { id: request.params.id, changes: { label, country, city, active } };
      const plan = await planDenominationChange(ctx, input);
      return changeOnce(ctx, reply, plan, ({ denomination }) => toDenominationView(denomination));
    });
  };
}

const asDenominationId = (text: string) => (/^[a-z0-9_]{1,64}$/.test(text) ? text : undefined);

const denominationView = viewOf(DenominationView);

export function toDenominationView(row: Denomination) {
  return denominationView({
    ...row,
    weightG: decimalNumber(row.weightG),
    weightTroyOz: weightTroyOz(row.weightG),
  });
}

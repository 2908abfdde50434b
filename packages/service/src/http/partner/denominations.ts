import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import type { Context } from '../../context.js';
import { type Denomination, findActiveDenominations } from '../../db/catalogue/denominations.js';
import { isStorable } from '../../domain/encoding.js';
import { decimalNumber } from '../../domain/money.js';
import { weightTroyOz } from '../../domain/redemption.js';
import { tagRoutes } from '../openapi/conventions.js';
import { reference, route, titled } from '../server/schemas.js';
import { viewOf } from '../server/view.js';
import { field, reading } from './fields.js';

const DenominationView = titled('Denomination', {
  id: Type.String(field.denominationId),
  label: Type.String(field.denomination),
  weight_g: Type.Number(field.weightG),
  weight_troy_oz: Type.Number(field.weightTroyOz),
  city: Type.String(field.city),
});

const listRoute = route(reading, {
  operationId: 'listDenominations',
  summary: 'List the denominations',
  description:
    'Lists the bars and coins that can be picked up in a country. A country or city without any gives an empty list.',
  querystring: Type.Object({
    country: reference({
      description: 'ISO 3166-1 alpha-2 code, in upper or lower case.',
      examples: ['PK'],
    }),
    city: Type.Optional(
      Type.String({
        description: 'Only this city; upper and lower case are equal.',
        examples: ['Karachi'],
      }),
    ),
  }),
  response: { 200: Type.Object({ denominations: Type.Array(DenominationView) }) },
});

/** Route of what can be picked up in a country, and in one of its cities. */
export function denominationRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'Redemptions');
    app.get('/v1/denominations', listRoute, async ({ query: { country, city } }) => {
      // A country or city that cannot even be written down is merely one that is unknown.
      const known = isStorable(country) && (city === undefined || isStorable(city));
      const found = known
        ? await findActiveDenominations(ctx.db, { country: country.toUpperCase(), city })
        : [];
      return { denominations: found.map(toDenominationView) };
    });
  };
}

const denominationView = viewOf(DenominationView);

function toDenominationView(row: Denomination) {
  return denominationView({
    ...row,
    weightG: decimalNumber(row.weightG),
    weightTroyOz: weightTroyOz(row.weightG),
  });
}

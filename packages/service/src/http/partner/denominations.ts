import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import type { Context } from '../../context.js';
import { findStock } from '../../db/bars/stock.js';
import { type Denomination, findActiveDenominations } from '../../db/catalogue/denominations.js';
import { isStorable } from '../../domain/encoding.js';
import { decimalNumber } from '../../domain/money.js';
import { cityKey, weightTroyOz } from '../../domain/redemption.js';
import { field } from '../../views/fields.js';
import { choice, reference, titled } from '../../views/schemas.js';
import { viewOf } from '../../views/view.js';
import { tagRoutes } from '../openapi/conventions.js';
import { route } from '../server/route.js';
import { reading } from './settings.js';

const DenominationView = titled('Denomination', {
  id: Type.String(field.denominationId),
  label: Type.String(field.denomination),
  weight_g: Type.Number(field.weightG),
  weight_troy_oz: Type.Number(field.weightTroyOz),
  city: Type.String(field.city),
  availability: choice(['in_stock', 'on_order'], field.availability),
});

const listRoute = route(reading, {
  operationId: 'listDenominations',
  summary: 'List the denominations',
  description:
    'Lists the bars and coins that can be picked up in a country. A country or city without any gives an empty list. `availability` changes with every redemption; a quote never depends on it.',
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
      const available = await findAvailable(ctx, found);
      return { denominations: found.map((row) => toDenominationView(row, available.has(row.id))) };
    });
  };
}

const denominationView = viewOf(DenominationView);

/** Returns the ids of denominations of which their city has more bars in stock than redemptions wait for. */
async function findAvailable(ctx: Context, found: Denomination[]): Promise<Set<string>> {
  const cities = new Map(found.map(({ id, city }) => [id, cityKey(city)]));
  const stock = found.length === 0 ? [] : await findStock(ctx.db, { denominationIds: [...cities.keys()] });
  const own = stock.filter(({ denominationId, city }) => cities.get(denominationId) === cityKey(city));
  return new Set(own.filter(({ inStock, waiting }) => inStock > waiting).map((one) => one.denominationId));
}

function toDenominationView(row: Denomination, isAvailable: boolean) {
  return denominationView({
    ...row,
    availability: isAvailable ? 'in_stock' : 'on_order',
    weightG: decimalNumber(row.weightG),
    weightTroyOz: weightTroyOz(row.weightG),
  });
}

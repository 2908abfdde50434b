import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import type { Context } from '../../context.js';
import { type Denomination, findActiveDenominations } from '../../db/denominations.js';
import { isStorable } from '../../domain/encoding.js';
import { amountNumber } from '../../domain/money.js';
import { weightTroyOz } from '../../domain/redemption.js';
import { Reference } from '../schemas.js';

const DenominationView = Type.Object({
  id: Type.String(),
  label: Type.String(),
  weight_g: Type.Number(),
  weight_troy_oz: Type.Number(),
  city: Type.String(),
});

const listSchema = {
  querystring: Type.Object({ country: Reference, city: Type.Optional(Type.String()) }),
  response: { 200: Type.Object({ denominations: Type.Array(DenominationView) }) },
};

/** What can be picked up in a country, and in one of its cities. */
export function denominationRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/v1/denominations',
      { config: { auth: 'partner' }, schema: listSchema },
      async ({ query: { country, city } }) => {
        // A country or city that cannot even be written down is merely one that is unknown.
        const known = isStorable(country) && (city === undefined || isStorable(city));
        const found = known
          ? await findActiveDenominations(ctx.db, { country: country.toUpperCase(), city })
          : [];
        return { denominations: found.map(toDenominationView) };
      },
    );
  };
}

function toDenominationView({ id, label, weightG, city }: Denomination) {
  return {
    id,
    label,
    weight_g: Number(weightG),
    weight_troy_oz: amountNumber(weightTroyOz(weightG)),
    city,
  };
}

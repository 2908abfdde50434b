import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import type { Context } from '../../context.js';
import { findActiveCountries } from '../../db/catalogue/active-countries.js';
import { about, field } from '../../views/fields.js';
import { Nullable, titled } from '../../views/schemas.js';
import { tagRoutes } from '../openapi/conventions.js';
import { route } from '../server/route.js';
import { reading } from './settings.js';

const IdTypeView = titled('IdType', {
  id_type: Type.String(about('`id_type` of `kyc_data`.', 'cnic')),
  pattern: Type.String(
    about(
      'Regular expression in the syntax of RE2 that the whole `id_number` must match.',
      '\\d{5}-\\d{7}-\\d',
    ),
  ),
  example: Nullable(
    Type.String(),
    about('A number that matches; null if none was given.', '42101-1234567-1'),
  ),
});

const CountryView = titled('Country', {
  code: Type.String(field.country),
  name: Type.String(about('Name of the country.', 'Pakistan')),
  id_types: Type.Array(IdTypeView, { description: 'Identity documents whose numbers are checked.' }),
  denominations: Type.Integer(about('How many bars and coins can be picked up there.', 6)),
});

const listRoute = route(reading, {
  operationId: 'listCountries',
  summary: 'List the countries',
  description: 'Lists the countries whose residents may be registered, in the order of their codes.',
  response: { 200: Type.Object({ countries: Type.Array(CountryView) }) },
});

/** Route of the countries that the service serves. */
export function countryRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'Discovery');
    app.get('/v1/countries', listRoute, async () => {
      const found = await findActiveCountries(ctx.db);
      const countries = found.map(({ code, name, idTypes, denominations }) => ({
        code,
        name,
        id_types: idTypes.map(({ idType, pattern, example }) => ({ id_type: idType, pattern, example })),
        denominations,
      }));
      return { countries };
    });
  };
}

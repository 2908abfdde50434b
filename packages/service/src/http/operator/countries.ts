import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { getCountry } from '../../actions/catalogue/get-country.js';
import { deleteIdType, putIdType } from '../../actions/catalogue/id-types.js';
import { putCountry } from '../../actions/catalogue/put-country.js';
import type { Context } from '../../context.js';
import { findCountries, findIdTypePatterns } from '../../db/catalogue/countries.js';
import { isStorable } from '../../domain/encoding.js';
import { maxIdExampleLength, maxIdPatternLength } from '../../domain/id-pattern.js';
import { isCountryCode } from '../../domain/kyc.js';
import { closed, Label, Name, Nullable, titled } from '../../views/schemas.js';
import { viewOf } from '../../views/view.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { cursorBehindName, type NamedPage, readNamedPage } from '../server/lists.js';
import { route } from '../server/route.js';
import { field } from './fields.js';
import { countedPageOf, endOf, timelessQuery } from './lists.js';
import { actOnce } from './operations.js';
import { administer, read } from './shapes.js';

const CountryView = titled('Country', {
  code: Type.String(field.countryCode),
  name: Type.String(field.countryName),
  active: Type.Boolean(field.countryActive),
});

const IdTypeView = titled('IdType', {
  country: Type.String(field.countryCode),
  id_type: Type.String(field.idType),
  pattern: Type.String(field.pattern),
  example: Nullable(Type.String(), field.idExample),
});

const toCountryView = viewOf(CountryView);
const toIdTypeView = viewOf(IdTypeView);

const CodeParams = Type.Object({ code: Type.String(field.countryCode) });

const listRoute = route(read, {
  operationId: 'listCountries',
  summary: 'List the countries',
  description: 'Lists active and inactive countries, ordered by code.',
  querystring: timelessQuery({}, cursorBehindName('PK')),
  response: { 200: countedPageOf('countries', CountryView) },
});

const putRoute = route(administer, {
  operationId: 'putCountry',
  summary: 'Create or change a country',
  description: 'Users cannot be registered in an inactive country; existing users stay.',
  params: CodeParams,
  body: closed({ name: Name(100, field.countryName), active: Type.Boolean(field.countryActive) }),
  response: { 200: CountryView },
});

const listIdTypesRoute = route(read, {
  operationId: 'listIdTypes',
  summary: 'List the id types of a country',
  description: 'Lists the patterns that numbers of identity documents must match, ordered by type.',
  errors: codes('not_found'),
  params: CodeParams,
  querystring: timelessQuery({}, cursorBehindName('cnic')),
  response: { 200: countedPageOf('id_types', IdTypeView) },
});

const putIdTypeRoute = route(administer, {
  operationId: 'putIdType',
  summary: 'Register a pattern for an id type',
  description:
    'For users who are registered from now on with an `id_number` of this type, the whole number must match the pattern; a refusal shows the example. Existing users are not affected. If the type is registered already, its pattern and example are replaced. Send the ones you last read in `expected`, so that you do not undo a change made since then.',
  errors: codes('not_found', 'transition_not_allowed'),
  params: Type.Object({ code: Type.String(field.countryCode), id_type: Label(64, field.idType) }),
  body: closed({
    pattern: Label(maxIdPatternLength, field.pattern),
    example: Type.Optional(Label(maxIdExampleLength, field.idExample)),
    expected: Type.Optional(
      Type.Object(
        {
          pattern: Type.Optional(Label(maxIdPatternLength, field.pattern)),
          example: Type.Optional(Label(maxIdExampleLength, field.idExample)),
        },
        { ...field.expectedIdType, additionalProperties: false },
      ),
    ),
  }),
  response: { 200: IdTypeView },
});

const deleteIdTypeRoute = route(administer, {
  operationId: 'deleteIdType',
  summary: 'Remove the pattern of an id type',
  description: 'From now on, numbers of this type are accepted without a check. Returns the removed pattern.',
  errors: codes('not_found'),
  params: Type.Object({ code: Type.String(field.countryCode), id_type: Type.String(field.idType) }),
  response: { 200: IdTypeView },
});

/** Countries whose residents may be registered, and what their identity documents look like. */
export function countryRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'Countries');
    app.get('/countries', listRoute, async ({ query }) => {
      const find = (page: NamedPage) => findCountries(ctx.db, page);
      const { rows, ...end } = await readNamedPage(query, isCountryCode, find, ({ code }) => code);
      return { countries: rows.map(toCountryView), ...endOf(end) };
    });

    app.put('/countries/:code', putRoute, async (request, reply) => {
      const input = { ...request.params, ...request.body };
      return actOnce(ctx, reply, putCountry, input, toCountryView);
    });

    app.get('/countries/:code/id-types', listIdTypesRoute, async (request) => {
      const find = async (page: NamedPage) => {
        const { code } = await getCountry(ctx.db, request.params.code);
        return findIdTypePatterns(ctx.db, code, page);
      };
      const { query } = request;
      const { rows, ...end } = await readNamedPage(query, isStorable, find, ({ idType }) => idType);
      return { id_types: rows.map(toIdTypeView), ...endOf(end) };
    });

    app.put('/countries/:code/id-types/:id_type', putIdTypeRoute, async (request, reply) => {
      const { code: country, id_type: idType } = request.params;
      const { pattern, example = null, expected } = request.body;
      const input = { country, idType, pattern, example, expected };
      return actOnce(ctx, reply, putIdType, input, toIdTypeView);
    });

    app.delete('/countries/:code/id-types/:id_type', deleteIdTypeRoute, async (request, reply) => {
      const { code: country, id_type: idType } = request.params;
      const input = { country, idType };
      return actOnce(ctx, reply, deleteIdType, input, toIdTypeView);
    });
  };
}

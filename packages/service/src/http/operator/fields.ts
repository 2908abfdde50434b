import { Type } from '@fastify/type-provider-typebox';
import { field as partnerField } from '../partner/fields.js';
import { Nullable } from '../schemas.js';

/** What a field means, with an example of it. */
function about<T>(description: string, example: T) {
  return { description, examples: [example] };
}

/** What the fields of the operator API mean: those of the partner API, and its own. */
export const field = {
  ...partnerField,
  // countries
  countryCode: about('ISO 3166-1 alpha-2 code, in any case; answers have capitals.', 'PK'),
  countryName: about('Name of the country.', 'Pakistan'),
  countryActive: about('Whether residents may be registered as users.', true),
  idType: about('Kind of identity document, as `id_type` of the KYC data names it.', 'cnic'),
  pattern: about(
    'RE2 expression that the whole of `id_number` has to match: no look-around, no back-references.',
    '[0-9]{5}-[0-9]{7}-[0-9]',
  ),
  // denominations
  denominationCountry: about('ISO 3166-1 alpha-2 code of the country, in any case.', 'PK'),
  denominationActive: about('Whether it is offered.', true),
};

/** `next_cursor` of every list. */
export const NextCursor = Nullable(Type.String(), field.nextCursor);

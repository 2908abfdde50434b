import { type TObject, type TProperties, Type } from '@fastify/type-provider-typebox';
import { Label } from '../schemas.js';

/** A body of the operator API: a field that is not named is refused, so that no misspelt one is silently lost. */
export const closed = <Properties extends TProperties>(properties: Properties): TObject<Properties> =>
  Type.Object(properties, { additionalProperties: false });

/** A body that may be left out altogether. */
export const closedOrAbsent = <Properties extends TProperties>(properties: Properties) =>
  Type.Union([closed(properties), Type.Null()]);

/** Why somebody changes something: kept in the audit log. */
export const Reason = Label(1_000, {
  description: 'Why; kept in the audit log.',
  examples: ['Requested by the partner, ticket 4711'],
});

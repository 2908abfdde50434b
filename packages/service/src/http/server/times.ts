import { Type } from '@fastify/type-provider-typebox';
import { parseTimestamp, timestampFault } from '../../domain/timestamp.js';
import { invalidField } from '../../errors.js';

/** Returns the moment of a timestamp in a query; undefined when it is not given. Throws `invalid_request` for any other text. */
export function readMoment(field: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const moment = parseTimestamp(text);
  if (moment) return moment;
  throw invalidField(
    field,
    `${field} must be a date and time with an offset, such as 2026-03-01T12:00:00Z: ${timestampFault(text)}.`,
  );
}

/** Throws `invalid_request` for a range that ends before it begins. */
export function requireOrder(names: { from: string; to: string }, from?: Date, to?: Date): void {
  if (!from || !to || from <= to) return;
  throw invalidField(names.from, `${names.from} must not be later than ${names.to}.`);
}

/** Filters of a list by when its rows were created. */
export const createdFilters = {
  created_from: Type.String({
    description: 'Only those created at this time or later: ISO 8601 with an offset.',
    examples: ['2026-03-01T00:00:00Z'],
  }),
  created_to: Type.String({
    description: 'Only those created at this time or earlier: ISO 8601 with an offset.',
    examples: ['2026-03-31T23:59:59.999Z'],
  }),
};

/** Returns the range that `createdFilters` name. Throws `invalid_request` for what is no time or no range. */
export function readCreated(query: { created_from?: string; created_to?: string }) {
  const from = readMoment('created_from', query.created_from);
  const to = readMoment('created_to', query.created_to);
  requireOrder({ from: 'created_from', to: 'created_to' }, from, to);
  return { from, to };
}

import { Type } from '@fastify/type-provider-typebox';

/** Text for people to read: not blank, no control characters, no half of a surrogate pair. Counted in code points. */
export const Label = (maxLength: number) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: '^[^\\S\\p{Cc}]*[^\\s\\p{Cc}\\p{Cs}][^\\p{Cc}\\p{Cs}]*$',
  });

/** An identifier, address or signature: any text but the empty one, because what is malformed is merely unknown. */
export const Reference = Type.String({ minLength: 1 });

/** A JSON object of any members. */
export const FreeObject = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
});

/** UTC with milliseconds, such as `2025-03-01T12:00:00.000Z`. */
export const Timestamp = Type.String();

export const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(type: T) =>
  Type.Union([type, Type.Null()]);

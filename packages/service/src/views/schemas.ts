import { type TObject, type TProperties, Type } from '@fastify/type-provider-typebox';

/** Documents a field in the reference: `description`, `examples`. */
type Meaning = Record<string, unknown>;

const labelPattern = '^[^\\S\\p{Cc}]*[^\\s\\p{Cc}\\p{Cs}][^\\p{Cc}\\p{Cs}]*$';

/** Characters that show nothing or turn the direction of a text around: with them, two names can look the same. */
const hidden =
  '\\u00ad\\u034f\\u061c\\u115f\\u1160\\u180e\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0';
/** The two that join or part letters, behind a letter of Arabic or the sign of another script that needs them. */
const joiner = '(?<=[\\p{Script=Arabic}\\p{Mn}\\p{Mc}])[\\u200c\\u200d]';
const namePattern = `^[^\\S\\p{Cc}${hidden}]*[^\\s\\p{Cc}\\p{Cs}\\u200c\\u200d${hidden}](?:[^\\p{Cc}\\p{Cs}\\u200c\\u200d${hidden}]|${joiner})*$`;

const publishedLabel =
  '^[^\\S\\x00-\\x1f\\x7f-\\x9f]*[^\\s\\x00-\\x1f\\x7f-\\x9f][^\\x00-\\x1f\\x7f-\\x9f]*$';

/**
 * Patterns as they are published: the same in what every language's regular expressions can read. Half of a surrogate pair
 * is left out, which most of them cannot hold, and so are hidden characters, which no two of them write alike.
 */
export const publishedPatterns: Readonly<Record<string, string>> = {
  [labelPattern]: publishedLabel,
  [namePattern]: publishedLabel,
};

/** What the patterns of other texts than those for people take, for the response to a text that does not match. */
export const patternWords: Readonly<Record<string, string>> = {
  '^[0-9a-f]{64}$': '64 hexadecimal digits in lower case',
  '^[0-9]{6}$': 'six digits',
  '^[a-z0-9_]*$': 'lower-case letters, digits and underscores',
  '^(?:[a-z][a-z0-9_]*)?$': 'lower-case letters, digits and underscores, beginning with a letter',
};

/** An object that the reference shows under its title. */
export const titled = <Properties extends TProperties>(title: string, properties: Properties) =>
  Type.Object(properties, { title });

/** Text for people to read: not blank, no control characters, no half of a surrogate pair. Counted in code points. */
export const Label = (maxLength: number, options: Meaning = {}) =>
  Type.String({
    ...options,
    minLength: 1,
    maxLength,
    pattern: labelPattern,
  });

/** A name, by which people tell one from another: a `Label` without hidden characters. */
export const Name = (maxLength: number, options: Meaning = {}) => ({
  ...Label(maxLength, options),
  pattern: namePattern,
});

/** An identifier, address or signature: any text but the empty one, because a malformed one is merely unknown. */
export const reference = (options: Meaning) => Type.String({ ...options, minLength: 1 });

export const freeObject = (options: Meaning) =>
  Type.Unsafe<Record<string, unknown>>({ ...options, type: 'object', additionalProperties: true });

export const choice = <Word extends string>(words: readonly Word[], options: Meaning = {}) =>
  Type.Unsafe<Word>({ ...options, type: 'string', enum: [...words] });

/**
 * A field that is always true. Its schema does not repeat that: OpenAPI Generator takes a boolean with one value for text, and
 * its clients then refuse the response.
 */
export const alwaysTrue = (options: Meaning) => Type.Unsafe<true>({ ...options, type: 'boolean' });

export const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(
  type: T,
  options: Meaning = {},
) => Type.Union([type, Type.Null()], options);

/** A body whose every field is known: one that is not named is refused, so that no misspelt one is silently lost. */
export const closed = <Properties extends TProperties>(properties: Properties): TObject<Properties> =>
  Type.Object(properties, { additionalProperties: false });

/** A body that may be left out altogether. */
export const closedOrAbsent = <Properties extends TProperties>(properties: Properties) =>
  Type.Union([closed(properties), Type.Null()]);

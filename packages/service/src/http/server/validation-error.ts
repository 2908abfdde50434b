import { AppError, invalidField } from '../../errors.js';
import { patternWords } from '../../views/schemas.js';
import { maxPathLength } from './unknown-fields.js';

/** The parts of a schema that say what it takes. */
interface Schema {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  examples?: unknown[];
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
}

/** A violated rule of a schema, as a `verbose` validator reports it: with the value, and the schema that has the rule. */
export interface Violation {
  keyword: string;
  instancePath: string;
  params: Record<string, unknown>;
  data?: unknown;
  parentSchema?: Schema;
}

/**
 * Returns the error for a part of a request that violates its schema. It blames the one field that the first violated rule is
 * about, by its path, and says what was sent and what is expected. Values are quoted only where a field takes numbers or
 * certain words: what a field for text was sent may be a secret, of which it says the kind and length.
 * @param part `body`, `querystring` or `params`.
 */
export function validationError(violations: readonly Violation[], part: string | undefined): AppError {
  const violation = preciseViolation(violations);
  const path = (violation?.instancePath ?? '')
    .split('/')
    .slice(1)
    .map((name) => name.replace(/~1/g, '/').replace(/~0/g, '~'));
  if (violation?.keyword === 'required') {
    const name = String(violation.params.missingProperty);
    const field = [...path, name].join('.');
    const schema = violation.parentSchema?.properties?.[name] ?? {};
    return invalidField(field, `${field} is required: ${expectedBy(schema)}${exampleOf(schema)}.`);
  }
  if (violation?.keyword === 'additionalProperties') {
    const field = [...path, String(violation.params.additionalProperty)].join('.').slice(0, maxPathLength);
    const known = Object.keys(violation.parentSchema?.properties ?? {});
    const hint = known.length === 0 ? '' : `; known are ${known.join(', ')}`;
    return invalidField(field, `${field} is not a known field${hint}.`);
  }
  if (violation && path.length > 0) {
    const field = path.join('.');
    return invalidField(field, `${field} ${ruleOf(violation, part)}.`);
  }
  if (part !== 'body') return new AppError('invalid_request', 'The request is malformed.');
  const sent = violation?.data === undefined ? '' : `, not ${sentAs(violation.data, false)}`;
  return new AppError('invalid_request', `The body must be a JSON object${sent}.`);
}

/**
 * Returns the rule to report. Of a value with several shapes, what is wrong inside one says more than that it is none of them;
 * where it is of no shape's type, that it is none of them says what it may be.
 */
function preciseViolation(violations: readonly Violation[]): Violation | undefined {
  const first =
    violations.find((one) => one.instancePath !== '' || one.keyword === 'additionalProperties') ??
    violations[0];
  const ofSame = violations.filter(({ instancePath }) => instancePath === first?.instancePath);
  const union = ofSame.find(({ keyword }) => keyword === 'anyOf');
  const rules = ofSame.filter((one) => one !== union && !isOfShape(one));
  return rules.toSorted((a, b) => knownMembers(b) - knownMembers(a))[0] ?? union ?? first;
}

/** Returns how many members of a value the violated shape knows: more for the one that was meant. */
function knownMembers({ data, parentSchema }: Violation): number {
  if (typeof data !== 'object' || data === null) return 0;
  return Object.keys(data).filter((name) => Object.hasOwn(parentSchema?.properties ?? {}, name)).length;
}

/** Whether a rule says no more than of which type or word a value is. */
function isOfShape({ keyword }: Violation): boolean {
  return keyword === 'type' || keyword === 'const';
}

function ruleOf(
  { keyword, params, data, parentSchema: schema = {} }: Violation,
  part: string | undefined,
): string {
  if (part === 'querystring' && Array.isArray(data)) return 'must be given only once';
  const size = sizeOf(data);
  const example = exampleOf(schema);
  const instead = example.replace(', such as', '; an example is');
  switch (keyword) {
    case 'minLength':
      return params.limit === 1
        ? `must not be empty${instead}`
        : `must have at least ${params.limit} characters, not ${size}`;
    case 'maxLength':
      return `must have at most ${params.limit} characters, not ${size}`;
    case 'minItems':
      return `must have at least ${params.limit} item${params.limit === 1 ? '' : 's'}, not ${size}`;
    case 'maxItems':
      return `must have at most ${params.limit} items, not ${size}`;
    case 'pattern':
      return `${mismatchOf(String(data), String(params.pattern))}${instead}`;
    default:
      return `must be ${expectedBy(schema)}${example}, not ${sentAs(data, takesFigures(schema))}`;
  }
}

/** Returns the characters or items of a value. */
function sizeOf(data: unknown): number {
  return typeof data === 'string' || Array.isArray(data) ? [...data].length : 0;
}

/** Returns what is wrong with a text that does not match a pattern. */
function mismatchOf(text: string, pattern: string): string {
  const words = patternWords[pattern];
  if (words !== undefined) return `must be ${words}`;
  if (text.trim() === '') return 'must not be blank';
  const matches = new RegExp(pattern, 'u');
  const wrong = [...text].find((character) => !matches.test(`x${character}x`));
  if (wrong === undefined) return 'contains characters that are not allowed';
  const code = (wrong.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `contains the character U+${code}, which is not allowed`;
}

const kinds: Record<string, string> = {
  string: 'text',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
};

/** Returns what a schema takes, as the end of "must be". */
function expectedBy(schema: Schema): string {
  if (schema.anyOf) return [...new Set(schema.anyOf.map(expectedBy))].join(' or ');
  if (schema.enum) return `one of ${schema.enum.join(', ')}`;
  if ('const' in schema) return JSON.stringify(schema.const);
  return [schema.type ?? 'string']
    .flat()
    .map((type) => kindOf(type, schema))
    .join(' or ');
}

function kindOf(type: string, { minimum, maximum, exclusiveMinimum }: Schema): string {
  if (type !== 'number' && type !== 'integer') return kinds[type] ?? type;
  const kind = type === 'integer' ? 'a whole number' : 'a number';
  if (exclusiveMinimum !== undefined) return `${kind} greater than ${exclusiveMinimum}`;
  if (minimum === undefined) return maximum === undefined ? kind : `${kind} of at most ${maximum}`;
  return maximum === undefined ? `${kind} of at least ${minimum}` : `${kind} from ${minimum} to ${maximum}`;
}

const figures = ['number', 'integer', 'boolean'];

/** Whether a schema takes numbers, booleans and certain words alone, none of which is a secret. */
function takesFigures(schema: Schema): boolean {
  if (schema.anyOf) return schema.anyOf.every(takesFigures);
  if (schema.enum || 'const' in schema) return true;
  return [schema.type ?? []].flat().every((type) => type === 'null' || figures.includes(type));
}

/** Longer ones would hide the rest of the sentence. */
const maxExampleLength = 100;

function exampleOf(schema: Schema): string {
  const example = schema.examples?.[0];
  if (schema.enum || example === undefined || example === null || typeof example === 'boolean') return '';
  const text = JSON.stringify(example);
  return text.length > maxExampleLength ? '' : `, such as ${text}`;
}

const maxShownLength = 40;

/** Returns what a value is, and the value itself if it may be shown. */
function sentAs(data: unknown, isShown: boolean): string {
  switch (typeof data) {
    case 'string': {
      const characters = [...data];
      if (!isShown) return `text of ${characters.length} character${characters.length === 1 ? '' : 's'}`;
      const isLong = characters.length > maxShownLength;
      const shown = JSON.stringify(isLong ? `${characters.slice(0, maxShownLength).join('')}…` : data);
      return `the text ${shown}`;
    }
    case 'number':
      if (!Number.isFinite(data)) return 'a number that is too large';
      return isShown ? String(data) : 'a number';
    case 'boolean':
      return String(data);
    default:
      if (data === null || data === undefined) return 'null';
      return Array.isArray(data) ? 'a list' : 'an object';
  }
}

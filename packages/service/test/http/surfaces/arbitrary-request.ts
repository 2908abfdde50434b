import fc, { type Arbitrary } from 'fast-check';
import type { InjectOptions } from 'fastify';
import type { Operation } from '../../../src/http/openapi/conventions.js';
import type { JsonSchema } from '../../../src/http/openapi/examples.js';

/** Values that exist, by the name of the field that takes them, so that requests get past the first check. */
export type Known = Record<string, unknown[]>;

/** A key or token, and the headers that it is sent in. */
export interface Caller {
  secret: string;
  credentials(secret: string): Record<string, string>;
}

/** Any request to an operation: from nearly good ones, made from its description, to noise. */
export function anyRequest(
  { method, path, operation }: { method: string; path: string; operation: Operation },
  known: Known,
  caller: Caller,
): Arbitrary<InjectOptions> {
  const parameters = operation.parameters ?? [];
  const query = parameters.filter((parameter) => parameter.in === 'query');
  const body = Object.values(operation.requestBody?.content ?? {})[0]?.schema;
  return fc
    .record({
      remoteAddress: fc.nat(999).map((n) => `10.1.${n >> 8}.${n & 255}`),
      path: anyPath(path, known),
      query: anyQuery(query, known),
      headers: anyHeaders(caller),
      body: body === undefined ? often(fc.constant(undefined), fc.json()) : anyBody(body, known),
    })
    .map(({ path, query, headers, body, remoteAddress }) => ({
      remoteAddress,
      method: method.toUpperCase() as 'GET' | 'POST' | 'PUT',
      url: query === '' ? path : `${path}?${query}`,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { payload: body }),
    }));
}

/** Nearly always the first, sometimes the other. */
function often<T>(usual: Arbitrary<T>, seldom: Arbitrary<T>, weight = 8): Arbitrary<T> {
  return fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: seldom });
}

/** Texts that have broken something somewhere. */
const nastyText = fc.constantFrom(
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\u202e',
  '👑',
  '../..',
  '%00',
  'null',
  '__proto__',
  "'; drop table users; --",
  '0',
  '-1',
  '1e999',
  'x'.repeat(5_000),
);
const anyText = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), nastyText, fc.base64String(), fc.uuid());

const nastyNumber = fc.constantFrom(0, -0, -1, 0.1, 1e-7, 1e21, 2 ** 53, 9007199254.740993, 1e308, 5e-324);
const anyAmount = fc.oneof(
  fc.integer({ min: 1, max: 2_000_000 }),
  fc.integer({ min: 1, max: 10_000_000 }).map((units) => units / 1e6),
  fc.double(),
  nastyNumber,
);

/** A path whose variables are known, random or not even well encoded. */
function anyPath(path: string, known: Known): Arbitrary<string> {
  const parts = path.split('/').map((part) => {
    const name = /^\{(.+)\}$/.exec(part)?.[1];
    if (name === undefined) return fc.constant(part);
    const value = often(fc.constantFrom(...knownTexts(known, name)), anyText, 3).map(encode);
    return often(value, fc.constantFrom('%zz', '%', '%ff', 'a%2fb'), 30);
  });
  return fc.tuple(...parts).map((made) => made.join('/'));
}

function anyQuery(parameters: Record<string, unknown>[], known: Known): Arbitrary<string> {
  const pairs = parameters.map(({ name, schema }) => {
    const value = often(fromSchema(schema as JsonSchema, String(name), known), anyText);
    const values = often<unknown[]>(fc.tuple(value), fc.tuple(value, value), 20);
    return fc.option(
      values.map((all) => all.map((one): [string, string] => [String(name), textOf(one)])),
      { freq: 3 },
    );
  });
  const more = often<[string, string][]>(
    fc.constant([]),
    fc.array(fc.tuple(anyText, anyText), { maxLength: 2 }),
  );
  return fc
    .tuple(fc.tuple(...pairs), more)
    .map(([own, other]) =>
      [...own.flatMap((pair) => pair ?? []), ...other]
        .map(([name, value]) => `${encode(name)}=${encode(value)}`)
        .join('&'),
    );
}

function anyHeaders({ secret, credentials }: Caller): Arbitrary<Record<string, string>> {
  const printable = fc.string({ unit: 'grapheme-ascii', maxLength: 300 });
  const others = fc.record(
    {
      'idempotency-key': fc.oneof(fc.constantFrom('one', 'two'), printable),
      'x-request-id': printable,
      'x-forwarded-for': printable,
      'content-type': often(
        fc.constantFrom('application/json', 'application/json; charset=utf-8'),
        fc.constantFrom('text/plain', 'application/xml', 'nonsense', ''),
      ),
      accept: fc.constantFrom('*/*', 'text/html', 'nonsense'),
    },
    { requiredKeys: [] },
  );
  return fc
    .tuple(often(fc.constant(secret), printable, 20), others)
    .map(([sent, headers]) => ({ ...credentials(sent), ...headers }));
}

type Members = Record<string, Arbitrary<unknown>>;

/** JSON of a nearly good body, of anything, or no JSON at all. */
function anyBody(schema: JsonSchema | undefined, known: Known): Arbitrary<string | undefined> {
  const shaped = schema
    ? fromSchema(schema, '', known).map((value) => JSON.stringify(value))
    : fc.constant(undefined);
  const noise = fc.oneof(fc.json(), fc.string(), fc.constantFrom('', '{', 'null', '[]', '{"__proto__":1}'));
  return often<string | undefined>(shaped, noise, 6);
}

/** A value that a schema takes, or nearly: any part of it may be another, and any member may be missing. */
function fromSchema(schema: JsonSchema, name: string, known: Known): Arbitrary<unknown> {
  const anything = fc.anything({ withNullPrototype: false, maxDepth: 2 });
  return often<unknown>(goodFor(schema, name, known), anything, 20);
}

function goodFor(schema: JsonSchema, name: string, known: Known): Arbitrary<unknown> {
  if (schema.oneOf) return fc.oneof(...schema.oneOf.map((shape) => goodFor(shape, name, known)));
  const types = [schema.type ?? []].flat();
  if (schema.items) return fc.array(fromSchema(schema.items, name, known), { maxLength: 3 });
  if (known[name]) return often<unknown>(fc.constantFrom(...known[name]), anyText, 10);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.properties) {
    const members = Object.entries(schema.properties).map(([key, part]) => [
      key,
      fromSchema(part, key, known),
    ]);
    const required = (schema.required as string[] | undefined) ?? [];
    const optional = Object.keys(schema.properties).filter((key) => !required.includes(key));
    // Most optional members exclude each other, so one of them is the likeliest to be good.
    const requiredKeys = often(fc.constant(required), fc.subarray<string>(required));
    const one = Math.min(1, optional.length);
    const optionalKeys = fc.oneof(
      fc.subarray(optional, { minLength: one, maxLength: one }),
      fc.subarray(optional),
    );
    return fc.tuple(requiredKeys, optionalKeys).chain((chosen) => {
      const keys = new Set(chosen.flat());
      return fc.record(Object.fromEntries(members.filter(([key]) => keys.has(String(key)))) as Members);
    });
  }
  if (types.includes('object')) return fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4 });
  if (types.includes('integer')) return fc.integer({ min: -1, max: 10_001 });
  if (types.includes('number')) return anyAmount;
  const example = schema.examples?.[0];
  return typeof example === 'string' ? fc.oneof(fc.constant(example), anyText) : anyText;
}

function knownTexts(known: Known, name: string): string[] {
  const texts = (known[name] ?? []).map(String);
  return texts.length > 0 ? texts : ['x'];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** Percent-encoded; half a character, which has no encoding, as the bytes that some clients send for it. */
function encode(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    return '%ED%A0%80';
  }
}

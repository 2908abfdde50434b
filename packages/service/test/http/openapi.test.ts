import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorStatus } from '../../src/errors.js';
import { describePartnerApi, describeTradebookApi } from '../../src/http/app.js';
import type { OpenApiDocument, Operation } from '../../src/http/openapi/conventions.js';
import { exampleOf, type JsonSchema } from '../../src/http/openapi/examples.js';
import { describeOperatorApi } from '../../src/http/operator/app.js';
import { documentValidator } from '../document-validator.js';
import { expanded } from '../expanded.js';
import { type Client, type Harness, harness } from '../harness.js';
import { type Operators, startOperators } from '../operators.js';

const ajv = documentValidator();

type Document = OpenApiDocument & { tags: { name: string }[] };

let h: Harness;
let operators: Operators;
beforeAll(async () => {
  h = await harness();
  operators = await startOperators(h);
});
afterAll(async () => {
  await operators.close();
  await h.close();
});

interface Surface {
  name: string;
  document: Document;
  /** Where it is served. */
  path: string;
  client(): Client;
  /** Whether a path asks who is there, and how. */
  keyed: RegExp;
  security: Record<string, []>[];
  /** Which operations have samples of the SDKs. */
  sampled: RegExp;
}
const never = /(?!)/;
const surfaces: Surface[] = [
  {
    name: 'partner',
    document: (await describePartnerApi()) as Document,
    path: '/openapi.json',
    client: () => h.anonymous,
    keyed:
      /^(?!post \/v1\/session(\/challenge|\/second-factor)?$)(?!post \/v1\/members\/invitations\/accept$)\w+ \/v1\/(?!auth\/|network|reserves|papers\/keys)/,
    security: [{ apiKey: [] }, { session: [] }],
    // What belongs to the portal, a page in a browser, is in no SDK.
    sampled:
      /^\w+ \/v1\/(?!reserves|papers|session|members|requests|statements|orders|vault|limits|.*\/(deliveries\/|receipt))/,
  },
  {
    name: 'tradebook',
    document: (await describeTradebookApi()) as Document,
    path: '/api/openapi.json',
    client: () => h.anonymous,
    keyed:
      /^(?!post \/api\/auth\/(challenge|api-key)$)(?!post \/api\/transactions\/)(?!get \/api\/trading\/gold\/price$)/,
    security: [{ apiKey: [] }],
    sampled: never,
  },
  {
    name: 'operator',
    document: (await describeOperatorApi()) as Document,
    path: '/operator/v1/openapi.json',
    client: () => operators.anonymous,
    keyed: /^(?!(post \/operator\/v1\/session(\/|$)|get \/operator\/v1\/session\/methods$))/,
    security: [{ token: [] }, { session: [] }],
    sampled: never,
  },
];

describe.each(surfaces)('$name', ({ document, path, client, keyed, security, sampled }) => {
  const operations = Object.entries(expanded(document).paths).flatMap(([route, item]) =>
    Object.entries(item).map(([method, operation]): [string, Operation] => [`${method} ${route}`, operation]),
  );

  test('the page of the document is the one written without a database, public', async () => {
    const response = await client().get(path);
    expect(response).toMatchObject({ status: 200, body: { openapi: '3.1.0' } });
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(response.body).toEqual(JSON.parse(JSON.stringify(document)));
  });

  test('the document is valid OpenAPI 3.1, and every reference in it leads somewhere', async () => {
    const validator = new Validator();
    const result = await validator.validate(structuredClone(document) as unknown as Record<string, unknown>);
    expect(result).toMatchObject({ valid: true });
    expect(validator.version).toBe('3.1');
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, ref]) => ref ?? '');
    expect(refs.length).toBeGreaterThan(100);
    for (const ref of new Set(refs)) expect(at(ref.split('/')), ref).toBeDefined();
  });

  describe.each(operations)('%s', (name, operation) => {
    test('the operation has a description', () => {
      expect(operation.operationId).toMatch(/^[a-z]+[A-Za-z]+$/);
      expect(operation.summary).toMatch(/^[A-Z].*[^.]$/);
      expect(operation.description).toMatch(/\.$/);
      expect(document.tags.map((tag) => tag.name)).toEqual(
        expect.arrayContaining(operation.tags ?? ['none']),
      );
      const parameters = (operation.parameters ?? []).filter((parameter) => parameter.$ref === undefined);
      for (const parameter of parameters) expect(parameter.description, String(parameter.name)).toBeTruthy();
    });

    test('the operation shows a key where it needs one', () => {
      expect(operation.security).toEqual(keyed.test(name) ? security : []);
    });

    test('the operation has a sample in each language where a partner calls it', () => {
      const languages = operation['x-codeSamples']?.map(({ label }) => label);
      expect(languages).toEqual(sampled.test(name) ? ['TypeScript', 'Python', 'Go'] : undefined);
    });

    test('the operation has an example of the request and of every response, and each fits its schema', () => {
      const bodies = [
        ...Object.values(operation.requestBody?.content ?? {}),
        ...Object.values(operation.responses).flatMap(({ content = {} }) => Object.values(content)),
      ];
      expect(bodies.length).toBeGreaterThan(0);
      for (const { schema, example, examples } of bodies) {
        const shown = Object.values(examples ?? {}).map((one) => (one as { value: unknown }).value);
        const all = example === undefined ? shown : [example, ...shown];
        if (all.length === 0) all.push(exampleOf(schema ?? {}));
        const validate = ajv.compile(schema ?? {});
        for (const one of all) expect(validate(one), ajv.errorsText(validate.errors)).toBe(true);
      }
    });

    test('the operation lists every error under its own status', () => {
      for (const [status, response] of Object.entries(operation.responses)) {
        if (status.startsWith('2')) continue;
        const named = Object.values(response.content ?? {}).flatMap(({ examples = {} }) =>
          Object.keys(examples),
        );
        expect(named.length).toBeGreaterThan(0);
        for (const code of named.filter((name) => name !== 'response'))
          expect(errorStatus[code as keyof typeof errorStatus]).toBe(Number(status));
      }
    });
  });

  test('an operation reads on one screen: bodies, errors and shared parameters are components', () => {
    for (const item of Object.values(document.paths)) {
      for (const { operationId, requestBody, responses } of Object.values(item)) {
        const bodies = [
          requestBody,
          ...Object.entries(responses).flatMap(([status, each]) => (status < '3' ? [each] : [])),
        ];
        const schemas = bodies.flatMap((body) =>
          Object.values(body?.content ?? {}).map(({ schema }) => schema),
        );
        for (const schema of schemas) expect(Object.keys(schema ?? {}), operationId).toEqual(['$ref']);
        for (const [status, response] of Object.entries(responses)) {
          const own = Object.values(response.content ?? {}).some(
            ({ examples }) => examples && 'response' in examples,
          );
          if (status >= '4' && !own) expect(Object.keys(response), operationId).toEqual(['$ref']);
        }
      }
    }
    const lines = Object.values(document.paths).flatMap((item) =>
      Object.values(item).map((operation) => JSON.stringify(operation, null, 2).split('\n').length),
    );
    expect(Math.max(...lines)).toBeLessThan(200);
  });

  test('operations stand in the order of their tags, and a challenge before the key that it is for', () => {
    const order = document.tags.map(({ name }) => name);
    const tags = operations.map(([, { tags }]) => order.indexOf(tags?.[0] ?? ''));
    expect(tags).toEqual([...tags].sort((a, b) => a - b));
    const routes = operations.map(([route]) => route);
    const [challenge, key] = ['challenge', 'api-key'].map((end) =>
      routes.findIndex((route) => route.endsWith(`/auth/${end}`)),
    );
    if (path !== '/operator/v1/openapi.json') expect([challenge, key]).toEqual([0, 1]);
  });

  test('patterns are readable to the regular expressions of other languages', () => {
    const patterns = [...JSON.stringify(document).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(
      ([, text]) => JSON.parse(text ?? '""') as string,
    );
    expect(patterns.filter((pattern) => /\\[pPuk]|\(\?[<!=]/.test(pattern))).toEqual([]);
  });

  test('every number has a format: without one Go makes float32 and sends 98765.43 for 98765.432109', () => {
    const formats = partsOf(document).flatMap(([place, { type, format }]) => {
      const numeric = [type].flat().find((name) => name === 'number' || name === 'integer');
      return numeric === undefined ? [] : [`${numeric} ${format} at ${place}`];
    });
    expect(formats.length).toBeGreaterThan(30);
    const known = /^(number double|integer int64) at /;
    expect(formats.filter((line) => !known.test(line))).toEqual([]);
  });

  test('a boolean never has one value: OpenAPI Generator takes it for text, and refuses every response', () => {
    const parts = partsOf(document).filter(([, { type }]) => type === 'boolean');
    expect(parts.length).toBeGreaterThan(0);
    const single = parts.filter(([, { enum: values, const: value }]) => values ?? value !== undefined);
    expect(single.map(([place]) => place)).toEqual([]);
  });

  test('a schema never has a name that generators of clients give to a type or a function of their own', () => {
    const schemas = Object.entries((document.components?.schemas ?? {}) as Record<string, JsonSchema>);
    const names = schemas.map(([name]) => name);
    const taken = new Set([
      // Of the languages.
      'Error',
      // What the call of an operation takes and returns: oapi-codegen, and most generators of TypeScript.
      ...operations.flatMap(([, { operationId = '' }]) =>
        ['Response', 'Responses', 'Params', 'Data', 'Errors', 'Error'].map(
          (end) => pascal(operationId) + end,
        ),
      ),
      // Functions that make an object, in Go.
      ...names.map((name) => `New${name}`),
    ]);
    // Rust declares the values of a property beside its object, under the name of the property.
    const ownProperty = schemas.filter(([name, { properties = {} }]) =>
      Object.entries(properties).some(([property, { enum: values }]) => values && pascal(property) === name),
    );
    expect(names.length).toBeGreaterThan(30);
    expect([...names.filter((name) => taken.has(name)), ...ownProperty.map(([name]) => name)]).toEqual([]);
  });

  test('operation ids are unique', () => {
    const ids = operations.map(([, operation]) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  function at(parts: string[]): unknown {
    return parts.reduce<unknown>(
      (value, key) => (value as Record<string, unknown> | undefined)?.[key],
      document,
    );
  }
});

/** Every object within a part of a document, with its place. Examples are no part of it. */
function partsOf(part: unknown, place = ''): [string, Record<string, unknown>][] {
  if (typeof part !== 'object' || part === null) return [];
  const inner = Object.entries(part)
    .filter(([name]) => !/^(example|examples|default)$/.test(name))
    .flatMap(([name, value]) => partsOf(value, `${place}/${name}`));
  return [[place, part as Record<string, unknown>], ...inner];
}

const pascal = (name: string) =>
  name.replace(/(?:^|_)([a-zA-Z])/g, (_all, letter: string) => letter.toUpperCase());

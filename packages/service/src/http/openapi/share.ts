import { isDeepStrictEqual } from 'node:util';
import { publishedPatterns } from '../../views/schemas.js';
import type { MediaType, OpenApiDocument, Operation } from './conventions.js';
import type { JsonSchema } from './examples.js';

/**
 * Moves into the components what an operation would otherwise spell out: its bodies by the operation's id, schemas that
 * have a title by that, errors, and parameters that several operations have. So an operation reads on one screen, and
 * generators of clients find a name for every type. They call the response of an operation `<OperationId>Response`
 * themselves, so its body is the result. Throws when one name stands for two things.
 */
export function shareParts(document: OpenApiDocument): OpenApiDocument {
  const components = new Components(document.components);
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
  for (const operation of operations) {
    const { operationId = '', parameters = [], requestBody, responses } = operation;
    for (const parameter of parameters) {
      if (parameter.schema) parameter.schema = titled(components, parameter.schema);
    }
    for (const media of Object.values(requestBody?.content ?? {})) {
      nameBody(components, media, `${operationId}Request`);
    }
    for (const [status, response] of Object.entries(responses)) {
      for (const media of Object.values(response.content ?? {})) {
        if (status.startsWith('2')) nameBody(components, media, `${operationId}Result`);
        else if (media.schema) media.schema = titled(components, media.schema);
      }
    }
  }
  shareParameters(components, operations);
  shareErrors(components, operations);
  return { ...document, components: components.all };
}

class Components {
  readonly all: Record<string, Record<string, unknown>>;

  constructor(given: Record<string, Record<string, unknown>> = {}) {
    this.all = structuredClone(given);
  }

  has(kind: string, name: string): boolean {
    return this.all[kind]?.[name] !== undefined;
  }

  /** Returns the reference to a part, which it keeps. Throws when another part, whatever its examples, has that name. */
  add(kind: string, name: string, part: object): { $ref: string } {
    const parts = this.all[kind] ?? {};
    this.all[kind] = parts;
    const known = parts[name] as object | undefined;
    if (known && !isDeepStrictEqual({ ...known, examples: [] }, { ...part, examples: [] })) {
      throw new Error(`two ${kind} of the document are called ${name}`);
    }
    parts[name] = known ?? part;
    return { $ref: `#/components/${kind}/${name}` };
  }
}

/** Makes a body a reference. Its example stays with the operation, where the reference and tools look for what to send. */
function nameBody(components: Components, media: MediaType, operationName: string): void {
  const { schema } = media;
  if (!schema) return;
  const name = typeof schema.title === 'string' ? schema.title : capitalized(operationName);
  const { title: _, ...inner } = schema;
  media.schema = components.add('schemas', name, inParts(components, inner));
}

function titled(components: Components, schema: JsonSchema): JsonSchema {
  const { title, ...inner } = schema;
  const parts = inParts(components, inner);
  if (typeof title !== 'string') return parts;
  return components.add('schemas', title, parts);
}

function inParts(components: Components, schema: JsonSchema): JsonSchema {
  const { properties, items, anyOf, oneOf, pattern } = schema;
  const inner = (part: JsonSchema) => titled(components, part);
  return {
    ...schema,
    ...(typeof pattern === 'string' && { pattern: publishedPatterns[pattern] ?? pattern }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, inner(part)])),
    }),
    ...(items && { items: inner(items) }),
    ...(anyOf && { anyOf: anyOf.map(inner) }),
    ...(oneOf && { oneOf: oneOf.map(inner) }),
  };
}

/** Parameters that several operations have go by their name, unless another is called that too. */
function shareParameters(components: Components, operations: Operation[]): void {
  const places = operations.flatMap(({ parameters = [] }) => parameters.map((_, at) => ({ parameters, at })));
  const own = places.filter(({ parameters, at }) => parameters[at]?.$ref === undefined);
  for (const twins of twinsOf(own, ({ parameters, at }) => parameters[at])) {
    const parameter = twins[0]?.parameters[twins[0].at];
    const name = String(parameter?.name);
    if (!parameter || components.has('parameters', name)) continue;
    const reference = components.add('parameters', name, parameter);
    for (const { parameters, at } of twins) parameters[at] = reference;
  }
}

/** Errors of several codes under one status go by these codes. */
function shareErrors(components: Components, operations: Operation[]): void {
  for (const { responses } of operations) {
    for (const [status, response] of Object.entries(responses)) {
      if (status.startsWith('2') || response.$ref) continue;
      const named = Object.values(response.content ?? {}).flatMap(({ examples = {} }) =>
        Object.keys(examples),
      );
      // Headers differ where a route has no limit.
      const limited = Object.keys(response.headers ?? {}).includes('ratelimit-limit');
      const name = `${named.join('_or_')}${limited ? '' : '_unlimited'}`;
      responses[status] = components.add('responses', name, response);
    }
  }
}

/** Places at which the same stands, where those are several. */
function twinsOf<Place>(places: Place[], partAt: (place: Place) => unknown): Place[][] {
  const groups = new Map<string, Place[]>();
  for (const place of places) {
    const text = JSON.stringify(partAt(place));
    groups.set(text, [...(groups.get(text) ?? []), place]);
  }
  return [...groups.values()].filter((twins) => twins.length > 1);
}

const capitalized = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

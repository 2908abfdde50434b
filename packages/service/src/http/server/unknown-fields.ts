import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { nearest } from '../../domain/nearest.js';
import { type AppError, invalidField } from '../../errors.js';

/** Fields of an object that a request may have; undefined: a field whose value is not looked into. */
type Known = ReadonlyMap<string, Known | undefined>;

/** The parts of a schema that name fields. */
interface Schema {
  properties?: Record<string, Schema>;
  anyOf?: Schema[];
  additionalProperties?: unknown;
}

/** What is unknown in a request: where it stands, and what else stands there. */
interface Unknown {
  prefix: string;
  name: string;
  known: Known;
  /** The object that it is a field of. */
  within: object;
}

/**
 * Refuses fields of bodies that are probably misspelt: unknown ones within two letters of one that the route knows and that is
 * absent. Others are ignored and named in the header `karat-ignored`. Unknown parameters of queries that select are refused, since
 * ignoring one gives other rows than were requested. Where routes are `closed`, everything unknown is refused. A query that takes
 * `additionalProperties` is not looked into. Has to be called before the routes are registered, and after what authenticates.
 */
export function checkUnknownFields(app: FastifyInstance, options: { closed: boolean }): void {
  app.addHook('onRoute', (route) => {
    const check = checkOf(route, options.closed);
    route.preValidation = [...[route.preValidation ?? []].flat(), check];
  });
}

/** Whether an operation lists rows, which it does though it may take no parameters. */
export const isList = (operation: { operationId?: string | undefined } | undefined): boolean =>
  operation?.operationId?.startsWith('list') === true;

function checkOf({ schema }: RouteOptions, closed: boolean) {
  const body = schema?.body as Schema | undefined;
  const fields: Known | undefined = body ? knownOf(body) : new Map();
  const query = (schema?.querystring ?? {}) as Schema;
  const parameters = knownOf(query) ?? new Map();
  const selects = parameters.size > 0 || isList(schema);
  return (request: FastifyRequest, reply: FastifyReply, done: (error?: AppError) => void): void => {
    const inBody = fields && unknownIn(request.body, fields);
    const inQuery = query.additionalProperties === true ? undefined : unknownIn(request.query, parameters);
    if (!inBody && !inQuery) {
      done();
      return;
    }
    const refusal = refusalOf(inBody, 'field', closed) ?? refusalOf(inQuery, 'parameter', closed || selects);
    if (!refusal) reply.header('karat-ignored', headerOf([...(inBody ?? []), ...(inQuery ?? [])]));
    done(refusal);
  };
}

/** Returns the fields of an object; undefined for one that takes any, or that refuses unknown ones by itself. */
function knownOf(schema: Schema): Known | undefined {
  const shapes = [schema, ...(schema.anyOf ?? [])];
  if (shapes.some(({ additionalProperties }) => additionalProperties !== undefined)) return undefined;
  const properties = shapes.flatMap((shape) => Object.entries(shape.properties ?? {}));
  return properties.length === 0
    ? undefined
    : new Map(properties.map(([name, part]) => [name, knownOf(part)]));
}

/** Returns what of a value is unknown; undefined when nothing is, as nearly always. */
function unknownIn(value: unknown, known: Known, prefix = ''): Unknown[] | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const fields = value as Record<string, unknown>;
  let found: Unknown[] | undefined;
  for (const name in fields) {
    const inner = known.get(name);
    if (inner) {
      const below = unknownIn(fields[name], inner, `${prefix}${name}.`);
      if (below) found = [...(found ?? []), ...below];
    } else if (!known.has(name)) {
      found ??= [];
      found.push({ prefix, name, known, within: fields });
    }
  }
  return found;
}

function refusalOf(
  unknown: Unknown[] | undefined,
  kind: 'field' | 'parameter',
  closed: boolean,
): AppError | undefined {
  for (const { prefix, name, known, within } of unknown ?? []) {
    const absent = [...known.keys()].filter((field) => !Object.hasOwn(within, field));
    const meant = nearest(name, absent);
    if (meant === undefined && !closed) continue;
    const path = `${prefix}${name}`.slice(0, maxPathLength);
    const hint = meant === undefined ? `; it takes ${listOf(known)}.` : `; did you mean ${prefix}${meant}?`;
    return invalidField(path, `${path} is no ${kind} of this request${hint}`);
  }
  return undefined;
}

function listOf(known: Known): string {
  return known.size === 0 ? 'none' : [...known.keys()].join(', ');
}

/** How much of the path of an unknown field an error repeats. */
export const maxPathLength = 200;

const maxHeaderLength = 1_000;

/** Returns the paths, comma-separated; what a header cannot carry is percent-encoded, and what is too long ends in three dots. */
function headerOf(unknown: Unknown[]): string {
  const text = unknown.map(({ prefix, name }) => `${prefix}${name}`.replace(/[^!-+\--~]/gu, percentEncoded));
  const header = text.join(',');
  return header.length <= maxHeaderLength ? header : `${header.slice(0, maxHeaderLength)}...`;
}

function percentEncoded(deadLetter: string): string {
  return [...Buffer.from(deadLetter)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('');
}

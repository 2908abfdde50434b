import type { FastifyInstance } from 'fastify';
import { maxIdempotencyKeyLength } from '../../domain/idempotency.js';
import { type ErrorCode, errorCodes, errorStatus } from '../../errors.js';
import { reasonNames } from '../../reasons.js';
import { isList } from '../server/unknown-fields.js';
import { exampleOf, type JsonSchema } from './examples.js';

declare module 'fastify' {
  interface FastifySchema {
    /** Error codes of this route beyond those that follow from its method and settings. */
    errors?: readonly ErrorCode[];
    /** An example of the body, where those of its fields do not go together. */
    bodyExample?: unknown;
    /** Fields of the body of which exactly one is required, each with an example: the document has a shape of the body for each. */
    eitherOf?: Readonly<Record<string, unknown>>;
  }
}

/** Error codes as the value of `errors` in a route's schema. */
export function codes(...list: ErrorCode[]): readonly ErrorCode[] {
  return list;
}

/** Lists the routes that are registered after it in `app` under `tag`, but for those that name their own tags. */
export function tagRoutes(app: FastifyInstance, tag: string): void {
  app.addHook('onRoute', (route) => {
    route.schema = { tags: [tag], ...route.schema };
  });
}

/** What of a route's settings shows in its description. */
export interface RouteFacts {
  keyed: boolean;
  limited: boolean;
  idempotent: boolean;
  /** Whether unknown parameters of the query are refused; they are ignored otherwise. */
  closed: boolean;
  errors: readonly ErrorCode[];
  bodyExample: unknown;
  eitherOf: Readonly<Record<string, unknown>> | undefined;
}

/** How callers of a surface say who they are. */
export interface Authentication {
  /** The ways in, by name: any one of them is enough. */
  schemes: Record<string, JsonSchema>;
  /** Error codes of every route that requires one. */
  errors(method: string): ErrorCode[];
}

/** Describes the authentication by a key in a header, as partners send it. */
export function keyInHeader(description: string): Authentication {
  return {
    schemes: { apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description } },
    errors: () => ['unauthorized', 'insufficient_scope', 'partner_suspended'],
  };
}

/** How a surface writes errors and lets callers in. */
export interface Conventions {
  authentication: Authentication;
  errorTexts: Record<ErrorCode, string>;
  /** Schema of the body of every error, with all codes of the surface. */
  errorSchema(list: ErrorCode[]): JsonSchema;
  /** Properties that narrow it to some codes. */
  errorsOf(list: ErrorCode[]): Record<string, JsonSchema>;
  errorExample(code: ErrorCode, message: string): Record<string, unknown>;
  /** Code that calls an operation, by its id. */
  samples?: Readonly<Record<string, readonly CodeSample[]>>;
}

/** Code in one language, as pages show it. */
export interface CodeSample {
  lang: string;
  label: string;
  source: string;
}

/** Why, for programs: what every surface says about the reason of an error. */
export const reasonSchema: JsonSchema = {
  type: 'string',
  description: 'Why, for programs to act on. `broadcast_failed` and `pricing_unavailable` always have one.',
  enum: reasonNames,
};
export const docUrlMeaning =
  'Page about the reason, or else about the code: what it means and what to do next.';
export const programErrorMeaning =
  'Name of the error of the program on chain that refused the transaction, such as `SlippageExceeded`.';

/** Errors whose fields are not in an envelope, with what a surface adds to them. */
export function flatErrors(
  fieldMeaning: string,
  further: Record<string, JsonSchema> = {},
): Pick<Conventions, 'errorSchema' | 'errorsOf' | 'errorExample'> {
  return {
    errorSchema: (list) => ({
      type: 'object',
      required: ['error', 'message'],
      properties: {
        error: { type: 'string', description: 'The error code, for programs to act on.', enum: list },
        message: { type: 'string', description: 'Text for people; the wording may change.' },
        field: { type: 'string', description: fieldMeaning },
        reason: reasonSchema,
        doc_url: { type: 'string', description: docUrlMeaning },
        program_error_name: { type: 'string', description: programErrorMeaning },
        ...further,
      },
    }),
    errorsOf: (list) => ({ error: { enum: list } }),
    errorExample: (code, message) => ({ error: code, message }),
  };
}

export interface MediaType {
  schema?: JsonSchema;
  example?: unknown;
  examples?: Record<string, unknown>;
}

export interface Response {
  $ref?: string;
  description?: string;
  headers?: Record<string, unknown>;
  content?: Record<string, MediaType>;
}

export interface Operation {
  operationId?: string;
  summary?: string;
  description?: string;
  tags?: string[];
  security?: unknown[];
  parameters?: (Record<string, unknown> & { schema?: JsonSchema })[];
  requestBody?: { required?: boolean; content: Record<string, MediaType> };
  responses: Record<string, Response>;
  'x-codeSamples'?: readonly CodeSample[];
}

/** The parts of an OpenAPI document that are read or written here. */
export interface OpenApiDocument {
  openapi: string;
  info: Record<string, unknown>;
  tags?: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components?: Record<string, Record<string, unknown>>;
}

const json = 'application/json';

/**
 * Adds to a generated document what holds for every route: errors by status, headers, security, and examples of requests,
 * put together from those of the fields. Throws for an operation that no route explains.
 */
export function withConventions(
  document: OpenApiDocument,
  factsOf: (method: string, path: string) => RouteFacts | undefined,
  conventions: Conventions,
): OpenApiDocument {
  const seen = new Set<ErrorCode>(['not_found', 'method_not_allowed']);
  const paths = inReadingOrder(document);
  for (const [path, item] of paths) {
    for (const [method, operation] of Object.entries(item)) {
      const facts = factsOf(method, path);
      if (!facts) throw new Error(`no route explains ${method} ${path}`);
      for (const code of describeOperation(method, operation, facts, conventions)) seen.add(code);
    }
  }
  const list = inOrder(seen);
  return {
    ...document,
    components: {
      securitySchemes: conventions.authentication.schemes,
      ...components,
      schemas: { ErrorBody: conventions.errorSchema(list) },
      examples: errorExamples(list, conventions),
      responses: soleErrors(
        paths.flatMap(([, item]) => Object.values(item)),
        conventions,
      ),
    },
    paths: Object.fromEntries(paths),
  };
}

/** Paths in the order of their tags, and of one tag in that in which the routes are registered. */
function inReadingOrder({ tags, paths }: OpenApiDocument): [string, Record<string, Operation>][] {
  const names = (tags ?? []).map(({ name }) => name);
  const rank = ([, item]: [string, Record<string, Operation>]) =>
    names.indexOf(Object.values(item)[0]?.tags?.[0] ?? '');
  return Object.entries(paths).sort((a, b) => rank(a) - rank(b));
}

/** Completes an operation in place; gives its error codes. */
function describeOperation(
  method: string,
  operation: Operation,
  facts: RouteFacts,
  conventions: Conventions,
): ErrorCode[] {
  const errors = errorsOf(method, operation, facts, conventions);
  const ways = Object.keys(conventions.authentication.schemes);
  const samples = conventions.samples?.[operation.operationId ?? ''];
  if (samples) operation['x-codeSamples'] = samples;
  operation.security = facts.keyed ? ways.map((name) => ({ [name]: [] })) : [];
  operation.parameters = [
    ...(operation.parameters ?? []),
    ...(facts.idempotent ? [{ $ref: '#/components/parameters/idempotency-key' }] : []),
    { $ref: '#/components/parameters/x-request-id' },
  ];
  for (const media of Object.values(operation.requestBody?.content ?? {})) {
    if (facts.eitherOf) offerShapes(media, facts.eitherOf, operation.operationId);
    else if (facts.bodyExample !== undefined) media.example = facts.bodyExample;
    addExample(media);
    // A body that may be null may be left out.
    if (operation.requestBody && takesNull(media.schema)) operation.requestBody.required = false;
  }
  for (const [status, response] of Object.entries(operation.responses)) {
    response.headers = headersOf(status, facts);
    if (response.description === 'Default Response') response.description = 'Success';
  }
  for (const [status, group] of groupByStatus(errors)) {
    addErrors(operation, status, group, { facts, conventions });
  }
  return errors;
}

/** Makes a body, of which exactly one of some fields is required, one shape for each of them: named after it, with its example. */
function offerShapes(
  media: MediaType,
  examples: Readonly<Record<string, unknown>>,
  operationId: string | undefined,
): void {
  const { properties = {}, required = [], ...rest } = media.schema ?? {};
  const fields = Object.keys(examples);
  const shapes = fields.map((field) => {
    const others = fields.filter((other) => other !== field);
    const own = Object.entries(properties).filter(([name]) => !others.includes(name));
    return {
      title: `${operationId}_by_${field}`.replace(/(?:^|_)(.)/g, (_all, first: string) =>
        first.toUpperCase(),
      ),
      ...rest,
      required: [...(required as string[]), field],
      properties: Object.fromEntries(own),
    };
  });
  media.schema = { oneOf: shapes };
  media.examples = Object.fromEntries(fields.map((field) => [field, { value: examples[field] }]));
}

function takesNull(schema: JsonSchema | undefined): boolean {
  return schema?.type?.includes('null') === true || schema?.anyOf?.some(takesNull) === true;
}

/** Returns the codes of a route: its own, and those that its method and settings imply. */
function errorsOf(
  method: string,
  operation: Operation,
  facts: RouteFacts,
  { authentication }: Conventions,
): ErrorCode[] {
  const hasQuery = operation.parameters?.some((parameter) => parameter.in === 'query') ?? false;
  const implied: [boolean, ErrorCode[]][] = [
    [method !== 'get', ['invalid_request', 'payload_too_large', 'unsupported_media_type']],
    [hasQuery || isList(operation) || facts.closed, ['invalid_request']],
    [facts.keyed, authentication.errors(method)],
    [facts.limited, ['rate_limited']],
    [facts.idempotent, ['idempotency_conflict']],
    [true, ['internal_error', 'service_unavailable']],
  ];
  const all = new Set([...facts.errors, ...implied.flatMap(([holds, list]) => (holds ? list : []))]);
  return inOrder(all);
}

/** In the order of the closed list. */
function inOrder(list: ReadonlySet<string>): ErrorCode[] {
  return errorCodes.filter((code) => list.has(code));
}

function groupByStatus(list: ErrorCode[]): Map<number, ErrorCode[]> {
  const groups = new Map<number, ErrorCode[]>();
  for (const code of list) groups.set(errorStatus[code], [...(groups.get(errorStatus[code]) ?? []), code]);
  return groups;
}

/** A status that the route itself returns, such as the 503 of `/ready`, is one or the other. */
function addErrors(
  operation: Operation,
  status: number,
  list: ErrorCode[],
  { facts, conventions }: { facts: RouteFacts; conventions: Conventions },
): void {
  const [only] = list;
  const own = operation.responses[status]?.content?.[json];
  if (facts.limited && list.length === 1 && !own) {
    operation.responses[status] = { $ref: `#/components/responses/${only}` };
    return;
  }
  const response = errorResponse(list, headersOf(String(status), facts), conventions);
  const media = response.content?.[json];
  if (own && media) {
    const response = own.example === undefined ? {} : { response: { value: own.example } };
    media.schema = { anyOf: [own.schema ?? {}, media.schema ?? {}] };
    media.examples = { ...response, ...media.examples };
  }
  operation.responses[status] = response;
}

function errorResponse(
  list: ErrorCode[],
  headers: Record<string, unknown>,
  { errorTexts, errorsOf }: Conventions,
): Response {
  return {
    description: list.map((code) => `- \`${code}\`: ${errorTexts[code]}`).join('\n'),
    headers,
    content: {
      [json]: {
        schema: { $ref: '#/components/schemas/ErrorBody', properties: errorsOf(list) },
        examples: Object.fromEntries(list.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  };
}

function addExample(media: MediaType): void {
  if (media.example !== undefined || media.examples !== undefined || !media.schema) return;
  media.example = exampleOf(media.schema);
}

function headersOf(status: string, facts: RouteFacts): Record<string, unknown> {
  const names = [
    'x-request-id',
    ...(facts.limited ? ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'] : []),
    ...(facts.idempotent && status.startsWith('2') ? ['idempotency-replayed'] : []),
    ...(!facts.closed && status.startsWith('2') ? ['karat-ignored'] : []),
    ...(status === '429' ? ['retry-after'] : []),
  ];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Returns the responses that operations refer to. */
function soleErrors(operations: Operation[], conventions: Conventions): Record<string, Response> {
  const facts: RouteFacts = {
    ...{ keyed: true, limited: true, idempotent: false, closed: false, errors: [] },
    ...{ bodyExample: undefined, eitherOf: undefined },
  };
  const named = operations
    .flatMap(({ responses }) => Object.values(responses))
    .flatMap(({ $ref }) => ($ref ? [$ref.slice($ref.lastIndexOf('/') + 1)] : []));
  return Object.fromEntries(
    inOrder(new Set(named)).map((code) => [
      code,
      errorResponse([code], headersOf(String(errorStatus[code]), facts), conventions),
    ]),
  );
}

function errorExamples(
  list: ErrorCode[],
  { errorTexts, errorExample }: Conventions,
): Record<string, unknown> {
  return Object.fromEntries(list.map((code) => [code, { value: errorExample(code, errorTexts[code]) }]));
}

const text = (description: string, example: string) => ({
  description,
  schema: { type: 'string', examples: [example] },
});
const whole = (description: string, example: number) => ({
  description,
  schema: { type: 'integer', examples: [example] },
});

const requestId = '5f9c1a52-6f0e-4c55-9a53-0f4f4a6f3d11';

const components = {
  parameters: {
    'idempotency-key': {
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description:
        'Makes a retry safe: for 24 hours, the same key and body return the first response again, with `idempotency-replayed: true`. ' +
        'The same key with another body, or while the first request is still in progress, is 409 `idempotency_conflict`. A key counts for one caller and one route.',
      schema: { type: 'string', maxLength: maxIdempotencyKeyLength, examples: ['0d3a4c0e-create-user-1042'] },
    },
    'x-request-id': {
      name: 'x-request-id',
      in: 'header',
      required: false,
      description: 'Your id for this request: 1 to 128 printable characters. Anything else is replaced.',
      schema: { type: 'string', examples: [requestId] },
    },
  },
  headers: {
    'x-request-id': text('The id of this request: the one you sent, or a generated one.', requestId),
    'ratelimit-limit': whole('Requests that the budget allows.', 600),
    'ratelimit-remaining': whole('Requests that are left in the budget.', 599),
    'ratelimit-reset': whole('Seconds until some of what was used is free again.', 60),
    'retry-after': whole('Seconds to wait before the next request.', 12),
    'karat-ignored': text(
      'Fields of the body and parameters of the query that the route does not know and has ignored, comma-separated, nested ones as dotted paths; absent if there were none.',
      'colour,kyc.nickname',
    ),
    'idempotency-replayed': text('Present when this is the response to an earlier request.', 'true'),
  },
};

import { readFileSync } from 'node:fs';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
// Adds `swagger` and `hide` to the types of fastify.
import '@fastify/swagger';
import type { Operation } from '../src/http/openapi/conventions.js';
import { documentValidator } from './document-validator.js';

/** The published description of the API, as far as responses are held to it. */
interface Described {
  info: { title: string };
  paths: Record<string, Record<string, Operation>>;
}

/** What a response of the application breaks of the published contract: one line each. */
export interface ContractWatch {
  /** Gives what was found since the last time. */
  takeViolations(): string[];
}

/**
 * Holds every response of an application to the OpenAPI document of its surface. Has to be called before its routes are
 * registered.
 */
export function watchContract(app: FastifyInstance): ContractWatch {
  let violations: string[] = [];
  app.addHook('onSend', async (request, reply, payload) => {
    const { url, schema } = request.routeOptions;
    const isFileOfSite = request.is404 && reply.statusCode === 200;
    if (schema?.hide !== true && !isFileOfSite && request.method !== 'HEAD') {
      const found = violationOf(request, reply, payload);
      if (found) violations.push(`${request.method} ${url ?? request.url} ${reply.statusCode}: ${found}`);
    }
    return payload;
  });
  return {
    takeViolations() {
      const taken = violations;
      violations = [];
      return taken;
    },
  };
}

function violationOf(request: FastifyRequest, reply: FastifyReply, payload: unknown): string | undefined {
  const { url } = request.routeOptions;
  const document = documentOf(request);
  const path = url?.replace(/:(\w+)/g, '{$1}');
  const method = request.method.toLowerCase();
  const operation = path === undefined ? undefined : document.paths[path]?.[method];
  if (url !== undefined && !operation) return 'no such operation is described';
  const pointer = operation
    ? responsePointer(operation, ['paths', path ?? '', method, 'responses'], reply.statusCode)
    : ['components', 'schemas', 'ErrorBody'];
  if (!pointer) return `this status is not described; ${String(payload).slice(0, 200)}`;
  // A database that is gone can tell of no budget.
  const expected = reply.statusCode < 500 ? expectedHeaders(operation) : ['x-request-id'];
  const missing = expected.find((name) => reply.getHeader(name) === undefined);
  if (missing) return `the header ${missing} is missing`;
  const type = String(reply.getHeader('content-type'));
  const described = Object.keys(operation?.responses[reply.statusCode]?.content ?? {});
  const media = type.split(';')[0] ?? '';
  if (media !== 'application/json' && described.includes(media)) return undefined;
  // The page of a site about what is not there.
  if (url === undefined && media === 'text/html' && request.headers.accept?.includes('text/html'))
    return undefined;
  if (!/^application\/json/.test(type)) return 'this is no JSON';
  return mismatchOf(document, pointer, JSON.parse(String(payload)));
}

/** Unknown paths of the tradebook API are refused outside of its scope, which alone makes its document: it is the published one. */
const tradebook: Described = JSON.parse(
  readFileSync(new URL('../../../openapi/tradebook.json', import.meta.url), 'utf8'),
);
const documents = new Map<string, Described>();

/**
 * Returns the document of the part of the application that responds: each surface has its own. Making one takes a fifth
 * of the time in which an application starts, and it is the same for every application of a process.
 */
function documentOf({ server, method, url: path, routeOptions: { url } }: FastifyRequest): Described {
  if (url === undefined && /^\/(a|%61)pi([/?]|$)/.test(path)) return tradebook;
  if (url === undefined) return server.swagger() as unknown as Described;
  const name = `${method} ${url}`;
  const document = documents.get(name) ?? (server.swagger() as unknown as Described);
  documents.set(name, document);
  return document;
}

function responsePointer(operation: Operation, at: string[], status: number): string[] | undefined {
  const response = operation.responses[status];
  if (!response) return undefined;
  const place = response.$ref ? response.$ref.slice(2).split('/') : [...at, String(status)];
  return [...place, 'content', 'application/json', 'schema'];
}

/** Those that every response of an operation has. */
function expectedHeaders(operation: Operation | undefined): string[] {
  const success = Object.entries(operation?.responses ?? {}).find(([status]) => status.startsWith('2'));
  const described = Object.keys(success?.[1].headers ?? {}).filter((name) => name.startsWith('ratelimit-'));
  return ['x-request-id', ...described];
}

// Whether the documents themselves are valid is what `http/openapi.test.ts` is about.
const ajv = documentValidator({ checksSchemas: false });
const validators = new Map<string, ValidateFunction>();

function mismatchOf(document: Described, pointer: string[], body: unknown): string | undefined {
  const { title } = document.info;
  const id = `contract:${title.replaceAll(' ', '-')}`;
  if (!ajv.getSchema(id)) ajv.addSchema({ ...document, $id: id } as object);
  const ref = `${id}#/${pointer
    .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
    .join('/')}`;
  // Nothing that is not described may be in a response either.
  const validate = validators.get(ref) ?? ajv.compile({ $ref: ref, unevaluatedProperties: false });
  validators.set(ref, validate);
  return validate(body)
    ? undefined
    : `${ajv.errorsText(validate.errors)} in ${JSON.stringify(body).slice(0, 300)}`;
}

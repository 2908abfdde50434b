import fastifySwagger from '@fastify/swagger';
import Fastify, { type FastifyInstance, type RouteOptions } from 'fastify';
import type { Context } from '../../context.js';
import { version } from '../../version.js';
import { type Conventions, type OpenApiDocument, type RouteFacts, withConventions } from './conventions.js';
import { withShortNull } from './nullable.js';
import { withNumberFormats } from './number-formats.js';
import { shareParts } from './share.js';

/** The document of a surface apart from its routes. */
export interface ApiDescription {
  info: { title: string; description: string };
  servers: { url: string; description: string }[];
  tags: { name: string; description: string }[];
  conventions: Conventions;
}

/**
 * Describes every route that is registered after it: `app.swagger()` then gives the OpenAPI 3.1 document. The shapes
 * come from the schemas of the routes; what holds by convention (errors, headers, authentication) from their settings.
 */
export async function describeApi(app: FastifyInstance, description: ApiDescription): Promise<void> {
  const { servers, tags, conventions } = description;
  const license = { name: 'Apache-2.0', identifier: 'Apache-2.0' };
  const { title, description: text } = description.info;
  const info = { title, version, license, description: text };
  const facts = new Map<string, RouteFacts>();
  app.addHook('onRoute', (route) => {
    for (const method of [route.method].flat()) facts.set(operationKey(method, route.url), factsOf(route));
  });
  await app.register(fastifySwagger, {
    openapi: { openapi: '3.1.0', info, servers, tags },
    // The plugin's types are those of every version at once; what is written here is 3.1.
    transformObject: (given) => {
      const document = 'openapiObject' in given ? given.openapiObject : given.swaggerObject;
      const completed = withConventions(
        document as unknown as OpenApiDocument,
        (method, path) => facts.get(operationKey(method, path)),
        conventions,
      );
      const shared: unknown = withNumberFormats(withShortNull(shareParts(completed)));
      return shared as typeof document;
    },
  });
}

function factsOf({ config, schema }: RouteOptions): RouteFacts {
  const keyed = config?.auth !== undefined && config.auth !== 'none';
  return {
    keyed,
    limited: keyed || config?.limit !== undefined,
    idempotent: config?.idempotent === true,
    closed: config?.auth === 'operator',
    errors: schema?.errors ?? [],
    bodyExample: schema?.bodyExample,
    eitherOf: schema?.eitherOf,
  };
}

/** Returns a key that is equal for `/v1/users/:id` of a route and `/v1/users/{id}` of the document. */
function operationKey(method: string, path: string): string {
  return `${method.toLowerCase()} ${path.replace(/:(\w+)|\{(\w+)\}/g, (_all, a, b) => `{${a ?? b}}`)}`;
}

/** The document of routes alone: describing them touches no context. */
export async function describeRoutes(
  register: (app: FastifyInstance, ctx: Context) => Promise<void>,
): Promise<object> {
  const app: FastifyInstance = Fastify();
  await register(app, untouchable);
  await app.ready();
  return app.swagger();
}

const untouchable = new Proxy({} as Context, {
  get: (_context, part) => {
    throw new Error(`the description of a route depends on ${String(part)} of the context`);
  },
});

import fastifySwagger from '@fastify/swagger';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { version } from '../../version.js';
import { type OpenApiDocument, type RouteFacts, withConventions } from './conventions.js';

/**
 * Describes every route that is registered after it: `app.swagger()` then gives the OpenAPI 3.1 document. The shapes
 * come from the schemas of the routes; what holds by convention (errors, headers, authentication) from their settings.
 */
export async function describeApi(app: FastifyInstance): Promise<void> {
  const facts = new Map<string, RouteFacts>();
  app.addHook('onRoute', (route) => {
    for (const method of [route.method].flat()) facts.set(operationKey(method, route.url), factsOf(route));
  });
  await app.register(fastifySwagger, {
    openapi: { openapi: '3.1.0', info, servers, tags },
    // The plugin's types are those of every version at once; what is written here is 3.1.
    transformObject: (given) => {
      const document = 'openapiObject' in given ? given.openapiObject : given.swaggerObject;
      const completed: unknown = withConventions(document as unknown as OpenApiDocument, (method, path) =>
        facts.get(operationKey(method, path)),
      );
      return completed as typeof document;
    },
  });
}

function factsOf({ config, schema }: RouteOptions): RouteFacts {
  return {
    keyed: config?.auth === 'partner',
    limited: config?.auth === 'partner' || config?.limit === 'auth',
    idempotent: config?.idempotent === true,
    errors: schema?.errors ?? [],
  };
}

/** The same for `/v1/users/:id` of a route and `/v1/users/{id}` of the document. */
function operationKey(method: string, path: string): string {
  return `${method.toLowerCase()} ${path.replace(/:(\w+)|\{(\w+)\}/g, (_all, a, b) => `{${a ?? b}}`)}`;
}

const info = {
  title: 'Karat partner API',
  version,
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  description: `Lets a partner sell gold to its customers: register users, quote and submit buys and sells of the GOLD token against
USDC, and redeem GOLD for bars. One GOLD is one troy ounce (31.1034768 g).

**Signing.** A quote comes with a Solana transaction that the service has signed. Partner and user sign the same bytes, then it is
submitted here or sent to any node. The record appears when the chain has confirmed it. A quote is good for about 60 seconds.

**Numbers.** USDC and GOLD are JSON numbers with at most 6 decimals and exact. Trades are rounded against the caller, in the last decimal.

**Errors.** Every answer is JSON. One that is not 2xx has \`error\` (a code that never changes its meaning), \`message\` (text for people)
and, when one input field is to blame, \`field\`. A path that does not exist is 404 \`not_found\`, a wrong method 405 \`method_not_allowed\`.

**Request ids.** \`x-request-id\` is on every answer; send your own (1 to 128 printable characters) to find a request again in the logs.

**Compatibility.** Answers may gain fields, and errors may gain codes; what is here does not change its meaning within \`/v1\`.`,
};

const servers = [
  { url: '/', description: 'The host that serves this document' },
  { url: 'http://127.0.0.1:8080', description: 'A sandbox on this machine' },
];

const tags = [
  { name: 'Authentication', description: 'A key is minted by signing a challenge with the partner wallet.' },
  { name: 'API keys', description: 'Keys of the partner.' },
  {
    name: 'Users',
    description: 'Customers of the partner, with the KYC record that the partner vouches for.',
  },
  { name: 'Trades', description: 'Buys and sells of GOLD: a quote, its submission, and the record.' },
  { name: 'Redemptions', description: 'GOLD for a bar that is picked up in a city.' },
  { name: 'Service', description: 'For load balancers and monitoring.' },
];

import fastifySwaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';

/** The page runs its own scripts only and talks to nobody but this host. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const prefix = '/docs';

/** Serves the OpenAPI document at `/openapi.json` and a page to read and try it at `/docs`, both for everybody. */
export async function serveReference(app: FastifyInstance): Promise<void> {
  let text: string | undefined;
  app.get('/openapi.json', { config: { auth: 'none' }, schema: { hide: true } }, async (_request, reply) => {
    text ??= JSON.stringify(app.swagger());
    return reply.type('application/json; charset=utf-8').send(text);
  });
  await app.register(fastifySwaggerUi, {
    routePrefix: prefix,
    staticCSP: pagePolicy,
    uiConfig: {
      layout: 'BaseLayout',
      docExpansion: 'list',
      deepLinking: true,
      tryItOutEnabled: true,
      validatorUrl: null,
    },
    theme: { title: 'Karat partner API' },
  });
}

/** The routes of the page come from a package, which cannot say who may call them. */
export function openReference(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (route.url !== prefix && !route.url.startsWith(`${prefix}/`)) return;
    route.config = { ...route.config, auth: 'none' };
    route.schema = { ...route.schema, hide: true };
  });
}

import fastifySwaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';

/** The page runs its own scripts only and calls only this host. */
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

/** Where a surface shows its OpenAPI document and the page to read and try it. */
export interface ReferencePlaces {
  document: string;
  page: string;
  title: string;
}

/** Serves the OpenAPI document of `app`, and a page to read and try it, both for everybody. */
export async function serveReference(app: FastifyInstance, places: ReferencePlaces): Promise<void> {
  let text: string | undefined;
  app.get(places.document, { config: { auth: 'none' }, schema: { hide: true } }, async (_request, reply) => {
    text ??= JSON.stringify(app.swagger());
    return reply.type('application/json; charset=utf-8').send(text);
  });
  await app.register(fastifySwaggerUi, {
    routePrefix: places.page,
    staticCSP: pagePolicy,
    uiConfig: {
      layout: 'BaseLayout',
      docExpansion: 'list',
      deepLinking: true,
      tryItOutEnabled: true,
      validatorUrl: null,
    },
    theme: { title: places.title },
  });
}

/** The routes of the pages come from a package, which cannot say who may call them. */
export function openReference(app: FastifyInstance, pages: string[]): void {
  app.addHook('onRoute', (route) => {
    if (!pages.some((page) => route.url === page || route.url.startsWith(`${page}/`))) return;
    route.config = { ...route.config, auth: 'none' };
    route.schema = { ...route.schema, hide: true };
  });
}

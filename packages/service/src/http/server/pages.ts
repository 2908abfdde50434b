import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';

/**
 * Lets pages of any site call the routes that need no key (Cross-Origin Resource Sharing, Fetch Standard 3.2), preflights included.
 * Not those that mint keys: a partner's key belongs on its server. Has to be called before the routes are registered.
 */
export function allowPages(app: FastifyInstance): void {
  const preflights = new Set<string>();
  // As late as can be: what refuses a request before its route is reached, such as a limit, is for pages to read, too.
  app.addHook('onSend', (request, reply, _payload, done) => {
    if (isOpen(request.routeOptions)) allow(reply);
    done();
  });
  app.addHook('onRoute', function addPreflight(this: FastifyInstance, route) {
    if (!isOpen(route) || preflights.has(route.url)) return;
    preflights.add(route.url);
    this.options(route.routePath, { config: { auth: 'none' }, schema: { hide: true } }, preflight);
  });
}

function isOpen({ url, config }: Pick<RouteOptions, 'config'> & { url?: string | undefined }): boolean {
  return config?.auth === 'none' && url !== undefined && !/^\/(v1|api)\/auth\//.test(url);
}

function allow(reply: FastifyReply): void {
  reply.headers({
    'access-control-allow-origin': '*',
    'access-control-expose-headers':
      'x-request-id, retry-after, ratelimit-limit, ratelimit-remaining, ratelimit-reset',
  });
}

async function preflight(_request: FastifyRequest, reply: FastifyReply) {
  reply.headers({
    'access-control-allow-methods': 'GET, HEAD, POST',
    'access-control-allow-headers': 'content-type, x-request-id',
    'access-control-max-age': '86400',
  });
  return reply.code(204).send();
}

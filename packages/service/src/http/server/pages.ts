import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';

/**
 * Lets pages of any site call the routes that need no key (Cross-Origin Resource Sharing, Fetch Standard 3.2), preflights included.
 * Not those that mint keys, which belong on a partner's server, nor those that sign in to the portal, which is a page of this host. Has to be called before the routes are registered.
 */
export function allowPages(app: FastifyInstance): void {
  const preflights = new Set<string>();
  app.addHook('onRoute', function open(this: FastifyInstance, route) {
    if (!isOpen(route)) return;
    // As late as can be: what refuses a request before its handler, such as a limit, is for pages to read, too.
    route.onSend = [allow, ...[route.onSend ?? []].flat()];
    if (preflights.has(route.url)) return;
    preflights.add(route.url);
    this.options(route.routePath, { config: { auth: 'none' }, schema: { hide: true } }, preflight);
  });
}

function isOpen({ url, config }: RouteOptions): boolean {
  return config?.auth === 'none' && !/^\/((v1|api)\/auth|v1\/(session|members)|portal)(\/|$)/.test(url);
}

function allow(_request: FastifyRequest, reply: FastifyReply, _payload: unknown, done: () => void): void {
  reply.headers({
    'access-control-allow-origin': '*',
    'access-control-expose-headers':
      'x-request-id, retry-after, ratelimit-limit, ratelimit-remaining, ratelimit-reset',
  });
  done();
}

async function preflight(_request: FastifyRequest, reply: FastifyReply) {
  reply.headers({
    'access-control-allow-methods': 'GET, HEAD, POST',
    'access-control-allow-headers': 'content-type, x-request-id',
    'access-control-max-age': '86400',
  });
  return reply.code(204).send();
}

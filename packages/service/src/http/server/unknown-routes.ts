import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import { AppError } from '../../errors.js';

interface KnownRoute {
  pattern: RegExp;
  methods: Set<string>;
}

/**
 * Responds to requests that match no route: 405 with `allow` when the path exists for another method, else 404.
 */
export function respondToUnknownRoutes(app: FastifyInstance): void {
  const known = new Map<string, KnownRoute>();
  app.addHook('onRoute', ({ url, method }) => {
    const route = known.get(url) ?? { pattern: toPattern(url), methods: new Set() };
    for (const name of [method].flat()) route.methods.add(name);
    known.set(url, route);
  });
  app.setNotFoundHandler(async (request, reply) => {
    const path = request.url.split('?')[0] ?? '';
    const methods = [...known.values()]
      .filter((route) => route.pattern.test(path))
      .flatMap((r) => [...r.methods]);
    if (methods.length === 0) throw new AppError('not_found', 'This path does not exist.');
    reply.header('allow', [...new Set(methods)].sort().join(', '));
    throw new AppError('method_not_allowed', `This path does not support ${request.method}.`);
  });
}

/** Has a path whose variable is empty, such as `/v1/users//balances`, be that of no route. Has to be called before the routes are registered. */
export function refuseEmptyIds(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (!route.url.includes(':')) return;
    const refuse: onRequestHookHandler = (request, reply, done) => {
      if (!Object.values(request.params as Record<string, string>).includes('')) return done();
      reply.callNotFound();
    };
    route.onRequest = [...[route.onRequest ?? []].flat(), refuse];
  });
}

/** `/v1/users/:id` or `/errors/:name(^(?:a|b)$)` as a pattern for whole paths, with a slash behind them or none. */
function toPattern(url: string): RegExp {
  const parts = url.split('/').map((part) => {
    if (!part.startsWith(':')) return part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    return /\(\^(.*)\$\)$/.exec(part)?.[1] ?? '[^/]+';
  });
  return new RegExp(`^${parts.join('/')}/?$`);
}

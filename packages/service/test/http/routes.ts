import type { RouteOptions } from 'fastify';
import type { Context } from '../../src/context.js';
import { buildApp } from '../../src/http/app.js';
import type {} from '../../src/http/auth/auth.js';
import type {} from '../../src/http/server/idempotency.js';

/** Every route that the application registers, so that a table of them cannot forget one. */
export async function registeredRoutes(ctx: Context): Promise<RouteOptions[]> {
  const routes: RouteOptions[] = [];
  const app = await buildApp(ctx, {
    extend: (extended) => void extended.addHook('onRoute', (route) => void routes.push(route)),
  });
  await app.close();
  return routes;
}

/** Those of one surface: the tradebook API is what is below `/api`. */
export async function routesOf(ctx: Context, surface: 'partner' | 'tradebook'): Promise<RouteOptions[]> {
  const routes = await registeredRoutes(ctx);
  return routes.filter(({ url }) => /^\/api(\/|$)/.test(url) === (surface === 'tradebook'));
}

/** `METHOD path` of the routes that take an `Idempotency-Key`, sorted. */
export function idempotentOf(routes: RouteOptions[]): string[] {
  return routes
    .filter(({ config }) => config?.idempotent)
    .map(({ method, url }) => `${method} ${url}`)
    .sort();
}

/** `METHOD path place.name` of every id that routes take in path, query or body, sorted. */
export function idsOf(routes: RouteOptions[], pattern: RegExp): string[] {
  return routes
    .filter(({ method }) => method !== 'HEAD')
    .flatMap(({ method, url, schema }) =>
      (['params', 'querystring', 'body'] as const).flatMap((place) => {
        const properties = (schema?.[place] as { properties?: object } | undefined)?.properties ?? {};
        const named = Object.keys(properties).filter((name) => pattern.test(name));
        return named.map((name) => `${method} ${url} ${place}.${name}`);
      }),
    )
    .sort();
}

/** `METHOD path` of the routes with a variable in their path. */
export function withVariables(routes: RouteOptions[]): string[] {
  return routes
    .filter(({ method, url }) => method !== 'HEAD' && url.includes(':'))
    .map(({ method, url }) => `${method} ${url}`);
}

import type { RouteOptions } from 'fastify';
import type { Context } from '../../src/context.js';
import { buildApp } from '../../src/http/app.js';
import type {} from '../../src/http/auth.js';
import type {} from '../../src/http/idempotency.js';

/** Every route that the application registers, so that a table of them cannot forget one. */
export async function registeredRoutes(ctx: Context): Promise<RouteOptions[]> {
  const routes: RouteOptions[] = [];
  const app = await buildApp(ctx, {
    extend: (extended) => void extended.addHook('onRoute', (route) => void routes.push(route)),
  });
  await app.close();
  return routes;
}

import { randomBytes } from 'node:crypto';
import type { SQL } from 'drizzle-orm';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Context } from '../../../src/context.js';
import type { OwnedContext } from '../../../src/create-context.js';
import { type Db, drizzleOn } from '../../../src/db/client.js';
import type { ServerParts } from '../../../src/http/server/server.js';
import { type ApiResponse, clientOf, watchResponses } from '../../harness.js';
import { idempotentOf } from '../routes.js';
import type { Surface } from './surfaces.js';

/**
 * What every route that takes an `Idempotency-Key` has to stand: its process dies at any statement that changes something,
 * or twins of the request race; a retry gets one effect and its response.
 */

/** A request with a fresh thing to do. */
export interface Prepared {
  url: string;
  body?: unknown;
  /** The key or token of its usual caller. */
  secret: string;
  /** How many effects of the request the database shows. */
  effects(): Promise<number>;
}

export interface IdempotentRoutes {
  /** Whose application it is; its database and clock. */
  ctx(): OwnedContext;
  living(): FastifyInstance;
  build(ctx: Context, parts: ServerParts): Promise<FastifyInstance>;
  /** Requests, with the secret of their caller, after which an application leases no budget for a while. */
  lease: (app: FastifyInstance) => Promise<unknown>;
  /** Every idempotent route as `METHOD path`, each with a fresh thing to do. */
  routes: Record<string, () => Promise<Prepared>>;
  /** Those that are sent to the chain as well, which are told apart by their own steps. */
  movesTheChain?: string[];
  /** Whether a registered route is one of the surface. */
  includes(url: string): boolean;
}

/** Returns the number that a query finds as `n`. */
export async function count(ctx: OwnedContext, query: SQL): Promise<number> {
  return (await ctx.db.execute<{ n: number }>(query))[0]?.n ?? -1;
}

interface Mortals {
  /** For the application whose database is gone from the change on that `dieAt` said. */
  dying: Context;
  /** For a healthy one, after the claim of a dead one has lapsed. */
  healthy: Context;
  /** Lets the dying one make so many changes less one while `work` runs. */
  dieAt<T>(change: number, work: () => Promise<T>): Promise<T>;
}

/** What changes rows. Where a process dies between two of these, the database is left the same. */
const isChange = /^\s*(insert|update|delete|with)\b/i;

function mortalContexts(ctx: OwnedContext): Mortals {
  let dieAt = Number.POSITIVE_INFINITY;
  let changes = 0;
  const logger = {
    logQuery(text: string) {
      if (isChange.test(text)) changes += 1;
      if (changes >= dieAt) throw new Error('the process died');
    },
  };
  const db: Db = drizzleOn(ctx.pool, logger);
  return {
    dying: { ...ctx, db },
    healthy: { ...ctx, clock: { now: () => ctx.clock.now() + 31_000 } },
    async dieAt(change, work) {
      changes = 0;
      dieAt = change;
      try {
        return await work();
      } finally {
        dieAt = Number.POSITIVE_INFINITY;
      }
    },
  };
}

const newKey = () => randomBytes(12).toString('hex');

export function describeIdempotency(surface: Surface, given: IdempotentRoutes): void {
  let mortals: Mortals;
  let apps: Record<'dying' | 'healthy' | 'living', FastifyInstance>;
  const registered: RouteOptions[] = [];
  beforeAll(async () => {
    mortals = mortalContexts(given.ctx());
    const note = (app: FastifyInstance) => {
      watchResponses(app);
      app.addHook('onRoute', (route) => void registered.push(route));
    };
    apps = {
      dying: await given.build(mortals.dying, { extend: note }),
      healthy: await given.build(mortals.healthy, { extend: watchResponses }),
      living: given.living(),
    };
    // Leases of budgets, which come when they like, are not what is counted here.
    for (const app of [apps.dying, apps.healthy]) await given.lease(app);
  });
  afterAll(async () => {
    await apps?.dying.close();
    await apps?.healthy.close();
  });

  test('the table has all routes that take an Idempotency-Key', () => {
    const routes = registered.filter(({ url }) => given.includes(url));
    expect(idempotentOf(routes)).toEqual(
      [...Object.keys(given.routes), ...(given.movesTheChain ?? [])].sort(),
    );
  });

  describe.each(Object.entries(given.routes))('%s', (route, prepare) => {
    const send = (
      app: keyof typeof apps,
      { secret, url, body }: Prepared,
      key: string,
    ): Promise<ApiResponse> =>
      clientOf(apps[app], { ...surface.credentials(secret), 'idempotency-key': key }).send({
        method: route.split(' ')[0] as 'POST',
        url,
        ...(body === undefined
          ? {}
          : { headers: { 'content-type': 'application/json' }, payload: JSON.stringify(body) }),
      });

    test('a process that dies anywhere has one effect, and the response reports it', async () => {
      const died: string[] = [];
      for (let at = 1; ; at += 1) {
        const request = await prepare();
        const key = newKey();
        const lost = await mortals.dieAt(at, () => send('dying', request, key));
        const done = await request.effects();
        const again = await send('healthy', request, key);
        expect([at, surface.refusalOf(again)?.code, await request.effects()]).toEqual([at, undefined, 1]);
        expect(again.headers['idempotency-replayed']).toBe(done === 1 ? 'true' : undefined);
        const third = await send('healthy', request, key);
        expect([third.status, third.text]).toEqual([again.status, again.text]);
        expect(third.headers['idempotency-replayed']).toBe('true');
        if (lost.status < 300) {
          // The process lived; only its response was lost on the way.
          expect(again.text).toBe(lost.text);
          break;
        }
        died.push(`${lost.status} with ${done} effects`);
      }
      // The claim, the effect, the response: several places to die at, and none of them after the effect is there.
      expect(died.length).toBeGreaterThanOrEqual(3);
      expect(new Set(died)).toEqual(new Set(['500 with 0 effects']));
    });

    test('20 twins have one effect and one response', async () => {
      const request = await prepare();
      const key = newKey();
      const responses = await Promise.all(Array.from({ length: 20 }, () => send('living', request, key)));
      const good = responses.filter(({ status }) => status < 300);
      expect(await request.effects()).toBe(1);
      expect(new Set(good.map(({ text }) => text)).size).toBe(1);
      for (const response of responses) {
        expect(surface.refusalOf(response)?.code ?? 'idempotency_conflict').toBe('idempotency_conflict');
      }
    });

    test('the same key for another request is a conflict', async () => {
      const [one, other] = [await prepare(), await prepare()];
      const key = newKey();
      expect((await send('living', one, key)).status).toBeLessThan(300);
      const before = await other.effects();
      const response = await send('living', other, key);
      expect([response.status, response.body]).toEqual([409, surface.failure('idempotency_conflict')]);
      expect(await other.effects()).toBe(before);
    });
  });
}

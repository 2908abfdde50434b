import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { chainFault, indexingFault } from '../../actions/read-health.js';
import type { Context } from '../../context.js';
import { findIndexingState } from '../../db/indexing/indexer-progress.js';
import { describePauses } from '../../domain/program-status.js';
import { unavailable } from '../../errors.js';
import { lookAtMostEvery } from '../../runtime/look.js';
import { inTime } from '../../runtime/time.js';
import { version } from '../../version.js';
import { choice, titled } from '../../views/schemas.js';
import { tagRoutes } from '../openapi/conventions.js';
import { route } from './route.js';

const config = { auth: 'none', underPressure: true } as const;

/** Load balancers request both every second: their lines would be most of the log. */
const logLevel = 'warn';

const State = choice(['ok', 'failed'], { description: 'Whether it works.', examples: ['ok'] });
const Check = titled('Check', {
  status: State,
  detail: Type.Optional(
    Type.String({
      description: 'Description of what is wrong, or of what is paused.',
      examples: ['the price is older than 150 seconds'],
    }),
  ),
});
const Readiness = Type.Object(
  { status: State, checks: Type.Object({ database: Check, chain: Check, price: Check, indexer: Check }) },
  {
    title: 'Readiness',
    examples: [
      {
        status: 'ok',
        checks: {
          database: { status: 'ok' },
          chain: { status: 'ok' },
          price: { status: 'ok' },
          indexer: { status: 'ok' },
        },
      },
    ],
  },
);
const readyRoute = route(config, {
  operationId: 'getReadiness',
  summary: 'Readiness',
  description: 'Returns 200 if everything that a quote needs is available, otherwise 503.',
  response: { 200: Readiness, 503: Readiness },
});

const healthRoute = route(config, {
  operationId: 'getHealth',
  summary: 'Liveness',
  description: 'Shows that the process is up and responding; checks nothing else.',
  response: {
    200: Type.Object({
      status: Type.Literal('ok'),
      service: Type.Literal('karat'),
      version: Type.String({ description: 'Version of the service.', examples: [version] }),
      time: Type.String({ description: 'UTC, with milliseconds.', examples: ['2026-03-01T12:00:00.000Z'] }),
    }),
  },
});

/** However often it is requested, and by whomever: the route needs no key. */
const checkEveryMs = 1_000;
/** A database that has not responded by then counts as failed. */
const checkWithinMs = 2_000;

/** `GET /health`: liveness, touches nothing. `GET /ready`: whether everything that a quote needs is there. */
export function healthRoutes(
  ctx: Context,
  ownIndexer: { fault(): string | undefined } | undefined,
): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'Service');
    const database = lookAtMostEvery(checkEveryMs, () => checkDatabase(ctx));
    refuseWhileClosing(app);

    app.get('/health', { ...healthRoute, logLevel }, async () => lives(ctx));

    app.get('/ready', { ...readyRoute, logLevel }, async (_request, reply) => {
      const { database: databaseFault, indexer } = await database();
      const faults = {
        database: databaseFault,
        chain: chainFault(ctx),
        price: ctx.chain.price.fault(),
        indexer: ownIndexer?.fault() ?? indexer,
      };
      const ready = Object.values(faults).every((fault) => fault === undefined);
      return reply.code(ready ? 200 : 503).send({
        status: ready ? 'ok' : 'failed',
        checks: {
          database: toCheck(faults.database),
          chain: toCheck(faults.chain, pausesOf(ctx)),
          price: toCheck(faults.price),
          indexer: toCheck(faults.indexer),
        },
      });
    });
  };
}

/** `GET /health` on the port of operators, for their load balancer; it is not part of their API. */
export function operatorHealth(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    refuseWhileClosing(app);
    const schema = { ...healthRoute.schema, hide: true };
    app.get('/health', { config, schema, logLevel }, async () => lives(ctx));
  };
}

const lives = (ctx: Context) => ({
  status: 'ok' as const,
  service: 'karat' as const,
  version,
  time: new Date(ctx.clock.now()).toISOString(),
});

/** A process that stops serves what arrives over open connections, but a load balancer should send it nothing more. */
function refuseWhileClosing(app: FastifyInstance): void {
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
  });
  app.addHook('onRequest', async () => {
    if (closing) throw unavailable('The service is shutting down.');
  });
}

/** Returns the pauses that leave quotes alone. */
function pausesOf({ chain: { program } }: Context): string | undefined {
  if (program.fault() !== undefined) return undefined;
  return describePauses(program.config().paused, ['partner', 'withdraw', 'redeem', 'settle']);
}

/** Checks that the database responds, and that a process leads the indexing and makes progress. */
async function checkDatabase(ctx: Context): Promise<{ database?: string; indexer?: string }> {
  const silent = 'the database does not respond';
  try {
    const indexer = indexingFault(await inTime(findIndexingState(ctx.db), checkWithinMs));
    return indexer === undefined ? {} : { indexer };
  } catch (err) {
    ctx.log.warn({ err }, 'the database failed its check');
    return { database: silent, indexer: silent };
  }
}

function toCheck(fault: string | undefined, note?: string): { status: 'ok' | 'failed'; detail?: string } {
  if (fault !== undefined) return { status: 'failed', detail: fault };
  return note === undefined ? { status: 'ok' } : { status: 'ok', detail: note };
}

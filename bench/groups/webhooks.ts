/**
 * How long after its commit an event is at an endpoint: at one that is alone, and at 900 that respond while 100 others never
 * do. `karat deliver` has a core of its own; PostgreSQL and the receiver share the other.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { appendEvents } from '../../packages/service/src/db/events/events.js';
import { insertEndpoint } from '../../packages/service/src/db/webhooks/webhook-endpoints.js';
import { newId, type Uuid } from '../../packages/service/src/domain/index.js';
import { type BenchOptions, type Figure, percentile, report, shown } from '../figures.js';
import { pause } from '../machine.js';
import { insertPartners, newDatabase, newPartner, type World, withDatabase } from '../world.js';

const endpointsOfEach = 10;
/** Events a second over all partners: ten times as many webhooks. */
const eventsPerSecond = 20;

export async function measure(world: World, { quick }: BenchOptions): Promise<Figure[]> {
  const alone = await deliver(world, { partners: 1, endpoints: 1, hanging: 0, events: quick ? 50 : 100 });
  const crowd = await deliver(world, {
    partners: 100,
    endpoints: endpointsOfEach,
    hanging: 1,
    events: quick ? 100 : 200,
  });
  return [
    {
      name: 'committed -> at a webhook endpoint, p95',
      value: percentile(alone, 0.95),
      unit: 'ms',
      required: 1_000,
      better: 'lower',
      detail: { p50: percentile(alone, 0.5), p99: percentile(alone, 0.99), webhooks: alone.length },
    },
    {
      name: 'the same of 900 endpoints while 100 hang, p99',
      value: percentile(crowd, 0.99),
      unit: 'ms',
      required: 2_000,
      better: 'lower',
      detail: { p50: percentile(crowd, 0.5), p95: percentile(crowd, 0.95), webhooks: crowd.length },
    },
  ];
}

/** Returns how long after its commit each event was at each endpoint that responds, in ms. Throws when one does not come. */
async function deliver(
  world: World,
  {
    partners: count,
    endpoints,
    hanging,
    events,
  }: Record<'partners' | 'endpoints' | 'hanging' | 'events', number>,
): Promise<number[]> {
  const databaseUrl = await newDatabase(world.postgres);
  const partners = Array.from({ length: count }, () => newPartner(0, 1));
  await insertPartners(databaseUrl, partners);
  const arrivals: { number: number; atMs: number }[] = [];
  const receiver = createServer((request, response) => {
    const atMs = performance.now();
    const hangs = request.url?.endsWith('/hangs');
    if (!hangs) void numberOf(request).then((number) => arrivals.push({ number, atMs }));
    if (!hangs) response.end();
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { port } = receiver.address() as AddressInfo;
  const urlOf = (index: number) => `http://127.0.0.1:${port}/${index < hanging ? 'hangs' : 'responds'}`;
  const process = await world.start('deliver', { databaseUrl, env: { KARAT_NETWORK: 'localnet' } });
  try {
    const commits: number[] = [];
    await withDatabase(databaseUrl, async ({ db }) => {
      await db.transaction(async (tx) => {
        for (const { id } of partners)
          for (let index = 0; index < endpoints; index += 1)
            await insertEndpoint(tx, endpointOf(id, urlOf(index)));
      });
      // Attempts at endpoints that hang are under way by the time that is measured.
      for (const { id } of partners)
        await db.transaction((tx) => appendEvents(tx, [eventOf(id, -1)], new Date()));
      await pause(3_000);
      arrivals.length = 0;
      for (let at = 0; at < events; at += 1) {
        const { id } = partners[at % count] ?? { id: undefined };
        if (!id) throw new Error('there is no partner');
        await db.transaction((tx) => appendEvents(tx, [eventOf(id, at)], new Date()));
        commits.push(performance.now());
        await pause(1_000 / eventsPerSecond);
      }
    });
    const expected = events * (endpoints - hanging);
    const endMs = performance.now() + 20_000;
    while (arrivals.length < expected && performance.now() < endMs) await pause(50);
    // The notification may be quicker than the response to the commit.
    const delays = arrivals.map(({ number, atMs }) => Math.max(0, atMs - (commits[number] ?? Number.NaN)));
    if (delays.length < expected) throw new Error(`${delays.length} of ${expected} webhooks came`);
    report(
      `${count * endpoints} endpoints: p50 ${shown(percentile(delays, 0.5))} ms, p99 ${shown(percentile(delays, 0.99))} ms`,
    );
    return delays;
  } finally {
    await process.stop();
    receiver.closeAllConnections();
    receiver.close();
  }
}

function endpointOf(partnerId: Uuid, url: string) {
  const at = new Date();
  return {
    id: newId('we'),
    partnerId,
    url,
    types: null,
    description: null,
    status: 'active' as const,
    secret: `whsec_${Buffer.alloc(24).toString('base64')}`,
    previousSecret: null,
    previousUntil: null,
    plannedSequence: 0n,
    failingSince: null,
    createdAt: at,
    updatedAt: at,
  };
}

const eventOf = (partnerId: Uuid, number: number) =>
  ({
    partnerId,
    type: 'user.created',
    requestId: null,
    objectType: 'user',
    objectId: 'gu_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10',
    object: { number },
  }) as const;

/** Returns the number that the body of a webhook carries. */
async function numberOf(request: IncomingMessage): Promise<number> {
  const event = (await json(request)) as { data: { object: { number: number } } };
  return event.data.object.number;
}

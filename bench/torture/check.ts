/** The verdict: all invariants of `karat verify`, and the responses that callers got against what there is. */
import { setTimeout as pause } from 'node:timers/promises';
import { Karat, KaratError } from '../../packages/sdk/src/index.js';
import { readConfig } from '../../packages/service/src/config.js';
import type { Context } from '../../packages/service/src/context.js';
import { createContext } from '../../packages/service/src/create-context.js';
import { events, webhookDeliveries, webhookEndpoints } from '../../packages/service/src/db/schema.js';
import { eventIdOf } from '../../packages/service/src/domain/event.js';
import { createLogger } from '../../packages/service/src/log.js';
import { verify } from '../../packages/service/src/verify/verify.js';
import type { Acknowledged } from './workload.js';
import type { World } from './world.js';

const never = new AbortController().signal;

/** What the checker found when time was up, or when all was in order before. */
export interface TortureVerdict {
  /** What contradicts an invariant or an acknowledgement, a line each. */
  broken: string[];
  /** What could not be compared: the node, the database or a process did not respond. That may be the machine. */
  open: string[];
  tookMs: number;
}

/** Waits until everything is in order, for `withinMs` at most. */
export async function check(
  world: World,
  acknowledged: readonly Acknowledged[],
  withinMs: number,
): Promise<TortureVerdict> {
  const ctx = await createContext(readConfig(world.env), { log: createLogger('silent') });
  const startMs = performance.now();
  try {
    for (;;) {
      const found = await look(ctx, world, acknowledged).catch((error: unknown) => ({
        broken: [],
        open: [`the checker failed: ${error}`],
      }));
      const tookMs = performance.now() - startMs;
      if (found.broken.length + found.open.length === 0 || tookMs > withinMs) return { ...found, tookMs };
      await pause(1_000);
    }
  } finally {
    await ctx.close();
  }
}

type Found = Pick<TortureVerdict, 'broken' | 'open'>;

async function look(ctx: Context, world: World, acknowledged: readonly Acknowledged[]): Promise<Found> {
  const verdicts = await verify(ctx, { waitMs: 10_000, againMs: 500 }, never);
  const reds = verdicts.flatMap(({ invariant, broken }) =>
    broken.map(({ row, fault }) => `${invariant}: ${row} ${fault}`),
  );
  const pending = verdicts.filter(({ verdict }) => verdict === 'pending');
  const ends = await findOpen(world, acknowledged);
  const deliveries = await compareDeliveries(ctx, world);
  return {
    broken: [...reds, ...ends.broken, ...deliveries.broken],
    open: [
      ...pending.map(({ invariant, detail }) => `${invariant}: ${detail}`),
      ...ends.open,
      ...deliveries.open,
    ],
  };
}

/** Everything that was acknowledged has come to an end that a caller can see. */
async function findOpen({ processes }: World, acknowledged: readonly Acknowledged[]): Promise<Found> {
  const baseUrl = processes.get('serve-1')?.url ?? '';
  const found: Found = { broken: [], open: [] };
  for (const { id, apiKey } of acknowledged) {
    const { operations } = new Karat({ apiKey, baseUrl, maxRetries: 1, timeoutMs: 8_000 });
    try {
      const { status } = await operations.get(id);
      if (!ended.includes(status)) found.broken.push(`${id} was acknowledged, and is ${status}`);
    } catch (error) {
      const isKnown = error instanceof KaratError && error.status !== undefined && error.status < 500;
      found[isKnown ? 'broken' : 'open'].push(`${id} was acknowledged; its state is: ${error}`);
    }
  }
  return found;
}

const ended = ['confirmed', 'finalized', 'failed', 'expired'];

/** Every event in the log of a partner has been delivered, and nothing else; one that is still to be sent is open. */
async function compareDeliveries(ctx: Context, { receiver, taken }: World): Promise<Found> {
  const { partnerId, sequence, createdAt } = events;
  const rows = await ctx.db.select({ partnerId, sequence, createdAt }).from(events);
  const logged = new Set<string>(rows.map((event) => eventIdOf(event.partnerId, event)));
  const endpoints = await ctx.db.select().from(webhookEndpoints);
  const partnerOf = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint.partnerId]));
  const sent = await ctx.db.select().from(webhookDeliveries);
  const over = new Set<string>(
    sent.flatMap(({ endpointId, status, eventCreatedAt, ...delivery }) => {
      const partner = partnerOf.get(endpointId);
      return status === 'pending' || !partner
        ? []
        : [eventIdOf(partner, { sequence: delivery.sequence, createdAt: eventCreatedAt })];
    }),
  );
  const delivered = new Set(receiver.received.map(({ body }) => String(body.id)));
  const missing = [...logged].filter((id) => !taken.has(id));
  const lost = missing.filter((id) => over.has(id));
  const waiting = missing.length - lost.length;
  const foreign = [...delivered].filter((id) => !logged.has(id));
  return {
    broken: [
      ...(lost.length > 0
        ? [`${lost.length} of ${logged.size} events count as delivered and were not, such as ${lost[0]}`]
        : []),
      ...(foreign.length > 0
        ? [`${foreign.length} events were delivered that no log has, such as ${foreign[0]}`]
        : []),
    ],
    open: waiting > 0 ? [`${waiting} of ${logged.size} events are still to be delivered`] : [],
  };
}

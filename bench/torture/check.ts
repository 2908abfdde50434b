/** The verdict: all invariants of `karat verify`, what adversaries have, and the responses that callers got against what there is. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Karat, KaratError } from '../../packages/sdk/src/index.js';
import { readConfig } from '../../packages/service/src/config.js';
import type { Context } from '../../packages/service/src/context.js';
import { createContext } from '../../packages/service/src/create-context.js';
import {
  deadLetters,
  events,
  webhookDeliveries,
  webhookEndpoints,
} from '../../packages/service/src/db/schema.js';
import { eventIdOf } from '../../packages/service/src/domain/event.js';
import { createLogger } from '../../packages/service/src/log.js';
import { verify } from '../../packages/service/src/verify/verify.js';
import type { History } from './history.js';
import { Machine, starvedBelow } from './machine.js';
import type { Acknowledged, Stage } from './stage.js';
import { findGains } from './wealth.js';
import type { World } from './world.js';

const never = new AbortController().signal;
/** How much longer than the time given a starved machine may take. */
const longest = 8;
/** What contradicts a promise in so many looks, one after the other, does not mend. */
const sureAfterLooks = 3;

/** What the checker found when time was up, or when all was in order before. */
export interface TortureVerdict {
  /** What contradicts an invariant or an acknowledgement, a line each. */
  broken: string[];
  /** What had not happened in time, though the machine had time for it. */
  late: string[];
  /** What could not be compared, or had not happened on a machine that had no time for it. */
  open: string[];
  tookMs: number;
  /** The share of its time that the deployment got while it was waited for. */
  share: number;
  /** How long each invariant took to check at the last look, ms. */
  took: Record<string, number>;
}

/** What one look finds. `late` may still happen. */
interface Found {
  broken: string[];
  late: string[];
  open: string[];
}

/**
 * Waits until everything is in order, for `withinMs` of the time that the machine gives at most. What contradicts what the
 * service promised is broken on any machine, and not waited for; what is only late is not broken on one that is starved.
 */
export async function check(stage: Stage, withinMs: number, history: History): Promise<TortureVerdict> {
  const ctx = await createContext(readConfig(stage.world.env), { log: createLogger('silent') });
  const machine = new Machine(stage.world);
  const startMs = performance.now();
  let [given, brokenLooks] = [0, 0];
  try {
    for (;;) {
      const lookMs = performance.now();
      const took: Record<string, number> = {};
      const found = await look(ctx, stage, took).catch(
        (error: unknown): Found => ({ broken: [], late: [], open: [`the checker failed: ${error}`] }),
      );
      await pause(1_000);
      given += (performance.now() - lookMs) * machine.share();
      const tookMs = performance.now() - startMs;
      history.write({ look: found, breaches: [...stage.breaches] });
      const isInOrder = Object.values(found).every(({ length }) => length === 0);
      brokenLooks = found.broken.length > 0 ? brokenLooks + 1 : 0;
      const isOver = given >= withinMs || tookMs >= withinMs * longest || brokenLooks >= sureAfterLooks;
      if (!isInOrder && !isOver) continue;
      const share = given / tookMs;
      // What an adversary got once does not mend.
      const broken = [...stage.breaches, ...found.broken];
      const { late, open } = found;
      const isStarved = share < starvedBelow;
      return {
        broken,
        late: isStarved ? [] : late,
        open: isStarved ? [...open, ...late] : open,
        tookMs,
        share,
        took,
      };
    }
  } finally {
    await ctx.close();
  }
}

async function look(ctx: Context, stage: Stage, took: Record<string, number>): Promise<Found> {
  const { world } = stage;
  const timed = async <T>(name: string, work: Promise<T>): Promise<T> => {
    const startMs = performance.now();
    const result = await work;
    took[name] = Math.round(performance.now() - startMs);
    return result;
  };
  const verdicts = await timed('karat verify', verify(ctx, { waitMs: 10_000, againMs: 500 }, never));
  for (const { invariant, tookMs } of verdicts) took[invariant] = tookMs;
  const reds = verdicts.flatMap(({ invariant, broken }) =>
    broken.map(({ row, fault }) => `${invariant}: ${row} ${fault}`),
  );
  const pending = verdicts.filter(({ verdict }) => verdict === 'pending');
  const gains = await timed('gains of adversaries', findGains(ctx, world));
  const leftOver = await timed('dead letters', findDeadLetters(ctx));
  const forged = await timed('forged transactions', findForged(ctx, stage.forged));
  const ends = await timed('ends of acknowledgements', findOpen(world, stage.acknowledged));
  const deliveries = await timed('events delivered', compareDeliveries(ctx, world));
  return {
    broken: [
      ...findInternalErrors(world),
      ...reds,
      ...gains,
      ...leftOver,
      ...forged,
      ...ends.broken,
      ...deliveries.broken,
    ],
    late: [...ends.late, ...deliveries.late],
    open: [...pending.map(({ invariant, detail }) => `${invariant}: ${detail}`), ...ends.open],
  };
}

/** Whatever goes wrong, no request ends in an error that the service does not know: what is away is 503. */
function findInternalErrors({ folder, processes }: World): string[] {
  return [...processes.keys()].flatMap((name) => {
    const lines = readFileSync(join(folder, `${name}.log`), 'utf8').split('\n');
    const errors = lines.filter((line) => line.includes('"status":500,'));
    return errors.length > 0 ? [`${name} sent 500 to ${errors.length} requests, such as ${errors[0]}`] : [];
  });
}

/** The chain of a run never drops what it confirmed, and all that lands on it was built by the service: nothing is left over. */
async function findDeadLetters({ db }: Context): Promise<string[]> {
  const rows = await db.select().from(deadLetters);
  return rows.map(({ reason, detail }) => `dead letter ${reason}: ${JSON.stringify(detail).slice(0, 300)}`);
}

/** No transaction that someone changed after the service had signed it has succeeded. */
async function findForged({ chain }: Context, signatures: string[]): Promise<string[]> {
  const found: string[] = [];
  for (const signature of signatures) {
    const { value } = await chain.rpc
      .getSignatureStatuses([signature as never], { searchTransactionHistory: true })
      .send();
    if (value[0] && value[0].err === null) found.push(`the changed transaction ${signature} succeeded`);
  }
  return found;
}

/** Everything that was acknowledged has come to an end that a caller can see. */
async function findOpen({ processes }: World, acknowledged: readonly Acknowledged[]): Promise<Found> {
  const baseUrl = processes.get('serve-1')?.url ?? '';
  const found: Found = { broken: [], late: [], open: [] };
  for (const { id, apiKey } of acknowledged) {
    const { operations } = new Karat({ apiKey, baseUrl, maxRetries: 1, timeoutMs: 8_000 });
    try {
      const { status } = await operations.get(id);
      if (!ended.includes(status))
        found[status === 'unknown' ? 'broken' : 'late'].push(`${id} was acknowledged, and is ${status}`);
    } catch (error) {
      const isKnown = error instanceof KaratError && error.status !== undefined && error.status < 500;
      found[isKnown ? 'broken' : 'open'].push(`${id} was acknowledged; its state is: ${error}`);
    }
  }
  return found;
}

const ended = ['confirmed', 'finalized', 'failed', 'expired'];

/** Every event in the log of a partner has been delivered, and nothing else; one whose turn has come is late. */
async function compareDeliveries(ctx: Context, { receiver, taken }: World): Promise<Found> {
  const { partnerId, sequence, createdAt } = events;
  const rows = await ctx.db.select({ partnerId, sequence, createdAt }).from(events);
  const logged = new Set<string>(rows.map((event) => eventIdOf(event.partnerId, event)));
  const endpoints = await ctx.db.select().from(webhookEndpoints);
  const partnerOf = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint.partnerId]));
  const sent = await ctx.db.select().from(webhookDeliveries);
  const eventsOf = (deliveries: typeof sent) =>
    new Set<string>(
      deliveries.flatMap(({ endpointId, sequence, eventCreatedAt }) => {
        const partner = partnerOf.get(endpointId);
        return partner ? [eventIdOf(partner, { sequence, createdAt: eventCreatedAt })] : [];
      }),
    );
  const over = eventsOf(sent.filter(({ status }) => status !== 'pending'));
  // What failed three times is sent again after two minutes; before that, within the time that everything has.
  const later = eventsOf(
    sent.filter(
      ({ status, tries, nextAttemptAt }) =>
        status === 'pending' && tries >= 3 && (nextAttemptAt?.getTime() ?? 0) > Date.now(),
    ),
  );
  const delivered = new Set(receiver.received.map(({ body }) => String(body.id)));
  const missing = [...logged].filter((id) => !taken.has(id));
  const lost = missing.filter((id) => over.has(id));
  const waiting = missing.filter((id) => !over.has(id) && !later.has(id)).length;
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
    late: waiting > 0 ? [`${waiting} of ${logged.size} events are still to be delivered`] : [],
    open: [],
  };
}

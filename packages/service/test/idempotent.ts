import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import type { Context } from '../src/context.js';
import type { OwnedContext } from '../src/create-context.js';
import { type Db, drizzleOn } from '../src/db/client.js';
import type { Answer, Client } from './harness.js';

/**
 * What every route that takes an `Idempotency-Key` has to stand: its process dies at any statement, or twins of the
 * request race; whoever asks again gets one effect and its answer.
 */

/** One request with a fresh thing to do. */
export interface Prepared {
  /** Sends it by a process of the table, as its usual caller. */
  send(app: Mortal, idempotencyKey: string): Promise<Answer>;
  /** How many effects of the request the database shows. */
  effects(): Promise<number>;
}

/** A process that requests are sent to. */
export type Mortal = 'dying' | 'healthy' | 'living';

export interface Mortals {
  /** For the application whose database is gone from the statement on that `dieAt` said. */
  dying: Context;
  /** For a healthy one, after the claim of a dead one has lapsed. */
  healthy: Context;
  /** Lets the dying one make so many statements less one while `work` runs. */
  dieAt<T>(statement: number, work: () => Promise<T>): Promise<T>;
}

export function mortalContexts(ctx: OwnedContext): Mortals {
  let dieAt = Number.POSITIVE_INFINITY;
  let statements = 0;
  const logger = {
    logQuery() {
      statements += 1;
      if (statements >= dieAt) throw new Error('the process died');
    },
  };
  const db: Db = drizzleOn(ctx.pool, logger);
  return {
    dying: { ...ctx, db },
    healthy: { ...ctx, clock: { now: () => ctx.clock.now() + 31_000 } },
    async dieAt(statement, work) {
      statements = 0;
      dieAt = statement;
      try {
        return await work();
      } finally {
        dieAt = Number.POSITIVE_INFINITY;
      }
    },
  };
}

const newKey = () => randomBytes(12).toString('hex');

/** Lets the process die at every statement of a request after its authentication, once each, and asks again. */
export async function expectOneEffectOfDying(
  mortals: Mortals,
  route: string,
  prepare: () => Promise<Prepared>,
): Promise<void> {
  const died: string[] = [];
  for (let at = 2; ; at += 1) {
    const { send, effects } = await prepare();
    const key = newKey();
    const lost = await mortals.dieAt(at, () => send('dying', key));
    const done = await effects();
    const again = await send('healthy', key);
    const once = { route, at, status: again.status, effects: await effects() };
    expect(once).toEqual({ route, at, status: again.status < 300 ? again.status : again.text, effects: 1 });
    expect(again.headers['idempotency-replayed']).toBe(done === 1 ? 'true' : undefined);
    const third = await send('healthy', key);
    expect(third).toMatchObject({ status: again.status, headers: { 'idempotency-replayed': 'true' } });
    expect(third.text).toBe(again.text);
    if (lost.status < 300) {
      // The process lived; only its answer was lost on the way.
      expect(again.text).toBe(lost.text);
      break;
    }
    died.push(`${lost.status} with ${done} effects`);
  }
  // The claim, the effect, the answer: several places to die at, and none of them after the effect is there.
  expect(died.length).toBeGreaterThanOrEqual(3);
  expect(new Set(died)).toEqual(new Set(['500 with 0 effects']));
}

/** Sends 20 twins of a request at once: one effect, one answer. */
export async function expectOneEffectOfTwins(
  route: string,
  prepare: () => Promise<Prepared>,
  codeOf: (answer: Answer) => string | undefined,
): Promise<void> {
  const { send, effects } = await prepare();
  const key = newKey();
  const answers = await Promise.all(Array.from({ length: 20 }, () => send('living', key)));
  const good = answers.filter(({ status }) => status < 300);
  expect({ route, effects: await effects() }).toEqual({ route, effects: 1 });
  expect(new Set(good.map(({ text }) => text)).size).toBe(1);
  for (const answer of answers) {
    if (answer.status >= 300) expect(codeOf(answer)).toBe('idempotency_conflict');
  }
}

/** A client for each process of a table. */
export type MortalClients = Record<Mortal, Client>;

import { getConfigDecoder, getConfigEncoder } from '@karat/program-client';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { findIndexingState, findProgress } from '../../src/db/indexing/indexer-progress.js';
import { configEvents } from '../../src/db/indexing/program-events.js';
import { type Uuid, uuidFromBytes } from '../../src/domain/ids.js';
import { buildMetricsApp } from '../../src/http/server/metrics.js';
import { type Indexer, startIndexer } from '../../src/indexer/index.js';
import { seedDenominations } from '../redeeming.js';
import { following } from './following.js';
import { dropping, hiding, type Lie, lying, numbering } from './lying-node.js';
import { skippingTime } from './skipped-time.js';
import { twoNodes } from './two-nodes.js';
import { ended, givenWaiting, waiting } from './waiting.js';
import { eventually, givenTrader, type Trader } from './world.js';

/** What is missing shows by the program's own numbers, is found again, and ends nothing until then. */

const f = following();
const two = twoNodes(f);
const skip = skippingTime();
let other: Trader;
let indexer: Indexer | undefined;

beforeAll(async () => {
  await seedDenominations(f.world.h);
  other = await givenTrader(f.world, await f.world.h.givenPartner());
});
afterEach(async () => {
  f.node.lie = undefined;
  await indexer?.stop();
  indexer = undefined;
});

/** What has landed is final after this. */
const goOn = (seconds = 20) => f.world.node.warp({ seconds });
const partner = () => f.world.trader.partner.partnerId;
const seqOf = async (id: string) => (await f.tradeOf(id))?.eventSeq ?? 0n;

/** A node that gives other numbers than the program's; undefined: no account that would hold one. */
const counting =
  (another: (counter: Uuid, own: bigint) => bigint | undefined): Lie =>
  async ({ method, params }, ask) => {
    const response = await ask();
    // Finalized is what a node returns when nothing else is requested.
    if (method === 'getAccountInfo' && params[0] === f.world.program.config && !params[1]?.commitment) {
      const config = getConfigDecoder().decode(Buffer.from(response.value.data[0], 'base64'));
      const seq = another(configEvents, config.seq) ?? 0n;
      const data = Buffer.from(getConfigEncoder().encode({ ...config, seq }));
      return { ...response, value: { ...response.value, data: [data.toString('base64'), 'base64'] } };
    }
    if (method !== 'getProgramAccounts' || !params[1]?.dataSlice) return response;
    const value = response.value.flatMap((each: { account: { data: string[] } }) => {
      const data = Buffer.from(each.account.data[0] ?? '', 'base64');
      const seq = another(uuidFromBytes(data.subarray(0, 16)), data.readBigUInt64LE(16));
      if (seq === undefined) return [];
      data.writeBigUInt64LE(seq, 16);
      return [{ ...each, account: { ...each.account, data: [data.toString('base64'), 'base64'] } }];
    });
    return { ...response, value };
  };

/** A node whose history begins at a slot. */
const cutBefore =
  (slot: bigint): Lie =>
  async ({ method }, ask) => {
    const response = await ask();
    if (method !== 'getSignaturesForAddress') return response;
    return response.filter((line: { slot: number }) => BigInt(line.slot) >= slot);
  };

describe('completeness: a hole', () => {
  test('a trade that the only node leaves out of its listing is reported by its number, and found once it is listed', async () => {
    const indexing = await f.catchUp();
    const hidden = await f.trade();
    const next = await f.trade();
    f.node.lie = hiding(hidden.signature);
    await f.catchUp(indexing);
    goOn();
    const seq = (await seqOf(next.id)) - 1n;
    const sentence = `Event ${seq} of partner ${partner()} is not recorded; the program has counted ${seq + 1n}.`;
    const { incomplete } = await indexing.complete();
    expect(incomplete).toEqual(new Set([partner()]));
    expect(indexing.completeness.missing()).toBe(sentence);
    expect(await findProgress(f.ctx.db)).toMatchObject({ completeSlot: undefined });
    skip(6_000);
    await indexing.complete();
    const inNone = `${sentence} No node's history has it, or reaches back to it.`;
    expect(indexing.completeness.missing()).toBe(inNone);
    const state = await findIndexingState(f.ctx.db);
    expect(state.missing).toEqual({ text: inNone, ageMs: expect.any(Number) });

    f.node.lie = undefined;
    // It is tried again after ever longer pauses.
    await indexing.complete();
    expect(await f.tradeOf(hidden.id)).toBeUndefined();
    skip(11_000);
    const seen = await indexing.complete();
    expect(await f.tradeOf(hidden.id)).toMatchObject({ status: 'confirmed', eventSeq: seq });
    expect(indexing.completeness.missing()).toBeUndefined();
    expect(await findProgress(f.ctx.db)).toMatchObject({ completeSlot: seen.slot });
    expect((await findIndexingState(f.ctx.db)).missing).toBeUndefined();
  });

  test('several holes of one partner in a long history are filled one after the other, page by page', async () => {
    const sent: Awaited<ReturnType<typeof f.trade>>[] = [];
    for (let count = 0; count < 9; count += 1) sent.push(await f.trade());
    const indexing = await f.newIndexing();
    f.node.lie = hiding(...[1, 2, 5].map((at) => sent[at]?.signature ?? ''));
    await f.catchUp(indexing);
    goOn();
    await indexing.completeness.look(new AbortController().signal);
    f.node.lie = undefined;
    for (let round = 0; round < 3; round += 1) await indexing.complete();
    expect(indexing.completeness.missing()).toBeUndefined();
    for (const { id } of sent) expect(await f.tradeOf(id)).toBeDefined();
  });

  test('the newest event is missed though none behind it shows the gap', async () => {
    const indexing = await two.caughtUp();
    const last = await f.trade({ trader: other });
    f.node.lie = dropping(last.signature);
    goOn();
    await f.catchUp(indexing);
    await indexing.complete();
    expect(await f.tradeOf(last.id)).toMatchObject({ status: 'confirmed' });
  });

  test('a hole is filled though a node gave the events around it slots of their own', async () => {
    const indexing = await f.catchUp();
    const [before, hidden, after] = [await f.trade(), await f.trade(), await f.trade()];
    f.node.lie = lying(async ({ method, params }, ask) => {
      const response = await ask();
      if (method !== 'getTransaction' || !response) return response;
      if (params[0] === before.signature) return { ...response, slot: response.slot + 900 };
      return params[0] === after.signature ? { ...response, slot: 1 } : response;
    }, hiding(hidden.signature));
    await f.catchUp(indexing);
    goOn();
    f.node.lie = undefined;
    for (const pauseMs of [0, 6_000, 11_000]) {
      skip(pauseMs);
      await indexing.complete();
    }
    expect(await f.tradeOf(hidden.id)).toMatchObject({ status: 'confirmed' });
    expect(indexing.completeness.missing()).toBeUndefined();
  });

  test('an event to which a node gave the number of the next displaces none, and is found under its own', async () => {
    const indexing = await f.catchUp();
    const [one, next, after] = [await f.trade(), await f.trade(), await f.trade()];
    f.node.lie = numbering(one.signature, (own) => own + 1n);
    await f.catchUp(indexing);
    for (const { id, signature } of [one, next, after])
      expect(await f.tradeOf(id)).toMatchObject({ status: 'confirmed', txSignature: signature });
    expect(await f.reasonsOf(next.signature)).toEqual(['conflicting_event']);
    expect(await f.reasonsOf(after.signature)).toEqual([]);
    f.node.lie = undefined;
    goOn();
    // The first time, only what lies below the next number is listed, which is its own transaction.
    await indexing.complete();
    skip(6_000);
    await indexing.complete();
    expect(indexing.completeness.missing()).toBeUndefined();
    const { events } = await f.written();
    const own = String((await seqOf(after.id)) - 2n);
    expect(events).toContainEqual(expect.objectContaining({ seq: own, txSignature: one.signature }));
  });
});

describe('completeness: numbers of two nodes', () => {
  test('a number that one node understates counts for nothing beside the other', async () => {
    const indexing = await two.caughtUp();
    const { id, signature } = await f.trade();
    f.node.lie = lying(
      dropping(signature),
      counting((_, own) => own / 2n),
    );
    goOn();
    await f.catchUp(indexing);
    const { incomplete } = await indexing.completeness.look(new AbortController().signal);
    expect(incomplete).toContain(partner());
    await indexing.complete();
    expect(await f.tradeOf(id)).toBeDefined();
  });

  test('an integrator that one node hides, with what it traded, is counted by the other', async () => {
    const indexing = await two.caughtUp();
    const { id, signature } = await f.trade({ trader: other });
    f.node.lie = lying(
      dropping(signature),
      counting((counter, own) => (counter === other.partner.partnerId ? undefined : own)),
    );
    goOn();
    await f.catchUp(indexing);
    await indexing.complete();
    expect(await f.tradeOf(id)).toBeDefined();
    expect(indexing.completeness.missing()).toBeUndefined();
  });

  /** Which kinds of what waits end while a counter is overstated: of an operator, an order, a quote and a trade. */
  test.each<[string, () => Uuid, number[]]>([
    ['one partner', partner, [1, 3]],
    ['the configuration', () => configEvents, [0, 2]],
  ])(
    'a number of %s that one node overstates ends nothing that it counts, and all else; the service stays ready',
    async (_, counter, stay) => {
      const indexing = await two.caughtUp();
      const [statuses, others] = [await givenWaiting(f, 1n), await givenWaiting(f, 1n, other)];
      goOn(100);
      await f.catchUp(indexing);
      f.node.lie = counting((each, own) => (each === counter() ? own + 5n : own));
      const { incomplete } = await indexing.complete();
      expect(incomplete).toEqual(new Set([counter()]));
      expect(indexing.completeness.missing()).toBeUndefined();
      await indexing.settle();
      const left = (at: number) => (stay.includes(at) ? waiting[at] : ended[at]);
      expect(await statuses()).toEqual([0, 1, 2, 3].map(left));
      // What another partner ordered or traded ends all the same.
      expect((await others())[1]).toBe('expired');
      expect((await others())[3]).toBe('expired');
      f.node.lie = undefined;
      await indexing.complete();
      expect(indexing.completeness.missing()).toBeUndefined();
      await indexing.settle();
      expect(await statuses()).toEqual(ended);
      expect(await others()).toEqual(ended);
    },
  );

  test('nothing is known to be complete while one of two nodes is silent', async () => {
    const indexing = await two.caughtUp();
    two.second.lie = async () => {
      throw new Error('gone');
    };
    await expect(indexing.complete()).rejects.toThrow('Only 1 of 2 Solana nodes respond');
    expect(indexing.completeness.seen()).toBeUndefined();
  });
});

describe('completeness: a history that no node has', () => {
  test('a first run over a history without its beginning records the rest and reports what is missing', async () => {
    for (let count = 0; count < 6; count += 1) await f.trade();
    const all = await f.catchUp();
    goOn();
    await all.complete();
    const expected = await f.written();
    await f.forgetEverything();
    const slots = expected.trades.map(({ slot }) => BigInt(String(slot))).sort((a, b) => Number(a - b));
    const cut = slots.at(-4) ?? 0n;
    f.node.lie = cutBefore(cut);
    const indexing = await f.catchUp(await f.newIndexing({ firstPage: 2, laterPages: 2, pages: 2 }));
    await indexing.complete();
    skip(6_000);
    const { incomplete } = await indexing.complete();
    expect([...incomplete]).toEqual(expect.arrayContaining([partner(), configEvents]));
    expect(indexing.completeness.missing()).toMatch(
      /^Event 1 of .* No node's history has it, or reaches back to it\. Events of \d+ others are missing, too\.$/,
    );
    expect((await f.written()).trades).toHaveLength(slots.filter((slot) => slot >= cut).length);
    f.node.lie = undefined;
    skip(301_000);
    await indexing.complete();
    expect(indexing.completeness.missing()).toBeUndefined();
    const { trades, orders, events, movements, deadLetters } = await f.written();
    expect({ trades: trades.length, orders, events, movements, deadLetters }).toEqual({
      trades: expected.trades.length,
      ...{ orders: expected.orders, events: expected.events },
      ...{ movements: expected.movements, deadLetters: expected.deadLetters },
    });
  });

  test('a missing event makes the process unready, and shows in a metric with its age', async () => {
    const hidden = await f.trade();
    await f.trade();
    f.node.lie = hiding(hidden.signature);
    goOn();
    indexer = startIndexer(f.ctx, {
      pollMs: 50,
      deafPollMs: 50,
      idlePollMs: 50,
      completeMs: 100,
      electionMs: 100,
    });
    const sentence = `of partner ${partner()} is not recorded; the program has counted`;
    await eventually(
      async () => (await findIndexingState(f.ctx.db)).missing?.text.includes(sentence) || undefined,
    );
    expect(indexer.fault()).toBeUndefined();
    await f.ctx.sql`update indexer_progress set missing_since = missing_since - interval '40 seconds'`;
    skip(31_000);
    await eventually(async () => indexer?.fault()?.includes(sentence) || undefined);
    await eventually(async () => {
      const { body } = await f.world.h.anonymous.get('/ready');
      expect(body.checks.indexer.status).toBe('failed');
      expect(body.checks.indexer.detail).toContain(sentence);
      expect(body.checks.indexer.detail).toMatch(/It has been missing for \d+ s\.$/);
      return true;
    });
    const metrics = await buildMetricsApp(f.ctx);
    const text = async () => (await metrics.inject({ method: 'GET', url: '/metrics' })).body;
    const age = /^karat_indexer_missing_event_age_seconds (\S+)$/m;
    await eventually(async () => Number(age.exec(await text())?.[1] ?? 0) >= 40 || undefined);
    f.node.lie = undefined;
    skip(301_000);
    await eventually(async () => (await f.tradeOf(hidden.id)) && true);
    await eventually(async () => indexer?.fault() === undefined || undefined);
    await eventually(async () => !age.test(await text()) || undefined);
    await metrics.close();
  });
});

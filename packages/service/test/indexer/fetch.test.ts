import type { Signature } from '@solana/kit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { connectNodes } from '../../src/chain/node/nodes.js';
import { connectNotifications } from '../../src/chain/node/notifications.js';
import { FetchAhead } from '../../src/indexer/fetch-ahead.js';
import type { Fetched } from '../../src/indexer/fetching.js';
import { RpcSource } from '../../src/indexer/rpc-source.js';
import { pause } from '../../src/runtime/time.js';
import { never } from './following.js';
import { HttpRefusal, type LyingNode, Refused, startLyingNode } from './lying-node.js';
import { givenWorld, landed, sendTrade, type World } from './world.js';

describe('from a node', () => {
  let world: World;
  let node: LyingNode;
  let signatures: Signature[];
  const unknown = '1'.repeat(64) as Signature;

  beforeAll(async () => {
    world = await givenWorld();
    await world.h.ctx.chain.start();
    node = await startLyingNode(world.node.rpcUrl);
    signatures = [];
    for (let count = 0; count < 3; count += 1) signatures.push((await sendTrade(world)).signature);
    for (const signature of signatures) await landed(world, signature);
  });
  afterAll(async () => {
    await world.close();
    await node.close();
  });
  beforeEach(() => {
    node.lie = undefined;
    node.refuseBatch = undefined;
    node.requests = 0;
  });

  const kinds = (fetched: Fetched[]) => fetched.map(({ kind }) => kind);
  const source = () => new RpcSource(connectNodes([node.url]), connectNotifications([]));
  const all = ['found', 'unknown', 'found', 'found'];
  const asked = () => [signatures[0] as Signature, unknown, ...signatures.slice(1)];

  test('several transactions come in one request, in their order', async () => {
    const fetched = await source().fetchTransactions(asked(), never);
    expect(kinds(fetched)).toEqual(all);
    expect(fetched.flatMap((each) => (each.kind === 'found' ? each.transaction.signature : []))).toEqual(
      signatures,
    );
    expect(node.requests).toBe(1);
  });

  test.each([
    ['with a status of HTTP', () => new HttpRefusal(400)],
    ['as too large', () => new HttpRefusal(413)],
    ['with one error', () => new Refused(-32600, 'Batch requests are not supported')],
    ['as a method', () => new Refused(-32601, 'Method not found')],
  ])('a node that refuses batches %s is asked one by one, and not for a batch again', async (_, refusal) => {
    const refusing = source();
    node.refuseBatch = refusal;
    expect(kinds(await refusing.fetchTransactions(asked(), never))).toEqual(all);
    expect(node.requests).toBe(1 + 4);
    expect(kinds(await refusing.fetchTransactions(asked(), never))).toEqual(all);
    expect(node.requests).toBe(1 + 4 + 4);
  });

  test.each([
    ['has had too many calls', () => new Refused(429, 'Too many requests')],
    ['breaks', () => new Refused(-32603, 'Internal error')],
    ['is behind', () => new Refused(-32005, 'Node is unhealthy')],
    ['lets nobody in', () => new HttpRefusal(403)],
    ['cannot be reached', () => new HttpRefusal(502)],
  ])('a node that %s has said nothing about batches', async (_, refusal) => {
    const refused = source();
    node.refuseBatch = refusal;
    expect(kinds(await refused.fetchTransactions(asked(), never))).toEqual(Array(4).fill('broken'));
    node.refuseBatch = undefined;
    const before = node.requests;
    expect(kinds(await refused.fetchTransactions(asked(), never))).toEqual(all);
    expect(node.requests).toBe(before + 1);
  });

  test('of a node that takes no batches a few are requested at a time, however many are wanted', async () => {
    let open = 0;
    let most = 0;
    let openAll = () => {};
    const allOpen = new Promise<void>((resolve) => {
      openAll = resolve;
    });
    node.refuseBatch = () => new HttpRefusal(405);
    node.lie = async () => {
      open += 1;
      most = Math.max(most, open);
      if (open === 8) openAll();
      // However busy the machine is, the first get no response before eight of them are there.
      await allOpen;
      await pause(20, never);
      open -= 1;
      return null;
    };
    const refusing = source();
    const wanted = Array.from({ length: 25 }, () => unknown);
    await Promise.all(Array.from({ length: 4 }, () => refusing.fetchTransactions(wanted, never)));
    expect(most).toBe(8);
  });

  test('a node that refuses each call of a batch as too many is left alone', async () => {
    const nodes = connectNodes([node.url]);
    node.lie = async () => {
      throw new Refused(-32429, 'Too many requests');
    };
    const refused = new RpcSource(nodes, connectNotifications([]));
    expect(kinds(await refused.fetchTransactions(asked(), never))).toEqual(Array(4).fill('broken'));
    expect(node.requests).toBe(1);
    expect(nodes.health()).toMatchObject([{ restSeconds: expect.any(Number), calls: { rate_limited: 1 } }]);
    expect(nodes.health()[0]?.restSeconds).toBeGreaterThan(0);
  });

  test('a batch that one node refuses as too many calls goes to the next', async () => {
    node.lie = async () => {
      throw new Refused(-32429, 'Too many requests');
    };
    const both = new RpcSource(connectNodes([node.url, world.node.rpcUrl]), connectNotifications([]));
    expect(kinds(await both.fetchTransactions(asked(), never))).toEqual(all);
    expect(node.requests).toBe(1);
  });

  test('a call of a batch that fails is sent again by itself', async () => {
    let failures = 0;
    node.lie = async ({ params }, ask) => {
      if (params[0] !== signatures[1] || failures++ > 0) return ask();
      throw new Refused(-32603, 'Internal error');
    };
    expect(kinds(await source().fetchTransactions(asked(), never))).toEqual(all);
    expect(node.requests).toBe(2);
  });
});

describe('ahead', () => {
  /** Requests that end when a test says so. */
  function held() {
    const open: { signatures: readonly Signature[]; end(kind?: 'unknown' | 'broken'): Promise<void> }[] = [];
    const fetch = (signatures: readonly Signature[]) =>
      new Promise<Fetched[]>((resolve) => {
        const end = async (kind: 'unknown' | 'broken' = 'unknown') => {
          open.splice(
            open.findIndex((each) => each.signatures === signatures),
            1,
          );
          resolve(signatures.map(() => (kind === 'broken' ? { kind, error: kind } : { kind })));
          await new Promise(setImmediate);
        };
        open.push({ signatures, end });
      });
    const clock = { ms: 0 };
    const ahead = new FetchAhead(fetch, { concurrency: 8, fetchSize: 2 }, () => clock.ms);
    return { open, ahead, clock };
  }
  const some = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => `${from + index}` as Signature);

  test('requests are made in the order in which transactions are wanted, and urgent ones before them', async () => {
    const { open, ahead } = held();
    ahead.want(some(0, 20), never);
    expect(open.map(({ signatures }) => signatures)).toEqual([
      ['0', '1'],
      ['2', '3'],
      ['4', '5'],
      ['6', '7'],
    ]);
    ahead.want(some(3, 10), never);
    ahead.want(['new' as Signature], never, true);
    await open[0]?.end();
    expect(open.at(-2)?.signatures).toContain('new');
    const seen = open.flatMap(({ signatures }) => signatures);
    expect(new Set(seen).size).toBe(seen.length);
  });

  test('there are more requests while the node responds, at most so many, and half as many when it fails', async () => {
    const { open, ahead } = held();
    ahead.want(some(0, 1_000), never);
    expect(open.length).toBe(4);
    for (let count = 0; count < 12; count += 1) await open[0]?.end();
    expect(open.length).toBe(8);
    await open[0]?.end('broken');
    while (open.length > 4) await open[0]?.end('broken');
    await open[0]?.end();
    expect(open.length).toBeLessThanOrEqual(4);
  });

  test('what was fetched is taken once, and what nobody wanted before is fetched then', async () => {
    const { open, ahead } = held();
    ahead.want(some(0, 1), never);
    const taken = ahead.take(some(0, 2), never);
    while (open.length > 0) await open[0]?.end();
    expect(await taken).toEqual([{ kind: 'unknown' }, { kind: 'unknown' }]);
    void ahead.take(some(0, 1), never);
    expect(open.length).toBe(1);
  });

  test('what was fetched long ago is fetched again', async () => {
    const { open, ahead, clock } = held();
    ahead.want(some(0, 2), never);
    while (open.length > 0) await open[0]?.end('broken');
    clock.ms = 10_000;
    expect(await ahead.take(some(0, 1), never)).toEqual([{ kind: 'broken', error: 'broken' }]);
    clock.ms = 10_001;
    const taken = ahead.take(some(1, 1), never);
    expect(open.length).toBe(1);
    await open[0]?.end();
    expect(await taken).toEqual([{ kind: 'unknown' }]);
  });

  test('what an aborted signal left behind fails nothing that comes later, and leaves nobody waiting', async () => {
    const { open, ahead } = held();
    const aborting = new AbortController();
    ahead.want(some(0, 20), aborting.signal);
    const waiting = expect(ahead.take(some(19, 1), aborting.signal)).rejects.toThrow('stopped');
    aborting.abort(new Error('stopped'));
    await Promise.all([...open].map((each) => each.end()));
    await waiting;
    const taken = ahead.take([...some(0, 1), ...some(19, 1)], never);
    expect(open.flatMap(({ signatures }) => signatures)).toEqual(['0', '19']);
    while (open.length > 0) await open[0]?.end();
    expect(await taken).toEqual([{ kind: 'unknown' }, { kind: 'unknown' }]);
  });
});

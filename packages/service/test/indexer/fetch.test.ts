import { KARAT_PROGRAM_ADDRESS } from '@karat/program-client';
import type { Signature } from '@solana/kit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { connectNodes } from '../../src/chain/node/nodes.js';
import { connectNotifications } from '../../src/chain/node/notifications.js';
import { type Fetched, Source } from '../../src/indexer/source.js';
import { pause } from '../../src/runtime/time.js';
import { never } from './following.js';
import { HttpRefusal, hang, type Lie, type LyingNode, Refused, startLyingNode } from './lying-node.js';
import { givenWorld, landed, sendTrade, type World } from './world.js';

describe('source: fetching from a node', () => {
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
  const sourceOf = (nodes: ReturnType<typeof connectNodes>) =>
    new Source({ ...nodes, notifications: connectNotifications([]), programAddress: KARAT_PROGRAM_ADDRESS });
  const source = () => sourceOf(connectNodes([node.url]));
  const all = ['found', 'unknown', 'found', 'found'];
  const wanted = () => [signatures[0] as Signature, unknown, ...signatures.slice(1)];

  test('source: several transactions come in one request, in their order', async () => {
    const fetched = await source().fetch(wanted(), never);
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
  ])(
    'source: a node that refuses batches %s gets single requests, and no batch again',
    async (_, refusal) => {
      const refusing = source();
      node.refuseBatch = refusal;
      expect(kinds(await refusing.fetch(wanted(), never))).toEqual(all);
      expect(node.requests).toBe(1 + 4);
      expect(kinds(await refusing.fetch(wanted(), never))).toEqual(all);
      expect(node.requests).toBe(1 + 4 + 4);
    },
  );

  test.each([
    ['has had too many calls', () => new Refused(429, 'Too many requests')],
    ['breaks', () => new Refused(-32603, 'Internal error')],
    ['is behind', () => new Refused(-32005, 'Node is unhealthy')],
    ['refuses access', () => new HttpRefusal(403)],
    ['cannot be reached', () => new HttpRefusal(502)],
  ])('source: a node that %s gets batches again', async (_, refusal) => {
    const refused = source();
    node.refuseBatch = refusal;
    expect(kinds(await refused.fetch(wanted(), never))).toEqual(Array(4).fill('broken'));
    node.refuseBatch = undefined;
    const before = node.requests;
    expect(kinds(await refused.fetch(wanted(), never))).toEqual(all);
    expect(node.requests).toBe(before + 1);
  });

  test('source: a node that takes no batches gets eight requests at a time, however many are wanted', async () => {
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
    const many = Array.from({ length: 25 }, () => unknown);
    await Promise.all(Array.from({ length: 4 }, () => refusing.fetch(many, never)));
    expect(most).toBe(8);
  });

  test('source: a node that refuses each call of a batch as too many is left alone', async () => {
    const nodes = connectNodes([node.url]);
    node.lie = async () => {
      throw new Refused(-32429, 'Too many requests');
    };
    const refused = sourceOf(nodes);
    expect(kinds(await refused.fetch(wanted(), never))).toEqual(Array(4).fill('broken'));
    expect(node.requests).toBe(1);
    expect(nodes.health()).toMatchObject([{ restSeconds: expect.any(Number), calls: { rate_limited: 1 } }]);
    expect(nodes.health()[0]?.restSeconds).toBeGreaterThan(0);
  });

  test('source: a batch that one node refuses as too many calls goes to the next', async () => {
    node.lie = async () => {
      throw new Refused(-32429, 'Too many requests');
    };
    const both = sourceOf(connectNodes([node.url, world.node.rpcUrl]));
    expect(kinds(await both.fetch(signatures, never))).toEqual(Array(3).fill('found'));
    expect(node.requests).toBe(1);
  });

  test('source: a call of a batch that fails is sent again by itself', async () => {
    let failures = 0;
    node.lie = async ({ params }, ask) => {
      if (params[0] !== signatures[1] || failures++ > 0) return ask();
      throw new Refused(-32603, 'Internal error');
    };
    expect(kinds(await source().fetch(wanted(), never))).toEqual(all);
    expect(node.requests).toBe(2);
  });

  /** Returns what a node does to its response for a transaction. */
  const bending =
    (bend: (response: { meta: Record<string, unknown>; transaction: string[] }) => unknown): Lie =>
    async ({ method }, ask) => {
      const response = await ask();
      return method === 'getTransaction' && response ? bend(response) : response;
    };
  const withMeta = (change: object) =>
    bending((response) => ({ ...response, meta: { ...response.meta, ...change } }));
  const unsigned = bending((response) => {
    const bytes = Buffer.from(response.transaction[0] ?? '', 'base64').fill(0, 65, 129);
    return { ...response, transaction: [bytes.toString('base64'), 'base64'] };
  });
  const bent: [string, Lie, Fetched['kind']][] = [
    ['does not have a transaction', async () => null, 'unknown'],
    ['returns a transaction without meta', bending((response) => ({ ...response, meta: null })), 'unknown'],
    ['keeps no inner instructions', withMeta({ innerInstructions: null }), 'unknown'],
    ['returns empty inner instructions', withMeta({ innerInstructions: [] }), 'unknown'],
    [
      'returns inner instructions without any of the call',
      withMeta({ innerInstructions: [{ index: 0, instructions: [] }] }),
      'unknown',
    ],
    ['returns a transaction with a signature of zeros', unsigned, 'undecodable'],
  ];
  test.each(bent)(
    'source: a transaction is fetched from another node where one %s',
    async (_, lie, alone) => {
      node.lie = lie;
      expect(kinds(await source().fetch(signatures, never))).toEqual(Array(3).fill(alone));
      const both = sourceOf(connectNodes([node.url, world.node.rpcUrl]));
      expect(kinds(await both.fetch(signatures, never))).toEqual(Array(3).fill('found'));
    },
  );

  test('source: a transaction that one node returns as failed is fetched as the success that another node has', async () => {
    node.lie = withMeta({ err: { InstructionError: [0, { Custom: 6000 }] }, innerInstructions: [] });
    const [signature] = signatures as [Signature];
    const errorOf = async (urls: string[]) => {
      const fetched = await sourceOf(connectNodes(urls)).fetchFromEach(signature, never);
      return fetched.kind === 'found' ? fetched.transaction.error : fetched.kind;
    };
    expect(await errorOf([node.url])).toEqual({ InstructionError: [0, { Custom: 6000 }] });
    expect(await errorOf([node.url, node.url])).toEqual({ InstructionError: [0, { Custom: 6000 }] });
    expect(await errorOf([node.url, world.node.rpcUrl])).toBeNull();
  });

  test('source: a transaction is fetched from another node where one hangs', async () => {
    node.lie = async () => hang;
    const both = sourceOf(connectNodes([node.url, world.node.rpcUrl]));
    expect(kinds(await both.fetch(signatures, never))).toEqual(Array(3).fill('found'));
    await node.close();
    node = await startLyingNode(world.node.rpcUrl);
  });
});

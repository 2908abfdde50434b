import { findConfigPda, getUpdateExecutivesInstruction } from '@karat/program-client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { executivePlaces } from '../../src/chain/program/executives.js';
import { compile, cosign } from '../chain/signed-trade.js';
import { clientOf, expectStatus, type GivenPartner, kitSigner, newAddress, newWallet } from '../harness.js';
import { HttpRefusal, type LyingNode, startLyingNode } from '../indexer/lying-node.js';
import { type Karat, startKarat } from '../karat.js';
import { eventually } from '../karat-chain.js';

/** Callers of a service whose node stops everything for a while when it gets too many calls in a second. */

const nodeLimit = 120;
// Calls that were granted within a second arrive within less on a busy machine, which must not reach the node's limit either.
const callerLimit = 24;
/** More than the node takes in a second, at one call each. */
const many = 150;
const stopsForSeconds = '10';

let t: Karat;
let node: LyingNode;
let refusals = 0;
beforeAll(async () => {
  t = await startKarat({
    // A burst of requests and what it must leave room for share this process.
    respondWithinMs: 60_000,
    config: { callerRpcRateLimitPerSecond: callerLimit },
    reroute: async ({ rpcUrl, wsUrl }) => {
      node = await startLyingNode(rpcUrl);
      return { rpcUrl: node.url, wsUrl };
    },
  });
  let taken: number[] = [];
  node.lie = async (_, ask) => {
    const nowMs = performance.now();
    taken = taken.filter((atMs) => nowMs - atMs < 1_000);
    if (taken.length >= nodeLimit) {
      refusals += 1;
      throw new HttpRefusal(429, { 'retry-after': stopsForSeconds });
    }
    taken.push(nowMs);
    return ask();
  };
});
beforeEach(() => {
  refusals = 0;
});
afterAll(async () => {
  await t?.stop();
  await node?.close();
});

const patience = { timeout: 60_000 };
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

const inspect = (transaction: Uint8Array, { client }: GivenPartner) =>
  client.post('/v1/transactions/inspect', { transaction: base64(transaction) });

/** A change of executives that a wallet without any right signs: nothing but the node refuses it. */
async function forged(): Promise<Uint8Array> {
  const wallet = newWallet();
  const { programId: programAddress } = t.chain.config;
  const [config] = await findConfigPda({ programAddress });
  const instruction = getUpdateExecutivesInstruction(
    {
      config,
      integrator: t.integrator,
      updateAuthority: await kitSigner(wallet),
      removeCount: 0,
      remove: executivePlaces([]),
      addCount: 1,
      add: executivePlaces([wallet.address]),
    },
    { programAddress },
  );
  const { blockhash } = t.service.ctx.chain.blockhash.current();
  return cosign(compile({ feePayer: wallet.address, blockhash, instructions: [instruction] }), [wallet]);
}

/** Submits a transaction without a key, from a network of its own. */
function submit(transaction: Uint8Array) {
  const client = clientOf(t.service.app, {}, { remoteAddress: newAddress() });
  return client.post('/api/transactions/submit', { signedTransaction: base64(transaction) });
}

/** Requests quotes for as long as it takes until a node that was stopped has stopped quotes: a price is good for 5 s. */
async function quoteOn(): Promise<void> {
  const until = performance.now() + 6_000;
  while (performance.now() < until) {
    expectStatus(await t.buy.quote(), 200);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

const requests = {
  'inspect transactions': async () => {
    const [{ transaction }, hostile] = await Promise.all([t.buy.quoted(), t.service.givenPartner()]);
    return () => inspect(transaction, hostile);
  },
  'read balances': async () => {
    const hostile = await t.service.givenPartner();
    const user = await t.service.givenUser(hostile.partnerId);
    return () => hostile.client.get(`/v1/users/${user.id}/balances`);
  },
  'submit what the node refuses': async () => {
    const transactions = await Promise.all(Array.from({ length: many }, forged));
    return (_: unknown, at: number) => submit(transactions[at] as Uint8Array);
  },
};

test('a partner who inspects as often as possible leaves calls to others too', patience, async () => {
  const request = await requests['inspect transactions']();
  const [{ transaction }, other] = await Promise.all([t.buy.quoted(), t.service.givenPartner()]);
  const statuses = new Set(
    (await Promise.all(Array.from({ length: many }, request))).map(({ status }) => status),
  );
  expect(statuses).toContain(429);
  expectStatus(await inspect(transaction, other), 200);
  const counted = await t.service.ctx.metrics.text();
  expect(counted).toMatch(/^karat_caller_rpc_refusals_total\{kind="look"\} [1-9]/m);
});

describe.each(Object.entries(requests))('callers who %s as often as they can', (_, prepare) => {
  test('stop no quotes, and are refused for a second', patience, async () => {
    const request = await prepare();
    const responses = await Promise.all(Array.from({ length: many }, request));
    const refused = responses.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]?.headers['retry-after']).toBe('1');
    expect(refused[0]?.text).toContain('rate_limited');
    await quoteOn();
    expect(refusals).toBe(0);
  });

  test('leave room for the trades of others', patience, async () => {
    const request = await prepare();
    const { tradeId, transaction } = await t.buy.quoted();
    const all = Promise.all(Array.from({ length: many }, request));
    expectStatus(await t.buy.submit(tradeId, t.signed(transaction)), 200);
    await all;
    expect(refusals).toBe(0);
  });
});

/** Has the node refuse one method, as providers do that limit some methods more than others. */
async function refusing(limited: string, work: () => Promise<void>): Promise<void> {
  const { lie } = node;
  node.lie = async (call, ask) => {
    if (call.method === limited) throw new HttpRefusal(429, { 'retry-after': stopsForSeconds });
    return lie ? lie(call, ask) : ask();
  };
  await work().finally(() => {
    node.lie = lie;
  });
}

// Last, because what is refused rests.
describe('a node that limits a method', () => {
  test('a node that limits a method for inspecting stops neither submits nor quotes', patience, async () => {
    const { tradeId, transaction } = await t.buy.quoted();
    await refusing('simulateTransaction', async () => {
      // Until then, callers of the test before have used up the second.
      await eventually(async () => expectStatus(await inspect(transaction, t.partner), 503));
    });
    expectStatus(await t.buy.submit(tradeId, t.signed(transaction)), 200);
    await quoteOn();
  });

  test('a node that limits a method for submitting stops no quotes', patience, async () => {
    const { tradeId, transaction } = await t.buy.quoted();
    await refusing('sendTransaction', async () => {
      expectStatus(await t.buy.submit(tradeId, t.signed(transaction)), 503);
    });
    await quoteOn();
  });
});

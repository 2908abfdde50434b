import { findConfigPda } from '@karat/program-client';
import { createDefaultRpcTransport, createSolanaRpcFromTransport, type RpcTransport } from '@solana/kit';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createChain } from '../../../src/chain/create-chain.js';
import { RecentBlockhashes } from '../../../src/chain/node/blockhash.js';
import { connectNotifications } from '../../../src/chain/node/notifications.js';
import { AccountReader } from '../../../src/chain/program/account-reader.js';
import { ChainClock } from '../../../src/chain/program/chain-clock.js';
import { Demand } from '../../../src/runtime/demand.js';
import { Freshness } from '../../../src/runtime/freshness.js';
import { expectStatus } from '../../harness.js';
import { hang, type LyingNode, Refused, startLyingNode } from '../../indexer/lying-node.js';
import { type Karat, startKarat } from '../../karat.js';
import { eventually, usualPrice } from '../../karat-chain.js';

/** What is read of the chain for quotes, over a node whose calls are counted. */

let t: Karat;
let node: LyingNode;
beforeAll(async () => {
  t = await startKarat({
    reroute: async ({ rpcUrl, wsUrl }) => {
      node = await startLyingNode(rpcUrl);
      return { rpcUrl: node.url, wsUrl };
    },
  });
});
afterEach(() => {
  node.lie = undefined;
});
afterAll(async () => {
  await t.stop();
  await node.close();
});

const calls = (method: string) => node.calls.get(method) ?? 0;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Requests quotes for a while; returns how many seconds that took. */
async function quoteFor(ms: number): Promise<number> {
  const beganMs = performance.now();
  while (performance.now() - beganMs < ms) {
    expectStatus(await t.buy.quote(), 200);
    await pause(100);
  }
  return (performance.now() - beganMs) / 1_000;
}

test('account reader: while quotes are requested, a round a second has one call for the accounts and one for the blockhash', async () => {
  const { program } = t.service.ctx.chain;
  const [config] = await findConfigPda({ programAddress: t.service.ctx.chain.programAddress });
  const { priceAccount, usdcPriceAccount } = program.lastConfig()?.settings ?? {};
  await quoteFor(1_500);
  node.calls.clear();
  const read: unknown[][] = [];
  node.lie = async ({ method, params }, ask) => {
    if (method === 'getMultipleAccounts') read.push(params[0]);
    return ask();
  };
  const seconds = await quoteFor(6_000);
  for (const method of ['getMultipleAccounts', 'getLatestBlockhash']) {
    expect(calls(method), method).toBeGreaterThanOrEqual(4);
    expect(calls(method), method).toBeLessThanOrEqual(seconds + 1);
  }
  expect(calls('getAccountInfo')).toBe(0);
  expect(calls('getProgramAccounts')).toBeLessThanOrEqual(1);
  for (const addresses of read)
    expect(addresses).toEqual(expect.arrayContaining([config, priceAccount, usdcPriceAccount]));
  // Every second round reads the partners again, for notifications that were lost.
  const withPartner = read.filter((addresses) => addresses.includes(t.integrator)).length;
  expect(withPartner).toBeGreaterThanOrEqual(2);
  expect(withPartner).toBeLessThanOrEqual(seconds / 2 + 1);
});

test('account reader: while no quotes are requested, accounts are read every 5 s and a blockhash every 4 s', async () => {
  const { config, log } = t.service.ctx;
  const counted = await startLyingNode(t.chain.node.rpcUrl);
  const chain = await createChain({
    config: { ...config, rpcUrls: [counted.url] },
    clock: t.chain.clock,
    log,
  });
  try {
    await chain.start();
    await pause(1_000);
    counted.calls.clear();
    const beganMs = performance.now();
    await pause(20_000);
    const seconds = (performance.now() - beganMs) / 1_000;
    expect(counted.calls.get('getMultipleAccounts')).toBeLessThanOrEqual(seconds / 5 + 1);
    expect(counted.calls.get('getLatestBlockhash')).toBeLessThanOrEqual(seconds / 4 + 1);
    expect([...counted.calls.keys()].sort()).toEqual(['getLatestBlockhash', 'getMultipleAccounts']);
    for (const part of [chain.program, chain.price, chain.blockhash]) expect(part.fault()).toBeUndefined();
  } finally {
    await chain.stop();
    await counted.close();
  }
});

test.each(['getLatestBlockhash', 'getProgramAccounts'])(
  'account reader: a node that does not respond to %s holds up neither price nor program',
  async (slow) => {
    const { config, log } = t.service.ctx;
    // Without notifications all that is known was read, and partners are listed every two seconds.
    const own = { ...config, wsUrls: ['ws://127.0.0.1:1'] };
    const chain = await createChain({ config: own, clock: t.chain.clock, log });
    try {
      await chain.start();
      node.lie = async ({ method }, ask) => (method === slow ? hang : ask());
      node.calls.clear();
      const endMs = performance.now() + 10_000;
      while (performance.now() < endMs) {
        expect(chain.price.current().price).toBe(usualPrice.price);
        // Rounds are a second apart; a call that gets no response takes three.
        expect(chain.program.readPrice('gold')?.ageMs).toBeLessThan(2_500);
        expect(chain.program.fault()).toBeUndefined();
        await pause(100);
      }
      expect(calls(slow)).toBeGreaterThanOrEqual(2);
    } finally {
      await chain.stop();
    }
  },
);

test('account reader: a process that starts while the node is silent gives nothing away, and then everything', async () => {
  const { config, log } = t.service.ctx;
  node.lie = async () => hang;
  const chain = await createChain({ config, clock: t.chain.clock, log });
  try {
    await chain.start();
    // Notifications arrive, and are not taken for a node that responds.
    await t.chain.setStatus({});
    for (const part of [chain.program, chain.price, chain.blockhash]) {
      expect(part.fault()).toBe('The Solana node has not responded yet.');
    }
    node.lie = undefined;
    await eventually(() => {
      for (const part of [chain.program, chain.price, chain.blockhash]) expect(part.fault()).toBeUndefined();
      expect(chain.program.treasury().gold).toBeGreaterThan(0n);
    }, 10_000);
  } finally {
    await chain.stop();
  }
});

test('account reader: nothing is relied on before the partners were listed once', async () => {
  const { config, log } = t.service.ctx;
  const chain = await createChain({ config, clock: t.chain.clock, log });
  try {
    node.lie = async ({ method }, ask) => {
      if (method === 'getProgramAccounts') throw new Refused(-32005, 'Node is behind');
      return ask();
    };
    await chain.start();
    // What was never complete is not to be relied on.
    expect(chain.program.fault()).toBe('The accounts of the program have not been read yet.');
    expect(chain.program.integrators()).toEqual([]);
    node.lie = undefined;
    await eventually(() => {
      expect(chain.program.fault()).toBeUndefined();
      expect(chain.program.lastIntegrator(t.partner.partnerId)?.address).toBe(t.integrator);
    }, 10_000);
  } finally {
    await chain.stop();
  }
});

test('account reader: an integrator that is listed but not at the node that is read is looked for in the next round', async () => {
  const { config, log } = t.service.ctx;
  // Without notifications only the listing shows it, which processes that sign no quotes repeat every 30 s.
  const own = { ...config, wsUrls: ['ws://127.0.0.1:1'] };
  const chain = await createChain({ config: own, clock: t.chain.clock, log });
  try {
    node.lie = async ({ method, params }, ask) => {
      const response = await ask();
      const at = method === 'getMultipleAccounts' ? params[0].indexOf(t.integrator) : -1;
      if (at >= 0) response.value[at] = null;
      return response;
    };
    await chain.start({ quoting: false });
    expect(chain.program.lastIntegrator(t.partner.partnerId)).toBeUndefined();
    node.lie = undefined;
    await eventually(
      () => expect(chain.program.lastIntegrator(t.partner.partnerId)?.address).toBe(t.integrator),
      10_000,
    );
  } finally {
    await chain.stop();
  }
});

test('account reader: the subscription to a price that is named while the reader stops ends with it', async () => {
  const { config, chain, log } = t.service.ctx;
  const http = createDefaultRpcTransport({ url: node.url });
  let ended: Promise<void> | undefined;
  // A response that has arrived is taken whatever the signal says.
  const transport = (async ({ payload }) => {
    const response = await http({ payload });
    ended ??= reader.stop();
    return response;
  }) as RpcTransport;
  const opened: AbortSignal[] = [];
  const notifications = connectNotifications(config.wsUrls);
  const clock = t.chain.clock;
  const parts = { clock, node: new Freshness(), demand: new Demand(), chainClock: new ChainClock(clock) };
  const reader = new AccountReader({
    ...parts,
    rpc: createSolanaRpcFromTransport(transport),
    notifications: {
      ...notifications,
      account: (address, signal) => {
        opened.push(signal);
        return notifications.account(address, signal);
      },
    },
    programAddress: chain.programAddress,
    blockhashes: new RecentBlockhashes(parts),
  });
  await reader.start(log, true);
  await ended;
  expect(reader.lastConfig()).toBeDefined();
  expect(opened.filter((signal) => !signal.aborted)).toEqual([]);
});

import { Localnet } from '@karat/localnet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createChain } from '../../../src/chain/create-chain.js';
import { requireRecordedChain } from '../../../src/chain/node/genesis.js';
import { Secret } from '../../../src/config.js';
import { createContext } from '../../../src/create-context.js';
import { findGenesis } from '../../../src/db/indexing/chain-genesis.js';
import { cloneTemplate, expectStatus } from '../../harness.js';
import { type Karat, type NodeUrls, startKarat } from '../../karat.js';
import { eventually, usualPrice } from '../../karat-chain.js';
import { TcpProxy } from '../../tcp-proxy.js';
import { within5s } from '../../within.js';

let t: Karat;
let http: TcpProxy;
let ws: TcpProxy;

async function proxied(url: string): Promise<[TcpProxy, string]> {
  const { protocol, hostname, port } = new URL(url);
  const proxy = new TcpProxy();
  proxy.target = { host: hostname, port: Number(port) };
  await proxy.open();
  return [proxy, `${protocol}//127.0.0.1:${proxy.port}`];
}

async function throughProxies(urls: NodeUrls): Promise<NodeUrls> {
  const [one, other] = [await proxied(urls.rpcUrl), await proxied(urls.wsUrl)];
  [http, ws] = [one[0], other[0]];
  return { rpcUrl: one[1], wsUrl: other[1] };
}

beforeAll(async () => {
  t = await startKarat({ reroute: throughProxies });
});
afterAll(async () => {
  await t.stop();
  await http.shut();
  await ws.shut();
});

/** The quote's response, with the time it took. */
async function timedQuote() {
  const start = performance.now();
  return { response: await t.buy.quote(), ms: performance.now() - start };
}

const withoutPrice = { status: 503, body: { error: 'pricing_unavailable', reason: 'price_unreachable' } };
const unavailable = { status: 503, body: { error: 'service_unavailable', reason: 'node_unavailable' } };

describe.each([
  [
    'is gone',
    async () => void (await Promise.all([http.shut(), ws.shut()])),
    async () => void (await Promise.all([http.open(), ws.open()])),
  ],
  [
    'hangs',
    async () => [http, ws].forEach((proxy) => void proxy.freeze()),
    async () => [http, ws].forEach((proxy) => void proxy.thaw()),
  ],
])('when the node %s', (_, fail, recover) => {
  test('submit responds 503 within 5 s, quotes respond 503 at once, and both recover by themselves', async () => {
    const { tradeId, transaction } = await t.buy.quoted();
    const signed = t.signed(transaction);
    const before = await t.balances();
    await fail();
    expect(await within5s('submit', () => t.buy.submit(tradeId, signed))).toMatchObject(unavailable);
    await eventually(async () => {
      const { response, ms } = await timedQuote();
      expect(ms).toBeLessThan(1_000);
      const message = expect.stringMatching(/^The Solana node has not responded for \d+ s\.$/);
      expect(response).toMatchObject({ ...withoutPrice, body: { ...withoutPrice.body, message } });
    }, 15_000);
    expect(await t.sell.quote()).toMatchObject(withoutPrice);
    expect(t.service.ctx.chain.price.fault()).toContain('has not responded');
    expect(t.service.ctx.chain.blockhash.fault()).toContain('has not responded');
    expect(t.service.ctx.chain.program.fault()).toContain('has not responded');
    await recover();
    await eventually(async () => expectStatus(await t.buy.quote(), 200), 10_000);
    // A node that hung may have taken it; either way it lands once.
    expectStatus(await t.buy.submit(tradeId, signed), 200);
    const after = await t.balances();
    expect(after.user?.usdc).toBe((before.user?.usdc ?? 0n) - 100_000_000n);
  });
});

test('polling follows price and program while there are no notifications', async () => {
  // A subscription that still fails since the test before says so no second time.
  await eventually(() => {
    const last = t.service.logLines.findLast((line) => line.includes('"loop":"price account of gold"'));
    expect(last ?? '').not.toContain('fails and keeps trying');
  }, 30_000);
  const from = t.service.logLines.length;
  await ws.shut();
  try {
    t.chain.price.set({ ...usualPrice, price: 420_000_000_000n });
    await eventually(async () => {
      expect((await t.buy.quote()).body.quote.price_per_troy_oz).toBe(4200);
    }, 10_000);
    const other = await t.service.givenPartner();
    const user = await t.service.givenUser(other.partnerId);
    await t.chain.addPartner({ partnerId: other.partnerId, wallet: other.wallet.address });
    await eventually(async () => {
      const body = { service_user_id: user.id, usdc_amount: 100 };
      expectStatus(await other.client.post('/v1/buy', body), 200);
    }, 10_000);
  } finally {
    await ws.open();
    t.chain.price.set(usualPrice);
  }
  await eventually(() => {
    const log = t.service.logLines.slice(from).join('');
    expect(log).toMatch(/"loop":"price account of gold".*"msg":"fails and keeps trying"/);
    expect(log).toMatch(/"loop":"price account of gold".*"msg":"works again"/);
    // It waits up to 15 s before it tries again.
  }, 30_000);
});

test('no quote is given over a blockhash that the node does not renew', async () => {
  await t.chain.injectFault({ method: 'getLatestBlockhash', mode: 'error', times: 3 });
  t.chain.node.warp({ seconds: 30 });
  const message = expect.stringMatching(/^The last blockhash is \d+ s old/);
  for (const quote of [t.buy.quote, t.sell.quote]) {
    expect(await quote()).toMatchObject({ ...withoutPrice, body: { ...withoutPrice.body, message } });
  }
  await eventually(async () => expectStatus(await t.buy.quote(), 200), 10_000);
});

test('a chain that starts before its node reads everything once that is there', async () => {
  const { config } = t.service.ctx;
  await http.shut();
  const chain = await createChain({ config, clock: t.chain.clock, log: t.service.ctx.log });
  try {
    expect(chain.program.fault()).toBe('The Solana node has not responded yet.');
    await chain.start();
    expect(() => chain.program.config()).toThrow('The Solana node has not responded yet.');
    expect(() => chain.price.current()).toThrow('The Solana node has not responded yet.');
    expect(() => chain.blockhash.current()).toThrow('The Solana node has not responded yet.');
    await http.open();
    await eventually(() => {
      expect(chain.program.integrator(t.partner.partnerId)?.address).toBe(t.integrator);
      expect(chain.price.current().price).toBe(usualPrice.price);
      expect(chain.blockhash.current().lastValidBlockHeight).toBeGreaterThan(0n);
      expect(chain.program.treasury().gold).toBeGreaterThan(0n);
    }, 10_000);
  } finally {
    await chain.stop();
  }
});

describe('a node whose chain was reset', () => {
  const other = 'The Solana node is on another chain than this database: its genesis hash is ';
  let reset: Localnet;
  beforeAll(async () => {
    reset = await Localnet.start({ rpcPort: 0 });
  });
  afterAll(() => reset.stop());

  test('a node whose chain was reset gives no quotes and is not ready, and is taken again once it is the old one', async () => {
    const { target } = http;
    // As old as chains are: the new one begins far behind.
    t.chain.node.warp({ slots: 200 });
    await eventually(async () => expectStatus(await t.buy.quote(), 200), 10_000);
    await http.shut();
    http.target = { host: '127.0.0.1', port: Number(new URL(reset.rpcUrl).port) };
    await http.open();
    try {
      const message = expect.stringContaining(other);
      await eventually(
        async () => expect(await t.buy.quote()).toMatchObject({ status: 503, body: { message } }),
        10_000,
      );
      const ready = await t.service.anonymous.get('/ready');
      expect(ready).toMatchObject({ status: 503, body: { checks: { chain: { detail: message } } } });
      await expect(t.service.ctx.chain.rpc.getSlot().send()).rejects.toThrow(other);
      await expect(t.service.ctx.chain.witnesses[0]?.getSlot().send()).rejects.toThrow(other);
    } finally {
      await http.shut();
      http.target = target;
      await http.open();
    }
    await eventually(async () => expectStatus(await t.buy.quote(), 200), 10_000);
  });

  test('a node whose chain was reset is refused by every process over the old database, from its start on', async () => {
    const { config, log } = t.service.ctx;
    const late = await createContext(
      { ...config, rpcUrls: [reset.rpcUrl], wsUrls: [reset.wsUrl] },
      { clock: t.chain.clock, log },
    );
    try {
      await late.chain.start();
      expect(late.chain.program.fault()).toContain(other);
      expect(late.chain.nodeHealth()[0]?.usable).toBe(false);
      // Beside a node of the right chain it is left out.
      const both = [reset.rpcUrl, t.chain.node.rpcUrl];
      const mixed = await createContext({ ...config, rpcUrls: both }, { clock: t.chain.clock, log });
      try {
        await mixed.chain.start();
        expect(mixed.chain.program.fault()).toBeUndefined();
        expect(mixed.chain.nodeHealth().map(({ usable }) => usable)).toEqual([false, true]);
      } finally {
        await mixed.close();
      }
    } finally {
      await late.close();
    }
  });

  test('a node whose chain was reset does not become that of a new database on its own report, where there are others', async () => {
    const { config, log } = t.service.ctx;
    const empty = await cloneTemplate();
    const over = async (...rpcUrls: string[]) => {
      const databaseUrl = new Secret(empty.url);
      const ctx = await createContext({ ...config, databaseUrl, rpcUrls }, { clock: t.chain.clock, log });
      try {
        await ctx.chain.start();
        return { fault: ctx.chain.program.fault(), genesis: await findGenesis(ctx.db) };
      } finally {
        await ctx.close();
      }
    };
    const right = t.chain.node.rpcUrl;
    try {
      expect(await over(reset.rpcUrl, right)).toEqual({
        fault: expect.stringContaining('The Solana nodes are on different chains'),
        genesis: undefined,
      });
      expect((await over(reset.rpcUrl, 'http://127.0.0.1:1')).genesis).toBeUndefined();
      const { fault, genesis } = await over(right, right);
      expect([fault, genesis]).toEqual([undefined, await findGenesis(t.service.ctx.db)]);
    } finally {
      await empty.drop();
    }
  });

  test('a node far behind what is recorded counts as reset, whatever its genesis', async () => {
    const recorded = {
      findGenesis: async () => undefined,
      keepGenesis: async (hash: string) => hash,
      newestSlot: async () => 10_000n,
    };
    const [genesis, slot] = ['a chain', 9_850n];
    await requireRecordedChain(recorded, { genesis, slot });
    await expect(requireRecordedChain(recorded, { genesis, slot: slot - 1n })).rejects.toThrow(
      'at slot 9849, while slot 10000 is recorded',
    );
  });
});

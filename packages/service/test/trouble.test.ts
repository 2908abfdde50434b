import { afterAll, beforeAll, expect, test } from 'vitest';
import { Secret } from '../src/config.js';
import { deadLetters, trades } from '../src/db/schema.js';
import { type Indexer, startIndexer } from '../src/indexer/index.js';
import { type ApiResponse, expectStatus } from './harness.js';
import { type Karat, startKarat } from './karat.js';
import { eventually } from './karat-chain.js';
import { startOwnPostgres } from './own-postgres.js';
import { TcpProxy } from './tcp-proxy.js';

/**
 * A partner trades on and on while one thing after another breaks under the service. Everything has to come back by
 * itself, no response may be a 500, and in the end every trade that was taken is there exactly once.
 */

let t: Karat;
let postgres: Awaited<ReturnType<typeof startOwnPostgres>>;
let notifications: TcpProxy;
let indexer: Indexer;
let customer: Customer;
beforeAll(async () => {
  postgres = await startOwnPostgres();
  notifications = new TcpProxy();
  await notifications.open();
  t = await startKarat({
    config: { databaseUrl: new Secret(postgres.url) },
    async reroute({ rpcUrl, wsUrl }) {
      notifications.target = { host: '127.0.0.1', port: Number(new URL(wsUrl).port) };
      return { rpcUrl, wsUrl: `ws://127.0.0.1:${notifications.port}` };
    },
  });
  indexer = startIndexer(t.service.ctx, { pollMs: 100, idlePollMs: 200, electionMs: 500 });
  customer = new Customer();
}, 60_000);
afterAll(async () => {
  await customer?.stop();
  await indexer?.stop();
  await t?.service.close();
  await t?.chain.stop();
  await notifications?.shut();
  await postgres?.remove();
});

const usdcOfABuy = 10;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Quotes, signs and submits without end, and repeats a submit until it knows what became of it. */
class Customer {
  readonly taken: string[] = [];
  readonly refused: string[] = [];
  readonly responses: ApiResponse[] = [];
  #stopped = false;
  readonly #done = this.#trade();

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#done;
  }

  async #trade(): Promise<void> {
    while (!this.#stopped) {
      const quote = await t.buy.quote({ usdc_amount: usdcOfABuy });
      this.responses.push(quote);
      if (quote.status === 200) await this.#submit(quote);
      await pause(150);
    }
  }

  async #submit({ body }: ApiResponse): Promise<void> {
    const signed = t.signed(Buffer.from(body.partially_signed_transaction, 'base64'));
    for (;;) {
      const response = await t.buy.submit(body.trade_id, signed);
      this.responses.push(response);
      if (response.status === 200) return void this.taken.push(body.trade_id);
      if (response.status === 400) return void this.refused.push(body.trade_id);
      await pause(100);
    }
  }
}

/** A new trade goes all the way: quoted, taken, recorded. */
async function expectTrading(withinMs = 15_000): Promise<void> {
  const before = customer.taken.length;
  await eventually(() => expect(customer.taken.length).toBeGreaterThan(before + 1), withinMs);
  const [id] = customer.taken.slice(-1);
  await eventually(async () => expectStatus(await t.partner.client.get(`/v1/trades/${id}`), 200), withinMs);
  await eventually(
    async () => expect((await t.service.anonymous.get('/ready')).body.checks.chain.status).toBe('ok'),
    withinMs,
  );
}

/** Responses that came meanwhile. */
async function during(trouble: () => Promise<unknown>): Promise<ApiResponse[]> {
  const before = customer.responses.length;
  await trouble();
  return customer.responses.slice(before);
}

const methods = [
  'getAccountInfo',
  'getBlockHeight',
  'getEpochInfo',
  'getFirstAvailableBlock',
  'getLatestBlockhash',
  'getMultipleAccounts',
  'getProgramAccounts',
  'getSignatureStatuses',
  'getSignaturesForAddress',
  'getSlot',
  'getTransaction',
  'sendTransaction',
];

const ask = (method: string, params: unknown[]) =>
  fetch(t.chain.node.rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });

/** Every method fails in that way for a while, and until the customer has met it. */
async function withFault(fault: object, ms: number): Promise<void> {
  for (const method of methods) {
    await ask('karat_injectFault', [{ method, times: 1_000_000, ...fault }]);
  }
  await Promise.all([pause(ms), customerIsTurnedAway()]);
  await ask('karat_clearFaults', []);
}

/** Waits for a 503 that comes from now on. */
async function customerIsTurnedAway(): Promise<void> {
  const before = customer.responses.length;
  await eventually(
    () => expect(customer.responses.slice(before).map(({ status }) => status)).toContain(503),
    15_000,
  );
}

test('trouble: a trade goes all the way before any trouble', async () => {
  await expectTrading();
});

test.each([
  ['responds to every call with an error', { mode: 'error', code: -32603, message: 'Internal error' }, 1_000],
  ['is behind', { mode: 'error', code: -32005, message: 'Node is behind by 150 slots' }, 1_000],
  ['breaks every connection off', { mode: 'close' }, 1_000],
  ['never responds', { mode: 'hang' }, 3_500],
])(
  'trouble: a node that %s',
  async (_, fault, ms) => {
    const responses = await during(async () => {
      await withFault(fault, ms);
      await expectTrading();
    });
    expect(responses.some(({ status }) => status === 503)).toBe(true);
    for (const { status, body } of responses) {
      if (status === 503) expect(body.error).toMatch(/^(service|pricing)_unavailable$/);
    }
    await expectTrading();
  },
  120_000,
);

test('trouble: notifications break off, and hang', async () => {
  await during(async () => {
    await notifications.shut();
    await pause(1_000);
    await notifications.open();
  });
  await expectTrading();
  notifications.freeze();
  await pause(1_000);
  await expectTrading();
  notifications.thaw();
  await expectTrading();
}, 120_000);

test('trouble: a price that stands still stops quotes, which resume when it moves', async () => {
  await t.chain.changeSettings({ maxAgeOpen: 2 });
  t.chain.price.freeze();
  await eventually(async () => {
    expect(await t.buy.quote()).toMatchObject({ status: 503, body: { error: 'pricing_unavailable' } });
    expect((await t.service.anonymous.get('/ready')).body.checks.price.status).toBe('failed');
  }, 8_000);
  t.chain.price.thaw();
  await t.chain.changeSettings({});
  await expectTrading();
}, 120_000);

test('trouble: a database is restarted in the middle', async () => {
  const responses = await during(async () => {
    await postgres.stop();
    await Promise.all([pause(500), customerIsTurnedAway()]);
    await postgres.start();
    await expectTrading();
  });
  expect(responses.some(({ status }) => status === 503)).toBe(true);
  expect(indexer.status().role).toBe('leader');
}, 120_000);

test('trouble: node and database fail at once', async () => {
  await during(() =>
    Promise.all([
      withFault({ mode: 'close' }, 1_000),
      postgres.stop().then(async () => {
        await pause(500);
        await postgres.start();
      }),
    ]),
  );
  await expectTrading();
}, 120_000);

test('trouble: nothing is lost in the end, nothing doubled, and no response was ever a 500', async () => {
  await customer.stop();
  const { db } = t.service.ctx;
  const statuses = new Set(customer.responses.map(({ status }) => status));
  expect([...statuses].filter((status) => ![200, 400, 503].includes(status))).toEqual([]);
  for (const { status, body } of customer.responses) {
    if (status === 400) expect(body.error).toBe('broadcast_failed');
  }
  expect(customer.taken.length).toBeGreaterThan(15);
  await eventually(async () => {
    const rows = await db.select().from(trades);
    expect(rows.map(({ id }) => id).sort()).toEqual([...customer.taken].sort());
    expect(rows.every(({ status }) => status === 'confirmed')).toBe(true);
  }, 10_000);
  expect(await db.select().from(deadLetters)).toEqual([]);
  const { user } = await t.balances();
  const spent = BigInt(customer.taken.length * usdcOfABuy) * 1_000_000n;
  expect(user?.usdc).toBe(100_000_000_000n - spent);
}, 120_000);

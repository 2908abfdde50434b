import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { saveCandles } from '../../../src/db/market/price-candles.js';
import { candlesOf } from '../../../src/domain/candle.js';
import { startKeeper } from '../../../src/keeper/index.js';
import { PriceRecorder } from '../../../src/keeper/price-recorder.js';
import { expectStatus } from '../../harness.js';
import { type Karat, startKarat } from '../../karat.js';
import { eventually, usualPrice } from '../../karat-chain.js';
import { median } from '../../median.js';

let t: Karat;
beforeAll(async () => {
  t = await startKarat();
});
afterAll(() => t?.stop());

interface Candle {
  at: string;
  open: number;
  high: number;
  low: number;
  close: number;
}

interface History {
  candles: Candle[];
  interval: string;
  closures: { from: string; to: string }[];
}

const history = async (query: string): Promise<History> =>
  expectStatus(await t.partner.client.get(`/v1/price/history${query}`), 200).body;

const seen = (price: string, at: string) =>
  t.service.ctx.db.transaction((tx) => saveCandles(tx, candlesOf({ price, at: new Date(at) })));

describe('candles', () => {
  beforeAll(async () => {
    for (const [price, at] of [
      ['4000', '2026-03-01T12:00:01Z'],
      ['4010.5', '2026-03-01T12:00:30Z'],
      ['3990.123456789', '2026-03-01T12:00:40Z'],
      // Older than the last one of its minute, which stays the last.
      ['4001', '2026-03-01T12:00:35Z'],
      ['4002', '2026-03-01T12:01:00Z'],
      ['4003', '2026-03-01T13:59:59Z'],
      ['4004', '2026-03-02T00:00:00Z'],
    ] as const)
      await seen(price, at);
  });

  test('candles have the first, highest, lowest and last price of their minute, hour and day', async () => {
    const range = 'from=2026-03-01T00:00:00Z&to=2026-03-02T00:00:00Z';
    const first = {
      at: '2026-03-01T12:00:00.000Z',
      open: 4000,
      high: 4010.5,
      low: 3990.12345679,
      close: 3990.12345679,
    };
    expect(await history(`?interval=1m&${range}`)).toEqual({
      interval: '1m',
      // The first of March is a Sunday.
      closures: [{ from: '2026-03-01T00:00:00.000Z', to: '2026-03-01T23:00:00.000Z' }],
      candles: [
        first,
        { at: '2026-03-01T12:01:00.000Z', open: 4002, high: 4002, low: 4002, close: 4002 },
        { at: '2026-03-01T13:59:00.000Z', open: 4003, high: 4003, low: 4003, close: 4003 },
        { at: '2026-03-02T00:00:00.000Z', open: 4004, high: 4004, low: 4004, close: 4004 },
      ],
    });
    expect((await history(`?interval=1h&${range}`)).candles.slice(0, 2)).toEqual([
      { ...first, close: 4002 },
      { at: '2026-03-01T13:00:00.000Z', open: 4003, high: 4003, low: 4003, close: 4003 },
    ]);
    expect((await history(`?interval=1d&${range}`)).candles[0]).toEqual({
      ...first,
      at: '2026-03-01T00:00:00.000Z',
      close: 4003,
    });
  });

  test('candles of five minutes are made of their minutes', async () => {
    const range = 'from=2026-03-01T12:04:59Z&to=2026-03-02T00:00:00Z';
    const whole = { open: 4000, high: 4010.5, low: 3990.12345679, close: 4002 };
    const rest = [
      { at: '2026-03-01T13:55:00.000Z', open: 4003, high: 4003, low: 4003, close: 4003 },
      { at: '2026-03-02T00:00:00.000Z', open: 4004, high: 4004, low: 4004, close: 4004 },
    ];
    const found = await history(`?interval=5m&${range}`);
    expect(found).toMatchObject({
      interval: '5m',
      candles: [{ at: '2026-03-01T12:00:00.000Z', ...whole }, ...rest],
    });
    // The last ones, and each whole although it does not begin with the range.
    const last = await history('?interval=5m&to=2026-03-01T13:56:00Z');
    expect(last.candles).toEqual([{ at: '2026-03-01T12:00:00.000Z', ...whole }, rest[0]]);
  });

  test('closures are the times within the range at which the market is closed', async () => {
    const range = 'from=2026-03-06T12:30:00Z&to=2026-03-09T12:00:00Z';
    const weekend = { from: '2026-03-06T22:00:00.000Z', to: '2026-03-08T22:00:00.000Z' };
    expect((await history(`?interval=1h&${range}`)).closures).toEqual([weekend]);
    expect(
      (await history(`?interval=5m&from=2026-03-07T12:02:00Z&to=2026-03-07T13:00:00Z`)).closures,
    ).toEqual([{ from: '2026-03-07T12:00:00.000Z', to: '2026-03-07T13:00:00.000Z' }]);
    // Most days have both.
    expect((await history(`?interval=1d&${range}`)).closures).toEqual([]);
    // Without a candle there is no range.
    expect((await history('?interval=1h&to=2020-01-01T00:00:00Z')).closures).toEqual([]);
  });

  test('begin with the one that `from` lies in and end with that of `to`', async () => {
    const at = async (from: string, to: string) =>
      (await history(`?interval=1m&from=2026-03-01T${from}Z&to=2026-03-01T${to}Z`)).candles.map(
        (one) => one.at,
      );
    expect(await at('12:00:59', '12:00:59.999')).toEqual(['2026-03-01T12:00:00.000Z']);
    expect(await at('12:01:00', '12:01:00')).toEqual(['2026-03-01T12:01:00.000Z']);
    expect(await at('12:02:00', '13:58:59')).toEqual([]);
  });

  test('candles are an hour long where no interval is named', async () => {
    expect((await history('?from=2026-03-01T00:00:00Z&to=2026-03-01T23:00:00Z')).interval).toBe('1h');
  });

  test('candles are at most 1,000: the first ones from `from`, the last ones without it', async () => {
    await t.service.ctx.sql`insert into price_candles
      select '1m', at, 4000, 4000, 4000, 4000, at
      from generate_series('2026-04-01T00:00:00Z'::timestamptz, '2026-04-01T23:59:00Z', '1 minute') at`;
    const atOf = async (query: string) =>
      (await history(`?interval=1m&${query}`)).candles.map((one) => one.at);
    const from = await atOf('from=2026-04-01T00:00:00Z&to=2026-05-01T00:00:00Z');
    expect([from.length, from[0], from[999]]).toEqual([
      1_000,
      '2026-04-01T00:00:00.000Z',
      '2026-04-01T16:39:00.000Z',
    ]);
    const last = await atOf('to=2026-04-01T23:59:00Z');
    expect([last.length, last[999]]).toEqual([1_000, '2026-04-01T23:59:00.000Z']);
    // Closures end with the candles: at 16:40, before the pause at 21:00.
    const cut = await history('?interval=1m&from=2026-04-01T00:00:00Z&to=2026-05-01T00:00:00Z');
    expect(cut.closures).toEqual([]);
  });

  test.each([
    ['interval=2m', 'interval', 'interval must be one of 1m, 5m, 1h, 1d, not the text "2m".'],
    ['interval=', 'interval', 'interval must be one of 1m, 5m, 1h, 1d, not the text "".'],
    [
      'from=yesterday',
      'from',
      `from must be a date and time with an offset, such as 2026-03-01T12:00:00Z: it is not written so.`,
    ],
    [
      'to=2026-03-01',
      'to',
      'to must be a date and time with an offset, such as 2026-03-01T12:00:00Z: it is a date without a time.',
    ],
    [
      'from=',
      'from',
      'from must be a date and time with an offset, such as 2026-03-01T12:00:00Z: it is not written so.',
    ],
    ['from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z', 'from', 'from must not be later than to.'],
    ['from=2999-01-01T00:00:00Z', 'from', 'from must not be later than to.'],
  ])('a request for candles with %s is refused', async (query, field, message) => {
    expect(await t.partner.client.get(`/v1/price/history?${query}`)).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', field, message },
    });
  });
});

test('a changed price is in the history within 4 s, by the keeper alone', async () => {
  await t.avoidMidnight();
  const keeper = startKeeper(t.service.ctx);
  const recent = async () => (await history('?interval=1m')).candles.at(-1);
  try {
    await eventually(async () => expect((await recent())?.close).toBe(4100.12), 20_000);
    const tookMs: number[] = [];
    for (const close of [4125, 4080, 4050]) {
      t.chain.price.set({ ...usualPrice, price: BigInt(close) * 10n ** 8n });
      const changedMs = performance.now();
      await eventually(async () => expect((await recent())?.close).toBe(close), 20_000);
      tookMs.push(performance.now() - changedMs);
    }
    expect(median(tookMs)).toBeLessThan(4_000);
    const [day] = (await history('?interval=1d')).candles.slice(-1);
    expect(day).toMatchObject({ high: 4125, low: 4050, close: 4050 });
  } finally {
    t.chain.price.set(usualPrice);
    await keeper.stop();
  }
});

test('minutes are kept for 90 days, hours and days for ever', async () => {
  await seen('3000', '2020-01-01T00:00:00Z');
  const days = 86_400_000;
  const kept = new Date(t.chain.clock.now() - 90 * days + 3_600_000);
  await seen('3500', kept.toISOString());
  const keeper = startKeeper(t.service.ctx);
  try {
    const counts = () => t.service.ctx.sql`
      select interval::text, count(*)::int as n from price_candles
      where at < ${new Date(t.chain.clock.now() - 30 * days).toISOString()} and open in (3000, 3500) group by interval order by price_candles.interval`;
    await eventually(
      async () =>
        expect([...(await counts())]).toEqual([
          { interval: '1m', n: 1 },
          { interval: '1h', n: 2 },
          { interval: '1d', n: 2 },
        ]),
      20_000,
    );
  } finally {
    await keeper.stop();
  }
});

test('a database that is away for a while loses no price', async () => {
  await t.avoidMidnight();
  const { ctx } = t.service;
  let fails = true;
  const recorder = new PriceRecorder({
    ...ctx,
    db: new Proxy(ctx.db, {
      get: (db, name) =>
        name === 'transaction' && fails
          ? () => Promise.reject(new Error('the database is away'))
          : Reflect.get(db, name, db),
    }),
  });
  const config = ctx.chain.program.config();
  const see = async (price: bigint) => {
    t.chain.price.set({ ...usualPrice, price });
    const account = t.chain.node.getAccount(config.settings.priceAccount);
    if (!account) throw new Error('no price account');
    recorder.see(config, { owner: account.owner as never, data: account.data });
    await new Promise((resolve) => setTimeout(resolve, 50));
  };
  try {
    await see(420_000_000_000n);
    fails = false;
    await see(410_000_000_000n);
    await eventually(async () => {
      const [day] = (await history('?interval=1d')).candles.slice(-1);
      expect(day).toMatchObject({ high: 4200, close: 4100 });
    }, 5_000);
  } finally {
    t.chain.price.set(usualPrice);
    await recorder.stop();
  }
});

import { MarketState } from '@karat/program-client';
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { setMarketOverride } from '../../service/src/db/market/market-overrides.js';
import { saveCandles } from '../../service/src/db/market/price-candles.js';
import { priceCandles } from '../../service/src/db/schema.js';
import { candlesOf } from '../../service/src/domain/candle.js';
import { expectAccessible, heading, type Stage, useStage } from './stage.js';

/** The chart of the price on Today. The tests share a page, in the order in which they stand. */
let s: Stage;
let page: Page;
useStage(
  (stage) => {
    s = stage;
  },
  { marketHours: 'always' },
);

/** A zone where it is about noon: the hour that is drawn has one day, whose date need not be shown. */
function noonZone(): string {
  const ahead = 12 - new Date().getUTCHours();
  return `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`;
}

beforeAll(async () => {
  page = await s.signedIn(s.operators.by.viewer, '/', { timezoneId: noonZone() });
  await heading(page, 'Today');
}, 120_000);
afterEach(() => expect(s.takeComplaints()).toEqual([]));

const minuteMs = 60_000;
const eventually = <T>(look: () => Promise<T>) => expect.poll(look, { timeout: 20_000 });
const chart = () => page.locator('.price-chart');
const caption = () => chart().locator('figcaption').innerText();
const slider = () => page.getByRole('slider', { name: /^Price of gold: / });
const reading = () => slider().getAttribute('aria-valuetext');
const dollars = (price: number) =>
  price.toLocaleString('en-US', { style: 'currency', currency: 'USD', minimumFractionDigits: 2 });

/** Makes the recorded past one price for each of the last minutes, oldest first. */
async function recordMinutes(prices: number[]): Promise<number> {
  const nowMs = Math.floor(s.h.ctx.clock.now() / minuteMs) * minuteMs;
  const beginMs = nowMs - (prices.length - 1) * minuteMs;
  await s.h.ctx.db.transaction(async (tx) => {
    await tx.delete(priceCandles);
    for (const [index, price] of prices.entries())
      await saveCandles(tx, candlesOf({ price: String(price), at: new Date(beginMs + index * minuteMs) }));
  });
  return beginMs;
}

/** The moment as the browser's clock shows it. */
const clockOf = (atMs: number) =>
  page.evaluate(
    `new Date(${atMs}).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })`,
  ) as Promise<string>;

/** How much of the drawing has a colour of the page's, one of `--chart-…`. */
const drawnIn = (colour: string) =>
  page.evaluate(`(() => {
    const figure = document.querySelector('.price-chart');
    const canvas = figure.querySelector('canvas');
    const copy = Object.assign(document.createElement('canvas'), { width: canvas.width, height: canvas.height });
    const probe = copy.getContext('2d', { willReadFrequently: true });
    probe.fillStyle = getComputedStyle(figure).getPropertyValue('--chart-${colour}').trim();
    probe.fillRect(0, 0, 1, 1);
    const wanted = probe.getImageData(0, 0, 1, 1).data;
    probe.clearRect(0, 0, 1, 1);
    probe.drawImage(canvas, 0, 0);
    const { data } = probe.getImageData(0, 0, canvas.width, canvas.height);
    let found = 0;
    for (let at = 0; at < data.length; at += 4)
      if ([0, 1, 2, 3].every((part) => Math.abs(data[at + part] - wanted[part]) <= 2)) found += 1;
    return found / (canvas.width * canvas.height);
  })()`) as Promise<number>;

test('fewer than three prices are no chart, but a line that reports from when there will be one', async () => {
  const beginMs = await recordMinutes([4_090]);
  await page.reload();
  const from = await clockOf(beginMs + minuteMs);
  const next = await clockOf(beginMs + 2 * minuteMs);
  await eventually(caption).toMatch(
    new RegExp(`^There are too few prices for a chart yet\\. There will be one from (${from}|${next})\\.$`),
  );
  expect(await slider().count()).toBe(0);
  await expectAccessible(page);
});

test('the caption is computed from the points that are drawn, of which the live price is the last', async () => {
  const { price: live } = (await s.operators.by.viewer.client.get('/operator/v1/price')).body;
  const opens = Array.from({ length: 50 }, (_, at) => 4_090 + (at % 7));
  const beginMs = await recordMinutes(opens);
  await page.reload();
  const since = await clockOf(beginMs);
  const change = `+${((live / 4_090 - 1) * 100).toFixed(2)} % since ${since}`;
  await eventually(caption).toBe(change);
  expect(await slider().getAttribute('aria-label')).toBe(
    `Price of gold: ${change}, lowest ${dollars(4_090)}, highest ${dollars(live)}`,
  );
  // A keyboard reaches every point of the drawing.
  await slider().focus();
  await page.keyboard.press('Home');
  await eventually(reading).toContain(`${dollars(4_090)} at ${since}`);
  await page.keyboard.press('ArrowRight');
  await eventually(reading).toContain(`${dollars(4_091)} at ${await clockOf(beginMs + minuteMs)}`);
  await page.keyboard.press('End');
  await eventually(reading).toContain(`${dollars(live)} at `);
  expect(Number(await slider().getAttribute('aria-valuemax'))).toBe(opens.length);
  expect(await drawnIn('line')).toBeGreaterThan(0.003);
  // So does the table, with the first point and the last one.
  await chart().getByText('Prices as a table').click();
  const rows = await chart().locator('tbody tr').allInnerTexts();
  expect(rows[0]).toContain(dollars(4_090));
  expect(rows.at(-1)).toContain(dollars(live));
  await expectAccessible(page);
});

test('the buy and the sell price are those of the fees of a partner, until no fees are chosen', async () => {
  const { price: live } = (await s.operators.by.viewer.client.get('/operator/v1/price')).body;
  await eventually(() => chart().locator('.price-reading').innerText()).toContain(
    `buy ${dollars(live / 0.995)}, sell ${dollars(live * 0.995)}`,
  );
  expect(await chart().locator('.price-legend').innerText()).toContain(
    'Buy and sell price (fee 0.50 %, while closed 1.00 %)',
  );
  await page.getByRole('combobox', { name: 'Fees that are drawn' }).click();
  await page.getByRole('option', { name: 'No fees' }).click();
  await eventually(() => chart().locator('.price-legend').innerText()).toBe('Price');
  expect(await chart().locator('.price-reading').innerText()).not.toContain('buy');
});

test('a closed market is shaded, and named in the legend, the table and at its points', async () => {
  const nowMs = s.h.ctx.clock.now();
  const by = { operatorId: null, at: new Date(nowMs - 20 * minuteMs) };
  await s.h.ctx.db.transaction((tx) => setMarketOverride(tx, { market: 'closed', untilMs: undefined }, by));
  await s.chain.setStatus({ marketState: MarketState.Closed });
  await page.reload();
  const legend = () => chart().locator('.price-legend').innerText();
  await eventually(legend).toContain('Market closed');
  await eventually(reading).toMatch(/ · buy .*, sell .* · Market closed$/);
  const { price: live } = (await s.operators.by.viewer.client.get('/operator/v1/price')).body;
  expect(await reading()).toContain(`buy ${dollars(live / 0.99)}, sell ${dollars(live * 0.99)}`);
  await slider().focus();
  await page.keyboard.press('Home');
  await eventually(reading).not.toContain('Market closed');
  await page.getByRole('combobox', { name: 'Fees that are drawn' }).click();
  await page.getByRole('option', { name: 'No fees' }).click();
  await eventually(() => drawnIn('closed')).toBeGreaterThan(0.15);
  await page.emulateMedia({ colorScheme: 'dark' });
  await eventually(() => drawnIn('closed')).toBeGreaterThan(0.15);
  await expectAccessible(page);
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildApp } from '../../../src/http/app.js';
import { clientOf, expectStatus } from '../../harness.js';
import { type Karat, startKarat } from '../../karat.js';

let t: Karat;
let url: string;
beforeAll(async () => {
  t = await startKarat();
  url = await t.service.app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => t?.stop());

test('the metadata of GOLD has the name and symbol of the mint, and the logo beside its uri, for pages of any site', async () => {
  const response = await fetch(`${url}/token/gold.json`, { headers: { origin: 'https://wallet.example' } });
  expect(response.status).toBe(200);
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  expect(response.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
  expect(response.headers.get('cache-control')).toBe('public, max-age=300');
  const { name, symbol, description, image, ...others } = (await response.json()) as Record<string, string>;
  expect({ name, symbol, image }).toEqual({
    name: 'Karat Gold',
    symbol: 'GOLD',
    image: 'https://gold.example/token/gold.svg',
  });
  expect(description).toMatch(
    /^One GOLD stands for one troy ounce \(31\.1034768 g\) of fine gold in a vault\./,
  );
  expect(others).toEqual({});
});

test('the logo of GOLD is an image that loads nothing itself', async () => {
  const response = await fetch(`${url}/token/gold.svg`);
  expect(response.headers.get('content-type')).toBe('image/svg+xml');
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  expect(response.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
  const logo = await response.text();
  expect(logo).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
  expect(logo.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:|href|<script|url\((?!#)/);
  expect(logo.length).toBeLessThan(4_000);
});

test('metadata that cannot be read is 503, and is read again', async () => {
  const app = await buildApp(t.service.ctx);
  try {
    const get = () => clientOf(app, {}).get('/token/gold.json');
    await t.chain.injectFault({ method: 'getMultipleAccounts', mode: 'error', times: 100 });
    expect(expectStatus(await get(), 503).body).toMatchObject({
      error: 'service_unavailable',
      message: 'The Solana node does not report the mint of GOLD; try again shortly.',
    });
    await t.chain.clearFaults();
    await expect.poll(async () => (await get()).status, { timeout: 10_000 }).toBe(200);
  } finally {
    await app.close();
  }
});

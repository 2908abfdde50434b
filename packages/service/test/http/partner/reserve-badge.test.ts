import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { buildApp } from '../../../src/http/app.js';
import { expectAccessible } from '../../accessible.js';
import { launchBrowser } from '../../browser.js';
import { newWallet } from '../../harness.js';
import { type Karat, startKarat } from '../../karat.js';
import { finalize } from '../../karat-chain.js';
import { seedDenominations } from '../../redeeming.js';

/** The badge about the reserves, which pages of others show. */
let t: Karat;
let url: string;
beforeAll(async () => {
  t = await startKarat();
  url = await t.service.app.listen({ host: '127.0.0.1', port: 0 });
  await seedDenominations(t.service);
  await t.given.bars(40);
  await finalize(t.chain, t.service.ctx);
});
afterAll(() => t?.stop());

const path = '/v1/reserves/badge';
const labelIn = (body: string) => /aria-label="(Gold reserves[^"]*)"/.exec(body)?.[1];

/** Reads the badge from a process that has read nothing yet. */
async function badge(at = `${path}.svg`) {
  const app = await buildApp(t.service.ctx);
  try {
    return await app.inject({ method: 'GET', url: at });
  } finally {
    await app.close();
  }
}

test('badge: it has the figures of now, then those of the last statement, and never invents any', async () => {
  const now = /^Gold reserves: covered\. 1,285\.9 oz for 1,000 GOLD\. \d+ \w+ \d{4}, \d\d:\d\d UTC\.$/;
  expect(labelIn((await badge()).body)).toMatch(now);
  const unreachable = { method: 'getMultipleAccounts', mode: 'error', times: 1_000 } as const;
  await t.chain.injectFault(unreachable);
  expect(labelIn((await badge()).body)).toBe(
    'Gold reserves: not known. The figures cannot be read. Try again in a minute.',
  );
  expect((await badge()).body).not.toContain('✓');
  await t.chain.clearFaults();
  await t.given.statement();
  await t.chain.injectFault(unreachable);
  expect(labelIn((await badge()).body)).toMatch(
    /^Gold reserves: covered\. 1,285\.9 oz for 1,000 GOLD\. Statement of \d+ \w+ \d{4}, /,
  );
  await t.chain.clearFaults();
});

test('badge: image and page are public, kept for a minute, and have no script', async () => {
  const [image, page] = [await fetch(`${url}${path}.svg`), await fetch(`${url}${path}`)];
  for (const [response, type] of [
    [image, 'image/svg+xml; charset=utf-8'],
    [page, 'text/html; charset=utf-8'],
  ] as const) {
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': type,
      'cache-control': 'public, max-age=60',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringMatching(/^default-src 'none'; style-src 'unsafe-inline'; /),
    });
    expect(await response.text()).not.toMatch(/<script|\bon\w+=/);
  }
});

test('badge: its page alone may be framed', async () => {
  const frameOf = async (at: string) => {
    const { headers } = await fetch(`${url}${at}`);
    const ancestors = /frame-ancestors ([^;]*)/.exec(headers.get('content-security-policy') ?? '')?.[1];
    return [headers.get('x-frame-options'), ancestors];
  };
  expect(await frameOf(path)).toEqual([null, '*']);
  for (const at of [
    `${path}.svg`,
    '/v1/reserves',
    '/v1/reserves/live',
    '/docs',
    '/errors/bar_not_found',
    '/',
  ])
    expect([at, ...(await frameOf(at))]).toEqual([
      at,
      'SAMEORIGIN',
      expect.stringMatching(/^'(none|self)'$/),
    ]);
});

test('badge: a page of another site shows it, as a frame and as an image', { timeout: 90_000 }, async () => {
  const host = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(`<!doctype html><html lang="en"><title>A shop</title><main><h1>A shop</h1>
      <iframe title="Gold reserves" src="${url}${path}" width="320" height="80"></iframe>
      <iframe title="The API" src="${url}/v1/reserves"></iframe>
      <img alt="Gold reserves" src="${url}${path}.svg" width="320" height="80"></main></html>`);
  });
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', () => resolve()));
  let browser: Browser | undefined;
  try {
    browser = await launchBrowser(inject('browser'));
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`http://localhost:${(host.address() as AddressInfo).port}`);
    const framed = page.frameLocator('iframe[title="Gold reserves"]').getByRole('link');
    await expect.poll(() => framed.innerText()).toContain('1,285.9 oz for 1,000 GOLD');
    expect(await framed.getAttribute('rel')).toBe('noopener');
    const other = page.frameLocator('iframe[title="The API"]').locator('body');
    await expect.poll(() => other.innerText()).not.toContain('statement_id');
    const isDrawn = "document.querySelector('img').complete && document.querySelector('img').naturalWidth";
    await expect.poll(() => page.evaluate(isDrawn)).toBe(320);
    await context.close();
    for (const colorScheme of ['light', 'dark'] as const) {
      const own = await browser.newContext({ colorScheme, bypassCSP: true });
      const alone = await own.newPage();
      await alone.goto(`${url}${path}`);
      await expectAccessible(alone);
      await own.close();
    }
  } finally {
    await browser?.close();
    host.close();
  }
});

test('badge: tokens that nothing covers turn it', async () => {
  await t.chain.node.setTokenBalance(newWallet().address, t.chain.goldMint, 5_000_000_000n);
  await finalize(t.chain, t.service.ctx);
  const { body } = await badge(path);
  expect(labelIn(body)).toMatch(/^Gold reserves: not covered\. 1,285\.9 oz for 6,000 GOLD\. /);
  expect(body).not.toContain('✓');
});

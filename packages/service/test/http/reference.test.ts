import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { launchBrowser } from '../browser.js';
import { type Harness, harness } from '../harness.js';

let h: Harness;
let url: string;
let browser: Browser;
beforeAll(async () => {
  h = await harness();
  url = await h.app.listen({ host: '127.0.0.1', port: 0 });
  browser = await launchBrowser(inject('browser'));
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await h.close();
});

/** A browser takes its time on a machine with other things to do. */
const busy = { timeout: 90_000 };

/** The summary of every operation of a document, and of no other, as soon as the page is drawn whole. */
async function expectShown(page: Page, document: string): Promise<void> {
  const { body } = await h.anonymous.get(document);
  const summaries = Object.values<object>(body.paths)
    .flatMap((item) => Object.values(item))
    .map(({ summary }) => summary);
  const shown = async () => {
    const entries = await page.locator('aside button', { hasText: 'HTTP Method:' }).allTextContents();
    // One that has several tags is there under each.
    return [...new Set(entries.map((entry) => entry.split('HTTP Method:')[0]?.trim()))].sort();
  };
  await expect.poll(shown, { timeout: 20_000 }).toEqual(summaries.sort());
}

test(
  'the reference shows every operation and samples in a browser, calls no other host and breaks no policy',
  busy,
  async () => {
    const page = await browser.newPage();
    const requested: string[] = [];
    const complaints: string[] = [];
    page.on('request', (request) => requested.push(request.url()));
    page.on('requestfailed', (request) => complaints.push(`failed: ${request.url()}`));
    page.on('response', (response) => {
      if (response.status() >= 400) complaints.push(`${response.status()}: ${response.url()}`);
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });

    await page.goto(`${url}/docs`);
    await expectShown(page, '/openapi.json');

    // The key is preselected, once the page has shown what is below the list of operations.
    const text = () => page.locator('body').innerText();
    await expect.poll(text, { timeout: 20_000 }).toContain('apiKey');
    expect(await text()).not.toContain('No authentication selected');

    // The samples of the SDKs can be chosen next to the request itself.
    await page.locator('aside button', { hasText: 'Quote a buy' }).click();
    const operation = page.locator('section', { hasText: 'Quote a buy' }).last();
    await operation.getByRole('button', { name: 'Shell Curl' }).first().click();
    await expect
      .poll(() => page.getByRole('option').allTextContents(), { timeout: 20_000 })
      .toEqual(['TypeScript', 'Python', 'Go', 'Curl']);
    await page.getByRole('option', { name: 'Python' }).click();
    await expect.poll(() => operation.innerText(), { timeout: 20_000 }).toContain('karat.buys.quote(');

    // Opened and tried out, an operation asks this very service.
    await page.locator('aside button', { hasText: 'Liveness' }).click();
    await page.getByRole('button', { name: /^Test Request.*\/health/ }).click();
    await page.getByRole('button', { name: /^Send get request/ }).click();
    await expect
      .poll(() => page.locator('body').innerText(), { timeout: 20_000 })
      .toContain('"service": "karat"');

    expect(complaints).toEqual([]);
    expect(requested.length).toBeGreaterThan(4);
    expect(requested.filter((one) => !one.startsWith(`${url}/`) && !one.startsWith('data:'))).toEqual([]);
  },
);

test(
  'the reference of the tradebook API shows every operation of its own, and none of another',
  busy,
  async () => {
    const page = await browser.newPage();
    await page.goto(`${url}/api/docs`);
    await expectShown(page, '/api/openapi.json');
  },
);

const scriptsOf = async (path: string) => {
  const page = await (await fetch(`${url}${path}`)).text();
  return [...page.matchAll(/<script src="([^"]+)">/g)].map(([, script]) => script ?? '');
};

test.each(['/docs', '/api/docs'])(
  '%s loads scripts that are compressed, and kept by browsers for ever',
  async (path) => {
    const scripts = await scriptsOf(path);
    expect(scripts).toHaveLength(2);
    let transferred = 0;
    for (const script of scripts) {
      expect(script).toMatch(/\.[0-9a-f]{12}\.js$/);
      const { headers, body } = await h.app.inject({ url: script, headers: { 'accept-encoding': 'gzip' } });
      expect(headers).toMatchObject({
        'cache-control': 'public, max-age=31536000, immutable',
        'content-encoding': 'gzip',
      });
      transferred += Number(headers['content-length'] ?? body.length);
    }
    expect(transferred).toBeLessThan(1_100_000);
    const plain = await h.app.inject({ url: scripts[0] ?? '' });
    expect(plain.headers['content-encoding']).toBeUndefined();
  },
);

test('the reference is a page of its own policy, and everything else has the strict one', async () => {
  const policyOf = async (path: string) =>
    (await fetch(`${url}${path}`)).headers.get('content-security-policy');
  expect(await policyOf('/docs')).toMatch(/^default-src 'none'; script-src 'self';/);
  for (const path of await scriptsOf('/docs')) expect(await policyOf(path)).not.toContain('http');
  expect(await policyOf('/health')).toMatch(/^default-src 'none';/);
  for (const path of ['/nowhere', '/%zz']) expect(await policyOf(path)).toMatch(/^default-src 'none';/);
  expect(await policyOf('/openapi.json')).not.toContain("connect-src 'self'");
});

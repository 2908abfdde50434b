import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { expectAccessible } from '../accessible.js';
import { launchBrowser } from '../browser.js';
import { builtDocs } from '../docs-site.js';
import { type Harness, harness } from '../harness.js';

/** The documentation, built from the pages as they are now and served by the service. */
let built: string | undefined;
let h: Harness;
let url: string;
let browser: Browser;
let folder: string;
beforeAll(async () => {
  folder = await builtDocs();
  h = await harness({ site: () => built });
  url = await h.app.listen({ host: '127.0.0.1', port: 0 });
  browser = await launchBrowser(inject('browser'));
}, 180_000);
afterAll(async () => {
  await browser?.close();
  await h?.close();
});

const busy = { timeout: 90_000 };

test('the site shows a page that reloads until it is built', async () => {
  const response = await fetch(url);
  expect([response.status, response.headers.get('refresh')]).toEqual([200, '3']);
  expect(await response.text()).toContain('The documentation is being built.');
  expect((await fetch(`${url}/partner-guide`)).status).toBe(404);
  built = folder;
});

test(
  'the pages of the site are read and searched without another host, and break no policy',
  busy,
  async () => {
    const page = await browser.newPage();
    const requested: string[] = [];
    const complaints: string[] = [];
    page.on('request', (request) => requested.push(request.url()));
    page.on('response', (response) => {
      if (response.status() >= 400) complaints.push(`${response.status()}: ${response.url()}`);
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    await page.goto(url);
    await page.getByRole('link', { name: 'Partner guide' }).first().click();
    await page.getByRole('heading', { name: /A sandbox to follow along/ }).waitFor();
    await page.locator('#local-search button').first().click();
    await page.getByPlaceholder('Search').fill('idempotency');
    await page
      .getByRole('option', { name: /Repeating requests safely/ })
      .first()
      .waitFor();
    // What is only looked up comes after what explains, however often it has the word.
    for (const words of ['idempotency', 'redemption', 'webhook']) {
      await page.getByPlaceholder('Search').fill(words);
      const first = page.getByRole('option').first();
      await expect
        .poll(() => first.locator('a').getAttribute('href'), { timeout: 20_000 })
        .toMatch(/^\/(partner|tradebook)-guide|^\/(sdk|shop|first-trade|transactions|index)/);
    }
    expect(complaints).toEqual([]);
    expect(requested.filter((one) => !one.startsWith(`${url}/`) && !one.startsWith('data:'))).toEqual([]);
  },
);

test(
  'the language that a reader chooses in one group of code is shown in all, on later pages as well',
  busy,
  async () => {
    const page = await browser.newPage();
    const shown = () =>
      page
        .locator('.vp-code-group .blocks > .active')
        .evaluateAll((blocks) => [...new Set(blocks.map(({ className }) => className.split(' ')[0]))]);
    await page.goto(`${url}/partner-guide`);
    await expect.poll(shown, { timeout: 20_000 }).toEqual(['language-ts']);
    await page.locator('.vp-code-group label', { hasText: 'Python' }).nth(5).click();
    await expect.poll(shown, { timeout: 20_000 }).toEqual(['language-py']);
    await page.goto(`${url}/partner-guide`);
    await expect.poll(shown, { timeout: 20_000 }).toEqual(['language-py']);
    await page.close();
  },
);

/** Returns the pages of this site that are reached from its start, each with its HTML, and what a link that leads nowhere got. */
async function crawlSite() {
  const pages = new Map<string, string>();
  const dead: string[] = [];
  const visited = new Set<string>();
  const fragments: { from: string; target: URL }[] = [];
  const waiting = [{ from: 'nowhere', target: new URL(url) }];
  for (let link = waiting.pop(); link !== undefined; link = waiting.pop()) {
    const { from, target } = link;
    if (target.hash !== '') fragments.push({ from, target });
    if (visited.has(target.pathname)) continue;
    visited.add(target.pathname);
    const response = await fetch(target, { headers: { accept: 'text/html' } });
    const body = await response.text();
    if (response.status !== 200) dead.push(`${target.pathname} of ${from}: ${response.status}`);
    else if (response.headers.get('content-type')?.startsWith('text/html')) pages.set(target.pathname, body);
    for (const [, text = ''] of pages
      .get(target.pathname)
      ?.matchAll(/<(?:a|link)\s[^>]*?\bhref="([^"]*)"/g) ?? []) {
      const next = new URL(text.replaceAll('&amp;', '&'), target);
      if (next.origin === target.origin) waiting.push({ from: target.pathname, target: next });
    }
  }
  for (const { from, target } of fragments) {
    const id = decodeURIComponent(target.hash.slice(1));
    const page = pages.get(target.pathname);
    if (page !== undefined && !page.includes(` id="${id}"`)) dead.push(`${target.pathname}#${id} of ${from}`);
  }
  return { pages, dead: [...new Set(dead)] };
}

test(
  'every link of the site leads to a page or file of it, and every anchor to a heading',
  busy,
  async () => {
    built = folder;
    const { pages, dead } = await crawlSite();
    expect(dead).toEqual([]);
    expect(pages.size).toBeGreaterThan(100);
    for (const path of ['/docs', '/api/docs', '/errors/', '/reasons/', '/operations/'])
      expect(pages.has(path)).toBe(true);
  },
);

test.each(['/', '/first-trade', '/partner-guide', '/sandbox', '/operations/', '/errors/unauthorized'])(
  'the page %s of the site is accessible, in light and dark',
  busy,
  async (path) => {
    built = folder;
    const page = await browser.newPage();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.goto(`${url}${path}`);
      await page.locator('h1').first().waitFor();
      await expectAccessible(page);
    }
    await page.close();
  },
);

test('llms-full.txt has the code of the guides in every language', async () => {
  const text = await (await fetch(`${url}/llms-full.txt`)).text();
  for (const code of [
    'await karat.buys.quote(request)',
    'quote = karat.buys.quote(',
    'client.Buys.Quote(ctx',
  ])
    expect(text).toContain(code);
  expect(text).not.toMatch(/^<<< /m);
});

test('llms.txt names pages and documents that are there', async () => {
  const text = await (await fetch(`${url}/llms.txt`)).text();
  const links = [...text.matchAll(/\]\((\/[^)]*)\)/g)].map(([, link]) => link);
  expect(links.length).toBeGreaterThan(10);
  for (const link of links) expect([link, (await fetch(`${url}${link}`)).status]).toEqual([link, 200]);
});

test('what pages load is compressed, and kept by browsers for ever', async () => {
  const page = await (await fetch(`${url}/partner-guide`)).text();
  const [, script] = page.match(/src="(\/assets\/[^"]+\.js)"/) ?? [];
  const { headers } = await h.app.inject({ url: script ?? '', headers: { 'accept-encoding': 'gzip' } });
  expect(headers).toMatchObject({
    'cache-control': 'public, max-age=31536000, immutable',
    'content-encoding': 'gzip',
  });
});

test(
  'a mistyped page is the 404 page of the site for a browser, and the error of the API for a program',
  busy,
  async () => {
    const page = await browser.newPage();
    const response = await page.goto(`${url}/partner-giude`);
    expect(response?.status()).toBe(404);
    await page.getByText('PAGE NOT FOUND').waitFor();
    await page.close();
    const html = { accept: 'text/html' };
    for (const path of ['/v1/trade', '/api/nowhere'])
      expect((await fetch(`${url}${path}`, { headers: html })).headers.get('content-type')).toContain('json');
  },
);

test('the reference links back to the guides', async () => {
  const page = await (await fetch(`${url}/docs`)).text();
  const [, guides] = page.match(/<a href="([^"]+)">Guides<\/a>/) ?? [];
  expect(await (await fetch(`${url}${guides}`)).text()).toContain('A sandbox to follow along');
});

test('any other path gets the response that it gets without a site', async () => {
  expect((await h.anonymous.get('/nowhere.html')).body.error).toBe('not_found');
  expect((await h.anonymous.get('/v1/trades')).status).toBe(401);
  expect((await h.anonymous.get('/api/nowhere')).body).toMatchObject({ success: false });
  expect((await h.anonymous.post('/partner-guide.html', {})).body.error).toBe('not_found');
});

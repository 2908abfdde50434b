import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { signBytes } from '@solana/kit';
import { type Browser, chromium as driver, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { operatorMove } from '../src/demo/operator.js';
import { findSandbox } from '../src/demo/running-sandbox.js';
import { endOf, makeStateDir, type Run, readInfo, root, startSandbox } from './harness.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** How to launch the browser that is unpacked before any test. */
    browser: { executablePath?: string; channel?: string; env?: Record<string, string> };
  }
}

/** The shop of a sandbox, as a customer walks through it in a browser. The tests share it, in the order in which they stand. */
const patience = { timeout: 180_000 };
const { stateDir, remove } = makeStateDir();
let sandbox: Run;
let browser: Browser;
let page: Page;
/** What the page asked for outside of the shop: it works without a network. */
const elsewhere: string[] = [];
const problems: string[] = [];
/** The id of the customer's latest quote of a buy. */
let offered: string;

beforeAll(async () => {
  sandbox = startSandbox(stateDir);
  browser = await driver.launch(inject('browser'));
  await sandbox.printed('Karat is ready');
  page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
  page.setDefaultTimeout(30_000);
  page.on('request', (request) => {
    if (!request.url().startsWith(shopUrl()) && !request.url().startsWith('data:'))
      elsewhere.push(request.url());
  });
  page.on('response', async (response) => {
    if (!response.url().endsWith('/api/buy')) return;
    const { id = offered } = await response.json().catch(() => ({}));
    offered = id;
  });
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
}, 300_000);
afterAll(async () => {
  await browser?.close();
  await endOf(sandbox);
  remove();
});

function shopUrl(): string {
  const { shop_url: url } = readInfo(stateDir);
  if (url === undefined) throw new Error('no shop');
  return url;
}

/** What comes by itself, without anybody reloading the page. */
const eventually = <T>(look: () => Promise<T>) => expect.poll(look, { timeout: 30_000 });
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** That everybody can use what is on the screen: WCAG 2.2, A and AA. */
async function expectAccessible(): Promise<void> {
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
  await page.evaluate(axe);
  const found = await page.evaluate<{ id: string; nodes: { html: string }[] }[]>(
    `axe.run({ runOnly: ${JSON.stringify(tags)} }).then(({ violations }) => violations)`,
  );
  expect(found.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)])).toEqual([]);
}

const button = (name: string) => page.getByRole('button', { name, exact: true });
const status = () => page.getByRole('status');
const numberIn = async (id: string) => Number((await page.locator(`#${id}`).innerText()).replaceAll(',', ''));

/** Gets a price for what the open form says, and signs for it. */
async function trade(): Promise<void> {
  await button('Get a price').click();
  await button('Sign in wallet').click();
  await button('Approve').click();
}

async function untilDone(): Promise<void> {
  await expect
    .poll(() => status().innerText(), { timeout: 30_000 })
    .toBe('Done: the chain has confirmed it.');
}

test('npm start prints its address', () => {
  expect(sandbox.output()).toContain(`\n  shop           ${shopUrl()}\n`);
});

test('the server of the shop has less than 200 lines', () => {
  const text = readFileSync(join(root, 'examples/shop/server.mjs'), 'utf8');
  expect(text.trimEnd().split('\n').length).toBeLessThan(200);
});

test('a customer signs in with a wallet, and registers', patience, async () => {
  await page.goto(shopUrl());
  await button('Continue with Sandbox wallet').click();
  await button('Reject').click();
  await eventually(() => page.getByRole('alert').innerText()).toBe('You rejected it in your wallet.');
  await expectAccessible();
  await button('Continue with Sandbox wallet').click();
  await button('Approve').click();
  await page.getByLabel('Full name').waitFor();
  await expectAccessible();
  await page.getByLabel('Full name').fill('Ayesha Khan');
  await page.locator('#register').getByLabel('Country').selectOption('PK');
  await button('Register').click();
  await eventually(() => numberIn('usdc')).toBe(100_000);
  expect(await numberIn('gold')).toBe(0);
});

test('a customer buys for an amount and sells, and sees the balance at once', patience, async () => {
  await page.getByLabel('Amount in USDC').fill('4100');
  await trade();
  await untilDone();
  await eventually(() => numberIn('usdc')).toBe(95_900);
  const bought = await numberIn('gold');
  expect(bought).toBeGreaterThan(0.9);
  await button('Sell').click();
  await page.getByLabel('Amount of gold in ounces').fill('0.05');
  await trade();
  await untilDone();
  await eventually(() => numberIn('gold')).toBeCloseTo(bought - 0.05, 6);
  await eventually(() => page.locator('#trades').innerText()).toMatch(
    /Sold 0\.05 oz\s+[\d.]+ USDC\s+Bought [\d.]+ oz\s+4,100 USDC/,
  );
});

test(
  'a customer redeems a bar in a city, and sees it become ready with the operator’s move',
  patience,
  async () => {
    await button('Redeem').click();
    await page.locator('[data-form=redeem]').getByLabel('Country').selectOption('PK');
    await page.locator('[name=city]').selectOption('Karachi');
    await page.locator('[name=denomination_id]').selectOption('pk_tola_1');
    const before = await numberIn('gold');
    await trade();
    const step = page.locator('#bars [aria-current=step]');
    await eventually(() => step.innerText()).toBe('Paid');
    await eventually(() => numberIn('gold')).toBeLessThan(before - 0.375);
    const command = await page.locator('#bars code').innerText();
    const [, id = ''] = /^npx karat trigger redemption\.ready --redemption (red_\S+)$/.exec(command) ?? [];
    await operatorMove(readInfo(stateDir), 'prepare', id, { note: 'The bar is being brought to Karachi' });
    await eventually(() => step.innerText()).toBe('Preparing');
    await operatorMove(readInfo(stateDir), 'ready', id, { note: 'The bar is ready in Karachi' });
    await eventually(() => step.innerText()).toBe('Ready');
    expect(await status().innerText()).toBe('Your bar is ready.');
    const hint = page.locator('#bars').getByText(/^Bring an identity card and this code: \d{8}$/);
    await eventually(() => hint.count()).toBe(1);
    await expectAccessible();
    const code = await hint.locator('b').innerText();
    await operatorMove(readInfo(stateDir), 'collect', id, { note: 'Handed over', pickup_code: code });
    await eventually(() => step.innerText()).toBe('Collected');
    expect(await hint.count()).toBe(0);
  },
);

test('a customer who comes back is known', patience, async () => {
  await page.reload();
  await eventually(() => page.locator('#bars [aria-current=step]').innerText()).toBe('Collected');
});

test(
  'a customer whose session has ended signs in again, and is kept informed as before',
  patience,
  async () => {
    await page.route('**/api/live', (route) => route.fulfill({ status: 401 }), { times: 1 });
    await page.reload();
    await eventually(() => page.locator('#bars [aria-current=step]').innerText()).toBe('Collected');
    await page.context().clearCookies();
    await button('Get a price').click();
    await button('Continue with Sandbox wallet').click();
    await button('Approve').click();
    await trade();
    await untilDone();
    problems.length = 0;
  },
);

test('a refused purchase has its reason in words', patience, async () => {
  await page.getByLabel('Amount in USDC').fill('999999');
  await trade();
  await eventually(() => page.getByRole('alert').innerText()).toMatch(/USDC/);
  problems.length = 0;
});

test(
  'a shop that is killed shows since when, switches its actions off, and goes on when it is started again',
  patience,
  async () => {
    const { port } = new URL(shopUrl());
    await page.getByLabel('Amount in USDC').fill('50');
    await button('Get a price').click();
    await button('Sign in wallet').click();
    sandbox.child.kill('SIGKILL');
    await sandbox.exit;
    await button('Approve').click();
    const reported = 'this may or may not have been done';
    await eventually(() => page.locator('#error').innerText()).toContain(reported);
    await eventually(() => page.locator('#connection').innerText()).toMatch(
      /^No connection since \d\d:\d\d\. Prices and balances are of \d\d:\d\d, and nothing can be bought/,
    );
    expect(await button('Get a price').isDisabled()).toBe(true);
    expect(await page.locator('#error').innerText()).toContain(reported);
    await expectAccessible();
    sandbox = startSandbox(stateDir, ['--shop-port', port]);
    await sandbox.printed('Karat is ready');
    await eventually(() => page.locator('#connection').innerText()).toBe('');
    await eventually(() => page.locator('#error').innerText()).toBe(
      'You have been signed out. Sign in again to go on.',
    );
    await button('Continue with Sandbox wallet').click();
    await button('Approve').click();
    await trade();
    await untilDone();
    problems.length = 0;
  },
);

test('the shop fits on a telephone, calls no other host, and breaks nowhere', patience, async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  expect(elsewhere).toEqual([]);
  expect(problems).toEqual([]);
});

test('the shop lets no caller in without a signature, nor at what is of another customer', async () => {
  const post = async (path: string, body: object, cookie = '') => {
    const headers = { 'content-type': 'application/json', cookie };
    return fetch(`${shopUrl()}api/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  };
  for (const path of ['account', 'live']) expect((await fetch(`${shopUrl()}api/${path}`)).status).toBe(401);
  expect((await post('submit', {}, 'shop=00')).status).toBe(401);
  const raw = async (body: string, type = 'application/json') => {
    const init = { method: 'POST', headers: { 'content-type': type }, body };
    return (await fetch(`${shopUrl()}api/challenge`, init)).status;
  };
  expect(await Promise.all([raw('{bad'), raw('{}', 'text/plain'), raw(' '.repeat(10_001))])).toEqual([
    400, 415, 413,
  ]);
  expect((await fetch(`${shopUrl()}/`)).status).toBe(400); // GET //
  const { key } = await findSandbox(stateDir);
  const { address: wallet, keyPair } = await key(readInfo(stateDir).spare_wallets[0] ?? '');
  const signIn = async (sign: (message: Buffer) => Promise<Uint8Array>) => {
    const { message } = (await (await post('challenge', { wallet })).json()) as { message: string };
    const signature = Buffer.from(await sign(Buffer.from(message))).toString('base64');
    return post('session', { wallet, signature });
  };
  expect((await signIn(async () => new Uint8Array(64))).status).toBe(401);
  const session = await signIn((message) => signBytes(keyPair.privateKey, message));
  const [cookie] = session.headers.get('set-cookie')?.split(';') ?? [];
  expect(
    await (await post('register', { full_name: 'Omar Haddad', country: 'AE' }, cookie)).json(),
  ).toMatchObject({
    wallet_address: wallet,
  });
  const response = await post('submit', { kind: 'buy', id: offered, transaction: 'AA==' }, cookie);
  expect([response.status, await response.json()]).toEqual([
    404,
    { message: 'There is no such quote of yours.' },
  ]);
});

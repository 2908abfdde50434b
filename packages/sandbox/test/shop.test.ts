import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { signBytes } from '@solana/kit';
import { type Browser, chromium as driver, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { qrOf } from '../../../examples/shop/web.mjs';
import { expectAccessible } from '../../service/test/accessible.js';
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
/** The customer's latest quote of a buy, as the shop has sealed it. */
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
    const { offer = offered } = await response.json().catch(() => ({}));
    offered = offer;
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

let opened: string | undefined;
/** Where the shop is, also while the sandbox is started again. */
function shopUrl(): string {
  opened ??= readInfo(stateDir).shop_url;
  if (opened === undefined) throw new Error('no shop');
  return opened;
}

/** What comes by itself, without anybody reloading the page. */
const eventually = <T>(look: () => Promise<T>) => expect.poll(look, { timeout: 30_000 });

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

/** When a trade was, and its price. */
const when = '\\d+ \\w+ \\d{4}, \\d\\d:\\d\\d · \\$4,[\\d.]+ an ounce\\s*';

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
  await eventually(() => page.locator('#error').innerText()).toBe('You rejected it in your wallet.');
  await expectAccessible(page);
  await button('Continue with Sandbox wallet').click();
  await button('Approve').click();
  await page.getByLabel('Full name').waitFor();
  await expectAccessible(page);
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
    new RegExp(
      [
        'Sold 0\\.05 oz',
        '[\\d.]+ USDC',
        `${when}Explorer`,
        'Bought [\\d.]+ oz',
        '4,100\\.00 USDC',
        when,
      ].join('\\s*'),
    ),
  );
  const [link] = await page.locator('#trades').getByRole('link', { name: 'Explorer' }).all();
  expect(await link?.getAttribute('href')).toMatch(/^https:\/\/explorer\.solana\.com\/tx\/\w{80,90}\?/);
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
    await expectAccessible(page);
    const code = await hint.locator('b').innerText();
    // What the clerk's scanner reads names the redemption, too.
    const { path } = qrOf(`karat:pickup:${id}:${code}`);
    const picture = page.getByRole('img', { name: 'Pickup code as a QR code' });
    expect(await picture.locator('path').getAttribute('d')).toBe(path);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectAccessible(page);
    await page.emulateMedia({ colorScheme: 'light' });
    await operatorMove(readInfo(stateDir), 'collect', id, { note: 'Handed over', pickup_code: code });
    await eventually(() => step.innerText()).toBe('Collected');
    expect(await hint.count()).toBe(0);
  },
);

test('a customer who comes back is known', patience, async () => {
  await page.reload();
  await eventually(() => page.locator('#bars [aria-current=step]').innerText()).toBe('Collected');
});

test('a page that is opened during an outage goes on by itself, and needs no price', patience, async () => {
  const fails = (body: object) => ({ status: 503, json: body });
  await page.route('**/api/shop', (route) => route.fulfill(fails({ code: 'service_unavailable' })), {
    times: 1,
  });
  await page.route('**/api/price', (route) => route.fulfill(fails({ reason: 'price_stale' })), { times: 2 });
  await page.reload();
  await eventually(() => page.locator('#error').innerText()).toBe(
    'The shop cannot do this just now. Try again in a moment.',
  );
  await eventually(() => page.locator('#bars [aria-current=step]').innerText()).toBe('Collected');
  expect(await page.locator('#error').innerText()).toBe('');
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

test('more than a customer has is refused in words, before anything is signed', patience, async () => {
  await page.getByLabel('Amount in USDC').fill('999999');
  await button('Get a price').click();
  await eventually(() => page.locator('#error').innerText()).toMatch(
    /^You have only [\d,]+\.\d{2,6} USDC\. Enter less\.$/,
  );
  await button('Sell').click();
  await page.getByLabel('Amount of gold in ounces').fill('5');
  await button('Get a price').click();
  await eventually(() => page.locator('#error').innerText()).toMatch(
    /^You have only 0\.\d+ oz\. Enter less\.$/,
  );
  await button('Max').click();
  expect(Number(await page.getByLabel('Amount of gold in ounces').inputValue())).toBe(await numberIn('gold'));
  await button('Redeem').click();
  await page.locator('[name=city]').selectOption('Karachi');
  await page.locator('[name=denomination_id]').selectOption('pk_tola_5');
  await button('Get a price').click();
  await eventually(() => page.locator('#error').innerText()).toMatch(
    /^This bar takes [\d.]+ oz, and you have [\d.]+ oz\. Choose a smaller one, or buy gold first\.$/,
  );
  expect(await button('Sign in wallet').isVisible()).toBe(false);
  problems.length = 0;
});

test('a price is counted down, and replaced by a new one at its end', patience, async () => {
  await page.clock.install();
  await page.reload();
  await page.getByLabel('Amount in USDC').fill('50');
  await button('Get a price').click();
  await eventually(() => page.getByRole('timer').innerText()).toMatch(/^This price holds for [1-5]?\d s/);
  const first = offered;
  await page.clock.fastForward(60_000);
  await eventually(async () => offered === first).toBe(false);
  await eventually(() => status().innerText()).toMatch(/^A new price, of \d\d:\d\d\.$/);
  await button('Sign in wallet').click();
  await button('Approve').click();
  await untilDone();
});

test('the chart draws the hour, and its caption is of what is drawn', patience, async () => {
  const chart = page.locator('#chart');
  const caption = () => chart.locator('figcaption').innerText();
  // Three points take two minutes of the sandbox, most of which are over.
  const askAgain = async () => {
    await button('1 hour').click();
    return await caption();
  };
  await expect.poll(askAgain, { timeout: 120_000, interval: 1_000 }).toMatch(/ since \d\d:\d\d$/);
  const slider = page.getByRole('slider', { name: /^Price of gold: .*lowest \$4,.*highest \$4,/ });
  await slider.focus();
  const pointAt = async (key: string) => {
    await page.keyboard.press(key);
    const [, price = '', at] =
      /^\$([\d,.]+) at (\S+) · you buy at/.exec((await slider.getAttribute('aria-valuetext')) ?? '') ?? [];
    return { price: Number(price.replaceAll(',', '')), at };
  };
  // The live price changes in between.
  await eventually(async () => {
    const [first, last, written] = [await pointAt('Home'), await pointAt('End'), await caption()];
    const share = Math.round((last.price / first.price - 1) * 10_000) / 100;
    return written === `${share < 0 ? '−' : '+'}${Math.abs(share).toFixed(2)} % since ${first.at}`;
  }).toBe(true);
  const legend = () => chart.locator('.price-legend').innerText();
  expect(await legend()).toMatch(/^Price\s+Your buy and sell price \(fee \d\.\d\d %/);
  await button('Your buy and sell price').click();
  await eventually(legend).toBe('Price');
  await expectAccessible(page);
  await button('1 year').click();
  await eventually(caption).toMatch(
    /^There are too few prices for a chart yet\. There will be one from \d+ \w+( \d{4})?, \d\d:\d\d\.$/,
  );
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
    await expectAccessible(page);
    sandbox = startSandbox(stateDir, ['--shop-port', port]);
    await sandbox.printed('Karat is ready');
    await eventually(() => page.locator('#connection').innerText()).toBe('');
    // Session and figures are as before, without signing in again.
    expect(await button('Get a price').isEnabled()).toBe(true);
    await trade();
    await untilDone();
    problems.length = 0;
  },
);

test(
  'an order whose response got lost is looked up until it is known what became of it',
  patience,
  async () => {
    const before = await numberIn('usdc');
    await page.getByLabel('Amount in USDC').fill('60');
    await page.route(
      '**/api/submit',
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await trade();
    await untilDone();
    await eventually(() => page.locator('#error').innerText()).toBe('');
    await eventually(() => numberIn('usdc')).toBeLessThanOrEqual(before - 60);
    problems.length = 0;
  },
);

test(
  'the shop speaks Arabic and Urdu from right to left, with their digits, and takes amounts in them',
  patience,
  async () => {
    const before = await numberIn('usdc');
    const choose = (language: string) => page.locator('#language').selectOption(language);
    await choose('ar');
    await page.getByText('ذهبك', { exact: true }).waitFor();
    await eventually(() => page.locator('#gold').innerText()).toMatch(/^[٠-٩٬٫]+$/);
    await page.getByLabel('المبلغ بعملة USDC').fill('٤١٫٥');
    await button('اطلب السعر').click();
    await eventually(() => page.locator('#offer').innerText()).toContain('٤١٫٥٠ USDC');
    await expectAccessible(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await eventually(() => page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await choose('ur');
    await page.getByText('آپ کا سونا', { exact: true }).waitFor();
    await eventually(() => page.locator('#usdc').innerText()).toMatch(/^[۰-۹٬٫]+$/);
    await expectAccessible(page);
    await eventually(() => page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(await page.evaluate('document.dir')).toBe('rtl');
    await page.setViewportSize({ width: 1200, height: 900 });
    await choose('en');
    await eventually(() => numberIn('usdc')).toBe(before);
    expect(await page.evaluate('document.dir')).toBe('ltr');
  },
);

test('the shop fits on a telephone, calls no other host, and breaks nowhere', patience, async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  const expectToFit = () => eventually(() => page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  await expectToFit();
  await button('Redeem').click();
  await expectToFit();
  const [buy, redeem] = await Promise.all(['Buy', 'Redeem'].map((name) => button(name).boundingBox()));
  expect(redeem?.height).toBe(buy?.height);
  await expectAccessible(page);
  expect(elsewhere).toEqual([]);
  expect(problems).toEqual([]);
});

test('a customer who signs out has to sign in again', patience, async () => {
  await button('Sign out').click();
  await button('Continue with Sandbox wallet').waitFor();
  await page.reload();
  await button('Continue with Sandbox wallet').waitFor();
  expect(await page.evaluate("fetch('/api/account').then(({ status }) => status)")).toBe(401);
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
    const requested = await (await post('challenge', { wallet })).json();
    const { challenge, message } = requested as { challenge: string; message: string };
    // Others who request challenges for the wallet do not void this one.
    await post('challenge', { wallet });
    const signature = Buffer.from(await sign(Buffer.from(message))).toString('base64');
    return { signed: { challenge, signature }, session: await post('session', { challenge, signature }) };
  };
  expect((await signIn(async () => new Uint8Array(64))).session.status).toBe(401);
  const { signed, session } = await signIn((message) => signBytes(keyPair.privateKey, message));
  const [cookie = ''] = session.headers.get('set-cookie')?.split(';') ?? [];
  const replays = [signed, { ...signed, challenge: [signed.challenge] }, { challenge: cookie.slice(5) }];
  for (const replay of replays) expect((await post('session', replay)).status).toBe(401);
  expect(
    await (await post('register', { full_name: 'Omar Haddad', country: 'AE' }, cookie)).json(),
  ).toMatchObject({
    wallet_address: wallet,
  });
  const [wallets, ends] = [offered.split('.')[3] ?? '', cookie.split('.')[2] ?? ''];
  for (const offer of [offered, offered.replace(wallets, wallet), cookie.replace('shop=', '')]) {
    const response = await post('submit', { offer, transaction: 'AA==' }, cookie);
    expect([response.status, await response.json()]).toEqual([
      404,
      { message: 'There is no such quote of yours.' },
    ]);
  }
  for (const changed of [cookie.replace(wallet, wallets), cookie.replace(ends, `${Number(ends) + 1}`)])
    expect((await post('submit', {}, changed)).status).toBe(401);
  const live = await fetch(`${shopUrl()}api/live`, { headers: { cookie } });
  expect((await post('sign-out', {}, cookie)).status).toBe(200);
  // The page's stream ends, and a copy of the cookie is none.
  expect(await live.text()).toContain(':');
  expect((await fetch(`${shopUrl()}api/account`, { headers: { cookie } })).status).toBe(401);
});

test('a wallet that another page signed in is not shown as the own one', patience, async () => {
  const { key } = await findSandbox(stateDir);
  const { address: wallet, keyPair } = await key(readInfo(stateDir).spare_wallets[0] ?? '');
  const post = (path: string, body: object) =>
    page.evaluate<{ challenge: string; message: string }>(
      `fetch('/api/${path}', { method: 'POST', headers: { 'content-type': 'application/json' }, body: ${JSON.stringify(JSON.stringify(body))} }).then((response) => response.json())`,
    );
  const { challenge, message } = await post('challenge', { wallet });
  const signature = Buffer.from(await signBytes(keyPair.privateKey, Buffer.from(message))).toString('base64');
  await page.evaluate("localStorage.setItem('wallet', 'Sandbox wallet')");
  await post('session', { challenge, signature });
  await page.reload();
  await button('Continue with Sandbox wallet').waitFor();
  await eventually(() => page.locator('#error').innerText()).toBe(
    'You have been signed out. Sign in again to go on.',
  );
});

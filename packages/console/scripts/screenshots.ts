/**
 * Takes pictures of every page of the console, and of the reserves and the shop, at three widths, light and dark, into
 * `packages/console/screenshots`, which is not kept. Those of the documentation are written to `docs/images`, too. Needs a
 * sandbox that was just started, with the console and the documentation built:
 *
 *     npm run build:console && npm run build:docs && npm start -- --reset
 *     node --conditions=source --import tsx packages/console/scripts/screenshots.ts
 */
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Karat } from '@karat/sdk';
import { address, createSolanaRpc } from '@solana/kit';
import pg from 'pg';
import { chromium as driver, type Page } from 'playwright-core';
import { browserOptions } from '../../../scripts/browser.mjs';
import { cheat } from '../../sandbox/src/demo/chain.js';
import { type Move, operatorMove } from '../../sandbox/src/demo/operator.js';
import { chooseBar, redeem } from '../../sandbox/src/demo/redemption.js';
import { findSandbox, type RunningSandbox } from '../../sandbox/src/demo/running-sandbox.js';
import { createTeller } from '../../sandbox/src/demo/teller.js';
import { trade } from '../../sandbox/src/demo/trade.js';

const folder = join(import.meta.dirname, '../screenshots');
const kept = join(import.meta.dirname, '../../../docs/images');

/** Pictures that are part of the documentation. */
const documented = new Set([
  'today-1280-light',
  'board-1280-light',
  'redemption-390-dark',
  'counter-signature-arabic-1280-light',
  'reserves-1280-light',
  'shop-1280-light',
]);

/** A page, and what leads to what is shown of it. */
type View = [name: string, url: string, prepare?: (page: Page) => Promise<void>];

/** The customers of a seeded partner buy gold, and redeem it. Returns the redemptions, the first of which is collected. */
async function playCustomers({ info, key }: RunningSandbox): Promise<string[]> {
  const [partner] = info.partners;
  if (!partner?.api_key) throw new Error('The sandbox has no partner with a key');
  const scene = {
    sandbox: { info, key },
    teller: createTeller({ print() {}, during: (_, run) => run(), paint: (_, text) => text }),
    rpc: createSolanaRpc(info.rpc_url),
    mints: { usdcMint: address(info.chain.usdc_mint), goldMint: address(info.chain.gold_mint) },
    partner,
    partnerWallet: await key(partner.wallet_keypair),
    karat: new Karat({ apiKey: partner.api_key, baseUrl: info.partner_api_url }),
  };
  const ids: string[] = [];
  for (const user of info.users.filter(({ partner_id: id }) => id === partner.partner_id)) {
    const customer = { wallet: await key(user.keypair), serviceUserId: user.service_user_id };
    const cast = { ...scene, customer };
    for (const usdc of [6_400, 1_250]) await trade(cast, { side: 'buy', usdc_amount: usdc });
    await trade(cast, { side: 'sell', gold_amount: 0.05, slippage_bps: 100 });
    const bar = await chooseBar(cast);
    for (let at = 0; at < 3; at += 1) ids.push((await redeem(cast, bar)).redemption_id);
  }
  const moves: Move[][] = [['prepare', 'ready', 'collect'], ['prepare', 'ready'], ['prepare']];
  for (const [at, id] of ids.entries())
    for (const move of moves[at % 4] ?? []) {
      const { pickup_code: code } = await scene.karat.redemptions.get(id);
      await operatorMove(info, move, id, {
        note: 'Checked at the vault',
        ...(move === 'collect' && code && { pickup_code: code }),
      });
    }
  return ids;
}

/** An hour of prices, as the keeper would have recorded them. */
async function recordHour({ info }: RunningSandbox): Promise<void> {
  const db = new pg.Client({ connectionString: info.database_url });
  await db.connect();
  await db.query(`
    insert into price_candles (interval, at, open, high, low, close, closed_at)
    select '1m', at, price, price, price, price, at
    from generate_series(1, 60) as n,
      lateral (select date_trunc('minute', now()) - n * interval '1 minute' as at,
        (4100 + 5 * sin(n / 9.0) + 2 * sin(n / 2.3) + 1.2 * sin(n * 2.1))::numeric(12, 2) as price) as past
    on conflict do nothing`);
  await db.end();
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

async function signIn(page: Page, { info }: RunningSandbox): Promise<void> {
  const [admin] = info.operators;
  if (!admin) throw new Error('The sandbox has no operator');
  await page.getByLabel('Email').fill(admin.email);
  await page.getByLabel('Password', { exact: true }).fill(admin.password);
  await button(page, 'Sign in').click();
  await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
}

/** A new customer of the shop buys gold and redeems a bar, which becomes ready. */
async function shopFor(page: Page, { info }: RunningSandbox): Promise<void> {
  await page.goto(info.shop_url ?? '');
  await button(page, 'Continue with Sandbox wallet').click();
  await button(page, 'Approve').click();
  await page.getByLabel('Full name').fill('Zara Malik');
  await page.locator('#register').getByLabel('Country').selectOption('PK');
  await button(page, 'Register').click();
  const sign = async () => {
    await button(page, 'Get a price').click();
    await button(page, 'Sign in wallet').click();
    await button(page, 'Approve').click();
  };
  await page.getByLabel('Amount in USDC').fill('4100');
  await sign();
  await page.locator('#trades li').first().waitFor();
  await button(page, 'Redeem').click();
  await page.locator('[name=city]').selectOption('Lahore');
  await sign();
  const id = (await page.locator('#bars code').first().innerText()).split(' ').at(-1) ?? '';
  for (const move of ['prepare', 'ready'] as const)
    await operatorMove(info, move, id, { note: 'Checked at the vault' });
  await page.getByRole('img', { name: 'Pickup code as a QR code' }).waitFor();
}

/** What a counter shows in a language, after what a clerk's scanner types. */
const counter =
  (language: string, ...scans: string[]) =>
  async (page: Page) => {
    await page.evaluate(`
      localStorage.setItem('karat-language', '"${language}"');
      localStorage.setItem('karat-counter-city', '"Lahore"')`);
    await page.reload();
    for (const scan of scans) {
      const title = await page.locator('.counter-step h1').innerText();
      await page.keyboard.type(scan);
      await page.keyboard.press('Enter');
      await page.locator('.counter-step h1', { hasNotText: title }).waitFor();
    }
  };

/** Statements of the reserves are signed each day, and their line begins with the third one. */
async function passTwoDays({ info }: RunningSandbox): Promise<void> {
  const count = async () => {
    const response = await fetch(`${info.partner_api_url}/v1/reserves/statements`);
    return ((await response.json()) as { statements: unknown[] }).statements.length;
  };
  for (let wanted = 2; wanted <= 3; wanted += 1) {
    await cheat(info.rpc_url, 'karat_warp', { seconds: 86_400 });
    while ((await count()) < wanted) await setTimeout(1_000);
  }
}

async function viewsOf({ info }: RunningSandbox, ids: string[]): Promise<View[]> {
  const [collected, ready] = ids;
  const console = (path: string) => info.operator_url.replace('127.0.0.1', 'localhost') + path;
  const [admin] = info.operators;
  const response = await fetch(`${info.operator_url}/operator/v1/redemptions/${ready}`, {
    headers: { authorization: `Bearer ${admin?.token}` },
  });
  const { bar } = (await response.json()) as { bar: { serial: string } };
  const [partner] = info.partners;
  const karat = new Karat({ apiKey: partner?.api_key ?? '', baseUrl: info.partner_api_url });
  const { pickup_qr: qr = '' } = await karat.redemptions.get(ready ?? '');
  const shop = info.shop_url ?? '';
  const inLanguage = (language: string) => async (page: Page) => {
    await page.locator('#language').selectOption(language);
  };
  return [
    ['today', console('/')],
    ['redemptions', console('/redemptions')],
    ['board', console('/redemptions?view=board')],
    ['redemption', console(`/redemptions/${ready}`)],
    [
      'hand-over',
      console(`/redemptions/${ready}`),
      (page) => page.getByRole('button', { name: 'Hand over' }).click(),
    ],
    ['approvals', console('/approvals')],
    ['stock', console('/stock')],
    ['bars', console('/stock?tab=bars')],
    ['import', console('/stock/import')],
    ['partners', console('/partners')],
    ['partner', console(`/partners/${partner?.partner_id}`)],
    ['users', console('/users')],
    ['user', console(`/users/${info.users[0]?.service_user_id}`)],
    ...['webhooks', 'trades', 'orders', 'treasury', 'settings', 'catalogue'].map(
      (name): View => [name, console(`/${name}`)],
    ),
    ...['dead-letters', 'audit', 'operators', 'account'].map((name): View => [name, console(`/${name}`)]),
    ['counter', console('/counter'), counter('en')],
    ['counter-identity', console('/counter'), counter('en', qr)],
    ['counter-weight', console('/counter'), counter('en', qr, '', bar.serial)],
    ['counter-weight-arabic', console('/counter'), counter('ar', qr, '', bar.serial)],
    ['counter-signature-arabic', console('/counter'), counter('ar', qr, '', bar.serial, '')],
    ['receipt', console(`/redemptions/${collected}/receipt`), counter('en')],
    ['receipt-arabic', console(`/redemptions/${collected}/receipt`), counter('ar')],
    ['shop', shop, inLanguage('en')],
    ['shop-arabic', shop, inLanguage('ar')],
  ];
}

/** Waits until nothing loads, and takes pictures of the top of a page, or of what is above the end of a part of it. */
async function takePictures(page: Page, name: string, bottom?: string): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
  for (const width of [390, 1440, 1280])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: width === 390 ? 844 : 800 });
      await page.emulateMedia({ colorScheme });
      // Charts are drawn again for their new size and colours.
      await setTimeout(400);
      await page.evaluate('document.fonts.ready.then(() => scrollTo(0, 0))');
      if (bottom) await page.locator(bottom).evaluate((shown) => shown.scrollIntoView({ block: 'end' }));
      const file = `${name}-${width}-${colorScheme}`;
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      if (Number(overflow) > 0) console.log(`${file} is ${overflow} pixels too wide`);
      await page.screenshot({ path: join(folder, `${file}.png`) });
      if (documented.has(file)) copyFileSync(join(folder, `${file}.png`), join(kept, `${file}.png`));
    }
}

const sandbox = await findSandbox(process.env.KARAT_STATE_DIR ?? '.karat');
for (const path of [folder, kept]) mkdirSync(path, { recursive: true });
const ids = await playCustomers(sandbox);
await recordHour(sandbox);
const browser = await driver.launch(browserOptions());
const page = await browser.newPage({ reducedMotion: 'reduce' });
try {
  await shopFor(page, sandbox);
  await page.goto(sandbox.info.operator_url.replace('127.0.0.1', 'localhost'));
  await takePictures(page, 'sign-in');
  await signIn(page, sandbox);
  for (const [name, url, prepare] of await viewsOf(sandbox, ids)) {
    await page.goto(url);
    await prepare?.(page);
    await takePictures(page, name);
  }
  await passTwoDays(sandbox);
  await page.goto(`${sandbox.info.docs_url}reserves`);
  await takePictures(page, 'reserves', '.VPDoc figure svg');
} finally {
  await browser.close();
}

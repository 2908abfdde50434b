/**
 * Starts a sandbox of its own, walks through the two flows that a newcomer has to manage, prints how long they took, and
 * takes pictures of every page at two widths, light and dark, into `packages/console/screenshots`, which is not kept. Those
 * of the documentation are written to `docs/images/console`. Run it after `npm run build:console`:
 *
 *     node --conditions=source --import tsx packages/console/scripts/screenshots.ts
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Karat, mintApiKey } from '@karat/sdk';
import { address, createSolanaRpc, generateKeyPairSigner, signBytes } from '@solana/kit';
import { type BrowserContextOptions, chromium as driver, type Page } from 'playwright-core';
import setUpBrowser from '../../../scripts/browser.mjs';
import type { Cast } from '../../sandbox/src/demo/cast.js';
import { registerCustomer } from '../../sandbox/src/demo/customer.js';
import { mintKey } from '../../sandbox/src/demo/key.js';
import { chooseBar, redeem } from '../../sandbox/src/demo/redemption.js';
import { findSandbox, type RunningSandbox } from '../../sandbox/src/demo/running-sandbox.js';
import { createTeller } from '../../sandbox/src/demo/teller.js';
import { trade } from '../../sandbox/src/demo/trade.js';

const root = join(import.meta.dirname, '../../..');
const folder = join(import.meta.dirname, '../screenshots');
const kept = join(root, 'docs/images/console');

/** Pages that are part of the documentation: by their names, wide and light unless said otherwise. */
const documented = new Map([
  ['today-1280-light', 'today'],
  ['board-1280-light', 'board'],
  ['redemption-1280-light', 'redemption'],
  ['partner-1280-dark', 'partner'],
  ['treasury-1280-light', 'treasury'],
  ['redemption-390-dark', 'redemption-phone'],
]);

async function startSandbox(): Promise<{ sandbox: RunningSandbox; stop(): Promise<void> }> {
  const stateDir = mkdtempSync(join(tmpdir(), 'karat-screenshots-'));
  const ports = ['--port', '0', '--operator-port', '0', '--rpc-port', '0', '--shop-port', '0'];
  const child: ChildProcess = spawn('npm', ['start', '--', '--state-dir', stateDir, ...ports], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((done) => child.once('close', () => done()));
  await new Promise<void>((done, fail) => {
    ended.then(() => fail(new Error('The sandbox ended')));
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('Ctrl-C')) done();
    });
  });
  const sandbox = await findSandbox(stateDir);
  return {
    sandbox,
    async stop() {
      process.kill(sandbox.info.pid, 'SIGTERM');
      await ended;
      rmSync(stateDir, { recursive: true, force: true });
    },
  };
}

/** A customer of a seeded partner, who has bought gold, and some who redeem it. */
async function playCustomers(sandbox: RunningSandbox): Promise<{ cast: Cast; ids: string[] }> {
  const teller = createTeller({ print() {}, during: (_, run) => run(), paint: (_, text) => text });
  const { info } = sandbox;
  const [partner] = info.partners;
  if (!partner) throw new Error('The sandbox has no partner');
  const scene = {
    sandbox,
    teller,
    rpc: createSolanaRpc(info.rpc_url),
    mints: { usdc: address(info.chain.usdc_mint), gold: address(info.chain.gold_mint) },
    partner,
    partnerWallet: await sandbox.key(partner.wallet_keypair),
  };
  const { karat } = await mintKey(scene);
  const cast = { ...scene, karat, customer: await registerCustomer(scene, karat) };
  for (const usdc of [5_000, 1_250, 800]) await trade(cast, { side: 'buy', usdc_amount: usdc });
  await trade(cast, { side: 'sell', gold_amount: 0.05, slippage_bps: 100 });
  const bar = await chooseBar(cast);
  const ids: string[] = [];
  for (let at = 0; at < 4; at += 1) ids.push((await redeem(cast, bar)).redemption_id);
  return { cast, ids };
}

const seconds = (since: number) => `${((performance.now() - since) / 1_000).toFixed(1)} s`;
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const dialog = (page: Page) => page.getByRole('dialog');

async function signIn(page: Page, { info }: RunningSandbox): Promise<void> {
  const admin = info.operators.find(({ role }) => role === 'admin');
  if (!admin) throw new Error('The sandbox has no admin');
  await page.getByLabel('Email').fill(admin.email);
  await page.getByLabel('Password', { exact: true }).fill(admin.password);
  await button(page, 'Sign in').click();
  await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
}

/** From the list of partners to the first quote of a new one. The partner's own part is done over its API. */
async function onboard(page: Page, { info }: RunningSandbox): Promise<string> {
  const wallet = await generateKeyPairSigner();
  await page.getByRole('link', { name: 'Partners' }).click();
  await button(page, 'Add a partner').click();
  await dialog(page).getByLabel('Name').fill('Northwind Bullion');
  await dialog(page)
    .getByLabel(/wallet/i)
    .fill(wallet.address);
  await button(page, 'Add partner').click();
  await page.getByRole('heading', { level: 1, name: 'Northwind Bullion' }).waitFor();
  await button(page, 'Put on chain').click();
  await dialog(page).getByRole('button', { name: 'Put on chain' }).click();
  await page.getByText('Gold in the vault').waitFor();
  const partnerId = page.url().split('/').at(-1) ?? '';
  const baseUrl = info.partner_api_url;
  const { api_key: apiKey } = await mintApiKey({
    baseUrl,
    partnerId,
    walletAddress: wallet.address,
    keyName: 'production',
    signMessage: (message) => signBytes(wallet.keyPair.privateKey, message),
  });
  const post = async (path: string, body: object) => {
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
    const response = await fetch(baseUrl + path, { method: 'POST', headers, body: JSON.stringify(body) });
    const parsed = (await response.json()) as Record<string, string>;
    if (!response.ok) throw new Error(`${path}: ${JSON.stringify(parsed)}`);
    return parsed;
  };
  const kyc = {
    country: 'PK',
    full_name: 'Ayesha Khan',
    kyc_provider: 'sumsub',
    kyc_level: 'full',
    kyc_verified_at: new Date(Date.now() - 60_000).toISOString(),
  };
  const user_wallet = (await generateKeyPairSigner()).address;
  const user = await post('/v1/users', { user_id: 'customer-1', wallet_address: user_wallet, kyc });
  await post('/v1/buy', { service_user_id: user.service_user_id, usdc_amount: 100 });
  await page.getByRole('heading', { name: 'Until the first quote' }).waitFor({ state: 'detached' });
  return partnerId;
}

/** From Today to a bar that is handed over, with the code that the customer reads at the partner. */
async function handOver(page: Page, id: string, karat: Karat): Promise<void> {
  await page.getByRole('link', { name: 'Redemptions' }).first().click();
  await page.locator(`a[href="/redemptions/${id}"]`).click();
  await button(page, 'Start preparing').click();
  await dialog(page)
    .getByRole('combobox', { name: 'Bar' })
    .or(dialog(page).getByLabel('Bar'))
    .first()
    .click();
  await page.getByRole('option').first().click();
  await dialog(page).getByRole('button', { name: 'Start preparing' }).click();
  await button(page, 'Gold is ready').click();
  await dialog(page).getByRole('button', { name: 'Gold is ready' }).click();
  await button(page, 'Hand over').waitFor();
  const { pickup_code: code } = await karat.redemptions.get(id);
  await button(page, 'Hand over').click();
  await dialog(page)
    .getByLabel('Pickup code')
    .fill(code ?? '');
  await dialog(page).getByRole('button', { name: 'Hand over' }).click();
  await page.getByRole('link', { name: 'Receipt and label' }).click();
  await page.getByRole('heading', { name: 'Receipt of gold' }).waitFor();
}

async function main(): Promise<void> {
  let launch = {};
  setUpBrowser({ provide: (_name: string, how: object) => (launch = how) });
  const browser = await driver.launch(launch);
  const started = performance.now();
  const { sandbox, stop } = await startSandbox();
  console.log(`npm start: ${seconds(started)}`);
  try {
    const url = sandbox.info.operator_url;
    const { cast, ids } = await playCustomers(sandbox);
    const open = async (options: BrowserContextOptions) => {
      const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
      const page = await context.newPage();
      page.setDefaultTimeout(60_000);
      return page;
    };
    const page = await open({ viewport: { width: 1280, height: 860 } });
    await page.goto(url);
    await signIn(page, sandbox);
    for (const visit of ['first', 'second']) {
      await page.goto(`${url}/`);
      const ms = await page.evaluate('performance.getEntriesByType("navigation")[0].domInteractive');
      await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
      const shown = await page.evaluate('performance.now()');
      console.log(
        `${visit} load: interactive after ${Math.round(Number(ms))} ms, shown after ${Math.round(Number(shown))} ms`,
      );
    }
    let since = performance.now();
    const partnerId = await onboard(page, sandbox);
    console.log(`a partner until its first quote: ${seconds(since)}`);
    since = performance.now();
    await handOver(page, ids[0] ?? '', cast.karat);
    console.log(`a bar handed over: ${seconds(since)}`);

    // Something in every column of the board.
    const admin = sandbox.info.operators.find(({ role }) => role === 'admin');
    const act = (id: string | undefined, move: string) =>
      fetch(`${url}/operator/v1/redemptions/${id}/${move}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${admin?.token}`, 'content-type': 'application/json' },
        body: '{}',
      });
    await act(ids[1], 'prepare');
    await act(ids[2], 'prepare');
    await act(ids[2], 'ready');
    const pages: [name: string, path: string][] = [
      ['today', '/'],
      ['redemptions', '/redemptions'],
      ['board', '/redemptions?view=board'],
      ['redemption', `/redemptions/${ids[2]}`],
      ['receipt', `/redemptions/${ids[0]}/receipt`],
      ['approvals', '/approvals'],
      ['stock', '/stock'],
      ['bars', '/stock?tab=bars'],
      ['import', '/stock/import'],
      ['partners', '/partners'],
      ['partner', `/partners/${partnerId}`],
      ['users', '/users'],
      ['user', `/users/${cast.customer.serviceUserId}`],
      ['webhooks', '/webhooks'],
      ['trades', '/trades'],
      ['orders', '/orders'],
      ['treasury', '/treasury'],
      ['catalogue', '/catalogue'],
      ['dead-letters', '/dead-letters'],
      ['audit', '/audit'],
      ['operators', '/operators'],
      ['account', '/account'],
    ];
    mkdirSync(folder, { recursive: true });
    mkdirSync(kept, { recursive: true });
    for (const width of [1280, 390])
      for (const colorScheme of ['light', 'dark'] as const) {
        const shown = await open({ viewport: { width, height: width === 390 ? 844 : 860 }, colorScheme });
        await shown.goto(url);
        await shown.screenshot({ path: join(folder, `sign-in-${width}-${colorScheme}.png`) });
        await signIn(shown, sandbox);
        for (const [name, path] of pages) {
          const file = `${name}-${width}-${colorScheme}`;
          await shown.goto(url + path);
          await shown.getByRole('heading', { level: 1 }).first().waitFor();
          await shown.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
          await shown.evaluate('document.fonts.ready.then(() => undefined)');
          await shown.screenshot({ path: join(folder, `${file}.png`) });
          const copy = documented.get(file);
          if (copy) copyFileSync(join(folder, `${file}.png`), join(kept, `${copy}.png`));
        }
        await shown.context().close();
      }
  } finally {
    await browser.close();
    await stop();
  }
}

await main();

import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Deliverer, startDeliverer } from '../../service/src/events/delivery/deliverer.js';
import { expectStatus, newWallet, type Wallet } from '../../service/test/harness.js';
import type { Treasury } from '../../service/test/karat.js';
import { ordered, paths } from '../../service/test/ordering.js';
import { happen, type Receiver, respond, startReceiver } from '../../service/test/webhooks.js';
import { memberSignedIn } from './members.js';
import { button, dialog, expectAccessible, heading, type Stage, useStage } from './stage.js';

/** The pages for engineers and finance people of a partner. */
let s: Stage;
let treasury: Treasury;
let receiver: Receiver;
let deliverer: Deliverer;
useStage(
  (stage) => {
    s = stage;
  },
  // Of one network: several sign in here within a minute.
  { authRateLimitPerMinute: 10_000 },
);
beforeAll(async () => {
  treasury = await s.given.treasury();
  receiver = await startReceiver(respond(200, 'taken'));
  deliverer = startDeliverer(s.h.ctx);
}, 60_000);
afterAll(async () => {
  await deliverer?.stop();
  await receiver?.close();
});
afterEach(() => expect(s.takeComplaints()).toEqual([]));

/** A window of an owner of the partner with the vault, on one of its pages. */
async function opened(path: string, title: string | RegExp): Promise<Page> {
  const page = await memberSignedIn(s, 'owner', path, { partnerId: treasury.partnerId });
  await heading(page, title);
  return page;
}

/** Holds a page to what every page is held to. */
async function expectFit(page: Page): Promise<void> {
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.waitForFunction(() => document.documentElement.scrollWidth <= 390);
  await expectAccessible(page);
  await page.setViewportSize({ width: 1280, height: 860 });
}

test('an endpoint is added, tested, sent to and sent to again, and its signature checked, by its pages', async () => {
  const page = await opened('/webhooks', 'Webhooks');
  await button(page, 'Add an endpoint').click();
  await dialog(page).getByLabel('Address').fill(receiver.url);
  await button(page, 'Add').click();
  const once = dialog(page, 'The secret of this endpoint');
  const secret = await once.getByLabel('Secret').inputValue();
  s.h.secrets.add(secret);
  expect(secret).toMatch(/^whsec_/);
  await button(page, 'I have copied it').click();

  await button(page, 'Follow').click();
  await page.getByText('Waiting for the next event').waitFor();
  await happen(s.h, treasury.partnerId, { type: 'user.resumed' });
  await page.locator('summary').getByText('user.resumed').waitFor();
  await expectFit(page);

  const { headers, text } = await new Promise<Receiver['received'][number]>((resolve) => {
    const timer = setInterval(() => {
      const [first] = receiver.received;
      if (!first) return;
      clearInterval(timer);
      resolve(first);
    }, 50);
  });
  await page.getByLabel('Secret of the endpoint').fill(secret);
  for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'])
    await page.getByLabel(`Header ${name}`).fill(String(headers[name]));
  const check = async (body: string, says: RegExp) => {
    await page.getByLabel('Body, exactly as it came').fill(body);
    await button(page, 'Check').click();
    await page.getByRole('status').getByText(says).waitFor();
  };
  await check(text, /signature is right/);
  await check(JSON.stringify(JSON.parse(text), null, 2), /parsed and written again/);
  await check(text.replace('user.resumed', 'user.created'), /differs from what was sent at character/);

  await page.getByRole('link', { name: receiver.url }).click();
  await page.getByRole('link', { name: 'user.resumed' }).waitFor();
  receiver.how = respond(500, 'down for lunch');
  await button(page, 'Send a test').click();
  await dialog(page).getByText('did not take the test').waitFor();
  await dialog(page).getByText('down for lunch').waitFor();
  await page.keyboard.press('Escape');
  receiver.how = respond(200, 'taken again');
  await page.getByLabel(/^Choose user.resumed/).check();
  await button(page, 'Send 1 again').click();
  await page.getByText('1 sent again.').waitFor();
  await expectFit(page);
  await page.getByRole('link', { name: 'user.resumed' }).click();
  await page.getByText('taken again').waitFor();
  await page.getByText(text).waitFor();
  await expectFit(page);

  await page.getByRole('link', { name: '← Deliveries' }).click();
  await button(page, 'Rotate the secret').click();
  await dialog(page).getByRole('button', { name: 'Rotate', exact: true }).click();
  await dialog(page).getByText('signed with the new and the old secret until').waitFor();
  s.h.secrets.add(await dialog(page).getByLabel('Secret').inputValue());
  await button(page, 'I have copied it').click();
  await page.getByText('Both secrets sign until').waitFor();
}, 90_000);

test('a key is minted by a wallet of the browser, shown once, works, and is revoked', async () => {
  const page = await opened('/keys', 'API keys');
  const { wallet } = treasury.partner;
  await page.exposeFunction('signBySeed', (message: string) => wallet.sign(message));
  await page.evaluate((address) => {
    const account = { address, publicKey: new Uint8Array(32), chains: ['solana:mainnet'], features: [] };
    const signMessage = async ({ message }: { message: Uint8Array }) => {
      const sign = (window as unknown as { signBySeed(text: string): Promise<string> }).signBySeed;
      const signature = atob(await sign(new TextDecoder().decode(message)));
      return [{ signature: Uint8Array.from(signature, (letter) => letter.charCodeAt(0)) }];
    };
    const own = {
      version: '1.0.0',
      name: 'Test wallet',
      icon: 'data:image/svg+xml;base64,PHN2Zy8+',
      chains: ['solana:mainnet'],
      accounts: [account],
      features: {
        'standard:connect': { version: '1.0.0', connect: async () => ({ accounts: [account] }) },
        'solana:signMessage': { version: '1.1.0', signMessage },
      },
    };
    const register = (api: { register(wallet: object): void }) => api.register(own);
    window.dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: register }));
    window.addEventListener('wallet-standard:app-ready', (event) => register((event as CustomEvent).detail));
  }, wallet.address);
  await button(page, 'Make a key').click();
  await dialog(page).getByLabel('Name of the key').fill('production');
  await button(page, 'Continue').click();
  await dialog(page).getByText('solana sign-offchain-message').waitFor();
  await expectFit(page);
  await button(page, 'Sign with Test wallet').click();
  const key = await dialog(page, 'The key production').getByLabel('Key', { exact: true }).inputValue();
  s.h.secrets.add(key);
  await button(page, 'I have copied it').click();
  const read = async () =>
    (await s.h.app.inject({ url: '/v1/me', headers: { 'x-api-key': key } })).statusCode;
  expect(await read()).toBe(200);
  const row = page.getByRole('row', { name: /production/ });
  await row.getByRole('button', { name: 'Revoke' }).click();
  await dialog(page).getByRole('button', { name: 'Revoke' }).click();
  await row.getByText('Revoked').waitFor();
  expect(await read()).toBe(401);
}, 60_000);

describe('what the vault did, and what is left', () => {
  test('the vault shows what it holds and who signed each order, and the limits and statements fit', async () => {
    const order = { amount: 2, tokenType: 'usdc' };
    await ordered(treasury.withdrawal, paths.withdrawals, order);
    const page = await opened('/vault', 'Orders and vault');
    await page.getByRole('row', { name: /Withdrawal.*Not signed yet/ }).waitFor();
    await expectFit(page);
    await page.getByRole('link', { name: 'Limits' }).click();
    await page.getByText('webhook endpoints used').waitFor();
    await expectFit(page);
    await page.getByRole('link', { name: 'Statements' }).click();
    await button(page, 'Open').click();
    await dialog(page).getByText('Provisional').waitFor();
    await expectFit(page);
  }, 60_000);

  test('a request that failed shows why, and what to do about it', async () => {
    const refused = await treasury.partner.client.post('/v1/users', { user_id: '' });
    expectStatus(refused, 400);
    const page = await opened('/requests', 'Requests');
    await expectFit(page);
    const search = page.getByLabel('x-request-id, or id of a trade');
    await search.fill('trd_01a2293e-1fe1-74d1-ad9a-0dd2f3f848a1');
    await page.getByText('No requests').waitFor();
    await search.fill(String(refused.headers['x-request-id']));
    await page.getByRole('link', { name: 'POST /v1/users' }).click();
    await page.getByRole('heading', { name: 'Why it failed' }).waitFor();
    await page.getByText(refused.body.message, { exact: true }).waitFor();
    await page.getByRole('link', { name: 'About invalid_request' }).waitFor();
    await expectFit(page);
  }, 60_000);
});

/** Runs a program in a folder, with a key. Returns what it printed. */
async function run(folder: string, program: string, apiKey: string): Promise<string> {
  await writeFile(join(folder, 'sample.mjs'), program);
  const env = { ...process.env, KARAT_API_KEY: apiKey, NODE_OPTIONS: '' };
  const { stdout } = await promisify(execFile)(process.execPath, ['sample.mjs'], { cwd: folder, env });
  return stdout.trim();
}

test('the samples of the checklist run as they are pasted, until the first trade', async () => {
  const { partner } = treasury;
  const folder = await mkdtemp(join(tmpdir(), 'karat-samples-'));
  await symlink(join(import.meta.dirname, '../../../node_modules'), join(folder, 'node_modules'));
  const putWallet = (file: string, { secretKey }: Wallet) =>
    writeFile(join(folder, file), JSON.stringify([...secretKey]));
  await putWallet('wallet.json', partner.wallet);
  await putWallet('customer.json', newWallet());
  const page = await opened('/', 'Home');
  const sample = async (step: string, at = 0) => {
    const details = page.locator('.checklist details').filter({ hasText: step });
    const code = details.locator('.snippet code').nth(at);
    await code.waitFor({ state: 'attached' });
    return (await code.textContent()) ?? '';
  };
  const ticked = (step: string) => page.locator('.checklist > li.done').filter({ hasText: step }).waitFor();
  await expectFit(page);
  const key = await run(folder, await sample('An API key'), '');
  expect(key).toMatch(/^service_partner_/);
  s.h.secrets.add(key);
  expect(await run(folder, await sample('The first quote'), key)).toMatch(/^gu_/);
  const customer = await s.given.user(partner);
  await putWallet('customer.json', customer.wallet);
  await page.reload();
  await page.locator('.snippet').getByText(customer.id).first().waitFor({ state: 'attached' });
  expect(await run(folder, await sample('The first quote', 1), key)).toContain('half an ounce for');
  await ticked('The first quote');
  const webhook = (await sample('The first webhook')).replace('http://127.0.0.1:9000/karat', receiver.url);
  const secret = await run(folder, webhook, key);
  expect(secret).toMatch(/^whsec_/);
  s.h.secrets.add(secret);
  await ticked('The first webhook');
  expect(await run(folder, await sample('The first trade'), key)).toMatch(/^confirmed .* GOLD$/);
  await page.getByText('Latest trades').waitFor();
  await rm(folder, { recursive: true });
}, 90_000);

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Deliverer, startDeliverer } from '../../service/src/events/delivery/deliverer.js';
import { expectStatus } from '../../service/test/harness.js';
import type { Treasury } from '../../service/test/karat.js';
import { ordered, paths } from '../../service/test/ordering.js';
import { happen, type Receiver, respond, startReceiver } from '../../service/test/webhooks.js';
import { button, dialog, expectAccessible, heading, type Stage, useStage } from './stage.js';

/** The pages for engineers and finance people of a partner. */
let s: Stage;
let treasury: Treasury;
let receiver: Receiver;
let deliverer: Deliverer;
useStage((stage) => {
  s = stage;
});
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

/** A window of an owner: its requests carry the key of the partner in place of a session's cookie, and see what that sees. */
async function opened(path: string, title: string | RegExp): Promise<Page> {
  const { apiKey, partnerId } = treasury.partner;
  const page = await s.open({}, s.portalUrl);
  const permissions = [
    'read',
    'read_requests',
    'read_bodies',
    'read_statements',
    'manage_keys',
    'manage_webhooks',
  ];
  const member = {
    member_id: 'm',
    email: 'dana@acme.example',
    name: 'Dana',
    role: 'owner',
    partner_id: partnerId,
  };
  const session = { ...member, permissions, second_factor_required: false, second_factor_enrolled: false };
  await page.route('**/v1/**', async (route) => {
    const request = route.request();
    if (new URL(request.url()).pathname === '/v1/session') return route.fulfill({ json: session });
    return route.continue({ headers: { ...request.headers(), 'x-api-key': apiKey } });
  });
  await page.goto(`${s.portalUrl}/portal${path}`);
  await heading(page, title);
  return page;
}

/** Holds a page to what every page is held to. */
async function expectFit(page: Page): Promise<void> {
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
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
    expectStatus(await treasury.partner.client.post('/v1/users', { user_id: '' }), 400);
    const page = await opened('/requests', 'Requests');
    await expectFit(page);
    await page.getByRole('link', { name: 'POST /v1/users' }).click();
    await page.getByRole('heading', { name: 'Why it failed' }).waitFor();
    await page.getByRole('link', { name: 'About invalid_request' }).waitFor();
    await expectFit(page);
  }, 60_000);
});

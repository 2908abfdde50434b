import { afterEach, expect, test } from 'vitest';
import { firstLoadBytes } from './first-load.js';
import { button, expectAccessible, heading, type Stage, useStage } from './stage.js';

let s: Stage;
useStage((stage) => {
  s = stage;
});
afterEach(() => expect(s.takeComplaints()).toEqual([]));

const phone = { colorScheme: 'dark', viewport: { width: 390, height: 844 } } as const;

/** A wallet of the Wallet Standard, as an extension of the browser registers it. */
const registerWallet = (name: string, features: string) => `
  addEventListener('wallet-standard:app-ready', ({ detail }) => detail.register({
    version: '1.0.0', name: '${name}', icon: 'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg"/>',
    chains: ['solana:localnet'], accounts: [], features: ${features},
  }));`;

test('the first load of the portal is less than 300 kB compressed', () => {
  expect(firstLoadBytes('dist-portal', ['portal.html', 'src/portal/home.tsx'])).toBeLessThan(300_000);
});

test('the link of an invitation leaves the address at once, and one without a token names what to do', async () => {
  const page = await s.open(phone, s.portalUrl);
  await page.goto(`${s.portalUrl}/portal/invitation#5ecretT0ken`);
  await heading(page, 'Welcome to Karat');
  await page.getByLabel('Your name').waitFor();
  expect(page.url()).toBe(`${s.portalUrl}/portal/invitation`);
  expect(
    await page.evaluate('JSON.stringify([history.state, document.cookie, { ...localStorage }])'),
  ).not.toContain('5ecretT0ken');
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  await expectAccessible(page);
  await page.reload();
  await page.getByText('Ask the person who invited you for a new one.').waitFor();
  await button(page, 'Go to sign in').click();
  await heading(page, 'Sign in');
});

test('sign-in by wallet explains a browser without a wallet, and a wallet that cannot sign messages', async () => {
  const page = await s.open({}, s.portalUrl);
  await page.goto(`${s.portalUrl}/portal/sign-in`);
  await button(page, 'Sign in with a wallet').click();
  await page.getByText('No wallet is installed in this browser').waitFor();
  await expectAccessible(page);
  await page.addInitScript(registerWallet('Mute', `{ 'standard:connect': {} }`));
  await page.reload();
  await button(page, 'Sign in with a wallet').click();
  await page.getByLabel('Partner id').fill(s.partner.partnerId);
  await button(page, 'Mute').click();
  await page.getByText('Mute cannot sign messages').waitFor();
  await button(page, 'Use email and password').click();
  await page.getByLabel('Email').waitFor();
});

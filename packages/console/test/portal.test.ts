import { afterEach, describe, expect, test } from 'vitest';
import type { MemberRole } from '../../service/src/domain/member.js';
import { eventually } from '../../service/test/karat-chain.js';
import { firstLoadBytes } from './first-load.js';
import { givenMember, invited, memberSignedIn, password } from './members.js';
import { button, dialog, expectAccessible, heading, type Stage, signIn, useStage } from './stage.js';

let s: Stage;
useStage(
  (stage) => {
    s = stage;
  },
  // Of one network: many sign in here within a minute.
  { authRateLimitPerMinute: 10_000 },
);
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

const signedIn = (role: MemberRole, path = '/', options = {}) => memberSignedIn(s, role, path, options);

test('an invitation makes a member once, who goes on to a second factor and can leave it for later', async () => {
  const { url } = await invited(s, 'viewer');
  const page = await s.open({}, s.portalUrl);
  await page.goto(url);
  await page.getByLabel('Your name').fill('Bilal Ahmed');
  await page.getByLabel('Password', { exact: true }).fill('short');
  await button(page, 'Open my account').click();
  await page
    .getByText(/12 characters/)
    .last()
    .waitFor();
  await page.getByLabel('Password', { exact: true }).fill(password);
  await button(page, 'Open my account').click();
  await heading(page, 'Add a second factor');
  await expectAccessible(page);
  await button(page, 'Not now').click();
  await heading(page, 'Home');
  const second = await s.open({}, s.portalUrl);
  await second.goto(url);
  await second.getByLabel('Your name').fill('Somebody Else');
  await second.getByLabel('Password', { exact: true }).fill(password);
  await button(second, 'Open my account').click();
  await second.getByText('This invitation is used, withdrawn or too old').waitFor();
});

test('an owner invites, changes and removes a member, whose next step leads to signing in', async () => {
  const email = await givenMember(s, 'developer', { name: 'Dara Developer' });
  const owner = await signedIn('owner', '/team');
  const member = await s.open({}, s.portalUrl);
  await member.goto(`${s.portalUrl}/portal/trades`);
  await signIn(member, email, password);
  await heading(member, 'Trades');

  await button(owner, 'Invite a member').click();
  await dialog(owner).getByLabel('Email').fill('new@acme.test');
  await dialog(owner).getByRole('button', { name: 'Make the link' }).click();
  const link = dialog(owner).getByLabel('Link');
  await link.waitFor();
  expect(await link.inputValue()).toMatch(/\/portal\/invitation#.{20,}$/);
  await button(owner, 'I have it').click();
  const pending = owner.getByRole('table', { name: 'Open invitations' });
  await pending
    .getByRole('row', { name: /new@acme.test/ })
    .getByRole('button', { name: 'Withdraw' })
    .click();
  await dialog(owner).getByRole('button', { name: 'Withdraw' }).click();
  await pending.getByText('new@acme.test').waitFor({ state: 'detached' });

  const row = owner.getByRole('row', { name: /Dara Developer/ }).first();
  await row.getByRole('button', { name: 'Remove' }).click();
  await dialog(owner).getByRole('button', { name: 'Remove', exact: true }).click();
  await owner.getByText('The member is removed.').waitFor();
  await member.getByRole('link', { name: 'Customers' }).first().click();
  await heading(member, 'Sign in');
  await owner.getByRole('table', { name: 'What members changed' }).getByText('Removed a member').waitFor();
});

test('the last owner stays, and the refusal reports why', async () => {
  await s.h.ctx.sql`update people set role = 'viewer' where partner_id = ${s.partner.partnerId}`;
  const owner = await signedIn('owner', '/team');
  await owner.getByRole('row', { name: /You/ }).getByRole('button', { name: 'Remove' }).click();
  await dialog(owner).getByRole('button', { name: 'Remove', exact: true }).click();
  await dialog(owner)
    .getByText(/last owner/)
    .waitFor();
});

test('trades and redemptions are shown live, with their pages', async () => {
  const page = await signedIn('finance', '/trades');
  await heading(page, 'Trades');
  const { tradeId, transaction } = await s.buy.quoted();
  await s.buy.submit(tradeId, s.signed(transaction));
  const row = page.getByRole('row').filter({ hasText: 'Buy' }).first();
  await row.waitFor();
  await row.getByRole('link').click();
  await heading(page, /^Buy, /);
  await page.getByText('Confirmed on chain').waitFor();
  await page.goto(`${s.portalUrl}/portal/`);
  await page.getByText('Latest trades').waitFor();
  await eventually(async () =>
    expect(await page.getByRole('link', { name: /Trades today/ }).textContent()).toMatch(/[1-9]/),
  );
});

describe.each([
  ['owner', ['Team', 'API keys']],
  ['developer', ['API keys']],
  ['finance', []],
  ['viewer', []],
] as const)('a %s', (role, more) => {
  test(`pages for the role ${role} are accessible and fit, and no more are offered`, async () => {
    const page = await signedIn(role, '/', phone);
    await heading(page, 'Home');
    await button(page, 'Open navigation').click();
    const nav = dialog(page).getByRole('navigation');
    await nav.getByRole('link', { name: 'Customers', exact: true }).waitFor();
    for (const name of ['Team', 'API keys'])
      expect(await nav.getByRole('link', { name, exact: true }).count(), name).toBe(
        (more as readonly string[]).includes(name) ? 1 : 0,
      );
    await button(page, 'Close').click();
    const pages: [string, string | RegExp][] = [
      ['/', 'Home'],
      ['/trades', 'Trades'],
      ['/redemptions', 'Redemptions'],
      ['/customers', 'Customers'],
      [`/customers/${s.user.id}`, /^user-/],
      ...(role === 'owner' ? [['/team', 'Team'] as [string, string]] : []),
      ['/account', 'My account'],
    ];
    for (const [path, title] of pages) {
      await page.goto(`${s.portalUrl}/portal${path}`);
      await heading(page, title);
      await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), path).toBe(true);
      await expectAccessible(page);
    }
    if (role !== 'owner') expect((await page.request.get(`${s.portalUrl}/v1/members`)).status()).toBe(403);
  });
});

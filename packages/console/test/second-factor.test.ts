import type { Page } from 'playwright-core';
import { afterEach, describe, expect, test } from 'vitest';
import { findFactors } from '../../service/src/actions/people/second-factor.js';
import { Secret } from '../../service/src/config.js';
import { findAuditRowsAfter } from '../../service/src/db/operators/audit-log.js';
import { totpCode, totpStepAt } from '../../service/src/domain/totp.js';
import { fromBase32 } from '../../service/test/base32.js';
import { startIdentityProvider } from '../../service/test/identity-provider.js';
import { eventually } from '../../service/test/karat-chain.js';
import type { GivenOperator } from '../../service/test/operators.js';
import { button, dialog, expectAccessible, heading, type Stage, signIn, useStage } from './stage.js';

/** Roles that move value need a second factor, as in production. */
let s: Stage;
useStage(
  (stage) => {
    s = stage;
  },
  { secondFactor: 'required' },
);
afterEach(() => expect(s.takeComplaints()).toEqual([]));

/** Gives the browser of a page an authenticator of its own, whose owner touches it at once. */
async function giveAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

/** Adds a first passkey on the page where it can be, and returns the recovery codes that come with it. */
async function addPasskey(page: Page, name: string, password: string): Promise<string[]> {
  await button(page, 'Add a passkey').click();
  await dialog(page, 'Add a passkey').getByLabel('Name').fill(name);
  await dialog(page, 'Add a passkey').getByRole('button', { name: 'Add a passkey' }).click();
  const confirm = dialog(page, 'Confirm that it is you');
  await confirm.getByLabel('Your password', { exact: true }).fill(password);
  await confirm.getByRole('button', { name: 'Continue' }).click();
  return takeCodes(page);
}

async function takeCodes(page: Page): Promise<string[]> {
  const shown = dialog(page, 'Your recovery codes');
  await shown.waitFor();
  const codes = await shown.getByRole('listitem').allTextContents();
  await button(page, 'I have stored them').click();
  await shown.waitFor({ state: 'detached' });
  return codes;
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign out' }).first().click();
  await heading(page, 'Sign in');
}

/** Holds back what a page reads of its operator, until the function that is returned is called. */
async function holdMe(page: Page): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/operator/v1/me', async (route) => {
    await released;
    await route.continue();
  });
  return release;
}

/** An operator with a passkey, signed in. */
async function withPasskey(role: GivenOperator['role'], path = '/') {
  const operator = await s.operators.givenOperator(role);
  const page = await s.open();
  await giveAuthenticator(page);
  await page.goto(s.url + path);
  await signIn(page, operator.email, operator.password);
  const codes = await addPasskey(page, 'Laptop', operator.password);
  return { operator, page, codes };
}

test('a role that moves value adds a passkey before anything else, and signs in with it', async () => {
  const operator = await s.operators.givenOperator('fulfilment');
  const page = await s.open();
  await giveAuthenticator(page);
  await page.goto(`${s.url}/redemptions?status=ready`);
  await signIn(page, operator.email, operator.password);
  await heading(page, 'Add a second factor');
  await expectAccessible(page);
  expect(await addPasskey(page, 'Laptop at the counter', operator.password)).toHaveLength(10);
  await heading(page, 'Redemptions');
  expect(page.url()).toBe(`${s.url}/redemptions?status=ready`);
  await signOut(page);
  await signIn(page, operator.email, operator.password);
  await heading(page, 'Second step');
  await expectAccessible(page);
  await button(page, 'Use a passkey').click();
  await heading(page, 'Today');
});

test('the console opens after a second factor was added, also where the operator is read again late', async () => {
  const operator = await s.operators.givenOperator('admin');
  const page = await s.open();
  await giveAuthenticator(page);
  await page.goto(`${s.url}/operators`);
  await signIn(page, operator.email, operator.password);
  await heading(page, 'Add a second factor');
  const letRead = await holdMe(page);
  await addPasskey(page, 'Laptop', operator.password);
  letRead();
  await heading(page, 'Operators');
});

test('a second factor is shown right after it was added, also where the operator is read again late', async () => {
  const operator = await s.operators.givenOperator('viewer');
  const page = await s.open();
  await giveAuthenticator(page);
  await page.goto(`${s.url}/account`);
  await signIn(page, operator.email, operator.password);
  await heading(page, 'My account');
  const letRead = await holdMe(page);
  await addPasskey(page, 'Laptop', operator.password);
  await button(page, 'New codes').click();
  await dialog(page, 'New recovery codes?').getByRole('button', { name: 'New codes' }).click();
  letRead();
  expect(await takeCodes(page)).toHaveLength(10);
});

test('a window that still shows how to add a second factor leads on once there is one', async () => {
  const { page } = await withPasskey('fulfilment');
  await heading(page, 'Today');
  await page.goto(`${s.url}/second-factor?next=${encodeURIComponent('/redemptions?status=ready')}`);
  await heading(page, 'Add a second factor');
  await button(page, 'Continue').click();
  await heading(page, 'Redemptions');
  expect(page.url()).toBe(`${s.url}/redemptions?status=ready`);
});

test('a recovery code signs in once, where there is no passkey', async () => {
  const { operator, codes } = await withPasskey('admin');
  const page = await s.open();
  const enter = async () => {
    await page.goto(s.url);
    await signIn(page, operator.email, operator.password);
    await heading(page, 'Second step');
    await button(page, 'Use a recovery code instead').click();
    await page.getByLabel('Recovery code').fill(codes[0] ?? '');
    await button(page, 'Continue').click();
  };
  await enter();
  await heading(page, 'Today');
  await page.context().clearCookies();
  await enter();
  await page.getByRole('alert').getByText('the code was already used').waitFor();
  await button(page, 'Back to the password').click();
  await heading(page, 'Sign in');
});

describe('an approval', () => {
  async function waiting(): Promise<{ id: string; object: string }> {
    const { operatorId } = await s.operators.givenOperator('viewer');
    const { body } = await s.operators.by.admin.client.post(`/operator/v1/operators/${operatorId}/disable`, {
      reason: 'Left the company',
    });
    return { id: body.approval_id, object: operatorId };
  }

  const statusOf = async (id: string) =>
    (await s.operators.by.viewer.client.get(`/operator/v1/operators?q=${id}`)).body.operators[0].status;

  test('an approval is confirmed with the passkey', async () => {
    const { operator, page } = await withPasskey('admin', '/approvals');
    await heading(page, 'Approvals');
    const { id, object } = await waiting();
    const card = page.getByRole('article').filter({ hasText: object.slice(0, 12) });
    await card.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Approved and carried out.').waitFor();
    expect(await statusOf(object)).toBe('disabled');
    const rows = await findAuditRowsAfter(s.h.ctx.db, 0, 10_000);
    expect(
      rows.find(({ action, objectId }) => action === 'operator.confirm' && objectId === operator.operatorId),
    ).toMatchObject({ after: { approval_id: id, method: 'passkey' } });
  });

  test('an approval is not given when the passkey is not shown', async () => {
    const { page } = await withPasskey('admin', '/approvals');
    await heading(page, 'Approvals');
    const { object } = await waiting();
    // The passkey is on a device that is not here.
    await page.evaluate(
      `navigator.credentials.get = () => Promise.reject(new DOMException('', 'NotAllowedError'))`,
    );
    const card = page.getByRole('article').filter({ hasText: object.slice(0, 12) });
    await card.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await page.getByText('so nothing was done').waitFor();
    expect(await statusOf(object)).toBe('active');
  });
});

describe('a confirmation', () => {
  test('a confirmation is requested where a change needs it, once in five minutes', async () => {
    const others = await Promise.all([1, 2, 3].map(() => s.operators.givenOperator('viewer')));
    const { operator, page } = await withPasskey('admin', '/operators');
    await heading(page, 'Operators');
    /** Asks to disable another operator, and returns who that is. */
    const disable = async () => {
      const other = others.pop();
      if (!other) throw new Error('there are no more operators');
      const { operatorId, email } = other;
      const row = page.getByRole('row').filter({ hasText: email });
      await row.getByRole('button', { name: 'Disable' }).click();
      await dialog(page, 'Disable').getByLabel('Reason').fill('Left the company');
      await dialog(page, 'Disable').getByRole('button', { name: 'Disable' }).click();
      return operatorId;
    };
    /** Operators whose being disabled waits for a second operator. */
    const pending = async (): Promise<string[]> => {
      const { body } = await s.operators.by.viewer.client.get('/operator/v1/approvals?status=pending');
      return body.approvals.map((one: { object_id: string }) => one.object_id);
    };
    const isAccepted = () => dialog(page, 'Disable').waitFor({ state: 'detached' });
    const confirmations = async () =>
      (await findAuditRowsAfter(s.h.ctx.db, 0, 10_000)).filter(
        ({ action, objectId }) => action === 'operator.confirm' && objectId === operator.operatorId,
      ).length;
    const first = await disable();
    await page.getByRole('alert').getByText('Waits for a second person').waitFor();
    await isAccepted();
    const second = await disable();
    await isAccepted();
    expect(await pending()).toEqual(expect.arrayContaining([first, second]));
    expect(await confirmations()).toBe(1);
    await s.h.ctx.sql`update sessions set confirmed_at = confirmed_at - interval '5 minutes'
      where person_id = ${operator.operatorId} and confirmed_at is not null`;
    await page.evaluate(
      `navigator.credentials.get = () => Promise.reject(new DOMException('', 'NotAllowedError'))`,
    );
    const kept = await disable();
    await dialog(page, 'Disable').getByText('so nothing was done').waitFor();
    expect(await pending()).not.toContain(kept);
    expect(await confirmations()).toBe(1);
  });
});

test('a session that ends while it is to be confirmed leaves the next one able to confirm', async () => {
  const { operator, page } = await withPasskey('admin', '/operators');
  const { email, operatorId } = await s.operators.givenOperator('viewer');
  const disable = async () => {
    const row = page.getByRole('row').filter({ hasText: email });
    await row.getByRole('button', { name: 'Disable' }).click();
    await dialog(page, 'Disable').getByLabel('Reason').fill('Left the company');
    await dialog(page, 'Disable').getByRole('button', { name: 'Disable' }).click();
  };
  // The passkey is not shown until the session has ended; with an app, the dialog that takes its code stays open.
  await page.evaluate(`{
    const get = navigator.credentials.get.bind(navigator.credentials);
    window.shows = false;
    navigator.credentials.get = (options) => window.shows ? get(options) : new Promise(() => {});
  }`);
  const requested = page.waitForResponse(/second-factor\/challenges$/);
  await disable();
  await requested;
  await s.h.ctx.sql`delete from sessions where person_id = ${operator.operatorId}`;
  await heading(page, 'Sign in');
  await page.evaluate('window.shows = true');
  await signIn(page, operator.email, operator.password);
  await button(page, 'Use a passkey').click();
  await heading(page, 'Operators');
  await disable();
  await page.getByRole('row').filter({ hasText: email }).getByText('Waits for a second person').waitFor();
  const { body } = await s.operators.by.viewer.client.get('/operator/v1/approvals?status=pending');
  expect(body.approvals.map((one: { object_id: string }) => one.object_id)).toContain(operatorId);
});

test('a session that ends before a second factor is added leads back to signing in', async () => {
  const operator = await s.operators.givenOperator('admin');
  const page = await s.open();
  await page.clock.install();
  await page.goto(s.url);
  await signIn(page, operator.email, operator.password);
  await button(page, 'Add a passkey').waitFor();
  // Longer than what no part of a page shows is kept.
  await page.clock.fastForward('06:00');
  await s.h.ctx.sql`delete from sessions where person_id = ${operator.operatorId}`;
  await button(page, 'Add a passkey').click();
  await dialog(page, 'Add a passkey').getByLabel('Name').fill('Laptop');
  await dialog(page, 'Add a passkey').getByRole('button', { name: 'Add a passkey' }).click();
  const confirm = dialog(page, 'Confirm that it is you');
  await confirm.getByLabel('Your password', { exact: true }).fill(operator.password);
  await confirm.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('Your session ended').waitFor();
});

test('sessions are ended under My account and Operators, which shows second factors', async () => {
  const operator = await s.operators.givenOperator('viewer');
  const page = await s.signedIn(operator, '/account');
  const lost = await s.signedIn(operator);
  await heading(lost, 'Today');
  const sessions = page.getByRole('table', { name: 'Sessions' });
  await sessions.getByRole('button', { name: 'End' }).waitFor();
  await sessions.getByText('This one').waitFor();
  await expectAccessible(page);
  await sessions.getByRole('button', { name: 'End' }).click();
  await dialog(page).getByRole('button', { name: 'End' }).click();
  await sessions.getByRole('button', { name: 'End' }).waitFor({ state: 'detached' });
  await lost.reload();
  await heading(lost, 'Sign in');

  const { operator: admin, page: operators } = await withPasskey('admin', '/operators');
  const row = (email: string) => operators.getByRole('row').filter({ hasText: email });
  await row(admin.email).getByText('Passkey since').waitFor();
  await row(operator.email).getByRole('button', { name: 'Sessions' }).click();
  const open = dialog(operators, 'Sessions of');
  await open.getByRole('table', { name: 'Sessions' }).waitFor();
  await expectAccessible(operators);
  await open.getByRole('button', { name: 'End all' }).click();
  await dialog(operators, 'End all sessions?').getByRole('button', { name: 'End all' }).click();
  await open.getByText('No open session').waitFor();
  await page.reload();
  await heading(page, 'Sign in');
});

test('My account has passkeys, an authenticator app and recovery codes', async () => {
  const { operator, page, codes } = await withPasskey('viewer', '/account');
  const row = (name: string) => page.getByRole('listitem').filter({ hasText: name });
  await row('Laptop').getByRole('button', { name: 'Rename' }).click();
  await dialog(page, 'Rename').getByLabel('Name').fill('Desk');
  await dialog(page, 'Rename').getByRole('button', { name: 'Save' }).click();
  await row('Desk').waitFor();
  await expectAccessible(page);

  await button(page, 'Add an authenticator app').click();
  const adding = dialog(page, 'Add an authenticator app');
  await adding.getByRole('img', { name: 'Key for the authenticator app' }).waitFor();
  await expectAccessible(page);
  const shown = (await adding.locator('.factor-code').textContent()) ?? '';
  const code = () => totpCode(fromBase32(shown), totpStepAt(s.h.ctx.clock.now()));
  const used = code();
  await adding.getByLabel('Code from the app').fill(used);
  await adding.getByRole('button', { name: 'Add an authenticator app' }).click();
  await row('Six-digit codes').waitFor();

  await row('Recovery codes').getByRole('button', { name: 'New codes' }).click();
  await dialog(page, 'New recovery codes?').getByRole('button', { name: 'New codes' }).click();
  const next = await takeCodes(page);
  expect(next).toHaveLength(10);
  expect(next).not.toContain(codes[0]);

  // The code of the app is shown where there is no passkey, and the passkey is removed with it.
  const elsewhere = await s.open();
  await elsewhere.goto(`${s.url}/account`);
  await signIn(elsewhere, operator.email, operator.password);
  await button(elsewhere, 'Use the authenticator app instead').click();
  await elsewhere.getByLabel('Code from the app').fill(used);
  await button(elsewhere, 'Continue').click();
  await elsewhere.getByRole('alert').getByText('the code was already used').waitFor();
  s.chain.node.warp({ seconds: 30 });
  await eventually(() => {
    if (code() === used) throw new Error('the clock has not moved');
  });
  await elsewhere.getByLabel('Code from the app').fill(code());
  await button(elsewhere, 'Continue').click();
  await heading(elsewhere, 'My account');

  await row('Desk').getByRole('button', { name: 'Remove' }).click();
  await dialog(page, 'Remove').getByRole('button', { name: 'Remove' }).click();
  await row('Desk').waitFor({ state: 'detached' });
});

test('two admins reset a second factor that was lost', async () => {
  const { operator } = await withPasskey('viewer', '/account');
  const { page } = await withPasskey('admin', '/operators');
  const row = page.getByRole('row').filter({ hasText: operator.email });
  await row.getByRole('button', { name: 'Reset second factor' }).click();
  const reset = dialog(page, 'Reset the second factor');
  await reset.getByLabel('Reason').fill('Lost the laptop');
  await reset.getByRole('button', { name: 'Reset second factor' }).click();
  await row.getByText('Waits for a second person').waitFor();

  const { page: deciding } = await withPasskey('admin', '/approvals');
  const card = deciding.getByRole('article').filter({ hasText: operator.operatorId.slice(0, 12) });
  await card.getByRole('button', { name: 'Approve' }).click();
  await deciding.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
  await deciding.getByText('Approved and carried out.').waitFor();
  expect(await findFactors(s.h.ctx.db, operator.operatorId)).toEqual({
    passkeys: [],
    totp: undefined,
    recoveryCodesLeft: 0,
  });
});

test('an operator of the identity provider signs in there alone, confirms there, and signs out there', async () => {
  const provider = await startIdentityProvider(s.url);
  const { config } = s.h.ctx;
  const { operatorPasswords } = config;
  Object.assign(config, {
    oidcIssuer: provider.issuer,
    oidcClientId: 'karat',
    oidcClientSecret: new Secret(provider.clientSecret),
    oidcRoles: [{ group: 'karat-admins', role: 'admin' }],
    oidcSecondFactor: [{ claim: 'acr', value: 'phr' }],
    operatorPasswords: 'refused',
  });
  const who = { sub: 'zainab', email: 'zainab@karat.test', name: 'Zainab Shah', acr: 'phr' };
  provider.state.who = { ...who, groups: [] };
  try {
    const page = await s.open();
    await page.goto(`${s.url}/account`);
    await heading(page, 'Sign in');
    await button(page, 'Sign in with single sign-on').waitFor();
    expect(await page.getByLabel('Email').count()).toBe(0);
    await expectAccessible(page);
    await button(page, 'Sign in with single sign-on').click();
    // Without a group, the page names what is missing and leads back.
    await page.getByRole('alert').getByText('None of your groups').waitFor();
    expect(new URL(page.url()).search).toBe('');
    await expectAccessible(page);
    provider.state.who = { ...who, groups: ['karat-admins'] };
    await page.getByRole('link', { name: 'Back to sign in' }).waitFor();
    await button(page, 'Use another account').click();
    await heading(page, 'My account');
    await page.reload();
    await page.getByText('You sign in with single sign-on, and have no password here.').waitFor();
    await button(page, 'Add an authenticator app').click();
    await page.getByText('You signed in again, so it is confirmed for 5 minutes.').waitFor();
    expect(new URL(page.url()).pathname).toBe('/account');
    await button(page, 'Add an authenticator app').click();
    await dialog(page, 'Add an authenticator app').getByLabel('Code from the app').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Sign out' }).first().click();
    await page.waitForURL(`${provider.issuer}/session/end**`);
  } finally {
    Object.assign(config, { oidcIssuer: undefined, operatorPasswords });
    await provider.close();
    // The pages of the provider are those of another host, and are none of the console's.
    const complaints = s.takeComplaints();
    expect(complaints.filter((each) => !each.includes(provider.issuer))).toEqual([]);
  }
}, 90_000);

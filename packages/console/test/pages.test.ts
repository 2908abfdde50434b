import { randomBytes } from 'node:crypto';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { apiKeys, approvals, deadLetters } from '../../service/src/db/schema.js';
import { planDeliveries } from '../../service/src/db/webhooks/webhook-deliveries.js';
import { newUuid } from '../../service/src/domain/ids.js';
import { cosign } from '../../service/test/chain/signed-trade.js';
import { newWallet } from '../../service/test/harness.js';
import { eventually } from '../../service/test/karat-chain.js';
import { signatureNamed } from '../../service/test/named-keys.js';
import { type GivenOperator, send } from '../../service/test/operators.js';
import { pickupCodeOf, wrongCodeFor } from '../../service/test/redeeming.js';
import { buildConsole, button, dialog, expectAccessible, heading, type Stage, useStage } from './stage.js';

let s: Stage;
useStage((stage) => {
  s = stage;
});
afterEach(() => expect(s.takeComplaints()).toEqual([]));

/** Opens the dialog of a button, fills it in, and confirms with the same words. */
async function confirm(
  page: Page,
  name: string,
  says: RegExp,
  fields: Record<string, string> = {},
  action = name,
) {
  await button(page, name).first().click();
  await dialog(page).getByText(says).waitFor();
  for (const [label, value] of Object.entries(fields)) await dialog(page).getByLabel(label).fill(value);
  await dialog(page).getByRole('button', { name: action, exact: true }).click();
  await dialog(page).waitFor({ state: 'detached' });
}

/** Has a second operator approve the request that holds a text. */
async function approve(deciding: Page, text: string): Promise<void> {
  const card = deciding.getByRole('article').filter({ hasText: text });
  await card.getByRole('button', { name: 'Approve' }).click();
  await dialog(deciding).getByRole('button', { name: 'Approve' }).click();
  await card.waitFor({ state: 'detached' });
}

describe('the board of redemptions', () => {
  test('the board of redemptions has each that waits in the column of what it waits for, and follows its moves', async () => {
    const ids = {
      submitted: (await s.given.redemption('submitted')).id,
      ready: (await s.given.redemption('ready')).id,
      collected: (await s.given.redemption('collected')).id,
      cancelled: (await s.given.redemption('cancelled')).id,
    };
    const page = await s.signedIn(s.operators.by.fulfilment, '/redemptions');
    await heading(page, 'Redemptions');
    await page.getByText('Board', { exact: true }).click();
    const cardIn = (column: string, id: string) =>
      page.getByRole('region', { name: column, exact: true }).locator(`a[href="/redemptions/${id}"]`);
    await cardIn('To prepare', ids.submitted).waitFor();
    await cardIn('Ready for pickup', ids.ready).waitFor();
    await cardIn('Tokens to burn', ids.collected).waitFor();
    await cardIn('Tokens to refund', ids.cancelled).waitFor();
    expect(page.url()).toBe(`${s.url}/redemptions?view=board`);
    const { client } = s.operators.by.fulfilment;
    const prepared = await client.post(`/operator/v1/redemptions/${ids.submitted}/prepare`, {});
    expect(prepared.status).toBe(200);
    await cardIn('In preparation', ids.submitted).waitFor();
    await page.goto(`${s.url}/redemptions?view=board&city=Nowhere`);
    await page.getByRole('region', { name: 'To prepare' }).getByText('None').waitFor();
    expect(await page.locator('.board-card').count()).toBe(0);
  });
});

describe('the search', () => {
  let page: Page;
  const field = () => page.getByLabel('Search customers, bars, redemptions, pages');
  /** Searches from any page, even while text is typed, and opens what is shown with these words. */
  const find = async (typed: string, shown: string | RegExp) => {
    await page.keyboard.press('Control+k');
    await field().fill(typed);
    await page.getByRole('dialog').getByRole('button', { name: shown }).first().click();
    await field().waitFor({ state: 'detached' });
  };
  beforeAll(async () => {
    page = await s.signedIn(s.operators.by.admin, '/partners');
    await heading(page, 'Partners');
  });
  afterAll(() => page.context().close());

  test('the search finds a partner, a customer, a bar, a redemption, a city, a page and an action by what people know of them', async () => {
    const { id } = await s.given.redemption('submitted');
    const user = await s.h.givenUser(s.partner.partnerId);
    const serial = `Q-${newUuid().slice(-8)}`.toUpperCase();
    await s.given.bars(1, { serial });
    await page.getByLabel('Search name, id').fill('x');
    await find('acme', /Acme Gold\s*Partner$/);
    await heading(page, 'Acme Gold');
    await find(user.partnerUserId, new RegExp(`${user.partnerUserId}\\s*Customer of Acme Gold`));
    await heading(page, user.partnerUserId);
    await find(id.slice(0, 30), /Karachi\s*Redemption/);
    await page.waitForURL(`**/redemptions/${id}`);
    await find(serial.toLowerCase(), new RegExp(`^${serial}`));
    await page.getByRole('cell', { name: serial }).waitFor();
    await find('karachi', 'Redemptions in Karachi');
    await page.waitForURL('**/redemptions?city=Karachi');
    await find('audit', 'Audit log');
    await heading(page, 'Audit log');
    await find('import', 'Import bars');
    await heading(page, 'Import bars');
    await find('pause', 'Pause trading');
    await dialog(page, 'Pause: Trades of customers?').waitFor();
    expect(new URL(page.url()).search).toBe('');
    await page.keyboard.press('Control+k');
    expect(await field().count()).toBe(0);
    await page.keyboard.press('Escape');
  });

  test('the search looks for a name only where the audit log records it, and puts it into no address', async () => {
    const addresses: string[] = [];
    page.on('request', (request) => addresses.push(request.url()));
    await find('fatima', 'Find a customer named “fatima”');
    expect(await dialog(page, 'Find a customer by identity').getByLabel('Name').inputValue()).toBe('fatima');
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    expect(addresses.filter((address) => address.includes('fatima'))).toEqual([]);
  });
});

describe('what people read', () => {
  const fits = (page: Page) => page.evaluate('document.documentElement.scrollWidth <= innerWidth');

  test('a long id of a customer overflows no list, and the navigation fits 800 pixels', async () => {
    const kyc = {
      country: 'PK',
      full_name: 'A Customer',
      kyc_provider: 'sumsub',
      kyc_level: 'full',
      kyc_verified_at: '2026-01-01T00:00:00Z',
    };
    const user_id = `${'W'.repeat(60)}-${newUuid()}`;
    const user = await s.h.partner.post('/v1/users', { user_id, wallet_address: newWallet().address, kyc });
    expect(user.status).toBe(201);
    const page = await s.signedIn(s.operators.by.admin, '/users', { viewport: { width: 1280, height: 800 } });
    for (const width of [1280, 800, 390]) {
      await page.setViewportSize({ width, height: 800 });
      await page.getByText(user_id).waitFor();
      expect(await fits(page), `${width}`).toBe(true);
      if (width !== 1280) continue;
      const [inner, outer] = (await page.evaluate(
        '(({ scrollHeight, clientHeight }) => [scrollHeight, clientHeight])(document.querySelector(".sidebar"))',
      )) as [number, number];
      expect(inner).toBe(outer);
    }
    expect(await page.getByRole('combobox', { name: 'Status' }).isVisible()).toBe(false);
    await button(page, 'Filters').click();
    await page.getByRole('combobox', { name: 'Partner' }).click();
    await page.getByRole('option', { name: 'Acme Gold' }).click();
    await button(page, 'Filters (1)').waitFor();
    await page.waitForURL(`**/users?partner_id=${s.partner.partnerId}`);
    await page.getByText(user_id).waitFor();
  });

  test('lists, boards and the audit log name partners, countries, items and operators, and show weights as chosen', async () => {
    const { id } = await s.given.redemption('ready');
    const serial = `W-${newUuid().slice(-8)}`.toUpperCase();
    await s.given.bars(1, { serial, weightG: '11.6638038' });
    const page = await s.signedIn(s.operators.by.admin, '/redemptions');
    const row = page.getByRole('row').filter({ has: page.locator(`a[href="/redemptions/${id}"]`) });
    await row.getByText('Acme Gold').waitFor();
    await page.getByText('Board', { exact: true }).click();
    await page.locator(`.board-card[href="/redemptions/${id}"]`).getByText('Acme Gold').waitFor();
    await page.goto(`${s.url}/redemptions/${id}`);
    await page.getByText('Pakistan').waitFor();
    await button(page, 'Hand over').click();
    const counter = dialog(page).locator('.handing-over');
    await counter.getByText('Secret Person').waitFor();
    await counter.getByText('1 tola bar, Valcambi').waitFor();
    await page.goto(`${s.url}/audit?action=operator.sign_in`);
    await page.getByRole('combobox', { name: 'Operator' }).click();
    await page.getByRole('option', { name: 'The admin' }).first().click();
    await page.waitForURL(`**/audit?*operator_id=${s.operators.by.admin.operatorId}`);
    await page.locator('summary').first().click();
    await page.getByText('Operator The admin').first().waitFor();
    await page.goto(`${s.url}/account`);
    await page.getByText('Tolas', { exact: true }).click();
    await page.goto(`${s.url}/stock?tab=bars&q=${serial}`);
    await page.getByRole('row', { name: new RegExp(`${serial}.*1 tola bar.*1 tola`) }).waitFor();
    expect(await fits(page)).toBe(true);
  });

  test('a dialog that cancels something keeps it by a button that is not called Cancel', async () => {
    const { id } = await s.given.redemption('cancellation_requested');
    const page = await s.signedIn(s.operators.by.fulfilment, `/redemptions/${id}`);
    await button(page, 'Agree to cancel').click();
    expect(await dialog(page).getByRole('button', { name: 'Cancel', exact: true }).count()).toBe(0);
    await dialog(page).getByRole('button', { name: 'Keep it' }).click();
    await dialog(page).waitFor({ state: 'detached' });
  });
});

describe('every list', () => {
  let page: Page;
  beforeAll(async () => {
    page = await s.signedIn(s.operators.by.admin, '/partners');
    await heading(page, 'Partners');
  });
  afterAll(() => page.context().close());

  test.each([
    ['/redemptions?status=ready', 'redemptions?status=ready'],
    ['/redemptions?view=board&city=Karachi', 'redemptions?city=Karachi'],
    ['/partners?status=active', 'partners?status=active'],
    ['/users?q=gu_1', 'users?q=gu_1'],
    ['/stock?tab=bars&city=Karachi', 'bars?city=Karachi'],
    ['/trades?side=buy', 'trades?side=buy'],
    ['/orders?kind=sale', 'orders?kind=sale'],
    ['/operators?role=admin', 'operators?role=admin'],
    ['/approvals?status=rejected', 'approvals?status=rejected'],
    ['/dead-letters?reason=dust', 'dead-letters?reason=dust'],
    ['/audit?action=operator.sign_in', 'audit?action=operator.sign_in'],
    ['/catalogue?city=Karachi', 'denominations?city=Karachi'],
    ['/stock', 'stock'],
    ['/catalogue?tab=countries&city=Karachi', 'countries'],
  ])('a list, %s, is downloaded as CSV with the filters of its address', async (path, list) => {
    await page.goto(s.url + path);
    const href = await page.getByRole('link', { name: 'Export CSV' }).getAttribute('href');
    const requested = new URL(href ?? '', s.url);
    expect(requested.pathname).toBe(`/operator/v1/${list.split('?')[0]}`);
    for (const [name, value] of new URLSearchParams(list.split('?')[1]))
      expect(requested.searchParams.get(name)).toBe(value);
    expect(requested.searchParams.get('format')).toBe('csv');
    // A filter that the list does not know would be refused.
    expect(requested.searchParams.has('city')).toBe(list.includes('city'));
  });

  test('a list is downloaded as a file with its name', async () => {
    await page.goto(`${s.url}/partners?q=Acme`);
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export CSV' }).click();
    expect((await download).suggestedFilename()).toBe('partners.csv');
  });
});

test('a change of limits is approved by compliance, which sees nothing else to decide or to print', async () => {
  const { partnerId } = await s.h.givenPartner();
  const { by } = s.operators;
  const limits = await send(by.compliance.client, 'PUT', `/partners/${partnerId}/limits`, {
    user_daily_usdc: 1,
  });
  expect(limits.status).toBe(202);
  const fee = await send(by.admin.client, 'PATCH', `/partners/${partnerId}`, { fee_percentage: 0.3 });
  expect(fee.status).toBe(202);
  const page = await s.signedIn(await s.operators.givenOperator('compliance'), '/approvals');
  const cards = page.getByRole('article').filter({ hasText: partnerId.slice(0, 16) });
  const other = cards.filter({ hasText: 'Change the redemption fee of' });
  await other.getByText('Your role cannot decide this').waitFor();
  expect(await other.getByRole('button', { name: 'Approve' }).count()).toBe(0);
  await cards
    .filter({ hasText: 'Set the limit of one customer in 24 hours to 1.00 USDC.' })
    .getByRole('button', { name: 'Approve' })
    .click();
  await dialog(page).getByRole('button', { name: 'Approve' }).click();
  await page.getByText('Approved and carried out.').waitFor();
  const { body } = await by.viewer.client.get(`/operator/v1/partners/${partnerId}/limits`);
  expect(body.own).toMatchObject({ user_daily_usdc: 1 });

  const { id } = await s.given.redemption('ready');
  await page.goto(`${s.url}/redemptions/${id}`);
  await page.getByRole('heading', { name: 'What next' }).waitFor();
  expect(await page.getByRole('link', { name: 'Receipt and label' }).count()).toBe(0);
});

test('an approval has a sentence for each change and leaves out nothing, and its object shows that it waits', async () => {
  const { by, givenOperator } = s.operators;
  const status = (trade: boolean) =>
    send(by.admin.client, 'PUT', '/chain/status', { paused: { trade }, reason: 'The feed is back' });
  expect((await status(true)).status).toBe(200);
  const resumption = await status(false);
  expect(resumption.status).toBe(202);
  const { approval_id: id } = resumption.body;
  const [request] = (await s.h.ctx.db.select().from(approvals)).filter((one) => one.id === id);
  if (!request) throw new Error('the request is not there');
  const unknown = { action: 'denomination.change', objectType: 'denomination', objectId: 'pk_tola_1' };
  await s.h.ctx.db.insert(approvals).values({
    ...{ ...request, ...unknown, id: newUuid() },
    before: { label: '1 tola bar', city: 'Karachi', active: true },
    request: { city: 'Lahore', active: true, new_field: 7 },
  });
  try {
    const approver = await givenOperator('admin');
    const page = await s.signedIn(approver, '/approvals');
    const card = (text: string) => page.getByRole('article').filter({ hasText: text });
    const resumes = card('Resume trading for customers. Nothing else changes.');
    await resumes.getByText('Reason: “The feed is back”').waitFor();
    expect(await resumes.getByRole('table').count()).toBe(0);
    const changes = card('Change the city of 1 tola bar from Karachi to Lahore. Nothing else changes.');
    await changes.getByText('New field').waitFor();
    expect(await changes.locator('dd').allTextContents()).toEqual(['7']);
    await expectAccessible(page);
    await page.goto(`${s.url}/treasury`);
    const waits = page.getByRole('link', { name: 'Waits for a second person' });
    await waits.waitFor();
    expect(await waits.getAttribute('title')).toBe('Resume trading for customers. Nothing else changes.');
    expect(await button(page, 'Resume: Trades of customers').count()).toBe(0);
    expect((await send(approver.client, 'POST', `/approvals/${id}/approve`)).status).toBe(200);
    await button(page, 'Pause: Trades of customers').waitFor();
  } finally {
    await s.h.ctx
      .sql`delete from approvals where action = ${unknown.action} and object_id = ${unknown.objectId}`;
  }
});

test('an operator who may be the same person as the requester sees why a request can only be rejected', async () => {
  const { givenOperator } = s.operators;
  const { partnerId } = await s.h.givenPartner();
  const [asking, opened, other] = [
    await givenOperator('admin'),
    await givenOperator('admin'),
    await givenOperator('admin'),
  ];
  await s.h.ctx.sql`
    update people set opened_by = ${[asking.operatorId]} where id = ${opened.operatorId}`;
  const fee = await send(asking.client, 'PATCH', `/partners/${partnerId}`, { fee_percentage: 0.3 });
  expect(fee.status).toBe(202);
  const cardOf = async (operator: typeof asking) => {
    const page = await s.signedIn(operator, '/approvals');
    return page.getByRole('article').filter({ hasText: partnerId.slice(0, 16) });
  };
  const why = 'may belong to the same person';
  const card = await cardOf(opened);
  await card.getByRole('button', { name: 'Reject' }).waitFor();
  await card.getByText(why).waitFor();
  expect(await card.getByRole('button', { name: 'Approve' }).count()).toBe(0);
  await expectAccessible(card.page());
  const free = await cardOf(other);
  await free.getByRole('button', { name: 'Approve' }).waitFor();
  expect(await free.getByText(why).count()).toBe(0);
  const own = await cardOf(asking);
  await own.getByText('You asked for this').waitFor();
  expect(
    await own
      .getByRole('button')
      .filter({ hasText: /Approve|Reject/ })
      .count(),
  ).toBe(0);
});

test('the list of operators names who opened an account, and who is behind that one', async () => {
  const { givenOperator } = s.operators;
  const given = [await givenOperator('admin'), await givenOperator('admin'), await givenOperator('viewer')];
  const [first, second, third] = given as [GivenOperator, GivenOperator, GivenOperator];
  const { sql } = s.h.ctx;
  await sql`update people set name = 'Aisha' where id = ${first.operatorId}`;
  await sql`update people set name = 'Sana', opened_by = ${[first.operatorId]} where id = ${second.operatorId}`;
  await sql`
    update people set opened_by = ${[second.operatorId, first.operatorId]} where id = ${third.operatorId}`;
  const page = await s.signedIn(s.operators.by.viewer, `/operators?q=${third.email}`);
  const row = page.getByRole('row').filter({ hasText: third.email });
  await row.getByRole('cell', { name: 'Sana, opened by Aisha', exact: true }).waitFor();
  await page.goto(`${s.url}/operators?q=${first.email}`);
  await page.getByRole('row').filter({ hasText: first.email }).waitFor();
  expect(await page.getByText(', opened by').count()).toBe(0);
});

describe('entries behind the first page of a list', () => {
  test('entries of the list of approvals are counted, and shown on the first page', async () => {
    const [me, other] = [await s.operators.givenOperator('admin'), await s.operators.givenOperator('admin')];
    const { partnerId } = await s.h.givenPartner();
    const requested = await send(other.client, 'PATCH', `/partners/${partnerId}`, { fee_percentage: 0.3 });
    expect(requested.status).toBe(202);
    const requests = await s.h.ctx.db.select().from(approvals);
    const request = requests.find(({ id }) => id === requested.body.approval_id);
    if (!request) throw new Error('the request is not there');
    // All newer ones are one's own.
    const own = Array.from({ length: 101 }, (_, index) => ({
      ...request,
      id: newUuid(),
      objectId: newUuid(),
      requestedBy: me.operatorId,
      createdAt: new Date(request.createdAt.getTime() + index + 1),
    }));
    await s.h.ctx.db.insert(approvals).values(own);
    try {
      const { approvals_waiting: waiting } = (await me.client.get('/operator/v1/summary')).body;
      expect(waiting).toBeGreaterThan(0);
      const page = await s.signedIn(me, '/');
      await page
        .getByRole('navigation')
        .getByRole('link', { name: `Approvals ${waiting}` })
        .waitFor();
      const mine = page.locator('section.panel', { hasText: 'Approvals for you' });
      await mine.getByRole('link', { name: 'Change a partner' }).first().waitFor();
    } finally {
      await s.h.ctx.sql`delete from approvals where requested_by = ${me.operatorId}`;
    }
  });

  test('keys behind the first page count for what is left to do until the first quote', async () => {
    const { partnerId } = await s.h.givenPartner();
    const key = (await s.h.ctx.db.select().from(apiKeys)).find((one) => one.partnerId === partnerId);
    if (!key) throw new Error('the partner has no key');
    const revoked = Array.from({ length: 101 }, (_, index) => {
      const createdAt = new Date(key.createdAt.getTime() + index + 1);
      return {
        ...key,
        id: newUuid(),
        hash: randomBytes(32),
        status: 'revoked' as const,
        createdAt,
        revokedAt: createdAt,
      };
    });
    await s.h.ctx.db.insert(apiKeys).values(revoked);
    const page = await s.signedIn(s.operators.by.viewer, `/partners/${partnerId}`);
    await page.locator('li.done', { hasText: 'mints an API key' }).waitFor();
  });

  test('waiting redemptions behind the first page come in its order', async () => {
    const ids: string[] = [];
    for (let left = 7; left > 0; left -= 1) ids.push((await s.given.redemption('submitted')).id);
    const { sql } = s.h.ctx;
    // Older than any other.
    for (const [index, id] of ids.entries())
      await sql`update redemptions set created_at = ${`2020-01-0${index + 1}T00:00:00Z`} where id = ${id}`;
    const page = await s.signedIn(s.operators.by.viewer, '/');
    const rows = page.getByRole('table', { name: 'Waiting redemptions' }).locator('tbody tr');
    await rows.first().waitFor();
    for (const [index, id] of ids.entries())
      await rows.nth(index).locator(`a[href="/redemptions/${id}"]`).first().waitFor();
  });
});

describe('addresses on chain', () => {
  test('an address on chain is a link to the explorer of the network, and otherwise an id to copy', async () => {
    const { id } = await s.given.redemption('submitted');
    const { body } = await s.operators.by.viewer.client.get(`/operator/v1/redemptions/${id}`);
    const plain = await s.signedIn(s.operators.by.viewer, `/redemptions/${id}`);
    await plain.getByRole('button', { name: `Copy ${body.submitted_tx_hash}` }).waitFor();
    expect(await plain.locator('a[target=_blank]').count()).toBe(0);

    const config = { ...s.h.ctx.config, network: 'devnet' as const };
    const app = await buildConsole({ ...s.h.ctx, config });
    try {
      const url = await app.listen({ host: '127.0.0.1', port: 0 });
      const page = await s.signedIn(s.operators.by.viewer, `/redemptions/${id}`, {}, url);
      const payment = page.getByRole('link', { name: `Open in explorer: ${body.submitted_tx_hash}` });
      const wallet = page.getByRole('link', { name: `Open in explorer: ${body.wallet_address}` });
      const at = 'https://explorer.solana.com';
      const query = '?cluster=devnet';
      expect(await payment.getAttribute('href')).toBe(`${at}/tx/${body.submitted_tx_hash}${query}`);
      expect(await wallet.getAttribute('href')).toBe(`${at}/address/${body.wallet_address}${query}`);
      expect(await payment.getAttribute('rel')).toBe('noreferrer');
      await page.context().close();
    } finally {
      await app.close();
    }
  });
});

describe('a new partner', () => {
  let page: Page;
  let deciding: Page;
  let partnerId: string;
  const wallet = newWallet();
  beforeAll(async () => {
    page = await s.signedIn(s.operators.by.admin, '/partners');
    deciding = await s.signedIn(await s.operators.givenOperator('admin'), '/approvals');
  });
  afterAll(() => Promise.all([page, deciding].map((window) => window.context().close())));

  test('a new partner is added with its wallet', async () => {
    const name = `Initech ${wallet.address.slice(0, 8)}`;
    await button(page, 'Add a partner').click();
    await dialog(page).getByLabel('Name').fill(name);
    await button(page, 'Add partner').click();
    await heading(page, name);
    await confirm(page, 'Register a wallet', /one partner only/, { 'Wallet address': wallet.address });
    await approve(deciding, wallet.address);
    partnerId = page.url().split('/').at(-1) ?? '';
  });

  test('a new partner is put on chain', async () => {
    await button(page, 'Put on chain').click();
    const form = dialog(page);
    await form.getByText('50 bps = 0.50 %. Of a trade of 1,000.00 USDC, 5.00 USDC are the fee.').waitFor();
    await form.getByLabel('Fee, market closed').fill('125');
    await form.getByText('125 bps = 1.25 %. Of a trade of 1,000.00 USDC, 12.50 USDC are the fee.').waitFor();
    const [update, withdrawal, executives] = ['Update authority', 'Withdrawal authority', 'Executives'].map(
      (label) => form.getByLabel(label),
    );
    for (const field of [update, withdrawal, executives]) expect(await field?.inputValue()).toBe('');
    await update?.fill(wallet.address);
    await form.getByText('The same key as Wallet that co-signs trades.').waitFor();
    const kept = newWallet().address;
    await update?.fill(kept);
    await withdrawal?.fill(kept);
    await form.getByText('The same key as Withdrawal authority.').waitFor();
    await form.getByText('The same key as Update authority.').waitFor();
    await withdrawal?.fill(newWallet().address);
    await executives?.fill(newWallet().address);
    await form.getByText('The same key as').first().waitFor({ state: 'detached' });
    await expectAccessible(page);
    await form.getByRole('button', { name: 'Put on chain' }).click();
    await dialog(page).waitFor({ state: 'detached' });
    await approve(deciding, wallet.address);
    await page.getByText('Gold in the vault').waitFor();
  });

  test('a new partner does the rest until its first quote by itself, over its API', async () => {
    const { response } = await s.h.mintKey({
      partnerId: partnerId as typeof s.partner.partnerId,
      wallet,
    });
    await page.getByText('The partner registers its first customer').waitFor();
    const key = { 'x-api-key': String(response.body.api_key) };
    const kyc = {
      country: 'PK',
      full_name: 'A Customer',
      kyc_provider: 'sumsub',
      kyc_level: 'full',
      kyc_verified_at: '2026-01-01T00:00:00Z',
    };
    const user = { user_id: 'first', wallet_address: newWallet().address, kyc };
    const made = await s.h.anonymous.post('/v1/users', user, key);
    expect(made.status).toBe(201);
    await page.getByRole('heading', { name: 'Until the first quote' }).waitFor({ state: 'detached' });
    const wanted = { service_user_id: made.body.service_user_id, usdc_amount: 100 };
    expect(await s.h.anonymous.post('/v1/buy', wanted, key)).toMatchObject({
      status: 200,
      body: { quote: { fee_bps: expect.any(Number) } },
    });
  });

  test('a new partner has its fees on chain changed by two people', async () => {
    await confirm(page, 'Change on chain', /sends a transaction/, { 'Fee, market open': '75' }, 'Save');
    const card = deciding.getByRole('article').filter({ hasText: partnerId.slice(0, 16) });
    await card
      .getByText('Change the fee while the market is open from 0.50 % to 0.75 %. Nothing else changes.', {
        exact: true,
      })
      .waitFor();
    await page.getByRole('link', { name: 'Waits for a second person' }).waitFor();
    expect(await button(page, 'Change on chain').count()).toBe(0);
    await approve(deciding, partnerId.slice(0, 16));
    await page.getByText('75 bps = 0.75 %').waitFor();
  });

  describe('a form that keeps what another admin has changed while it was open', () => {
    /** Makes a change that takes two, by two who have no form open. */
    async function change(method: 'PUT' | 'PATCH', path: string, body: object): Promise<void> {
      const [asking, other] = [
        await s.operators.givenOperator('admin'),
        await s.operators.givenOperator('admin'),
      ];
      const requested = await send(asking.client, method, path, body);
      expect(requested.status).toBe(202);
      const approved = await send(other.client, 'POST', `/approvals/${requested.body.approval_id}/approve`);
      expect(approved.status).toBe(200);
    }
    const partner = async () =>
      (await s.operators.by.viewer.client.get(`/operator/v1/partners/${partnerId}`)).body;

    test('a form keeps what another admin has changed on chain', async () => {
      const { wallet_address, closed_fee_bps, ...now } = (await partner()).onchain;
      const { update_authority, withdrawal_authority, executive_authorities } = now;
      const keys = { wallet_address, update_authority, withdrawal_authority, executive_authorities };
      await button(page, 'Change on chain').click();
      await dialog(page).getByLabel('Fee, market open').fill('80');
      const terms = { ...keys, open_fee_bps: 75, closed_fee_bps, status: 'suspended' };
      await change('PUT', `/partners/${partnerId}/onchain`, terms);
      await page.locator('.badge', { hasText: 'Suspended' }).waitFor();
      // However often: what the form says is of before.
      for (const _ of [1, 2]) {
        const response = page.waitForResponse(/onchain$/);
        await dialog(page).getByRole('button', { name: 'Save' }).click();
        expect((await response).status()).toBe(409);
        await dialog(page).getByRole('alert').getByText('Someone else changed this first').waitFor();
      }
      await page.keyboard.press('Escape');
      expect((await partner()).onchain).toMatchObject({ status: 'suspended', open_fee_bps: 75 });
      await change('PUT', `/partners/${partnerId}/onchain`, { ...terms, status: 'active' });
    });

    test('a form keeps what another admin has changed in the name', async () => {
      await button(page, 'Edit').click();
      await dialog(page).getByLabel('Redemption fee').fill('2');
      const name = `Initrode ${partnerId}`;
      const renamed = await send(s.operators.by.admin.client, 'PATCH', `/partners/${partnerId}`, { name });
      expect(renamed.status).toBe(200);
      await heading(page, name);
      await dialog(page).getByRole('button', { name: 'Save' }).click();
      await dialog(page).waitFor({ state: 'detached' });
      await approve(deciding, partnerId.slice(0, 16));
      expect(await partner()).toMatchObject({ name, fee_percentage: 0.02 });
    });
  });

  test('a new partner has a lost key replaced, proposed by two and withdrawn by one', async () => {
    const next = newWallet().address;
    await confirm(page, 'Replace a lost key', /Nothing changes yet/, { 'New wallet address': next });
    await approve(deciding, next);
    await page.getByRole('table', { name: 'Proposed keys' }).waitFor();
    await confirm(page, 'Withdraw', /keeps its present key/);
    await page.getByRole('table', { name: 'Proposed keys' }).waitFor({ state: 'detached' });
  });
});

test('a form for documents keeps what another admin has changed while it was open', async () => {
  const { client } = s.operators.by.admin;
  const path = '/countries/AE/id-types/emirates_id';
  const put = async (pattern: string) =>
    expect((await send(client, 'PUT', path, { pattern })).status).toBe(200);
  await put('784-[0-9]+');
  const page = await s.signedIn(s.operators.by.admin, '/catalogue?tab=countries');
  await page
    .getByRole('row', { name: 'United Arab Emirates' })
    .getByRole('button', { name: 'Documents' })
    .click();
  const documents = dialog(page, 'Identity documents of United Arab Emirates');
  await documents.getByRole('button', { name: 'Edit' }).click();
  const form = dialog(page, 'emirates_id');
  await form.getByLabel('Example').fill('784-1');
  await put('784-?[0-9]+');
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByRole('alert').getByText('Someone else changed this first').waitFor();
  const types = async () => (await client.get('/operator/v1/countries/AE/id-types')).body.id_types;
  expect(await types()).toMatchObject([{ pattern: '784-?[0-9]+', example: null }]);
  await form.getByRole('button', { name: 'Cancel' }).click();
  await documents.getByText('784-?[0-9]+').waitFor();
  await documents.getByRole('button', { name: 'Edit' }).click();
  await form.getByLabel('Example').fill('784-1');
  await form.getByRole('button', { name: 'Save' }).click();
  await form.waitFor({ state: 'detached' });
  expect(await types()).toMatchObject([{ pattern: '784-?[0-9]+', example: '784-1' }]);
});

test('a webhook endpoint shows its deliveries, and is disabled with a reason', async () => {
  const url = 'http://127.0.0.1:1024/karat/events';
  const endpoint = await s.h.partner.post('/v1/webhook-endpoints', { url });
  expect(endpoint.status).toBe(201);
  const user = await s.h.givenUser(s.partner.partnerId);
  const level = { kyc_level: 'lapsed', reason: 'a test' };
  const set = await s.operators.by.compliance.client.post(`/operator/v1/users/${user.id}/kyc-level`, level);
  expect(set.status).toBe(200);
  await planDeliveries(s.h.ctx.db, new Date(s.h.clock.now()));
  const page = await s.signedIn(s.operators.by.admin, `/partners/${s.partner.partnerId}`);
  await page.getByRole('link', { name: 'Webhooks' }).last().click();
  await page.getByRole('link', { name: url }).click();
  await heading(page, '127.0.0.1:1');
  const row = page.getByRole('row', { name: /user.kyc_level_changed/ });
  await row.getByText('Pending').waitFor();
  await confirm(page, 'Disable', /pending deliveries fail/, { Reason: 'It is not theirs' });
  await page.getByText('Disabled').first().waitFor();
  await button(page, 'Disable').waitFor({ state: 'detached' });
  const viewer = await s.signedIn(s.operators.by.viewer, page.url().slice(s.url.length));
  await heading(viewer, '127.0.0.1:1');
});

describe('settings of the program', () => {
  test('settings are proposed, shown with what they change and who may cancel them, and cancelled', async () => {
    const page = await s.signedIn(s.operators.by.admin, '/settings');
    await heading(page, 'Program settings');
    await page.getByText('Nothing is proposed.').waitFor();
    await button(page, 'Propose a change').click();
    const form = dialog(page);
    await form.getByLabel('Minted in 24 hours, GOLD').fill('0');
    await form.getByLabel('Reason').fill('As agreed');
    await form.getByRole('button', { name: 'Propose a change' }).click();
    await form.getByText('settings.daily_mint must be').waitFor();
    await form.getByLabel('Minted in 24 hours, GOLD').fill('250.5');
    await form.getByLabel('Age of a price, market open').fill('45');
    await form.getByRole('button', { name: 'Propose a change' }).click();
    await form.waitFor({ state: 'detached' });

    const row = page.getByRole('row', { name: /Minted in 24 hours/ });
    await row.getByText('250.5').waitFor();
    await row.getByText('no limit').waitFor();
    expect(await page.getByRole('row', { name: /Largest trade/ }).count()).toBe(0);
    await page.getByText('the guardian, the admin').waitFor();
    await page.getByText(/Can be applied in \d+ (d|h)/).waitFor();
    expect(await button(page, 'Apply').count()).toBe(0);
    await expectAccessible(page);
    const { body } = await s.operators.by.viewer.client.get('/operator/v1/chain/settings');
    expect(body.pending.settings).toEqual({ ...body.settings, daily_mint: 250.5, max_age_open: 45 });

    await button(page, 'Cancel the proposal').click();
    await dialog(page).getByLabel('Reason').fill('A mistake');
    await dialog(page).getByRole('button', { name: 'Cancel the proposal' }).click();
    await page.getByText('Nothing is proposed.').waitFor();
  });

  test('a viewer sees the settings and changes nothing', async () => {
    const page = await s.signedIn(s.operators.by.viewer, '/settings');
    await heading(page, 'Program settings');
    await page.getByText('Delay of a burn').waitFor();
    expect(await button(page, 'Propose a change').count()).toBe(0);
  });
});

test('the treasury begins with whether every token is backed, in words, and prepares an attestation', async () => {
  s.chain.node.airdrop(s.chain.attestor.address, 1_000_000_000n);
  const page = await s.signedIn(s.operators.by.admin, '/treasury');
  await heading(page, 'Treasury');
  const { body } = await s.operators.by.viewer.client.get('/operator/v1/treasury');
  const { attested, backed } = body.backing;
  const amount = (value: number) => value.toLocaleString('en-US', { maximumFractionDigits: 6 });
  await page
    .getByText(`${amount(attested)} oz attested, less 0 GOLD burned since, leave ${amount(backed)} GOLD.`)
    .waitFor();
  await page.getByText(/bars in the vaults hold/).waitFor();
  const first = page.getByRole('main').getByRole('heading', { level: 2 }).first();
  expect(await first.textContent()).toBe('Backing');

  await button(page, 'Prepare an attestation').click();
  const form = dialog(page);
  await form.getByLabel('Gold in the report, troy ounces').fill('12');
  await form.getByLabel('Burned in all when the metal was counted').fill('0');
  const report = { name: 'report.pdf', mimeType: 'application/pdf', buffer: Buffer.from('bars 1 to 4') };
  await form.getByLabel('Report', { exact: true }).setInputFiles(report);
  await form.getByRole('button', { name: 'Prepare an attestation' }).click();
  await form.getByText(/An attestation of 12 oz differs by more than 10 %/).waitFor();
  await form.getByLabel('The amount once more').fill('12');
  await form.getByRole('button', { name: 'Prepare an attestation' }).click();
  const unsigned = dialog(page, 'A signature from outside is needed');
  await unsigned.getByLabel('Transaction').waitFor();
});

test('an announced burn is shown with when it is due, and cancelled from the treasury', async () => {
  const { id } = await s.given.redemption('collected');
  const announced = await send(s.operators.by.fulfilment.client, 'POST', `/redemptions/${id}/burn`);
  const approval = announced.body.approval_id;
  const approved = await send(s.operators.by.admin.client, 'POST', `/approvals/${approval}/approve`);
  expect(approved.status).toBe(200);
  const page = await s.signedIn(s.operators.by.fulfilment, `/redemptions/${id}`);
  await page.getByText(/The tokens are burned by themselves at/).waitFor();
  await button(page, 'Cancel burn').waitFor();
  await page.goto(`${s.url}/treasury`);
  const row = page.getByRole('row', { name: new RegExp(id.slice(0, 12)) });
  await row.getByText('0.380625').waitFor();
  await row.getByRole('button', { name: 'Cancel burn' }).click();
  await dialog(page).getByLabel('Reason').fill('The bar came back');
  await dialog(page).getByRole('button', { name: 'Cancel burn' }).click();
  await row.waitFor({ state: 'detached' });
  await page.goto(`${s.url}/redemptions/${id}`);
  await button(page, 'Announce burn').waitFor();
});

describe('trading', () => {
  let page: Page;
  beforeAll(async () => {
    page = await s.signedIn(s.operators.by.admin, '/treasury');
  });
  afterAll(() => page.context().close());

  test('trading is paused by one person, with what it means', async () => {
    await confirm(
      page,
      'Pause: Trades of customers',
      /including those already quoted/,
      { Reason: 'An incident' },
      'Pause',
    );
    await page.getByText('Trades of customers: paused').waitFor();
  });

  test('trading is resumed by two people, with what it means', async () => {
    const deciding = await s.signedIn(await s.operators.givenOperator('admin'), '/approvals');
    await confirm(
      page,
      'Resume: Trades of customers',
      /cause of the pause/,
      { Reason: 'It is over' },
      'Resume',
    );
    await page.getByRole('link', { name: 'Waits for a second person' }).waitFor();
    await approve(deciding, 'Change what trading allows');
    await page.getByText('Trades of customers: open').waitFor();
  });

  test('stops with the market, and follows the calendar again', async () => {
    const { body: before } = await s.operators.by.viewer.client.get('/operator/v1/chain/status');
    const act = before.market === 'open' ? 'Close the market' : 'Open the market';
    await confirm(page, act, /Trading stops|All partners can trade/, { Reason: 'A test' });
    await page.getByText(`The market is ${before.market === 'open' ? 'closed' : 'open'}.`).waitFor();
    await confirm(page, 'Follow the calendar', /the market follows the calendar/, { Reason: 'A test' });
    await page.getByText('It follows the calendar.').waitFor();
  });
});

test('a transaction that the service cannot sign is shown with its signers, and does its work once they sign it', async () => {
  const { config, chain } = s.h.ctx;
  const keyless = { config: { ...config, approvals: 1 }, chain: { ...chain, admin: undefined } };
  const app = await buildConsole({ ...s.h.ctx, ...keyless });
  try {
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    const options = { permissions: ['clipboard-read', 'clipboard-write'] };
    const page = await s.signedIn(s.operators.by.admin, '/treasury', options, url);
    const withdrawals = 'Withdrawals';
    await confirm(page, `Pause: ${withdrawals}`, /withdraw/, { Reason: 'An incident' }, 'Pause');
    await page.getByText(`${withdrawals}: paused`).waitFor();
    await button(page, `Resume: ${withdrawals}`).click();
    await dialog(page).getByLabel('Reason').fill('It is over');
    await dialog(page).getByRole('button', { name: 'Resume' }).click();
    const shown = dialog(page, 'A signature from outside is needed');
    await shown.getByRole('button', { name: `Copy ${s.chain.admin.address}` }).waitFor();
    // It is shown only here, so that neither of these closes it.
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    await expectAccessible(page);
    await shown.getByRole('button', { name: 'Copy the transaction' }).click();
    await shown.getByRole('button', { name: 'Copied', exact: true }).waitFor();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    expect(await shown.getByLabel('Transaction').inputValue()).toBe(copied);
    const transaction = Buffer.from(String(copied), 'base64');
    await s.chain.sendStraight(cosign(transaction, [s.chain.admin]));
    await eventually(async () => {
      const { body } = await s.operators.by.viewer.client.get('/operator/v1/chain/status');
      expect(body.paused.withdraw).toBe(false);
    }, 20_000);
    await shown.getByRole('button', { name: 'Close' }).last().click();
    await shown.waitFor({ state: 'detached' });
    await page.context().close();
  } finally {
    await app.close();
  }
});

test('dead letters are resolved in bulk, with a reason', async () => {
  const names = Array.from({ length: 3 }, () => signatureNamed(newUuid()));
  const rows = names.map((signature) => ({
    id: newUuid(),
    signature,
    slot: 1n,
    reason: 'dust' as const,
    detail: { wallet: signature.slice(0, 8) },
    createdAt: new Date(s.h.clock.now()),
  }));
  await s.h.ctx.db.insert(deadLetters).values(rows);
  const page = await s.signedIn(s.operators.by.admin, '/dead-letters?reason=dust');
  const boxes = page.getByRole('checkbox', { name: 'Choose: Dust' });
  await boxes.nth(2).waitFor();
  await boxes.nth(0).check();
  await boxes.nth(1).check();
  await confirm(page, 'Resolve 2', /stays in the audit log/, { Reason: 'Looked at' }, 'Resolve');
  await boxes.nth(1).waitFor({ state: 'detached' });
  expect(await boxes.count()).toBe(1);
  const { body } = await s.operators.by.viewer.client.get('/operator/v1/audit?action=dead_letter.resolve');
  expect(body.entries).toMatchObject([{ reason: 'Looked at' }, { reason: 'Looked at' }]);
});

test('a code is typed wrong five times, and another one is issued', async () => {
  const { id } = await s.given.redemption('ready');
  const code = await pickupCodeOf(s.h, id);
  const page = await s.signedIn(s.operators.by.fulfilment, `/redemptions/${id}`);
  await button(page, 'Hand over').click();
  for (let left = 4; left >= 1; left -= 1) {
    await dialog(page).getByLabel('Pickup code').fill(wrongCodeFor(code));
    await dialog(page).getByRole('button', { name: 'Hand over' }).click();
    await dialog(page)
      .getByText(new RegExp(`\\b${left}\\b`))
      .first()
      .waitFor();
  }
  await dialog(page).getByRole('button', { name: 'Hand over' }).click();
  await page.getByRole('alert').getByText('locked after five wrong attempts').waitFor();
  await page.keyboard.press('Escape');
  await confirm(page, 'New pickup code', /code before is void/);
  await page.getByText('5 attempts left').waitFor();
  await button(page, 'Hand over').click();
  await dialog(page).getByLabel('Pickup code').fill(code);
  await dialog(page).getByRole('button', { name: 'Hand over' }).click();
  await dialog(page).getByText(/\b4\b/).first().waitFor();
});

test('a cancellation is agreed to if no gold was set aside, and refunded by two', async () => {
  const { id } = await s.given.redemption('cancellation_requested');
  const page = await s.signedIn(s.operators.by.fulfilment, `/redemptions/${id}`);
  await button(page, 'Agree to cancel').click();
  const agree = dialog(page).getByRole('button', { name: 'Agree to cancel' });
  expect(await agree.isDisabled()).toBe(true);
  await dialog(page).getByLabel('No gold has been set aside for it').check();
  await agree.click();
  await confirm(page, 'Refund tokens', /go back to the wallet/);
  await page.getByText(/^Return .* to the wallet that paid/).waitFor();
  const deciding = await s.signedIn(s.operators.by.admin, '/approvals');
  await approve(deciding, id.slice(0, 16));
  await page.getByText('Refund: 0.380625 GOLD, confirmed').waitFor();
  const { body } = await s.operators.by.viewer.client.get(`/operator/v1/redemptions/${id}`);
  expect(body.refund_tx_hash).toEqual(expect.any(String));
});

test('script in any free text is shown as text, wherever it is shown', async () => {
  const script = `<img src=x onerror="window.pwned=1"><svg onload="window.pwned=1">`;
  const { client } = s.operators.by.admin;
  const post = async (path: string, body: object) => {
    const made = await client.post(`/operator/v1${path}`, body);
    expect([path, made.status]).toEqual([path, expect.toSatisfy((status: number) => status < 300)]);
    return made.body;
  };
  const partner = await post('/partners', { name: script, fee_percentage: 0 });
  const wallet_address = newWallet().address;
  const kyc = {
    country: 'PK',
    full_name: script,
    kyc_provider: script,
    kyc_level: 'full',
    kyc_verified_at: '2026-01-01T00:00:00Z',
    kyc_data: { id_type: 'cnic', note: script },
  };
  const user = await s.h.partner.post('/v1/users', { user_id: script, wallet_address, kyc });
  expect(user.status).toBe(201);
  await s.given.bars(1, { serial: 'S-1', refiner: script, weightG: '11.6638038' });
  await post('/operators', {
    name: script,
    email: 'x@karat.test',
    role: 'viewer',
    password: 'a long enough password',
  });
  const hook = { url: 'http://127.0.0.1:1024/script', description: script };
  const { body: endpoint, status } = await s.h.partner.post('/v1/webhook-endpoints', hook);
  expect(status).toBe(201);
  const { id } = await s.given.redemption('submitted');
  await s.h.partner.post(`/v1/redemptions/${id}/cancel`, { reason: script });
  await post(`/partners/${partner.partner_id}/suspend`, { reason: script });

  const page = await s.signedIn(s.operators.by.admin, '/');
  await heading(page, 'Today');
  for (const path of [
    `/partners/${partner.partner_id}`,
    '/partners',
    `/users/${user.body.service_user_id}`,
    '/users',
    '/stock?tab=bars',
    '/operators',
    `/webhooks/${endpoint.endpoint_id}`,
    `/redemptions/${id}`,
    `/audit?object_id=${partner.partner_id}`,
  ]) {
    await page.goto(s.url + path);
    if (path.startsWith('/users/')) await button(page, 'Show identity').click();
    if (path.startsWith('/audit')) await page.locator('summary').first().click();
    await page
      .getByText(script)
      .first()
      .waitFor()
      .catch(() => expect.fail(`${path} does not show it`));
    expect(await page.evaluate('window.pwned'), path).toBeUndefined();
  }
});

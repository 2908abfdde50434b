import type { Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { addBars, sortBars } from '../../service/src/actions/bars/add-bars.js';
import { inChange } from '../../service/src/actions/change.js';
import { insertDenomination } from '../../service/src/db/catalogue/denominations.js';
import { appendEvents } from '../../service/src/db/events/events.js';
import { commandLine } from '../../service/src/domain/audit.js';
import { newId } from '../../service/src/domain/ids.js';
import { buildOperatorApp } from '../../service/src/http/operator/app.js';
import { type FollowedChanges, followChanges } from '../../service/test/event-stream.js';
import { newWallet } from '../../service/test/harness.js';
import { eventually } from '../../service/test/karat-chain.js';
import { send } from '../../service/test/operators.js';
import { pickupCodeOf, wrongCodeFor } from '../../service/test/redeeming.js';
import { firstLoadBytes } from './first-load.js';
import { button, dialog, expectAccessible, heading, type Stage, signIn, useStage } from './stage.js';

let s: Stage;
useStage((stage) => {
  s = stage;
});
afterEach(() => expect(s.takeComplaints()).toEqual([]));

/** Presses a move, and confirms it in the dialog that says what will happen. */
async function move(page: Page, name: string, says: RegExp): Promise<void> {
  await button(page, name).click();
  await dialog(page).getByText(says).waitFor();
  await dialog(page).getByRole('button', { name, exact: true }).click();
  await dialog(page).waitFor({ state: 'detached' });
}

describe('signing in', () => {
  test('a wrong password is reported, and the right one leads to the requested page', async () => {
    const page = await s.open();
    await page.goto(`${s.url}/redemptions?status=ready`);
    await signIn(page, s.operators.by.admin.email, 'wrong horse');
    await page.getByRole('alert').getByText('Email or password is wrong').waitFor();
    expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe('');
    await expectAccessible(page);
    await signIn(page, s.operators.by.admin.email, s.operators.by.admin.password);
    await heading(page, 'Redemptions');
    expect(page.url()).toBe(`${s.url}/redemptions?status=ready`);
  });

  test('signing in is not undone by a late refusal of what was read before', async () => {
    const page = await s.open();
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let reads = 0;
    await page.route('**/operator/v1/me', async (route) => {
      reads += 1;
      // The first one leads to the page for signing in, the second one checks whether a session has ended.
      if (reads !== 2) return route.continue();
      await released;
      await route.fulfill({ status: 401, json: {} });
    });
    await page.goto(s.url);
    await signIn(page, s.operators.by.admin.email, s.operators.by.admin.password);
    await heading(page, 'Today');
    const checked = page.waitForResponse((one) => one.url().endsWith('/me') && one.ok());
    release();
    await checked;
    await heading(page, 'Today');
  });

  test('an address of another site in next is not followed', async () => {
    const page = await s.open();
    await page.goto(`${s.url}/sign-in?next=${encodeURIComponent('//evil.example/x')}`);
    await signIn(page, s.operators.by.admin.email, s.operators.by.admin.password);
    await heading(page, 'Today');
    expect(new URL(page.url()).origin).toBe(s.url);
  });

  test('a session that ends leads back to the last page', async () => {
    const { id } = await s.given.redemption('ready');
    const page = await s.signedIn(s.operators.by.viewer, `/redemptions/${id}`);
    await heading(page, /Karachi/);
    await s.h.ctx.sql`delete from sessions where person_id = ${s.operators.by.viewer.operatorId}`;
    await page.getByText('Your session ended').waitFor();
    await signIn(page, s.operators.by.viewer.email, s.operators.by.viewer.password);
    await heading(page, /Karachi/);
    expect(page.url()).toBe(`${s.url}/redemptions/${id}`);
  });
});

test('a page that could not be opened is opened by Try again', async () => {
  const page = await s.signedIn(s.operators.by.viewer, '/partners');
  await heading(page, 'Partners');
  await page.route('**/operator/v1/me', (route) => route.fulfill({ status: 429, json: {} }));
  await page.reload();
  await page.getByText('This could not be loaded').waitFor();
  await page.unroute('**/operator/v1/me');
  await button(page, 'Try again').click();
  await heading(page, 'Partners');
  // React logs the error that the page shows.
  expect(s.takeComplaints().filter((one) => !one.includes('HTTP 429'))).toEqual([]);
});

test('signing out that fails leaves the page as it is, and reports it', async () => {
  const operator = await s.operators.givenOperator('viewer');
  const page = await s.signedIn(operator);
  await heading(page, 'Today');
  const sessions = async () =>
    (
      await s.h.ctx.sql`
        select from sessions where person_id = ${operator.operatorId} and ended_at is null`
    ).length;
  await page.context().setOffline(true);
  await button(page, 'Sign out').click();
  await page.getByText('You may still be signed in').waitFor();
  expect(new URL(page.url()).pathname).toBe('/');
  expect(await sessions()).toBe(1);
  await page.context().setOffline(false);
  await button(page, 'Sign out').click();
  await heading(page, 'Sign in');
  expect(await sessions()).toBe(0);
  expect(s.takeComplaints().filter((one) => !one.includes('ERR_INTERNET_DISCONNECTED'))).toEqual([]);
});

/** A tola bar of a refiner, as the database has it. */
const tolaBar = { refiner: 'PAMP', weightG: '11.6638038' };

describe('redemptions', () => {
  /** A redemption whose bar went back into stock, and out of it, in a city that has no other. */
  async function withoutBar(status: 'preparing' | 'ready', city: string) {
    const { id } = await s.given.redemption(status);
    const { sql } = s.h.ctx;
    const { bar } = (await s.operators.by.viewer.client.get(`/operator/v1/redemptions/${id}`)).body;
    await sql`update bars set status = 'in_stock', redemption_id = null where id = ${bar.bar_id}`;
    await sql`update redemptions set city = ${city}, city_key = ${city.toLowerCase()} where id = ${id}`;
    return { id, barId: bar.bar_id as string };
  }

  describe('one redemption goes from submitted to collected', () => {
    let page: Page;
    let id: string;
    let serial: string;
    beforeAll(async () => {
      ({ id } = await s.given.redemption('submitted'));
      serial = `BAR-${id.slice(-8)}`;
      await s.given.bars(1, { ...tolaBar, serial });
      page = await s.signedIn(s.operators.by.fulfilment, '/redemptions');
    });
    afterAll(() => page.context().close());

    test('a redemption is collected with a bar, and only by the moves that are possible', async () => {
      await page.getByRole('link', { name: `${id.slice(0, 8)}…${id.slice(-4)}` }).click();
      await heading(page, /Karachi/);
      await page.getByText('Secret Person').waitFor();
      expect(await button(page, 'Hand over').count()).toBe(0);
      await button(page, 'Start preparing').click();
      await dialog(page).getByLabel('Bar').fill(serial);
      await page.getByRole('option', { name: `${serial}, PAMP` }).click();
      await dialog(page).getByRole('button', { name: 'Start preparing' }).click();
      await page.getByText(serial).first().waitFor();
      await move(page, 'Gold is ready', /can be picked up in Karachi/);
    });

    test('a redemption is collected by the code that the customer shows, typed or scanned', async () => {
      await button(page, 'Hand over').click();
      const confirm = dialog(page).getByRole('button', { name: 'Hand over' });
      expect(await confirm.isDisabled()).toBe(true);
      const code = await pickupCodeOf(s.h, id);
      await dialog(page).getByLabel('Pickup code').fill(wrongCodeFor(code));
      await confirm.click();
      await dialog(page).getByText('This is not the pickup code: 4').first().waitFor();
      await dialog(page).getByLabel('Pickup code').pressSequentially(`karat:pickup:${id}:${code}`);
      expect(await dialog(page).getByLabel('Pickup code').inputValue()).toBe(code);
      await dialog(page)
        .getByText(/cannot be undone/)
        .waitFor();
      const notice = page.getByRole('alert').filter({ hasText: 'It has been handed over.' });
      // Which keeps it there.
      await Promise.all([notice.hover(), confirm.click()]);
      await dialog(page).waitFor({ state: 'detached' });
      const [shown, link] = await Promise.all(
        [notice, page.getByRole('link', { name: 'Receipt and label' })].map((one) => one.boundingBox()),
      );
      if (!shown || !link) throw new Error('the notice or the link is not there');
      expect(shown.y, 'a notice covers what is pressed next').toBeGreaterThan(link.y + link.height);
      await page.mouse.move(0, 0);
      await page.getByText('Collected', { exact: true }).first().waitFor();
      expect((await s.operators.by.viewer.client.get(`/operator/v1/redemptions/${id}`)).body).toMatchObject({
        status: 'collected',
        bar: { serial, status: 'handed_over' },
      });
    });

    test('a collected redemption has a receipt', async () => {
      await page.getByRole('link', { name: 'Receipt and label' }).click();
      await page.getByRole('heading', { name: 'Receipt of gold' }).waitFor();
      await page.getByRole('img', { name: id }).waitFor();
      await expectAccessible(page);
      await page.getByRole('link', { name: 'Redemptions' }).last().click();
    });

    test('a collected redemption has its burn announced by two people', async () => {
      await move(page, 'Announce burn', /0.380625 GOLD are destroyed once the burn delay/);
      await page.getByText('Waits for a second person').first().waitFor();
      await page.getByRole('link', { name: 'See the approval' }).waitFor();
    });
  });

  test('ready: the dialog offers a bar that fits, and names what is missing where there is none', async () => {
    const place = { city: 'Quetta', denominationId: 'pk_tola_1' };
    const { id, barId } = await withoutBar('preparing', 'Quetta');
    const page = await s.signedIn(s.operators.by.fulfilment, `/redemptions/${id}`);
    await button(page, 'Gold is ready').click();
    const confirm = dialog(page).getByRole('button', { name: 'Gold is ready' });
    await dialog(page).getByText('A 1 tola bar in Quetta is missing').waitFor();
    expect(await confirm.isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    await s.given.bars(1, { ...tolaBar, ...place, serial: 'FITS-1' });
    await button(page, 'Gold is ready').click();
    await dialog(page).getByText('is missing').waitFor({ state: 'detached' });
    expect(await dialog(page).getByLabel('Bar').inputValue()).toBe('FITS-1, PAMP');
    await confirm.click();
    await dialog(page).waitFor({ state: 'detached' });
    const { bar } = (await s.operators.by.viewer.client.get(`/operator/v1/redemptions/${id}`)).body;
    expect(bar).toMatchObject({ serial: 'FITS-1', status: 'reserved' });
    expect(bar.bar_id).not.toBe(barId);
  });

  test('hand over: the dialog requires a bar before the code, and stays open where another took it', async () => {
    const { id } = await withoutBar('ready', 'Multan');
    await s.given.bars(1, { ...tolaBar, city: 'Multan', serial: 'TAKEN-1' });
    const page = await s.signedIn(s.operators.by.fulfilment, `/redemptions/${id}`);
    await button(page, 'Hand over').click();
    await dialog(page).getByText('eight digits of the pickup code are missing').waitFor();
    expect(await dialog(page).getByLabel('Bar').inputValue()).toBe('TAKEN-1, PAMP');
    await dialog(page)
      .getByLabel('Pickup code')
      .fill(wrongCodeFor(await pickupCodeOf(s.h, id)));
    await s.h.ctx.sql`update bars set status = 'withdrawn', reason = 'melted' where serial = 'TAKEN-1'`;
    await dialog(page).getByRole('button', { name: 'Hand over' }).click();
    await dialog(page).getByText('The bar TAKEN-1 is withdrawn.').first().waitFor();
    const { pickup } = (await s.operators.by.fulfilment.client.get(`/operator/v1/redemptions/${id}`)).body;
    expect(pickup.attempts_left).toBe(5);
  });

  test('the bar that the dialog names is the one that is handed over, also if it was put back meanwhile', async () => {
    const { id } = await s.given.redemption('ready');
    const { client } = s.operators.by.admin;
    const { bar } = (await client.get(`/operator/v1/redemptions/${id}`)).body;
    const { serial, bar_id: barId } = bar;
    const page = await s.signedIn(s.operators.by.fulfilment, `/redemptions/${id}`);
    await button(page, 'Hand over').click();
    await dialog(page).getByText(serial).waitFor();
    // The clerk's page has not heard of it when the button is pressed.
    const shown = await client.get(`/operator/v1/redemptions/${id}`);
    await page.route(`**/operator/v1/redemptions/${id}`, (route) => route.fulfill({ json: shown.body }));
    const putBack = { status: 'in_stock' };
    expect((await send(client, 'PATCH', `/bars/${barId}`, putBack)).status).toBe(200);
    await dialog(page)
      .getByLabel('Pickup code')
      .fill(await pickupCodeOf(s.h, id));
    await dialog(page).getByRole('button', { name: 'Hand over' }).click();
    await dialog(page).waitFor({ state: 'detached' });
    expect((await client.get(`/operator/v1/redemptions/${id}`)).body).toMatchObject({
      status: 'collected',
      bar: { serial, status: 'handed_over' },
    });
  });

  test('exactly one of two tabs succeeds, and the other shows the new status', async () => {
    const { id } = await s.given.redemption('submitted');
    const [one, other] = await Promise.all([
      s.signedIn(s.operators.by.fulfilment, `/redemptions/${id}`),
      s.signedIn(s.operators.by.admin, `/redemptions/${id}`),
    ]);
    await button(other, 'Start preparing').click();
    await dialog(other).waitFor();
    await move(one, 'Start preparing', /can no longer cancel/);
    await dialog(other).getByRole('button', { name: 'Start preparing' }).click();
    await other.getByText('Someone else changed this first').waitFor();
    await button(other, 'Gold is ready').waitFor();
  });

  test('a viewer sees no move', async () => {
    const { id } = await s.given.redemption('submitted');
    const page = await s.signedIn(s.operators.by.viewer, `/redemptions/${id}`);
    await heading(page, /Karachi/);
    await page.getByRole('heading', { name: 'What next' }).waitFor();
    expect(await button(page, 'Start preparing').count()).toBe(0);
  });

  test('script in a note is shown as text', async () => {
    const { id } = await s.given.redemption('submitted');
    const script = '<img src=x onerror="document.title=1"><script>document.title=1</script>';
    const page = await s.signedIn(s.operators.by.fulfilment, `/redemptions/${id}`);
    await button(page, 'Start preparing').click();
    await dialog(page).getByLabel('Note').fill(script);
    await dialog(page).getByRole('button', { name: 'Start preparing' }).click();
    await page.getByText(script, { exact: true }).waitFor();
    expect(await page.title()).not.toBe('1');
  });
});

test('an audit log that could not be verified is not reported as a change that failed', async () => {
  const page = await s.signedIn(s.operators.by.viewer, '/audit');
  await heading(page, 'Audit log');
  await page.context().setOffline(true);
  await button(page, 'Verify the log').click();
  await page.getByRole('alert').getByText('The service does not respond.').waitFor();
  expect(await page.getByText(/Not done|Not confirmed/).count()).toBe(0);
  await page.context().setOffline(false);
  await button(page, 'Verify the log').click();
  await page.getByText(/entries are intact/).waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  expect(s.takeComplaints().filter((one) => !one.includes('ERR_INTERNET_DISCONNECTED'))).toEqual([]);
});

describe('a change that the service made, but whose response got lost', () => {
  /** Has the service make the changes of a path, and something else arrive than its response. */
  const loseResponses = (page: Page, path: string, instead: (route: Route) => Promise<void>) =>
    page.route(`**/operator/v1/${path}`, async (route) => {
      if (route.request().method() === 'GET') return route.continue();
      await route.fetch();
      await instead(route);
    });
  const mayBeDone = /may or may not have been made/;
  const inProgress = {
    error: 'idempotency_conflict',
    message: 'A request with this Idempotency-Key is still in progress.',
  };
  const outage = { error: 'service_unavailable', message: 'It may land within the next two minutes.' };
  const expectOnly = (complaint: RegExp) =>
    expect(s.takeComplaints().filter((one) => !complaint.test(one))).toEqual([]);

  test.each<[string, RegExp, (route: Route) => Promise<void>]>([
    ['nothing arrives', mayBeDone, (route) => route.abort('connectionreset')],
    ['it is said to be in progress', mayBeDone, (route) => route.fulfill({ status: 409, json: inProgress })],
    ['the service fails', /It may land/, (route) => route.fulfill({ status: 503, json: outage })],
  ])('a move whose response got lost is not reported as not done: %s', async (_name, says, instead) => {
    const { id } = await s.given.redemption('submitted');
    const page = await s.signedIn(s.operators.by.fulfilment, `/redemptions/${id}`);
    await loseResponses(page, `redemptions/${id}/*`, instead);
    await button(page, 'Start preparing').click();
    await dialog(page).getByRole('button', { name: 'Start preparing' }).click();
    const notice = page.getByRole('alert').filter({ hasText: says });
    await notice.getByText('Not confirmed').waitFor();
    await page.getByText('Preparing', { exact: true }).first().waitFor();
    expectOnly(/ERR_CONNECTION_RESET|status of 503/);
  });

  test('a change whose response got lost is not reported as not done in the dialog of a form', async () => {
    const page = await s.signedIn(s.operators.by.admin, '/partners');
    await loseResponses(page, 'partners', (route) =>
      route.fulfill({ status: 504, contentType: 'text/html', body: '<h1>504 Gateway Time-out</h1>' }),
    );
    await button(page, 'Add a partner').click();
    await dialog(page).getByLabel('Name').fill('Lost and found');
    await button(page, 'Add partner').click();
    await dialog(page).getByRole('alert').getByText(mayBeDone).waitFor();
    await page.getByRole('link', { name: 'Lost and found' }).waitFor();
    expectOnly(/status of 504/);
  });
});

test('a refund takes two people, and neither can do the part of the other', async () => {
  const { id } = await s.given.redemption('cancelled');
  const asking = await s.signedIn(s.operators.by.fulfilment, `/redemptions/${id}`);
  await move(asking, 'Refund tokens', /go back to the wallet/);
  await asking.getByRole('link', { name: 'See the approval' }).click();
  const own = asking.getByRole('article').filter({ hasText: id.slice(0, 16) });
  await own.getByText('You asked for this').waitFor();
  expect(await own.getByRole('button', { name: 'Approve' }).count()).toBe(0);
  const deciding = await s.signedIn(s.operators.by.admin, '/approvals');
  const card = deciding.getByRole('article').filter({ hasText: id.slice(0, 16) });
  await card.getByText('0.380625').waitFor();
  await card.getByRole('button', { name: 'Approve' }).click();
  await dialog(deciding)
    .getByText(/carried out immediately/)
    .waitFor();
  await dialog(deciding).getByRole('button', { name: 'Approve' }).click();
  await deciding.getByText('Approved and carried out.').waitFor();
  await asking.goto(`${s.url}/redemptions/${id}`);
  await asking.getByText('Refund: 0.380625 GOLD, confirmed').waitFor();
  const { body } = await s.operators.by.viewer.client.get(`/operator/v1/redemptions/${id}`);
  expect(body.refund_tx_hash).toEqual(expect.any(String));
});

describe('stock', () => {
  test('bars are imported from CSV, and wrong lines have a reason', async () => {
    const page = await s.signedIn(s.operators.by.fulfilment, '/stock/import');
    await heading(page, 'Import bars');
    const serial = `PK-${Date.now()}`;
    await s.given.bars(1, { ...tolaBar, serial: `${serial}-OLD` });
    await page
      .getByLabel('CSV')
      .fill(
        [
          'serial,refiner,fineness,weight_g,denomination_id,city',
          `${serial},PAMP,999.9,11.6638038,pk_tola_1,Karachi`,
          `${serial},PAMP,999.9,11.6638038,pk_tola_1,Karachi`,
          'X-1,"PAMP, Suisse",999.9,11.6638038,pk_tola_1,Lahore',
          'X-2,PAMP,999.9,much,pk_tola_1,Karachi',
          `${serial}-old,PAMP,999.9,11.6638038,pk_tola_1,Karachi`,
        ].join('\n'),
      );
    await page.getByText('1 can be imported, 4 cannot.').waitFor();
    for (const why of [
      /stand above/,
      /picked up in Karachi/,
      /Weight is not a number/,
      /-old of PAMP is already there/,
    ])
      await page.getByText(why).waitFor();
    await button(page, 'Import 1 bars').click();
    await page.getByRole('status').getByText('1 bars wait for a second operator').waitFor();
    await page.getByText(serial, { exact: true }).waitFor();
    const manager = await s.signedIn(s.operators.by.admin, '/approvals');
    const card = manager.getByRole('article').filter({ hasText: serial });
    await card.getByRole('button', { name: 'Approve' }).click();
    await dialog(manager).getByRole('button', { name: 'Approve' }).click();
    await manager.getByText('Approved and carried out.').waitFor();
    await page.goto(`${s.url}/stock?tab=bars&serial=${serial}`);
    await page.getByRole('cell', { name: serial }).waitFor();
  });
});

test('bars and denominations are listed however many came after them', async () => {
  const { client } = s.operators.by.admin;
  const old = {
    id: 'pk_quetta',
    label: 'Old bar',
    weightG: '5',
    country: 'PK',
    city: 'Quetta',
    active: true,
  };
  const newer = Array.from({ length: 101 }, (_, i) => ({ ...old, id: `pk_newer_${i}`, label: `Bar ${i}` }));
  await s.h.ctx.db.transaction(async (tx) => {
    for (const [i, one] of [old, ...newer].entries())
      await insertDenomination(tx, one, new Date(s.h.clock.now() + i));
  });
  await s.given.bars(1, { ...tolaBar, serial: 'OLDEST-1' });
  await s.given.bars(120, tolaBar);

  const page = await s.signedIn(s.operators.by.fulfilment, '/stock/import');
  const line = 'Q-1,PAMP,999.9,5,pk_quetta,Quetta';
  await page.getByLabel('CSV').fill(`serial,refiner,fineness,weight_g,denomination_id,city\n${line}`);
  await page.getByText('1 can be imported, 0 cannot.').waitFor();

  const { id } = await s.given.redemption('submitted');
  await page.goto(`${s.url}/redemptions/${id}`);
  await button(page, 'Start preparing').click();
  await dialog(page).getByLabel('Bar').fill('oldest');
  await page.getByRole('option', { name: 'OLDEST-1, PAMP' }).click();
  expect(await dialog(page).getByLabel('Bar').inputValue()).toBe('OLDEST-1, PAMP');
  await dialog(page).getByRole('button', { name: 'Start preparing' }).click();
  await dialog(page).waitFor({ state: 'detached' });
  expect((await client.get(`/operator/v1/redemptions/${id}`)).body.bar).toMatchObject({ serial: 'OLDEST-1' });
});

test('a country is closed once by a double click', async () => {
  const page = await s.signedIn(s.operators.by.admin, '/catalogue?tab=countries');
  const row = page.getByRole('row').filter({ hasText: 'Pakistan' });
  const sent: string[] = [];
  page.on('request', (request) => sent.push(`${request.method()} ${new URL(request.url()).pathname}`));
  await row.getByRole('button', { name: 'Close registration' }).dblclick({ delay: 200 });
  await row.getByRole('button', { name: 'Open registration' }).waitFor();
  expect(sent.filter((one) => one.startsWith('PUT'))).toEqual(['PUT /operator/v1/countries/PK']);
  await row.getByRole('button', { name: 'Open registration' }).click();
  await row.getByRole('button', { name: 'Close registration' }).waitFor();
});

test('a refusal by the API stands next to the field that it is about', async () => {
  const page = await s.signedIn(s.operators.by.admin, '/partners');
  await button(page, 'Add a partner').click();
  await dialog(page).getByLabel('Name').fill('Initech');
  await dialog(page).getByLabel('Redemption fee').fill('60');
  await button(page, 'Add partner').click();
  await dialog(page)
    .getByText(/fee_percentage/)
    .waitFor();
});

test('identity data is read when it is requested, and once however much happens meanwhile', async () => {
  const user = await s.h.givenUser(s.partner.partnerId);
  const reads = async () =>
    (await s.operators.by.viewer.client.get(`/operator/v1/audit?object_id=${user.id}`)).body.entries.length;
  const page = await s.signedIn(s.operators.by.compliance, `/users/${user.id}`);
  await heading(page, user.partnerUserId);
  await button(page, 'Show identity').waitFor();
  expect(await page.getByText('Secret Person').count()).toBe(0);
  expect(await reads()).toBe(0);
  await button(page, 'Show identity').click();
  await page.getByText('Secret Person').waitFor();
  expect(await reads()).toBe(1);
  const watched = await s.signedIn(s.operators.by.viewer, '/audit');
  await heading(watched, 'Audit log');
  await watched.getByText('Sign in', { exact: true }).first().waitFor();
  expect(await reads()).toBe(1);
  const viewer = await s.signedIn(s.operators.by.viewer, `/users/${user.id}`);
  await viewer.getByText('Your role does not see identity data.').waitFor();
});

describe('a page that follows what changes', () => {
  let open: FollowedChanges;
  // While a stream is open that names changes, one that is opened gets `anything` once. Where none is, a second one follows.
  beforeAll(async () => {
    const headers = { authorization: `Bearer ${s.operators.by.viewer.token}` };
    open = await followChanges(s.url, headers, '/operator/v1/stream');
    const event = { type: 'trade.confirmed', requestId: null, objectType: 'trade', object: {} } as const;
    await eventually(async () => {
      const events = [{ ...event, partnerId: s.partner.partnerId, objectId: newId('trd') }];
      await s.h.ctx.db.transaction((tx) => appendEvents(tx, events, new Date()));
      if (!open.changes.some((change) => change.startsWith('trade '))) throw new Error('no trade is named');
    }, 20_000);
  });
  afterAll(() => open.close());

  /** Signs in to a page whose clock can be moved, and which keeps what its stream of changes said. */
  async function follow(path: string) {
    const page = await s.open();
    await page.clock.install();
    const heard: string[] = [];
    await page.exposeFunction('hear', (data: string) => void heard.push(data));
    await page.addInitScript(`
      window.EventSource = class extends EventSource {
        constructor(url) {
          super(url);
          this.addEventListener('message', ({ data }) => window.hear(data));
        }
      };`);
    await page.goto(s.url + path);
    await signIn(page, s.operators.by.fulfilment.email, s.operators.by.fulfilment.password);
    const hears = (word: string) =>
      eventually(() => {
        if (!heard.some((data) => data.includes(word))) throw new Error(`${word} was not heard`);
      });
    await hears('anything');
    const reads: string[] = [];
    page.on('request', (request) => {
      // Not the code of the page of a row that appears below the mouse.
      const [, read] = new URL(request.url()).pathname.split('/operator/v1');
      if (read !== undefined) reads.push(read);
    });
    /** All reads so far: what the page had begun is known before the response to a later request. */
    const readsSoFar = async () => {
      await page.evaluate(`fetch('/operator/v1/nothing')`);
      return reads.splice(0).filter((one) => one !== '/nothing');
    };
    return { page, hears, readsSoFar };
  }

  /** Enters a bar as `karat` does, which streams report. */
  async function addBar(): Promise<{ serial: string; barId: string }> {
    const serial = `L-${newWallet().address.slice(0, 12)}`;
    const place = { denominationId: 'pk_tola_1', city: 'Karachi' };
    const bar = { serial, refiner: 'PAMP', fineness: 999.9, weightG: 11.6638038, ...place };
    const { taken } = await inChange(s.h.ctx, commandLine, async (change) =>
      addBars(change, await sortBars(change.tx, [bar])),
    );
    return { serial, barId: taken[0]?.id ?? '' };
  }

  test('a page reads nothing while it is not used, and all of it once it is used again', async () => {
    const { page, hears, readsSoFar } = await follow('/stock?tab=bars');
    await heading(page, 'Bars and stock');
    const polled = page.waitForResponse(/v1\/bars/);
    await page.clock.fastForward('11:00');
    await polled;
    await page.getByText('Updates are paused while you are away').waitFor();
    await readsSoFar();
    const { serial, barId } = await addBar();
    await hears(barId);
    await page.clock.fastForward('00:05');
    expect(await readsSoFar()).toEqual([]);
    await page.mouse.move(200, 200);
    await page.getByRole('cell', { name: serial }).waitFor();
    await page.getByText('Updates are paused while you are away').waitFor({ state: 'detached' });
  });

  test('a page reads only what shows the kind of what has changed', async () => {
    const { page, hears, readsSoFar } = await follow('/users');
    const user = await s.h.givenUser(s.partner.partnerId);
    await heading(page, 'Customers');
    await page.clock.fastForward('00:03');
    await readsSoFar();
    const { barId } = await addBar();
    await hears(barId);
    await page.clock.fastForward('00:03');
    expect(await readsSoFar()).toEqual([]);
    const { client } = s.operators.by.compliance;
    const level = { kyc_level: 'lapsed', reason: 'a test' };
    expect((await client.post(`/operator/v1/users/${user.id}/kyc-level`, level)).status).toBe(200);
    await hears(user.id);
    await page.clock.fastForward('00:03');
    expect(await readsSoFar()).toEqual(['/users']);
  });
});

/** Opens the page of a thing by its id, as a person does who has it at hand: the console is not loaded again. */
async function search(page: Page, id: string): Promise<void> {
  await page.keyboard.press('/');
  await page.getByLabel('Search customers, bars, redemptions, pages').fill(id);
  await page
    .getByText(`Open redemption ${id}`)
    .or(page.getByText(`Open partner ${id}`))
    .waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/${id}`);
}

describe('the page of one thing keeps nothing of another one', () => {
  test('a revealed document is shown for its redemption alone', async () => {
    const [one, other] = [await s.given.redemption('ready'), await s.given.redemption('ready')];
    const page = await s.signedIn(s.operators.by.admin, `/redemptions/${other.id}`);
    const at = (id: string) => page.getByRole('button', { name: `Copy ${id}` }).waitFor();
    await at(other.id);
    await search(page, one.id);
    await at(one.id);
    await button(page, 'Reveal document').click();
    await dialog(page).getByLabel('Reason').fill('At the counter');
    await dialog(page).getByRole('button', { name: 'Reveal document' }).click();
    await dialog(page).waitFor({ state: 'detached' });
    await button(page, 'Reveal document').waitFor({ state: 'detached' });
    await search(page, other.id);
    await at(other.id);
    await button(page, 'Reveal document').waitFor();
    await page.goBack();
    await at(one.id);
    await button(page, 'Reveal document').waitFor();
  });

  test('a move that was begun for one redemption is not made for another', async () => {
    const [one, other] = [await s.given.redemption('submitted'), await s.given.redemption('submitted')];
    const page = await s.signedIn(s.operators.by.fulfilment, `/redemptions/${other.id}`);
    await button(page, 'Start preparing').waitFor();
    await search(page, one.id);
    await button(page, 'Start preparing').click();
    await dialog(page).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: `Copy ${other.id}` }).waitFor();
    expect(await dialog(page).count()).toBe(0);
  });
});

test('keyboard shortcuts lead to every page', async () => {
  const { id } = await s.given.redemption('ready');
  const page = await s.signedIn(s.operators.by.viewer);
  await heading(page, 'Today');
  await page.keyboard.press('?');
  await dialog(page).getByText('Show this list').waitFor();
  await page.keyboard.press('Escape');
  await dialog(page).waitFor({ state: 'detached' });
  // The second key is of the first one for a second and a half, which the test may take to press it.
  await page.clock.setFixedTime(Date.now());
  await page.keyboard.press('g');
  await page.keyboard.press('a');
  await heading(page, 'Approvals');
  await page.keyboard.press('/');
  await page.getByLabel('Search customers, bars, redemptions, pages').fill(id);
  await page.getByText(`Open redemption ${id}`).waitFor();
  await page.keyboard.press('Enter');
  await heading(page, /Karachi/);
});

describe('every page', () => {
  const pages: [path: string, heading: string][] = [
    ['/', 'Today'],
    ['/redemptions', 'Redemptions'],
    ['/redemptions?view=board', 'Redemptions'],
    ['/approvals', 'Approvals'],
    ['/stock', 'Bars and stock'],
    ['/stock?tab=bars', 'Bars and stock'],
    ['/stock/import', 'Import bars'],
    ['/partners', 'Partners'],
    ['/users', 'Customers'],
    ['/webhooks', 'Webhooks'],
    ['/trades', 'Trades'],
    ['/orders', 'Orders'],
    ['/treasury', 'Treasury'],
    ['/settings', 'Program settings'],
    ['/catalogue', 'Catalogue'],
    ['/catalogue?tab=countries', 'Catalogue'],
    ['/dead-letters', 'Dead letters'],
    ['/audit', 'Audit log'],
    ['/operators', 'Operators'],
    ['/account', 'My account'],
    ['/counter', 'Where is this counter?'],
    ['/nowhere', 'There is no such page'],
  ];
  // Made once for both widths: the addresses are known only then.
  const made = { redemption: '', user: '', userTitle: '', webhook: '' };
  beforeAll(async () => {
    made.redemption = (await s.given.redemption('preparing')).id;
    const user = await s.h.givenUser(s.partner.partnerId);
    made.user = user.id;
    made.userTitle = user.partnerUserId;
    const { body } = await s.h.partner.post('/v1/webhook-endpoints', { url: 'http://127.0.0.1:1024/' });
    made.webhook = body.endpoint_id;
  });
  const details: [path: string, of: () => [path: string, heading: string | RegExp]][] = [
    ['/redemptions/:id', () => [`/redemptions/${made.redemption}`, /Karachi/]],
    ['/partners/:id', () => [`/partners/${s.partner.partnerId}`, 'Acme Gold']],
    ['/users/:id', () => [`/users/${made.user}`, made.userTitle]],
    ['/webhooks/:id', () => [`/webhooks/${made.webhook}`, '127.0.0.1:1']],
  ];
  describe.each([
    ['light', 1280],
    ['dark', 390],
  ] as const)('%s, %i pixels wide', (colorScheme, width) => {
    let page: Page;
    let before: string | RegExp = 'Today';
    beforeAll(async () => {
      const options = { colorScheme, viewport: { width, height: 800 } };
      page = await s.signedIn(s.operators.by.admin, '/', options);
      await heading(page, before);
    });
    afterAll(() => page.context().close());

    test.each([
      ...pages.map(([path, title]) => [path, () => [path, title]] as [string, () => [string, string]]),
      ...details,
    ])('the page %s is accessible and fits', async (_path, of) => {
      const [path, title] = of();
      // As a link does, which spares loading the console again; pages of one title could be taken for each other.
      if (title === before) await page.goto(s.url + path);
      else await page.evaluate(`history.pushState({}, '', ${JSON.stringify(path)})`);
      before = title;
      await heading(page, title);
      await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), path).toBe(true);
      await expectAccessible(page);
    });
  });
});

test('the first load is less than 300 kB compressed', () => {
  expect(firstLoadBytes('dist', ['index.html', 'src/pages/today.tsx'])).toBeLessThan(300_000);
});

describe('the operator port', () => {
  const browserAccepts = { accept: 'text/html,application/xhtml+xml' };

  test('the operator port serves the page at every address that a browser opens, with a policy of its own', async () => {
    const one = await s.app.inject({ url: '/redemptions/red_1', headers: browserAccepts });
    const two = await s.app.inject({ url: '/', headers: browserAccepts });
    const nonces = [one, two].map(
      ({ headers }) => /'nonce-([^']+)'/.exec(String(headers['content-security-policy']))?.[1],
    );
    expect(new Set(nonces).size).toBe(2);
    expect(one.body).toContain(`nonce="${nonces[0]}"`);
    expect(String(one.headers['content-security-policy'])).not.toContain('unsafe');
    expect(one.headers['cache-control']).toBe('no-store');
  });

  test('the operator port keeps its 404 for the API, for missing files and for programs', async () => {
    for (const url of ['/operator/v1/nothing', '/assets/nothing.js', '/metrics/nothing']) {
      expect((await s.app.inject({ url, headers: browserAccepts })).json().error, url).toBe('not_found');
    }
    expect((await s.app.inject({ url: '/redemptions' })).json().error).toBe('not_found');
    const post = await s.app.inject({ url: '/operator/v1/trades', method: 'POST', headers: browserAccepts });
    expect(post.statusCode).toBe(405);
  });

  test('compresses files, which browsers keep', async () => {
    const page = (await s.app.inject({ url: '/', headers: browserAccepts })).body;
    const script = /src="(\/assets\/[^"]+)"/.exec(page)?.[1] ?? '';
    const file = await s.app.inject({ url: script, headers: { 'accept-encoding': 'gzip, br' } });
    expect(file.headers).toMatchObject({
      'content-encoding': 'gzip',
      'cache-control': expect.stringContaining('immutable'),
    });
  });

  test('the operator port reports how to build the console where it is not built', async () => {
    const app = await buildOperatorApp(s.h.ctx);
    const { body } = await app.inject({ url: '/', headers: browserAccepts });
    await app.close();
    expect(body).toContain('npm run build:console');
  });
});

import type { Page } from 'playwright-core';
import { afterEach, expect, test } from 'vitest';
import { button, dialog, expectAccessible, heading, type Stage, signIn, useStage } from './stage.js';

let s: Stage;
useStage((stage) => {
  s = stage;
});
afterEach(() => expect(s.takeComplaints()).toEqual([]));

/** A redemption whose customer has waited for some hours. */
async function givenWaiting(hours: number): Promise<string> {
  const { id } = await s.given.redemption('submitted');
  await s.h.ctx.sql`
    update redemptions set created_at = created_at - ${`${hours} hours`}::interval where id = ${id.slice('red_'.length)}`;
  return id;
}

const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });

async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: label }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

test('a clerk takes a redemption and hands it to a colleague, and lists show whose it is and that it is late', async () => {
  const late = await givenWaiting(30);
  await givenWaiting(80);
  const page = await s.signedIn(s.operators.by.fulfilment, `/redemptions/${late}`);
  await page.getByText('No one has it yet.').waitFor();
  await button(page, 'Take it').click();
  await page.getByText('You have it.', { exact: true }).waitFor();
  await page.locator('.page-head').getByText('Late', { exact: true }).waitFor();
  await expectAccessible(page);

  await page.goto(`${s.url}/redemptions?status=submitted`);
  await row(page, 'Late').getByText('You', { exact: true }).waitFor();
  await row(page, 'Overdue').waitFor();
  await choose(page, 'Who has it', 'Me');
  await row(page, 'Overdue').waitFor({ state: 'detached' });
  await row(page, 'Late').click();
  const admin = await s.signedIn(s.operators.by.admin, `/redemptions/${late}`);
  await admin.getByText('The fulfilment has it. You can still go on with it.').waitFor();
  await button(page, 'Hand to…').click();
  await choose(page, 'Colleague', 'The admin');
  await dialog(page).getByRole('button', { name: 'Hand over the task' }).click();
  await page.getByText('The admin has it.').waitFor();
  // The other page follows by the stream.
  await admin.getByText('You have it.', { exact: true }).waitFor();
  await button(admin, 'Release').click();
  await page.getByText('No one has it yet.').waitFor();

  await admin.goto(`${s.url}/audit?object_id=${late}&action=redemption.assign`);
  await admin.locator('summary').first().click();
  await admin.locator('.diff').first().getByText('The admin').waitFor();
  await admin.locator('details[open]').getByRole('link', { name: '1 tola bar, Karachi' }).waitFor();
});

test('a view is saved as an address, opened by its link, and deleted; other operators do not have it', async () => {
  const page = await s.signedIn(s.operators.by.fulfilment, '/redemptions?q=A12');
  await heading(page, 'Redemptions');
  // A search alone is nothing to save.
  await button(page, 'Clear filters').waitFor();
  expect(await button(page, 'Save as a view').count()).toBe(0);
  await choose(page, 'Status', 'Ready');
  await button(page, 'Save as a view').click();
  await dialog(page).getByLabel('Name').fill('Ready here');
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  const views = page.getByRole('navigation', { name: 'Saved views' });
  const ready = views.getByRole('link', { name: 'Ready here' });
  await ready.and(page.locator('[aria-current=page]')).waitFor();
  await views.getByRole('link', { name: 'All' }).click();
  await page.waitForURL(`${s.url}/redemptions`);
  await ready.click();
  await page.waitForURL(`${s.url}/redemptions?status=ready`);
  await expectAccessible(page);

  const other = await s.signedIn(s.operators.by.admin, '/redemptions?status=ready');
  await button(other, 'Save as a view').waitFor();
  await button(page, 'Delete view').click();
  await dialog(page).getByRole('button', { name: 'Delete view' }).click();
  await button(page, 'Save as a view').waitFor();
});

test('an operator who has turned notifications on gets one for what begins to wait, and none for what waited before', async () => {
  await givenWaiting(1);
  const page = await s.open({ permissions: ['notifications'] });
  await page.goto(`${s.url}/account`);
  const { email, password } = s.operators.by.fulfilment;
  await signIn(page, email, password);
  // What the browser is given to show, which it shows as well.
  await page.evaluate(`{
    const Real = Notification;
    window.notified = [];
    window.Notification = class extends Real {
      constructor(title, options) { super(title, options); window.notified.push(options.body); }
    };
  }`);
  const notified = () => page.evaluate('window.notified.join()');
  const read = page.waitForResponse((one) => one.url().includes('status=cancellation_requested'));
  await page.getByRole('checkbox', { name: 'Notify me in this browser' }).click();
  await read;
  await expectAccessible(page);
  await s.given.redemption('submitted');
  await expect.poll(notified, { timeout: 40_000 }).toBe('To prepare: 1 tola bar, Karachi');
});

import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  buildConsole,
  button,
  dialog,
  expectAccessible,
  heading,
  type Stage,
  signIn,
  useStage,
} from './stage.js';

let s: Stage;
useStage((stage) => {
  s = stage;
});

/** A service of its own, which tests stop and start again at the same address. */
let service: FastifyInstance | undefined;
let port = 0;
const url = () => `http://localhost:${port}`;
async function start(): Promise<void> {
  service = await buildConsole(s.h.ctx);
  await service.listen({ host: '127.0.0.1', port });
  ({ port } = service.server.address() as AddressInfo);
}
/** Stops it as the end of its process does: connections break, and further ones are refused. */
async function stop(): Promise<void> {
  const closing = service?.close();
  service?.server.closeAllConnections();
  await closing;
  service = undefined;
}
beforeAll(start);
afterAll(stop);
// What the browser itself logs of a refused request.
afterEach(() => {
  expect(
    s.takeComplaints().filter((one) => !/net::ERR_|Failed to fetch|The code of the page/.test(one)),
  ).toEqual([]);
});

const banner = (page: Page) => page.getByRole('alert').filter({ hasText: 'No connection since' });
const health = (page: Page) => page.locator('section.panel', { hasText: 'Health' }).locator('.badge');

describe('a service that stops', () => {
  let page: Page;
  let id: string;
  beforeAll(async () => {
    ({ id } = await s.given.redemption('submitted'));
    page = await s.open({}, url());
    // The last of what is loaded for later.
    const loaded = page.waitForResponse(/\/unsigned-.*\.js/);
    await page.goto(url());
    await signIn(page, s.operators.by.admin.email, s.operators.by.admin.password);
    await heading(page, 'Today');
    await loaded;
  });
  afterAll(() => page.context().close());

  test('the console shows within seconds that the service stopped, and since when, and nothing as healthy', async () => {
    await health(page).first().waitFor();
    expect(await page.locator('.badge.good').count()).toBeGreaterThan(0);
    await stop();
    const since = Date.now();
    await banner(page).waitFor();
    expect(Date.now() - since).toBeLessThan(20_000);
    expect(await banner(page).innerText()).toMatch(
      /^No connection since \d\d:\d\d\. Figures are of \d\d:\d\d\.$/,
    );
    expect(await page.locator('.health .badge:not(.quiet)').count()).toBe(0);
    await expectAccessible(page);
  });

  test('a page that was never opened is there without the service, with its actions off and the reason', async () => {
    await page.getByRole('link', { name: 'Partners' }).click();
    await heading(page, 'Partners');
    const add = button(page, 'Add a partner');
    expect(await add.isDisabled()).toBe(true);
    expect(await add.getAttribute('title')).toContain('There is no connection');
    await page.getByText('The service does not respond').waitFor();
  });

  test('the console goes on by itself when the service is back', async () => {
    await start();
    await banner(page).waitFor({ state: 'detached' });
    await page.getByRole('row').filter({ hasText: 'Acme Gold' }).first().waitFor();
    expect(await button(page, 'Add a partner').isDisabled()).toBe(false);
  });

  test('a refused change is reported in its dialog before anything is read, and until it is closed', async () => {
    await page.goto(`${url()}/redemptions/${id}`);
    await button(page, 'Start preparing').click();
    await dialog(page).waitFor();
    await stop();
    const pressed = Date.now();
    await dialog(page).getByRole('button', { name: 'Start preparing' }).click();
    const reported = dialog(page).getByRole('alert').filter({ hasText: 'may or may not have been made' });
    await reported.waitFor();
    expect(Date.now() - pressed).toBeLessThan(5_000);
    await banner(page).waitFor();
    expect(await dialog(page).getByRole('button', { name: 'Start preparing' }).isDisabled()).toBe(true);
    await expectAccessible(page);
    await start();
    await banner(page).waitFor({ state: 'detached' });
    await reported.waitFor();
    await dialog(page).getByRole('button', { name: 'Start preparing' }).click();
    await dialog(page).waitFor({ state: 'detached' });
    await button(page, 'Gold is ready').waitFor();
  });
});

test('a page whose code is not loaded has a page of ours, which loads it once the service is back', async () => {
  const page = await s.open({}, url());
  // Its timers stand still, and with them what loads the code of all pages.
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.goto(url());
  await signIn(page, s.operators.by.viewer.email, s.operators.by.viewer.password);
  await heading(page, 'Today');
  await stop();
  await page.getByRole('link', { name: 'Audit log' }).click();
  await page.getByText('Its code did not arrive').waitFor();
  await button(page, 'Try again').click();
  await page.getByText('Its code did not arrive').waitFor();
  expect(new URL(page.url()).pathname).toBe('/audit');
  await start();
  await button(page, 'Try again').click();
  await heading(page, 'Audit log');
});

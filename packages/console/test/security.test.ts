import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { newWallet } from '../../service/test/harness.js';
import { button, dialog, expectAccessible, heading, type Stage, useStage } from './stage.js';

let s: Stage;
useStage((stage) => {
  s = stage;
});

test('no page of another site shows the console in a frame, where clicks could be stolen', async () => {
  const page = await s.signedIn(s.operators.by.admin, '/');
  await heading(page, 'Today');
  const other = createServer((_request, response) =>
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(`<!doctype html><title>Prizes</title><iframe src="${s.url}/treasury"></iframe>`),
  );
  await once(other.listen(0, '127.0.0.1'), 'listening');
  try {
    await page.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
    await expect.poll(() => s.takeComplaints().join(), { timeout: 10_000 }).toMatch(/frame-ancestors 'none'/);
    const [, framed] = page.frames();
    expect(await framed?.locator('h1').count()).toBe(0);
  } finally {
    other.close();
    s.takeComplaints();
  }
});

test('KYC data that is shown is in no address, cache, log, metric or column of the audit log', async () => {
  s.takeComplaints();
  // With letters: any digits may stand in a time or an id.
  const number = '42101-Unforgeable-9';
  const name = 'Zubaida Unrepeatable';
  const secrets = [name, number, 'Unrepeatable', 'Unforgeable', 'sumsub-private'];
  const kyc = {
    country: 'PK',
    full_name: name,
    kyc_provider: 'sumsub-private',
    kyc_level: 'full',
    kyc_verified_at: '2026-01-01T00:00:00Z',
    kyc_data: { id_type: 'cnic', id_number: number },
  };
  const registered = { user_id: 'quiet', wallet_address: newWallet().address, kyc };
  const { body: user, status } = await s.h.partner.post('/v1/users', registered);
  expect(status).toBe(201);
  const { id } = await s.given.redemption('ready');
  await s.h.ctx.sql`
    update redemptions set user_id = ${user.service_user_id} where id = ${id}`;

  const page = await s.signedIn(s.operators.by.compliance, '/');
  await heading(page, 'Today');
  const addresses: string[] = [];
  const stored: string[] = [];
  page.on('request', (request) => addresses.push(request.url()));
  page.on('response', async (response) => {
    if (!response.url().includes('/operator/v1/') || response.url().endsWith('/stream')) return;
    const text = await response.text().catch(() => '');
    const keeps = response.headers()['cache-control'];
    if (secrets.some((one) => text.includes(one)) && keeps !== 'no-store')
      stored.push(`${response.url()}: ${keeps}`);
  });
  await page.goto(`${s.url}/users/${user.service_user_id}`);
  await button(page, 'Show identity').click();
  await page.getByText(name).waitFor();
  await page.getByText(number).waitFor();
  await page.goto(`${s.url}/redemptions/${id}`);
  await button(page, 'Reveal document').click();
  await dialog(page).getByLabel('Reason').fill('The customer is at the counter');
  await dialog(page).getByRole('button', { name: 'Reveal document' }).click();
  await page.getByText(number).waitFor();
  const clerk = await s.signedIn(s.operators.by.fulfilment, `/redemptions/${id}`);
  await clerk.getByText(name).waitFor();
  expect(await button(clerk, 'Find a customer').count()).toBe(0);

  await page.goto(`${s.url}/redemptions`);
  await button(page, 'Find a customer').click();
  await dialog(page).getByLabel('Name', { exact: true }).fill('Unrepeatable');
  await dialog(page).getByLabel('Reason').fill('The customer is at the counter');
  await dialog(page).getByRole('button', { name: 'Find', exact: true }).click();
  await dialog(page).getByRole('link', { name }).waitFor();
  await expectAccessible(page);
  await dialog(page).getByRole('link', { name: 'Redemptions' }).click();
  await dialog(page).waitFor({ state: 'detached' });
  expect(page.url()).toBe(`${s.url}/redemptions?service_user_id=${user.service_user_id}`);
  await page.getByRole('row').nth(1).waitFor();
  expect(await page.getByRole('row').count()).toBe(2);

  const kept = await page.evaluate(`(async () => {
    const caches_ = await Promise.all((await caches.keys()).map(async (one) => [one, (await (await caches.open(one)).keys()).map(({ url }) => url)]));
    return JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, caches_, history.state]);
  })()`);
  const metrics = await s.app.inject({ url: '/metrics' });
  expect(metrics.statusCode).toBe(200);
  const audit = await s.h.ctx.sql`select audit_log::text as row from audit_log`;
  const keys = await s.h.ctx.sql`select idempotency_keys::text as row from idempotency_keys`;
  expect(audit.some(({ row }) => row.includes('user.read_kyc'))).toBe(true);
  expect(addresses.length).toBeGreaterThan(5);
  expect(s.h.logLines.length).toBeGreaterThan(10);
  const places = {
    addresses: addresses.join('\n'),
    kept: String(kept),
    log: s.h.logLines.join('\n'),
    metrics: metrics.body,
    audit: audit.map(({ row }) => row).join('\n'),
    keys: keys.map(({ row }) => row).join('\n'),
  };
  for (const [place, text] of Object.entries(places))
    for (const secret of secrets) expect(text.includes(secret), `${secret} in ${place}`).toBe(false);
  expect(stored).toEqual([]);
  expect(s.takeComplaints()).toEqual([]);
});

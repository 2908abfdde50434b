import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { buildOperatorApp } from '../../service/src/http/operator/app.js';
import { openStage, type Stage } from './stage.js';

let s: Stage;
beforeAll(async () => {
  s = await openStage();
}, 120_000);
afterAll(() => s?.close());
afterEach(() => expect(s.takeComplaints()).toEqual([]));

const heading = (page: Page, name: string | RegExp) =>
  page.getByRole('heading', { level: 1, name }).waitFor();

describe('the board of redemptions', () => {
  test('has each that waits in the column of what it waits for, and follows its moves', async () => {
    const ids = {
      submitted: (await s.givenCase('submitted')).id,
      ready: (await s.givenCase('ready')).id,
      collected: (await s.givenCase('collected')).id,
      cancelled: (await s.givenCase('cancelled')).id,
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

test('every list is downloaded as CSV with the filters of its address', async () => {
  const page = await s.signedIn(s.operators.by.admin, '/partners');
  await heading(page, 'Partners');
  for (const [path, list] of [
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
  ]) {
    await page.goto(s.url + path);
    const href = await page.getByRole('link', { name: 'Export CSV' }).getAttribute('href');
    const asked = new URL(href ?? '', s.url);
    expect(asked.pathname, path).toBe(`/operator/v1/${list?.split('?')[0]}`);
    for (const [name, value] of new URLSearchParams(list?.split('?')[1]))
      expect(asked.searchParams.get(name), path).toBe(value);
    expect(asked.searchParams.get('format')).toBe('csv');
  }
  await page.goto(`${s.url}/partners?q=Acme`);
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Export CSV' }).click();
  expect((await download).suggestedFilename()).toBe('partners.csv');
});

describe('what is on chain', () => {
  test('is a link to the explorer that the service names, and otherwise an id to copy', async () => {
    const { id } = await s.givenCase('submitted');
    const { body } = await s.operators.by.viewer.client.get(`/operator/v1/redemptions/${id}`);
    const plain = await s.signedIn(s.operators.by.viewer, `/redemptions/${id}`);
    await plain.getByRole('button', { name: `Copy ${body.submitted_tx_hash}` }).waitFor();
    expect(await plain.locator('a[target=_blank]').count()).toBe(0);

    const config = { ...s.h.ctx.config, explorerUrl: 'https://explorer.test/?cluster=devnet&x="y' };
    const app = await buildOperatorApp({ ...s.h.ctx, config }, { console: inject('consoleFolder') });
    try {
      const url = await app.listen({ host: '127.0.0.1', port: 0 });
      const page = await s.signedIn(s.operators.by.viewer, `/redemptions/${id}`, {}, url);
      const payment = page.getByRole('link', { name: `Open in explorer: ${body.submitted_tx_hash}` });
      const wallet = page.getByRole('link', { name: `Open in explorer: ${body.wallet_address}` });
      const at = 'https://explorer.test';
      const query = '?cluster=devnet&x=%22y';
      expect(await payment.getAttribute('href')).toBe(`${at}/tx/${body.submitted_tx_hash}${query}`);
      expect(await wallet.getAttribute('href')).toBe(`${at}/address/${body.wallet_address}${query}`);
      expect(await payment.getAttribute('rel')).toBe('noreferrer');
      await page.context().close();
    } finally {
      await app.close();
    }
  });
});

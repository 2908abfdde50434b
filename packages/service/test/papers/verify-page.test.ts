import { createHash } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { papers } from '../../src/db/schema.js';
import { canonicalJson } from '../../src/domain/canonical-json.js';
import { newId, newUuid } from '../../src/domain/ids.js';
import { receiptFormat, type TradeReceipt } from '../../src/domain/papers/receipt.js';
import { addressToBytes, type TxSignature } from '../../src/domain/solana.js';
import { verifyLink } from '../../src/papers/verify-link.js';
import { expectAccessible } from '../accessible.js';
import { launchBrowser } from '../browser.js';
import { type Harness, harness, newWallet } from '../harness.js';

/** The page that verifies papers, in a browser as wide as a phone. */
let h: Harness;
let url: string;
let browser: Browser;
let page: Page;
const wallet = newWallet();
let body: string;
let signature: Buffer;
const complaints: string[] = [];

beforeAll(async () => {
  h = await harness();
  url = await h.app.listen({ host: '127.0.0.1', port: 0 });
  const tradeId = newId('trd');
  const receipt: TradeReceipt = {
    ...{ format: receiptFormat, kind: 'trade', trade_id: tradeId, side: 'buy', user_id: 'عائشہ-1042' },
    ...{ issued_at: '2026-11-29T11:02:10.000Z', at: '2026-11-29T11:02:10.000Z', partner_name: 'Acme Gold' },
    ...{ partner_id: h.main.partnerId, wallet: newWallet().address, tx_hash: 'tx' as TxSignature },
    ...{ gold: '0.024267', usdc: '100', fee_usd: '0.5', price_per_troy_oz: '4100.12' },
  };
  body = canonicalJson(receipt);
  signature = Buffer.from(wallet.sign(body), 'base64');
  await h.ctx.db.transaction((tx) =>
    tx.insert(papers).values({
      ...{
        id: newUuid(),
        partnerId: h.main.partnerId,
        kind: 'trade',
        subject: tradeId,
        issuedAt: new Date(),
      },
      ...{ body, hash: createHash('sha256').update(body).digest('hex'), signature },
      publicKey: addressToBytes(wallet.address),
    }),
  );
  browser = await launchBrowser(inject('browser'));
  page = await browser.newPage({ viewport: { width: 390, height: 844 } });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await h?.close();
});

const busy = { timeout: 60_000 };

test('the page verifies a genuine paper, on a phone and accessibly', busy, async () => {
  await page.goto(verifyLink(url, body, signature));
  await page.getByText('This paper is genuine: its signature is valid.').waitFor();
  await page.getByText('No Solana node was named').waitFor();
  await page.getByText('عائشہ-1042').waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  await expectAccessible(page);
  expect(complaints).toEqual([]);
});

test('the page reports a paper that was changed', busy, async () => {
  await page.goto(verifyLink(url, body.replace('"100"', '"900"'), signature));
  await page.getByText('Do not trust this paper: 1 of 1 checks failed.').waitFor();
  await page.goto(`${url}/papers/verify#1.broken.`);
  await page.getByText('is damaged: scan its code again.').waitFor();
});

test('the page trusts a key that the reader names in place of the published ones', busy, async () => {
  await page.goto(verifyLink(url, body, signature));
  await page.getByText('This paper is genuine').waitFor();
  await page.getByLabel('A public key that you trust').fill('0'.repeat(63));
  await page.getByRole('button', { name: 'Check again' }).click();
  await page.getByText('A public key has 64 hexadecimal digits.').waitFor();
  const other = Buffer.from(addressToBytes(newWallet().address)).toString('hex');
  await page.getByLabel('A public key that you trust').fill(other);
  await page.getByRole('button', { name: 'Check again' }).click();
  await page.getByText('Do not trust this paper').waitFor();
});

import { readFileSync } from 'node:fs';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { attestorReport } from '../../../sandbox/src/own-chain.js';
import { addReport } from '../../src/actions/reserves/add-report.js';
import type { SignedStatement } from '../../src/actions/reserves/reserve-ledger.js';
import { addressToBytes } from '../../src/domain/solana.js';
import { expectAccessible } from '../accessible.js';
import { launchBrowser } from '../browser.js';
import { builtDocs } from '../docs-site.js';
import { newWallet, type Wallet } from '../harness.js';
import { type Karat, startKarat } from '../karat.js';
import { attestedGold } from '../karat-chain.js';
import { seedDenominations } from '../redeeming.js';

/** The page of the reserves, built as it is now and served by the service, in a browser as wide as a phone. */
const wallet = newWallet();

let t: Karat;
let url: string;
let browser: Browser;
let folder: string;
beforeAll(async () => {
  folder = await builtDocs();
  t = await startKarat({ site: () => folder });
  url = await t.service.app.listen({ host: '127.0.0.1', port: 0 });
  await seedDenominations(t.service);
  await t.given.bars(40);
  await t.given.statement(wallet);
  t.chain.node.warp({ seconds: 86_400 });
  await t.given.bars(2, { refiner: 'Argor|Heraeus' });
  await t.given.statement(wallet);
  browser = await launchBrowser(inject('browser'));
}, 180_000);
afterAll(async () => {
  await browser?.close();
  await t?.stop();
});

let context: BrowserContext;
let page: Page;
let complaints: string[];
beforeEach(async () => {
  context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  page = await context.newPage();
  complaints = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type())) return;
    // VitePress fetches the pages behind links ahead, when it has time: without a network it cannot.
    const ahead = message.location().url.includes('/assets/');
    if (!(ahead && message.text().includes('ERR_INTERNET_DISCONNECTED'))) complaints.push(message.text());
  });
});
afterEach(() => context?.close());

const busy = { timeout: 90_000 };
const keyOf = ({ address }: Wallet) => Buffer.from(addressToBytes(address)).toString('hex');
const bars = /\/bars$/;

async function open(query = '') {
  await page.goto(`${url}/reserves${query}`);
  await page.getByText(/^COVERED: /).waitFor();
}
async function verify() {
  await page.getByRole('button', { name: 'Verify now' }).click();
  const outcome = page.getByRole('status').filter({ hasText: /checks|Nothing|ended/ });
  await outcome.waitFor();
  return {
    outcome: await outcome.innerText(),
    trusted: await page.locator('.trust').allInnerTexts(),
    steps: await page.locator('.steps > li').allInnerTexts(),
    failures: await page.locator('.steps > li li').allInnerTexts(),
  };
}
/** Changes what the service publishes on its way to the page. */
const forge = <T>(path: RegExp, change: (body: T) => void) =>
  page.route(path, async (route) => {
    const response = await route.fetch();
    const json = await response.json();
    change(json);
    await route.fulfill({ response, json });
  });

test('a statement is verified in the page, at 390 px and without a network', busy, async () => {
  await open();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  await page.getByRole('img', { name: /: gold in bars 1,285\.\d+ to 1,350\.2 ounces, tokens / }).waitFor();
  await page.getByText('42 bars, by the signed statement of').waitFor();
  await context.setOffline(true);
  const { outcome, steps, failures } = await verify();
  expect(failures).toEqual([]);
  expect(outcome).toMatch(/^All \d+ checks passed/);
  expect(steps.map((step) => step.slice(0, 8))).toEqual(['✓ Statem', '✓ Bars: ', '✓ Tokens', '✓ Covera']);
  await page.getByRole('searchbox').fill('a39');
  await page.getByText('1 of 42 bars have this in their number.').waitFor();
  await page.getByRole('cell', { name: 'Valcambi' }).waitFor();
  expect(complaints).toEqual([]);
});

test('a link to a serial number shows that bar', busy, async () => {
  await open('?serial=AA12');
  await page.getByText('This bar is in the vault in Karachi.').waitFor();
});

test(
  'a customer finds a bar by its serial, however it is typed, and learns what is not there',
  busy,
  async () => {
    await open();
    const field = page.getByLabel('Serial number');
    const found = page.getByRole('status').filter({ hasText: /vault/ });
    await field.fill(' \uff21a39 ');
    await expect.poll(() => found.innerText()).toContain('This bar is in the vault in Karachi.');
    const proof = found.getByRole('link', { name: 'proof' });
    const response = await fetch(new URL((await proof.getAttribute('href')) ?? '', url));
    expect(await response.json()).toMatchObject({ bar: { serial: 'AA39', refiner: 'Valcambi' }, leaves: 42 });
    // Two refiners have stamped this number.
    await field.fill('aa1');
    await expect.poll(() => found.getByText('This bar is in the vault').count()).toBe(2);
    await field.fill('KG-00001');
    await expect.poll(() => found.innerText()).toContain('No bar with this number is in the vaults');
  },
);

test('the page shows what backs the tokens, by city and by refiner', busy, async () => {
  await open();
  const rowsOf = async (name: string) =>
    (await page.getByRole('table', { name }).locator('tbody tr').allInnerTexts()).map((row) =>
      row.replace(/\s+/g, ' ').trim(),
    );
  await expect.poll(() => rowsOf('By city')).toEqual(['Karachi 42 1,350.2']);
  expect(await rowsOf('By refiner')).toEqual(['Valcambi 40 1,285.9', 'Argor|Heraeus 2 64.3']);
});

test('the report of the attestor is downloaded, and compared with a file of the reader', busy, async () => {
  const report = attestorReport(attestedGold);
  await open();
  await page.getByText('The report itself was not published here').waitFor();
  await addReport(t.service.ctx, report);
  // Whatever the browser has cached.
  await page.route('**/v1/reserves/reports', async (route) =>
    route.fulfill({ response: await route.fetch({ headers: { 'cache-control': 'no-cache' } }) }),
  );
  const link = page.getByRole('link', { name: /^Download the report \(text, 0\.\d+ kB\)$/ });
  // What is new is listed within a second.
  const isOffered = async () => {
    await open();
    await page.getByText(/^(Download the report|The report itself was not published)/).waitFor();
    return link.count();
  };
  await expect.poll(isOffered, { timeout: 30_000 }).toBe(1);
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
  expect(readFileSync(await download.path()).equals(report)).toBe(true);
  expect(download.suggestedFilename()).toMatch(/^attestation-[0-9a-f]{8}\.txt$/);
  const chosen = page.getByLabel('Compare a file of yours with it');
  const file = (buffer: Buffer) => ({ name: 'report.txt', mimeType: 'text/plain', buffer });
  await chosen.setInputFiles(file(report));
  await page.getByText('This is the report that the chain names.').waitFor();
  await chosen.setInputFiles(file(Buffer.from(`${report}.`)));
  await page.getByText('This is another file than the chain names.').waitFor();
  expect(complaints).toEqual([]);
});

test(
  'the line over time has every reading in its table, and none is drawn of fewer than three',
  busy,
  async () => {
    await open();
    const table = page.locator('details', { hasText: 'The same as a table' });
    await table.locator('summary').click();
    await expect.poll(() => table.locator('tbody tr').count()).toBe(3);
    expect((await table.locator('tbody tr').allInnerTexts()).map((row) => row.split(/\t/).slice(1))).toEqual([
      ['1,350.2', '1,000'],
      ['1,350.2', '1,000'],
      ['1,285.9', '1,000'],
    ]);
    await forgeStatements((all) => void all.splice(0, 1));
    await open();
    await page.getByText('No line yet: it begins with three readings').waitFor();
    expect(await page.getByRole('img', { name: /gold in bars/ }).count()).toBe(0);
  },
);

test('the page is accessible in light and in dark', { timeout: 180_000 }, async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const wide = await browser.newContext({ colorScheme, reducedMotion: 'reduce', bypassCSP: true });
    page = await wide.newPage();
    await open();
    await page.getByLabel('Serial number').fill('AA1');
    await page.getByLabel('Public keys that you trust').fill('abc');
    expect((await verify()).outcome).toMatch(/^Nothing was verified/);
    await expectAccessible(page);
    await wide.close();
  }
});

test.each<[string, () => Promise<unknown>, RegExp]>([
  [
    'a bar that is removed',
    () => forge<{ bars: unknown[] }>(bars, (list) => void list.bars.splice(7, 1)),
    /^bars: Merkle root: /,
  ],
  [
    'a bar that is listed twice',
    () => forge<{ bars: unknown[] }>(bars, (list) => void list.bars.splice(7, 0, list.bars[7])),
    /^bars: sorted, none twice: Valcambi AA\d+ is not in its place/,
  ],
  [
    'a bar that is made heavier',
    () =>
      forge<{ bars: { weight_g: string }[] }>(bars, (list) =>
        Object.assign(list.bars[7] ?? {}, { weight_g: '1000.1' }),
      ),
    /^bars: Merkle root: /,
  ],
  [
    'a sum that is one base unit more',
    () =>
      forgeStatements((all) =>
        Object.assign(all.at(-1)?.statement.coverage ?? {}, { difference: '0.000001' }),
      ),
    /^statement 2 of .*: hash: /,
  ],
  [
    'a statement that another key signed',
    () =>
      forgeStatements((all) =>
        Object.assign(all[1] ?? {}, { public_key: '00'.repeat(32), signature: btoa('x'.repeat(64)) }),
      ),
    /^statement 2 of .*: (key|signature of 00000000): /,
  ],
  [
    'a statement that is dropped',
    () => forgeStatements((all) => void all.splice(0, 1)),
    /^statement 2 of .*: predecessor: /,
  ],
])('%s is found, and named', busy, async (_name, change, named) => {
  await change();
  await open();
  const { outcome, failures } = await verify();
  expect(outcome).toMatch(/checks failed\.$/);
  expect(failures).toContainEqual(expect.stringMatching(named));
});

const forgeStatements = (change: (statements: SignedStatement[]) => unknown) =>
  forge<{ statements: SignedStatement[] }>(/\/v1\/reserves\/statements$/, (body) => {
    change(body.statements);
  });

test(
  'the page begins with the present figures, and shows where they differ from the last statement',
  busy,
  async () => {
    await open();
    const now = page.locator('.now');
    const shown = async () => (await now.innerText()).replace(/\s+/g, ' ');
    const figures =
      /^Gold in the vaults live 1,350\.2 troy ounces ✓ Covered Bars and attestation cover every token\. Tokens that exist 1,000 Gold for each token 1\.35 oz Attested, \d+ \w+ \d+ 1,000,000,000 oz Bars 42 Read from the chain at /;
    await expect.poll(shown).toMatch(figures);
    await page.getByText('This agrees with the last signed statement.').waitFor();
    await forge<{ covered: boolean; supply: number; bars: number }>(/\/v1\/reserves\/live$/, (live) =>
      Object.assign(live, { covered: false, supply: 2_000_000_000, bars: 41, bars_surplus: -1_998.5 }),
    );
    await open();
    await expect
      .poll(shown)
      .toMatch(/✗ Not covered the bars hold 1,998\.5 oz too little\. Tokens that exist 2,000,000,000 /);
    const differing = await page
      .getByText('This differs from the last signed statement:')
      .locator('..')
      .innerText();
    expect(differing).toContain(
      'the tokens are not covered any more; 2,000,000,000 tokens instead of 1,000; 41 bars instead of 42.',
    );
    await page.route(/\/v1\/reserves\/live$/, (route) => route.fulfill({ status: 503, json: {} }));
    await open();
    await page.getByText('The present figures cannot be read since').waitFor();
    // What is shown then is the last statement, and says so.
    await expect
      .poll(shown)
      .toMatch(/^Gold in the vaults 1,350\.2 .*Those above are of the last statement, \d/);
  },
);

test('keys that are no keys are marked in their field, and nothing is verified', busy, async () => {
  await open();
  const field = page.getByLabel('Public keys that you trust');
  for (const typed of ['abc', keyOf(wallet).slice(1), `${keyOf(wallet)} zz`, `${keyOf(wallet)}0`, ',']) {
    await field.fill(typed);
    const { outcome, steps } = await verify();
    expect(outcome).toBe('Nothing was verified: correct the marked field, or empty it.');
    expect(steps).toEqual([]);
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(await page.locator('#trusted-keys-wrong').innerText()).toMatch(/" is no public key: each has 64 /);
  }
  await field.fill('');
  await expect.poll(() => field.getAttribute('aria-invalid')).toBe('false');
});

test('the page names the key that it trusted, and why', busy, async () => {
  await open();
  const { outcome, trusted } = await verify();
  expect(outcome).toMatch(/^All /);
  expect(trusted).toEqual([
    `Trusted: ${keyOf(wallet)}, because it signed the first statement, and you named none: compare it with what Karat publishes elsewhere.`,
  ]);
  await page.getByLabel('Public keys that you trust').fill(` ${keyOf(wallet).toUpperCase()} `);
  await expect
    .poll(async () => (await verify()).trusted)
    .toEqual([`Trusted: ${keyOf(wallet)}, because you named it.`]);
  const other = keyOf(newWallet());
  await page.getByLabel('Public keys that you trust').fill(other);
  const stranger = await verify();
  expect(stranger.failures).toContainEqual(
    expect.stringMatching(new RegExp(`: key: ${keyOf(wallet)} is not one that you trust$`)),
  );
  expect(stranger.outcome).toMatch(/^2 of \d+ checks failed\.$/);
});

test('a node that does not respond is a failed check, shown by the button', busy, async () => {
  await open();
  const field = page.getByLabel('Solana node to compare with');
  // Nothing listens there.
  await field.fill('http://127.0.0.1:1');
  const { outcome, failures } = await verify();
  expect(outcome).toMatch(/^1 of \d+ checks failed\.$/);
  expect(failures).toEqual([expect.stringMatching(/^chain: node: it does not respond \(/)]);
  const [button, result] = [page.getByRole('button', { name: 'Verify now' }), page.locator('.outcome')];
  const [first, second] = [await button.boundingBox(), await result.boundingBox()];
  expect(Math.abs((first?.y ?? 0) - (second?.y ?? 999))).toBeLessThan(80);
  // What runs there is the service: it speaks, but not as a node.
  await field.fill(url);
  await expect
    .poll(async () => (await verify()).failures)
    .toEqual([expect.stringMatching(/^chain: node: it is no Solana node|^chain: node: getGenesisHash/)]);
  await field.fill('ftp://node.example');
  expect((await verify()).outcome).toMatch(/^Nothing was verified/);
  expect(await page.locator('#node-wrong').innerText()).toContain('"ftp://node.example" is no address');
});

test('a token that was minted past the program is found on the node', busy, async () => {
  await open();
  await page.getByPlaceholder('https://…').fill(t.chain.node.rpcUrl);
  expect((await verify()).failures).toEqual([]);
  await t.chain.node.setTokenBalance(newWallet().address, t.chain.goldMint, 1n);
  t.chain.node.warp({ slots: 40 });
  expect((await verify()).failures).toEqual([expect.stringMatching(/^chain: supply: 1 base units more/)]);
});

import type { Page } from 'playwright-core';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { pickupCodeOf, wrongCodeFor } from '../../service/test/redeeming.js';
import { button, expectAccessible, heading, type Stage, useStage } from './stage.js';

const issuer = {
  name: 'Karat Vaults DMCC',
  address: 'Almas Tower, Dubai, United Arab Emirates',
  registrationNumber: 'DMCC-123456',
};
let s: Stage;
useStage(
  (stage) => {
    s = stage;
  },
  { receiptIssuer: issuer },
);
afterEach(() => expect(s.takeComplaints()).toEqual([]));

let page: Page;
beforeAll(async () => {
  page = await s.signedIn(s.operators.by.fulfilment, '/counter');
  await heading(page, 'Where is this counter?');
});

async function given() {
  const { id } = await s.given.redemption('ready');
  return { id, serial: (await recordOf(id)).bar.serial as string, code: await pickupCodeOf(s.h, id) };
}

const recordOf = async (id: string) =>
  (await s.operators.by.fulfilment.client.get(`/operator/v1/redemptions/${id}`)).body;

/** What a scanner does, wherever the focus is. */
async function scan(text: string): Promise<void> {
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
}

const chooseLanguage = (name: string) => page.getByText(name, { exact: true }).click();

test('counter: a clerk hands over a bar with a scanner and keys alone, and can undo every step until the last', async () => {
  const { id, serial, code } = await given();
  await expectAccessible(page);
  // Where the counter is has to be known, or gold of another city would be handed over at it.
  await scan(`karat:pickup:${id}:${code}`);
  await page.getByText('This step takes no scan.').waitFor();
  await button(page, 'Karachi').click();
  await scan('https://example.com/');
  await page.getByText("This is not a customer's code").waitFor();
  await scan(code);
  await page.getByText('Choose the customer below, then type them.').waitFor();
  await scan(`karat:pickup:${id}:${code}`);
  await heading(page, /^Is this Secret Person/);
  await page.getByText('The pickup code was scanned.').waitFor();
  await expectAccessible(page);
  // A code that is read twice confirms nothing, and its Enter presses no button.
  await scan(`karat:pickup:${id}:${code}`);
  await page.getByText('This step takes no scan.').waitFor();
  await heading(page, /^Is this Secret Person/);
  await page.keyboard.press('Enter');
  await heading(page, 'Scan the bar');
  await scan('SOME-OTHER-BAR');
  await page.getByText(`This is bar SOME-OTHER-BAR, not ${serial}`).waitFor();
  await expectAccessible(page);
  await scan(serial.toLowerCase());
  await heading(page, 'Weigh it in front of the customer');
  await page.getByText('11.664 g').waitFor();
  await page.keyboard.press('Escape');
  await heading(page, 'Scan the bar');
  await page.keyboard.press('Escape');
  await heading(page, /^Is this Secret Person/);
  await page.keyboard.press('Escape');
  await heading(page, 'Who is here?');
  expect((await recordOf(id)).status).toBe('ready');

  await scan(`karat:pickup:${id}:${code}`);
  await heading(page, /^Is this Secret Person/);
  await page.keyboard.press('Enter');
  await scan(serial);
  await heading(page, 'Weigh it in front of the customer');
  await page.keyboard.press('Enter');
  await heading(page, 'The customer signs');
  const last = button(page, 'Hand over the gold');
  expect(await last.isDisabled()).toBe(true);
  await scan(serial);
  await page.getByText('A name has no digits.').waitFor();
  expect(await last.isDisabled()).toBe(true);
  // What was scanned is marked, so that the name replaces it; Enter leads to the button.
  await page.keyboard.type('Secret Person');
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  expect(await last.evaluate((it) => it === it.ownerDocument.activeElement)).toBe(true);
  expect((await recordOf(id)).status).toBe('ready');
  await page.keyboard.press('Enter');
  await heading(page, 'Handed over');
  await page.getByRole('region', { name: 'Receipt of gold' }).getByText('Secret Person').last().waitFor();
  await expectAccessible(page);
  const record = await recordOf(id);
  expect(record).toMatchObject({ status: 'collected', bar: { serial, status: 'handed_over' } });
  expect(record.history.at(-1).note).toBe('The customer signed on the screen at the counter.');
  await button(page, 'Next customer').click();
  await heading(page, 'Who is here?');
});

test('counter: a customer without a scan is chosen in the city, and a wrong code leads back to the code', async () => {
  const { id, serial, code } = await given();
  await page.getByRole('combobox', { name: 'City' }).click();
  await page.getByRole('option', { name: 'Karachi' }).click();
  await scan('typed where the city was chosen');
  await page.getByText("This is not a customer's code").waitFor();
  await page.getByRole('region', { name: 'Ready in Karachi' }).getByRole('button').last().click();
  await page.getByLabel('Pickup code').fill(wrongCodeFor(code));
  await page.keyboard.press('Enter');
  await scan(serial);
  await heading(page, 'Weigh it in front of the customer');
  await page.keyboard.press('Enter');
  const pad = page.getByRole('img', { name: 'Sign here with a finger' });
  const box = await pad.boundingBox();
  if (!box) throw new Error('there is no field to sign');
  await page.mouse.move(box.x + 40, box.y + 100);
  await page.mouse.down();
  await page.mouse.move(box.x + 120, box.y + 40);
  await page.mouse.move(box.x + 200, box.y + 110);
  await page.mouse.up();
  // Nothing is in focus after a finger, and Escape goes back all the same.
  await page.keyboard.press('Escape');
  await heading(page, 'Weigh it in front of the customer');
  await page.keyboard.press('Enter');
  await button(page, 'Hand over the gold').click();
  await page.getByText(/^This is not the pickup code.* Tries left: 4\.$/).waitFor();
  expect(await button(page, 'Yes, it is this person').isDisabled()).toBe(true);
  await page.getByLabel('Pickup code').fill(code);
  await page.keyboard.press('Enter');
  await scan(serial);
  await heading(page, 'Weigh it in front of the customer');
  await page.keyboard.press('Enter');
  // The signature is still there.
  await button(page, 'Hand over the gold').click();
  await heading(page, 'Handed over');
  await page.locator('.receipt svg.signed').waitFor();
  expect((await recordOf(id)).status).toBe('collected');
  await button(page, 'Next customer').click();
});

test('counter: gold of another city, or that was handed over already, is refused at once', async () => {
  const { id, code } = await given();
  await s.h.ctx.sql`update redemptions set city = 'Multan', city_key = 'multan' where id = ${id}`;
  await scan(`karat:pickup:${id}:${code}`);
  await page.getByText('This gold is waiting in Multan, not here.').waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  await heading(page, 'Who is here?');
  const { id: gone } = await s.given.redemption('collected');
  await scan(gone);
  await page.getByText('This gold has already been handed over.').waitFor();
  await page.keyboard.press('Enter');
});

/** Goes through all steps of a hand-over, up to its request. */
async function handOver({ id, serial, code }: Awaited<ReturnType<typeof given>>): Promise<void> {
  await scan(`karat:pickup:${id}:${code}`);
  await heading(page, /^Is this Secret Person/);
  await page.keyboard.press('Enter');
  await scan(serial);
  await heading(page, 'Weigh it in front of the customer');
  await page.keyboard.press('Enter');
  await heading(page, 'The customer signs');
  await page.keyboard.type('Secret Person');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
}

test('counter: a hand-over whose response is lost, but which was recorded, ends with its receipt', async () => {
  const { id, serial, code } = await given();
  await page.route('**/collect', async (route) => {
    await route.fetch();
    await route.abort();
  });
  await handOver({ id, serial, code });
  await heading(page, 'Handed over');
  await page.unroute('**/collect');
  expect((await recordOf(id)).status).toBe('collected');
  await button(page, 'Next customer').click();
  expect(s.takeComplaints().filter((one) => !one.includes('ERR_FAILED'))).toEqual([]);
});

test('counter: a hand-over that is sent again, because its response was lost, ends with its receipt', async () => {
  const { id, serial, code } = await given();
  const before = await recordOf(id);
  let sent = 0;
  await page.route('**/collect', async (route) => {
    sent += 1;
    // The console sends a request whose response is lost once more by itself.
    if (sent > 2) return route.continue();
    if (sent === 1) await route.fetch();
    await route.abort();
  });
  await page.route(`**/operator/v1/redemptions/${id}`, (route) =>
    sent === 1 || sent === 2 ? route.fulfill({ json: before }) : route.continue(),
  );
  await handOver({ id, serial, code });
  await page.getByText('it is recorded only once').waitFor();
  await button(page, 'Hand over the gold').click();
  await heading(page, 'Handed over');
  await page.unrouteAll();
  expect(sent).toBe(3);
  await button(page, 'Next customer').click();
  expect(s.takeComplaints().filter((one) => !one.includes('ERR_FAILED'))).toEqual([]);
});

test('counter: Arabic and Urdu read from right to left, with their own digits', async () => {
  const { id, code } = await given();
  await chooseLanguage('العربية');
  await heading(page, 'من العميل؟');
  await expectAccessible(page);
  await scan(`karat:pickup:${id}:${code}`);
  await heading(page, /Secret Person/);
  expect(await page.locator('.counter').getAttribute('dir')).toBe('rtl');
  await chooseLanguage('اردو');
  await page.getByText('وصولی کوڈ اسکین ہو گیا۔').waitFor();
  await page.keyboard.press('Escape');
  await page.goto(`${s.url}/redemptions/${id}/receipt`);
  await page.getByText(/۱۱٫۶۶۳۸۰۳۸.? گرام/).waitFor();
  await expectAccessible(page);
});

test('receipt: a legal paper has issuer, value, fee and times with year and zone, and its label is a sheet of its own', async () => {
  const { id } = await s.given.redemption('collected');
  await page.goto(`${s.url}/redemptions/${id}/receipt`);
  await chooseLanguage('English');
  const paper = page.getByRole('region', { name: 'Receipt of gold' });
  const whole = await paper.innerText();
  for (const part of [issuer.name, issuer.address, `Registration number ${issuer.registrationNumber}`])
    expect(whole).toContain(part);
  expect(whole).toMatch(/USD\s1,5\d\d\.\d\d/);
  expect(whole).toContain('999.9 parts in 1,000');
  expect(whole).toContain('11.6638038 g (1 tola, 0.375 troy ounces)');
  expect(whole).toMatch(/Handed over\s+\d+ \w+ 20\d\d at \d\d:\d\d (GMT|UTC)/);
  const pagesOf = (pdf: Buffer) => pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length;
  expect(pagesOf(await page.pdf())).toBe(2);
  await page.evaluate(
    'window.print = () => { window.printed = [document.documentElement.dataset.print, document.title] }',
  );
  await button(page, 'Print or save the receipt').click();
  expect(await page.evaluate('window.printed')).toEqual([
    'receipt',
    expect.stringMatching(new RegExp(`^receipt-20\\d\\d-\\d\\d-\\d\\d-${id}$`)),
  ]);
  await page.evaluate("dispatchEvent(new Event('afterprint'))");
  expect(await page.evaluate('document.documentElement.dataset.print')).toBeUndefined();
  await page.evaluate("document.documentElement.dataset.print = 'receipt'");
  expect(pagesOf(await page.pdf())).toBe(1);
});

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectStatus } from '../harness.js';
import { type Karat, startKarat } from '../karat.js';
import { eventually } from '../karat-chain.js';
import { ordersOf, paths, signatureOf } from '../ordering.js';

/** From the signature of a customer's complaint to every line of the log about it, by the commands of docs/operations. */

const guide = readFileSync(new URL('../../../../docs/operations/README.md', import.meta.url), 'utf8');
const [, commands = ''] = /#### A complaint\n[\s\S]*?```sh\n([\s\S]*?)```/.exec(guide) ?? [];

let t: Karat;
beforeAll(async () => {
  t = await startKarat({ indexes: true, redeems: true, slotMs: 100 });
});
afterAll(() => t.stop());

interface Line {
  msg: string;
  route?: string;
  [field: string]: unknown;
}

/** Runs the three commands on what the service has logged so far. */
function linesAbout(txHash: string): Line[] {
  const folder = mkdtempSync(join(tmpdir(), 'karat-complaint-'));
  try {
    for (const name of ['index', 'keep', 'deliver']) writeFileSync(join(folder, `${name}.log`), '');
    writeFileSync(join(folder, 'serve.log'), t.service.logLines.join(''));
    const env = { PATH: process.env.PATH, TX_HASH: txHash };
    const found = execFileSync('bash', ['-ec', commands], { cwd: folder, env, encoding: 'utf8' });
    return found
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const isRecorded = (txHash: string) =>
  eventually(
    () =>
      expect(t.service.logLines.some((line) => line.includes('"recorded"') && line.includes(txHash))).toBe(
        true,
      ),
    20_000,
  );

/** What of a line a reader of the complaint looks for. */
const shown = ({ msg, route, status, type }: Line) => [
  msg,
  type ?? route,
  ...(status === undefined ? [] : [status]),
];

test('complaint: a signature leads to the quote, the submits and the record of a trade', async () => {
  const { tradeId, transaction } = await t.buy.quoted();
  const other = await t.buy.quoted();
  const refused = await t.buy.submit(tradeId, other.transaction);
  expect(refused.status).toBe(404);
  const submitted = expectStatus(await t.buy.submit(tradeId, t.signed(transaction)), 200);
  const txHash: string = submitted.body.tx_hash;
  await isRecorded(txHash);
  const lines = linesAbout(txHash);
  expect(lines.map(shown)).toEqual([
    ['answered', '/v1/buy', 200],
    ['answered', '/v1/buy/:trade_id/submit', 404],
    ['answered', '/v1/buy/:trade_id/submit', 200],
    ['recorded', 'trade.confirmed'],
  ]);
  for (const line of lines)
    expect(line).toMatchObject({ trade_id: tradeId, partner_id: t.partner.partnerId });
  expect(lines.at(-1)).toMatchObject({
    tx: txHash,
    slot: expect.any(Number),
    request_id: submitted.headers['x-request-id'],
  });
});

test('complaint: a signature leads to the quote, the submit and the record of a redemption', async () => {
  const { id, transaction } = await t.redemptions.quoted();
  const submitted = expectStatus(await t.redemptions.submit(id, t.signed(transaction)), 200);
  const txHash: string = submitted.body.tx_hash;
  await isRecorded(txHash);
  const lines = linesAbout(txHash);
  expect(lines.map(shown)).toEqual([
    ['answered', '/v1/redemptions', 201],
    ['answered', '/v1/redemptions/:redemption_id/submit', 200],
    ['recorded', 'redemption.submitted'],
  ]);
  for (const line of lines) expect(line).toMatchObject({ redemption_id: id });
  expect(lines.at(-1)).toMatchObject({ request_id: submitted.headers['x-request-id'] });
});

test('complaint: a signature leads to the order, the submit and the record of a purchase of a vault', async () => {
  const treasury = await t.given.treasury();
  const { response, signed } = await ordersOf(() => treasury).purchase();
  expect((await t.tradebook.submit(signed)).status).toBeLessThan(300);
  const txHash = signatureOf(signed);
  await isRecorded(txHash);
  const lines = linesAbout(txHash);
  expect(lines.map(shown)).toEqual([
    ['answered', paths.purchases, 201],
    expect.arrayContaining([expect.stringMatching(/answered|recorded/)]),
    expect.arrayContaining([expect.stringMatching(/answered|recorded/)]),
  ]);
  const { purchaseId } = response.body.data;
  for (const line of lines) expect(line).toMatchObject({ order_id: purchaseId });
});

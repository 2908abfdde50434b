import { createHash } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { attestorReport } from '../../../../sandbox/src/own-chain.js';
import { addReport } from '../../../src/actions/reserves/add-report.js';
import { maxReportBytes } from '../../../src/domain/reserves/report.js';
import { buildApp } from '../../../src/http/app.js';
import { clientOf, expectStatus, newAddress } from '../../harness.js';
import { type Karat, startKarat } from '../../karat.js';
import { attestedGold, finalize } from '../../karat-chain.js';
import { seedDenominations } from '../../redeeming.js';

/** The reports on which attestations are based, which anyone may download. */
let t: Karat;
let url: string;
beforeAll(async () => {
  t = await startKarat();
  url = await t.service.app.listen({ host: '127.0.0.1', port: 0 });
  await seedDenominations(t.service);
  await finalize(t.chain, t.service.ctx);
});
afterAll(() => t?.stop());

/** What the attestor of the tests' chain attested. */
const report = attestorReport(attestedGold);
const hash = createHash('sha256').update(report).digest('hex');
const path = '/v1/reserves/reports';

test('reports: only the file that an attestation names is published', async () => {
  const { ctx } = t.service;
  await expect(addReport(ctx, Buffer.from(`${report} `))).rejects.toMatchObject({
    code: 'transition_not_allowed',
    message: expect.stringMatching(/^No attestation names this file: its SHA-256 is [0-9a-f]{64}, /),
  });
  await expect(addReport(ctx, Buffer.from('GIF89a\0'))).rejects.toMatchObject({
    code: 'invalid_request',
    message: 'The report must be a PDF or a text.',
  });
  await expect(addReport(ctx, Buffer.alloc(0))).rejects.toMatchObject({ code: 'invalid_request' });
  await expect(addReport(ctx, Buffer.alloc(maxReportBytes + 1, ' '))).rejects.toMatchObject({
    code: 'invalid_request',
    message: 'The report may have 10 MiB.',
  });
  await t.chain.injectFault({ method: 'getMultipleAccounts', mode: 'error', times: 100 });
  await expect(addReport(ctx, report)).rejects.toMatchObject({ code: 'service_unavailable' });
  await t.chain.clearFaults();
  expect((await t.service.anonymous.get(path)).body).toEqual({ reports: [] });
  expect(await addReport(ctx, report)).toBe(hash);
  expect(await addReport(ctx, report)).toBe(hash);
});

test('reports: a published one is listed and downloaded without a key, and is what the chain names', async () => {
  const app = await buildApp(t.service.ctx);
  const { reports } = expectStatus(await clientOf(app, {}).get(path), 200).body;
  await app.close();
  expect(reports).toEqual([
    {
      report_hash: hash,
      content_type: 'text/plain',
      bytes: report.length,
      published_at: expect.stringMatching(/Z$/),
      path: `${path}/${hash}`,
    },
  ]);
  const response = await fetch(url + reports[0].path);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/plain; charset=utf-8',
    'content-disposition': `attachment; filename="attestation-${hash.slice(0, 8)}.txt"`,
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
  });
  const content = Buffer.from(await response.arrayBuffer());
  expect(createHash('sha256').update(content).digest('hex')).toBe(hash);
  const unknown = await fetch(`${url}${path}/${'0'.repeat(64)}`);
  expect([unknown.status, await unknown.json()]).toEqual([
    404,
    expect.objectContaining({ error: 'not_found', message: 'No report with this SHA-256 was published.' }),
  ]);
});

test('reports: one that an earlier statement was signed with is published after the next attestation', async () => {
  const { ctx } = t.service;
  await t.service.ctx.db.execute(sql`delete from reserve_reports`);
  await t.given.bars(1);
  await t.given.statement();
  // The chain is out of reach: the statement names the report.
  await t.chain.injectFault({ method: 'getMultipleAccounts', mode: 'error', times: 100 });
  expect(await addReport(ctx, report)).toBe(hash);
  await t.chain.clearFaults();
});

test('reports: the database refuses a content that has another SHA-256', async () => {
  const put = (content: string) =>
    t.service.ctx.db.execute(
      sql`update reserve_reports set content = ${Buffer.from(content)} where hash = ${hash}`,
    );
  await expect(put('another')).rejects.toMatchObject({ cause: { constraint_name: 'reserve_reports_hash' } });
});

test('reports: downloads are limited for each network', async () => {
  const { ctx } = t.service;
  const app = await buildApp({ ...ctx, config: { ...ctx.config, openRateLimitPerMinute: 2 } });
  try {
    const remoteAddress = newAddress();
    const get = async (at: string) =>
      (await app.inject({ method: 'GET', url: at, remoteAddress })).statusCode;
    const file = `${path}/${hash}`;
    expect([await get(file), await get(file), await get(file)]).toEqual([200, 200, 429]);
    expect(await get(path)).toBe(200);
  } finally {
    await app.close();
  }
});

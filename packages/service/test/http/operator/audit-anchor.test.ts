import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { putCountry } from '../../../src/actions/catalogue/put-country.js';
import { inChange } from '../../../src/actions/change.js';
import { findAuditRowsAfter } from '../../../src/db/operators/audit-log.js';
import { commandLine } from '../../../src/domain/audit.js';
import { expectStatus, type Harness, harness } from '../../harness.js';
import { eventually } from '../../karat-chain.js';
import { type Operators, operatorBase, send, startOperators } from '../../operators.js';

let h: Harness;
let operators: Operators;
beforeAll(async () => {
  h = await harness();
  operators = await startOperators(h);
});
afterAll(async () => {
  await operators.close();
  await h.close();
});

const put = async (code: string) =>
  expectStatus(
    await send(operators.by.admin.client, 'PUT', `/countries/${code}`, { name: code, active: true }),
    200,
  );
const hex = (hash: Uint8Array) => Buffer.from(hash).toString('hex');

/** Entries as the service's own log has them, from a line on. */
const reported = (from = 0) =>
  h.logLines
    .slice(from)
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => msg === 'audit entry')
    .map(({ audit_seq: seq, audit_hash: hash }) => ({ seq, hash }));
const written = async () =>
  (await findAuditRowsAfter(h.ctx.db, 0, 1_000)).map(({ seq, hash }) => ({ seq, hash: hex(hash) }));
const verify = async () =>
  expectStatus(await operators.by.viewer.client.get(`${operatorBase}/audit/verify`), 200).body;

test('every entry is in the log of the service with its number and hash, and nothing else of it', async () => {
  for (const code of ['TR', 'QA', 'OM']) await put(code);
  await Promise.all(['KW', 'BH', 'JO', 'LB'].map(put));
  await eventually(async () => expect(reported().slice(-7)).toEqual(await written()), 10_000);
  const lines = h.logLines.filter((line) => line.includes('"audit_seq"'));
  const members = lines.map((line) => Object.keys(JSON.parse(line)).sort().join());
  expect(new Set(members)).toEqual(new Set(['audit_hash,audit_seq,level,msg,time']));
});

test('an entry of a change that failed is not in the log of the service, and one of the command line is', async () => {
  const from = h.logLines.length;
  await h.ctx.sql`alter table audit_log add constraint none check (object_id <> 'XX') not valid`;
  const body = { name: 'Nowhere', active: true };
  expect((await send(operators.by.admin.client, 'PUT', '/countries/XX', body)).status).toBe(500);
  await h.ctx.sql`alter table audit_log drop constraint none`;
  await inChange(h.ctx, commandLine, (change) =>
    putCountry(change, { code: 'SY', name: 'Syria', active: true }),
  );
  const last = (await written()).slice(-1);
  await eventually(() => expect(reported(from)).toEqual(last), 15_000);
}, 20_000);

test('an end that was cut off is not found by verify, and by the head', async () => {
  await put('AE');
  const rows = await written();
  const [kept, cut] = [rows.at(-2), rows.at(-1)];
  await eventually(() => expect(reported().at(-1)).toEqual(cut), 10_000);
  expect(await verify()).toEqual({ ok: true, rows: cut?.seq, head: cut });

  // As the owner of the tables can.
  const { db } = h.ctx;
  const table = (name: string, which: string) =>
    db.execute(sql.raw(`alter table ${name} ${which} trigger all`));
  for (const name of ['audit_log', 'audit_head']) await table(name, 'disable');
  await db.execute(sql`delete from audit_log where seq = ${cut?.seq}`);
  await db.execute(
    sql`update audit_head set (seq, hash) = (select seq, hash from audit_log where seq = ${kept?.seq})`,
  );
  for (const name of ['audit_log', 'audit_head']) await table(name, 'enable');

  const { ok, head } = await verify();
  expect(ok).toBe(true);
  expect(head).toEqual(kept);
  expect(reported()).toContainEqual(cut);
  // A process that saw the entry says so by itself.
  const lost = () =>
    h.logLines.map((line) => JSON.parse(line)).filter(({ msg }) => /no longer contains an entry/.test(msg));
  await eventually(
    () => expect(lost()).toMatchObject([{ level: 'error', audit_seq: cut?.seq, audit_hash: cut?.hash }]),
    15_000,
  );
  // Another entry in its place has another hash.
  await put('SA');
  expect((await verify()).head).toMatchObject({ seq: cut?.seq });
  expect((await verify()).head.hash).not.toBe(cut?.hash);
}, 40_000);

test('a process that starts begins with the last entry', async () => {
  // The first process has written its last line: closing awaits the look that a change began.
  await operators.close();
  const from = h.logLines.length;
  const other = await startOperators(h);
  const last = (await written()).slice(-1);
  await eventually(() => expect(reported(from)).toEqual(last), 10_000);
  await other.close();
});

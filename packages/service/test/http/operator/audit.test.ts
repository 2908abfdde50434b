import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findAuditHead, findAuditRowsAfter } from '../../../src/db/operators/audit-log.js';
import { newUuid } from '../../../src/domain/ids.js';
import { expectStatus, type Harness, harness } from '../../harness.js';
import { eventually } from '../../karat-chain.js';
import { type Operators, operatorBase, send, startOperators } from '../../operators.js';

let h: Harness;
let operators: Operators;
beforeAll(async () => {
  h = await harness();
  operators = await startOperators(h);
  for (const [at, code] of ['TR', 'QA', 'OM', 'KW', 'BH', 'JO'].entries()) {
    h.clock.advance(1);
    const { client } = at % 2 ? operators.by.admin : await operators.givenOperator('admin');
    expectStatus(await send(client, 'PUT', `/countries/${code}`, { name: code, active: true }), 200);
  }
});
afterAll(async () => {
  await operators.close();
  await h.close();
});

const get = (path: string) => operators.by.viewer.client.get(`${operatorBase}${path}`);
const verify = async () => {
  const { head, ...verdict } = expectStatus(await get('/audit/verify'), 200).body;
  expect(head).toEqual({ seq: expect.any(Number), hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
  return verdict;
};
const db = () => h.ctx.db;
/** PostgreSQL's own words for a refused statement. */
const refusalOf = async (statement: ReturnType<typeof sql>): Promise<string> => {
  try {
    await db().execute(statement);
    return 'done';
  } catch (error) {
    return String((error as { cause?: unknown }).cause ?? error);
  }
};

describe('the audit log', () => {
  test('the audit log has for every change who, what, when and by which request, each entry bound to the one before', async () => {
    const sent = { 'x-request-id': 'audit-test-1' };
    const { client, operatorId } = operators.by.admin;
    expectStatus(await send(client, 'PUT', '/countries/TR', { name: 'Türkiye', active: true }, sent), 200);
    const { entries } = expectStatus(await get('/audit'), 200).body;
    const [last, before] = entries;
    expect(last).toMatchObject({
      seq: before.seq + 1,
      at: new Date(h.clock.now()).toISOString(),
      operator_id: operatorId,
      operator_name: 'The admin',
      action: 'country.change',
      object_type: 'country',
      object_id: 'TR',
      before: { code: 'TR', name: 'TR', active: true },
      after: { code: 'TR', name: 'Türkiye', active: true },
      request_id: 'audit-test-1',
      previous_hash: before.hash,
    });
    expect(entries.at(-1)).toMatchObject({ seq: 1, previous_hash: '0'.repeat(64) });
  });

  test('the audit log writes a change and its entry together or not at all', async () => {
    const head = await findAuditHead(db());
    await db().execute(sql`alter table audit_log add constraint none check (object_id <> 'XX') not valid`);
    try {
      const { client } = operators.by.admin;
      const response = await send(client, 'PUT', '/countries/XX', { name: 'Nowhere', active: true });
      expect(response).toMatchObject({ status: 500, body: { error: 'internal_error' } });
    } finally {
      await db().execute(sql`alter table audit_log drop constraint none`);
    }
    expect(await db().execute(sql`select 1 from countries where code = 'XX'`)).toHaveLength(0);
    expect(await findAuditHead(db())).toEqual(head);
  });

  test('the audit log has no entry of a change that came to nothing at its very end', async () => {
    const head = await findAuditHead(db());
    await db().execute(sql`create function refuse_late() returns trigger language plpgsql as $$
      begin raise exception 'too late'; end $$`);
    await db().execute(sql`create constraint trigger refuse_late after insert on countries
      deferrable initially deferred for each row execute function refuse_late()`);
    try {
      const { client } = operators.by.admin;
      const response = await send(client, 'PUT', '/countries/XX', { name: 'Nowhere', active: true });
      expect(response).toMatchObject({ status: 500, body: { error: 'internal_error' } });
    } finally {
      await db().execute(sql`drop trigger refuse_late on countries`);
      await db().execute(sql`drop function refuse_late`);
    }
    expect(await db().execute(sql`select 1 from countries where code = 'XX'`)).toHaveLength(0);
    expect(await findAuditHead(db())).toEqual(head);
  });

  test('the audit log has no gaps and no forks, however many change at once', async () => {
    const { client } = operators.by.admin;
    const codes = [...'ABCDEFGHIJKLMNOPQRST'].map((deadLetter) => `X${deadLetter}`);
    await Promise.all(
      codes.map((code) => send(client, 'PUT', `/countries/${code}`, { name: code, active: false })),
    );
    const rows = await findAuditRowsAfter(db(), 0, 1_000);
    expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, at) => at + 1));
    expect(await verify()).toEqual({ ok: true, rows: rows.length });
  });

  test('the audit log is walked once for all concurrent requests', async () => {
    const { sql } = h.ctx;
    // What writes the entries to the log of the service reads them, too, a moment after each change.
    const head = await findAuditHead(db());
    await eventually(
      () => expect(h.logLines.some((line) => JSON.parse(line).audit_seq === head?.seq)).toBe(true),
      10_000,
    );
    const requested: Promise<unknown>[] = [];
    await sql.begin(async (tx) => {
      await tx`lock table audit_log in access exclusive mode`;
      for (let count = 0; count < 8; count += 1) requested.push(verify());
      // Earlier requests have been let in by the time that two later ones have their responses.
      for (let count = 0; count < 2; count += 1) expectStatus(await get('/me'), 200);
      const waiting = async () => sql`
        select pid from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%audit_log%'`;
      await eventually(async () => expect(await waiting()).not.toHaveLength(0), 10_000);
      expect(await waiting()).toHaveLength(1);
    });
    const responses = await Promise.all(requested);
    expect(new Set(responses.map((response) => JSON.stringify(response))).size).toBe(1);
    expect(responses[0]).toMatchObject({ ok: true });
  });

  test('the audit log is filtered, and read page by page while it grows', async () => {
    const { operatorId, client } = operators.by.admin;
    const seqs = async (query: string) =>
      expectStatus(await get(`/audit?${query}`), 200).body.entries.map(({ seq }: { seq: number }) => seq);
    const all = (await seqs('limit=100')) as number[];
    expect(all).toEqual(all.toSorted((a, b) => b - a));
    const rows = await findAuditRowsAfter(db(), 0, 1_000);
    const own = rows.filter((row) => row.personId === operatorId).map(({ seq }) => seq);
    expect(await seqs(`operator_id=${operatorId}`)).toEqual(own.toReversed());
    expect(await seqs('object_type=country&object_id=TR')).toHaveLength(2);
    expect(await seqs('object_id=TR&action=country.change')).toHaveLength(1);
    const seen: number[] = [];
    let cursor = '';
    do {
      const page = expectStatus(await get(`/audit?limit=7${cursor}`), 200).body;
      seen.push(...page.entries.map(({ seq }: { seq: number }) => seq));
      expectStatus(
        await send(client, 'PUT', '/countries/ZZ', { name: `Z${seen.length}`, active: false }),
        200,
      );
      cursor = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`;
    } while (cursor !== '');
    expect(seen).toEqual(all);
  });

  test.each([
    'object_id=%00',
    'object_type=%ED%A0%80',
    'operator_id=x',
    `operator_id=${newUuid()}`,
    'action=%00',
  ])('the audit log has nothing for %s', async (query) => {
    expect((await get(`/audit?${query}`)).body).toEqual({ entries: [], next_cursor: null });
  });
});

describe('an entry', () => {
  test.each([
    ['changed', sql`update audit_log set reason = 'better' where seq = 3`],
    ['changed in no column', sql`update audit_log set seq = seq where seq = 3`],
    ['changed where there is none', sql`update audit_log set reason = 'x' where false`],
    ['deleted', sql`delete from audit_log where seq = 3`],
    ['deleted with all others', sql`truncate audit_log`],
    ['deleted with what it names', sql`truncate people cascade`],
    [
      'replaced by an insert',
      sql`insert into audit_log select * from audit_log where seq = 3
      on conflict (seq) do update set reason = 'x'`,
    ],
    ['cut off at the head', sql`delete from audit_head`],
    ['cut off at the head by truncate', sql`truncate audit_head`],
  ])('an entry cannot be %s by SQL', async (_name, statement) => {
    expect(await refusalOf(statement)).toContain('the audit log is append-only');
    expect((await verify()).ok).toBe(true);
  });

  test('an entry cannot lose the operator it names', async () => {
    const { operatorId } = operators.by.admin;
    expect(await refusalOf(sql`delete from people where id = ${operatorId}`)).toMatch(/foreign key/);
  });
});

describe('a manipulation past the trigger', () => {
  let rows: number;
  beforeEach(async () => {
    ({ rows } = await verify());
  });

  /** What verify says while a forced edit stands; all is undone after it, as the owner of the database can. */
  async function forced(...statements: ReturnType<typeof sql>[]) {
    await db().execute(sql`create table kept_log as select * from audit_log`);
    await db().execute(sql`create table kept_head as select * from audit_head`);
    try {
      await db().execute(sql`alter table audit_log disable trigger all`);
      await db().execute(sql`alter table audit_head disable trigger all`);
      for (const statement of statements) await db().execute(statement);
      return await verify();
    } finally {
      await db().execute(sql`delete from audit_log`);
      await db().execute(sql`insert into audit_log select * from kept_log`);
      await db().execute(sql`update audit_head set (seq, hash) = (select seq, hash from kept_head)`);
      await db().execute(sql`alter table audit_log enable trigger all`);
      await db().execute(sql`alter table audit_head enable trigger all`);
      await db().execute(sql`drop table kept_log, kept_head`);
    }
  }
  const bad = (seq: number) => ({ ok: false, rows: seq - 1, first_bad: seq });

  test.each([
    ['reason', sql`update audit_log set reason = 'x' where seq = 3`],
    ['before', sql`update audit_log set before = '{"name":"x"}' where seq = 3`],
    ['after', sql`update audit_log set after = after || '{"active": false}' where seq = 3`],
    ['at', sql`update audit_log set at = at + interval '1 ms' where seq = 3`],
    ['action', sql`update audit_log set action = 'country.delete' where seq = 3`],
    ['object_type', sql`update audit_log set object_type = 'user' where seq = 3`],
    ['object_id', sql`update audit_log set object_id = 'FR' where seq = 3`],
    ['person_id', sql`update audit_log set person_id = null where seq = 3`],
    ['request_id', sql`update audit_log set request_id = 'x' where seq = 3`],
    ['hash', sql`update audit_log set hash = sha256('x') where seq = 3`],
    ['previous_hash', sql`update audit_log set previous_hash = sha256('x') where seq = 3`],
  ])('an edited %s is found', async (_column, statement) => {
    expect(await forced(statement)).toEqual(bad(3));
  });

  test('a missing entry is found, in the middle, at the beginning and at the end', async () => {
    expect(await forced(sql`delete from audit_log where seq = 3`)).toEqual(bad(3));
    expect(await forced(sql`delete from audit_log where seq = 1`)).toEqual(bad(1));
    expect(await forced(sql`delete from audit_log where seq = ${rows}`)).toEqual(bad(rows));
  });

  test('a missing entry is found whose place the others close', async () => {
    const verdict = await forced(
      sql`delete from audit_log where seq = 3`,
      sql`update audit_log set seq = seq + 10000 where seq > 3`,
      sql`update audit_log set seq = seq - 10001 where seq > 10000`,
      sql`update audit_head set seq = seq - 1`,
    );
    expect(verdict).toEqual(bad(3));
  });

  test('an entry that is added past the service is found, and so is one in place of another', async () => {
    const forge = sql`insert into audit_log select ${rows} + 1, at, person_id, action, object_type, object_id, before,
      after, reason, request_id, hash, sha256(hash) from audit_log where seq = ${rows}`;
    expect(await forced(forge)).toEqual(bad(rows + 1));
    const swap = sql`update audit_log a set object_id = b.object_id, after = b.after from audit_log b
      where a.seq in (2, 3) and b.seq in (2, 3) and a.seq <> b.seq`;
    expect(await forced(swap)).toEqual(bad(2));
  });

  test('a head that is moved back is found', async () => {
    const statement = sql`update audit_head set (seq, hash) = (select seq, hash from audit_log where seq = 3)`;
    expect((await forced(statement)).ok).toBe(false);
  });
});

import { type SQL, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyAuditLog } from '../../../src/actions/audit.js';
import { callKarat } from '../../cli/run-karat.js';
import { type ApiResponse, type Client, expectStatus } from '../../harness.js';
import { eventually } from '../../karat-chain.js';
import { type Operating, startOperating } from '../../operating.js';
import { changesOf, type GivenOperator, operatorBase, send } from '../../operators.js';

/** What becomes of what somebody asked for who is disabled or demoted before it is decided. */
let o: Operating;
beforeAll(async () => {
  o = await startOperating({ approvals: 2 });
});
afterAll(() => o.stop());

const reason = 'The operator who requested this may no longer do it.';
const admin = () => o.operators.by.admin;
const ask = (id: string, client: Client) => send(client, 'POST', `/redemptions/${id}/refund`);
const disable = ({ operatorId }: GivenOperator) =>
  send(admin().client, 'POST', `/operators/${operatorId}/disable`, { reason: 'Left' });
const setRole = ({ operatorId }: GivenOperator, role: string) =>
  send(admin().client, 'PATCH', `/operators/${operatorId}`, { role });

/** Has a second admin approve what the first one asked for, and leave again. */
async function approved(response: ApiResponse) {
  const second = await o.operators.givenOperator('admin');
  const { approval_id: id } = expectStatus(response, 202).body;
  expectStatus(await send(second.client, 'POST', `/approvals/${id}/approve`), 200);
  await commandLine('disable', second);
}
const commandLine = async (command: string, { email }: GivenOperator, ...more: string[]) => {
  const env = { DATABASE_URL: o.h.databaseUrl, KARAT_OWNER_DATABASE_URL: o.h.databaseUrl };
  const run = await callKarat(['operator', command, '--email', email, ...more], env);
  expect([run.code, run.stderr]).toEqual([0, '']);
};

async function find(approvalId: string) {
  const { body } = expectStatus(
    await o.operators.by.viewer.client.get(`${operatorBase}/approvals?limit=100`),
    200,
  );
  return body.approvals.find((one: { approval_id: string }) => one.approval_id === approvalId);
}

/** Makes a request, and changes the account behind it once that was let in and before it is written. */
async function whileChanged({ operatorId }: GivenOperator, change: SQL, request: () => Promise<ApiResponse>) {
  let requested: Promise<ApiResponse> | undefined;
  await o.h.ctx.db.transaction(async (tx) => {
    await tx.execute(sql`update people set ${change} where id = ${operatorId}`);
    requested = request();
    await eventually(async () => {
      const waiting = await o.h.ctx.db.execute(sql`
        select pid from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like 'select%"people"%'`);
      expect(waiting).toHaveLength(1);
    }, 10_000);
  });
  return requested;
}

/** A refund that an operator asked for. */
async function givenRequest({ client }: GivenOperator) {
  const { id } = await o.given.redemption('cancelled');
  const { approval_id: approvalId } = expectStatus(await ask(id, client), 202).body;
  return { id, approvalId: approvalId as string };
}

test('a request is not ended when the account of its operator stays as it is', async () => {
  const { approvalId } = await givenRequest(admin());
  // The last active admin.
  expect((await setRole(admin(), 'viewer')).status).toBe(409);
  expect((await disable(admin())).status).toBe(409);
  const fulfilment = await o.operators.givenOperator('fulfilment');
  const kept = await givenRequest(fulfilment);
  const path = `/operators/${fulfilment.operatorId}`;
  expectStatus(await send(admin().client, 'PATCH', path, { name: 'Aisha', role: 'fulfilment' }), 200);
  // The role may ask for it still.
  await commandLine('role', fulfilment, '--role', 'admin');
  for (const id of [approvalId, kept.approvalId]) expect((await find(id)).status).toBe('pending');
  await approved(await disable(fulfilment));
  expect((await find(approvalId)).status).toBe('pending');
});

describe('a request is ended when its operator changes', () => {
  test.each<[string, string | null, (operator: GivenOperator) => Promise<unknown>]>([
    ['is disabled', 'two admins', async (operator) => approved(await disable(operator))],
    ['is disabled on the command line', null, (operator) => commandLine('disable', operator)],
    ['gets a lower role', 'two admins', async (operator) => approved(await setRole(operator, 'viewer'))],
    [
      'gets a lower role on the command line',
      null,
      (operator) => commandLine('role', operator, '--role', 'compliance'),
    ],
  ])(
    'a request is ended at once, and open to another operator, when its operator %s',
    async (_, by, change) => {
      const requester = await o.operators.givenOperator('fulfilment');
      const rejected = await givenRequest(requester);
      const reject = `/approvals/${rejected.approvalId}/reject`;
      expectStatus(await send(admin().client, 'POST', reject, { reason: 'no' }), 200);
      const others = await givenRequest(o.operators.by.fulfilment);
      const { id, approvalId } = await givenRequest(requester);

      await change(requester);
      expect(await find(approvalId)).toMatchObject({
        status: 'expired',
        reason,
        decided_by: null,
        decided_at: null,
      });
      const [requested, ended] = await changesOf(o.h, 'approval', approvalId);
      expect(ended).toEqual({
        action: 'approval.expire',
        before: { status: 'pending', ...requested?.after },
        after: { status: 'expired' },
        reason,
        operatorId: by === null ? null : expect.any(String),
      });
      expect(await send(admin().client, 'POST', `/approvals/${approvalId}/approve`)).toMatchObject({
        status: 409,
        body: { message: 'An approval that is expired cannot be decided.' },
      });
      const { approval_id: next } = expectStatus(await ask(id, o.operators.by.fulfilment.client), 202).body;
      expect((await find(next)).status).toBe('pending');
      expect(await find(rejected.approvalId)).toMatchObject({ status: 'rejected', reason: 'no' });
      expect((await find(others.approvalId)).status).toBe('pending');
    },
  );

  test('a request is ended when its operator may request less than before, as far as the operator may not', async () => {
    const requester = await o.operators.givenOperator('admin');
    const ended: string[] = [];
    for (const { path, terms } of [await o.givenTerms(), await o.givenTerms()]) {
      ended.push(expectStatus(await send(requester.client, 'PUT', path, terms), 202).body.approval_id);
    }
    const refund = await givenRequest(requester);
    await commandLine('role', requester, '--role', 'fulfilment');
    for (const id of ended) expect(await find(id)).toMatchObject({ status: 'expired', reason });
    expect((await find(refund.approvalId)).status).toBe('pending');
  });
});

test('a request is not made by an operator who is disabled while it is under way', async () => {
  const requester = await o.operators.givenOperator('fulfilment');
  const { id } = await o.given.redemption('cancelled');
  const response = await whileChanged(requester, sql`status = 'disabled'`, () => ask(id, requester.client));
  expect(response).toMatchObject({
    status: 403,
    body: { error: 'insufficient_scope', message: 'You may no longer request this.' },
  });
  expectStatus(await ask(id, o.operators.by.fulfilment.client), 202);
});

test.each([
  ['approved', 'disabled', sql`status = 'disabled'`],
  ['approved', 'demoted', sql`role = 'compliance'`],
  ['rejected', 'disabled', sql`status = 'disabled'`],
] as const)(
  'a request is not %s by an operator who is %s while the decision is under way',
  async (decision, _, change) => {
    const { id, approvalId } = await givenRequest(o.operators.by.fulfilment);
    const decider = await o.operators.givenOperator('fulfilment');
    const [act, body] = decision === 'approved' ? ['approve', undefined] : ['reject', { reason: 'no' }];
    const response = await whileChanged(decider, change, () =>
      send(decider.client, 'POST', `/approvals/${approvalId}/${act}`, body),
    );
    expect(response).toMatchObject({
      status: 403,
      body: { error: 'insufficient_scope', message: 'You may no longer decide this.' },
    });
    expect(await o.rowsOf(id)).toEqual([]);
    expect((await find(approvalId)).status).toBe('pending');
  },
);

test('ended approvals leave an audit log that is whole', async () => {
  expect(await verifyAuditLog(o.h.ctx.db)).toMatchObject({ ok: true });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyAuditLog } from '../../../src/actions/audit.js';
import { createOperatorToken } from '../../../src/actions/operators/create-operator.js';
import { commandLine } from '../../../src/domain/audit.js';
import { callKarat } from '../../cli/run-karat.js';
import { clientOf, expectStatus, type Harness, harness } from '../../harness.js';
import {
  changesOf,
  type GivenOperator,
  type Operators,
  operatorBase,
  send,
  startOperators,
} from '../../operators.js';

/** Accounts that one admin may hold, because they were opened over the API: for an approval they are one person. */
let h: Harness;
let operators: Operators;
let second: GivenOperator;
beforeAll(async () => {
  h = await harness({ config: { approvals: 2 } });
  operators = await startOperators(h);
  second = await operators.givenOperator('admin');
});
afterAll(async () => {
  await operators.close();
  await h.close();
});

type Account = Pick<GivenOperator, 'client' | 'email' | 'operatorId'>;

const first = () => operators.by.admin;
const approve = (id: string, { client }: Account) => send(client, 'POST', `/approvals/${id}/approve`);
const onePerson = {
  status: 403,
  body: { error: 'forbidden', message: expect.stringContaining('karat operator password') },
};

async function withToken({ operatorId, email }: Omit<Account, 'client'>): Promise<Account> {
  const { token } = await createOperatorToken(h.ctx, commandLine, { email, name: 'a test' });
  return { operatorId, email, client: clientOf(operators.app, { authorization: `Bearer ${token}` }) };
}

let count = 0;
/** An admin whose account another admin opened as a viewer's, and a third one approved the role of. */
async function givenOpenedAdmin(opener: Account = first()): Promise<Account> {
  count += 1;
  const account = {
    email: `opened-${count}@karat.test`,
    name: 'Opened',
    role: 'viewer',
    password: 'a password of X',
  };
  const { operator_id: operatorId } = expectStatus(
    await send(opener.client, 'POST', '/operators', account),
    201,
  ).body;
  const raise = await send(opener.client, 'PATCH', `/operators/${operatorId}`, { role: 'admin' });
  expectStatus(await approve(expectStatus(raise, 202).body.approval_id, second), 200);
  return withToken({ operatorId, email: account.email });
}

/** Requests another fee of a partner, and returns the approval that it waits for. */
async function requestAs({ client }: Account): Promise<string> {
  const { partnerId } = await h.givenPartner();
  const requested = await send(client, 'PATCH', `/partners/${partnerId}`, { fee_percentage: 0.2 });
  return expectStatus(requested, 202).body.approval_id;
}

async function setPassword({ email }: Account) {
  const env = {
    DATABASE_URL: h.databaseUrl,
    KARAT_OWNER_DATABASE_URL: h.databaseUrl,
    KARAT_OPERATOR_PASSWORD: 'a password of the owner',
  };
  const run = await callKarat(['operator', 'password', '--email', email], env);
  expect([run.code, run.stderr]).toEqual([0, '']);
}

async function openersOf({ operatorId }: Account): Promise<string[]> {
  const { body } = expectStatus(await first().client.get(`${operatorBase}/operators?limit=100`), 200);
  return body.operators.find((one: { operator_id: string }) => one.operator_id === operatorId).opened_by;
}

describe('operators who count as one person', () => {
  test('an operator is not the other person for the opener of the account, in either direction', async () => {
    const opened = await givenOpenedAdmin();
    expect(await openersOf(opened)).toEqual([first().operatorId]);
    for (const [requester, approver] of [
      [first(), opened],
      [opened, first()],
    ] as const) {
      const id = await requestAs(requester);
      expect(await approve(id, approver)).toMatchObject(onePerson);
      expectStatus(await approve(id, second), 200);
    }
  });

  test('an operator is not the other person for another account of the same opener, or one opened by that', async () => {
    const [one, two] = [await givenOpenedAdmin(), await givenOpenedAdmin()];
    const third = await givenOpenedAdmin(two);
    expect(await openersOf(third)).toEqual([two.operatorId, first().operatorId]);
    for (const [requester, approver] of [
      [one, two],
      [one, third],
      [first(), third],
    ] as const) {
      expect(await approve(await requestAs(requester), approver)).toMatchObject(onePerson);
    }
  });

  test('an operator who is not the other person may reject, and be the other person for another operator', async () => {
    const opened = await givenOpenedAdmin();
    const rejected = await send(opened.client, 'POST', `/approvals/${await requestAs(first())}/reject`, {
      reason: 'no',
    });
    expectStatus(rejected, 200);
    expectStatus(await approve(await requestAs(second), opened), 200);
  });
});

describe('an account whose password was set on the command line', () => {
  test('an account with a password from the command line is another person, and nothing of its opener’s is left', async () => {
    const opened = await givenOpenedAdmin();
    const earlier = await requestAs(opened);
    await setPassword(opened);
    expect(await openersOf(opened)).toEqual([]);
    expect(await opened.client.get(`${operatorBase}/me`)).toMatchObject({ status: 401 });
    expect(await approve(earlier, first())).toMatchObject({ status: 409 });
    expect((await changesOf(h, 'approval', earlier)).at(-1)).toMatchObject({
      action: 'approval.expire',
      reason: 'The operator who opened this account may have requested this.',
    });
    expectStatus(await approve(await requestAs(first()), await withToken(opened)), 200);
  });

  test('an account with a password from the command line is no other person for one that was opened with it before', async () => {
    const opened = await givenOpenedAdmin();
    const third = await givenOpenedAdmin(opened);
    await setPassword(opened);
    expect(await approve(await requestAs(await withToken(opened)), third)).toMatchObject(onePerson);
    expect(await approve(await requestAs(first()), third)).toMatchObject(onePerson);
  });

  test('an account opened on the command line keeps tokens and requests when its password is set', async () => {
    const own = await operators.givenOperator('admin');
    const id = await requestAs(own);
    await setPassword(own);
    expectStatus(await own.client.get(`${operatorBase}/me`), 200);
    expectStatus(await approve(id, second), 200);
  });
});

test('accounts of one person leave an audit log that is whole', async () => {
  expect(await verifyAuditLog(h.ctx.db)).toMatchObject({ ok: true });
});

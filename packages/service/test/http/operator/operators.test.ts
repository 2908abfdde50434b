import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inChange } from '../../../src/actions/change.js';
import { setOperatorStatus } from '../../../src/actions/operators/change-operator.js';
import { commandLine } from '../../../src/domain/audit.js';
import { newUuid } from '../../../src/domain/ids.js';
import { expectStatus, type Harness, harness } from '../../harness.js';
import { changesOf, type Operators, operatorBase, send, startOperators } from '../../operators.js';

let h: Harness;
let operators: Operators;
beforeAll(async () => {
  h = await harness({ config: { approvals: 1 } });
  operators = await startOperators(h);
});
afterAll(async () => {
  await operators.close();
  await h.close();
});

const admin = () => operators.by.admin;
const list = (path: string) => operators.by.viewer.client.get(`${operatorBase}${path}`);
const post = (path: string, body?: unknown, headers?: Record<string, string>) =>
  send(admin().client, 'POST', path, body, headers);
const patch = (id: string, body: unknown) => send(admin().client, 'PATCH', `/operators/${id}`, body);
const password = 'a password of some length';
let count = 0;
function newAccount(overrides: object = {}) {
  count += 1;
  return {
    email: `sana-${count}@karat.test`,
    name: 'Sana Malik',
    role: 'fulfilment',
    password,
    ...overrides,
  };
}

describe('an account', () => {
  test('an account is opened, signs in, and shows in the list without its password', async () => {
    h.clock.advance(1);
    const input = newAccount({ email: 'Sana.Malik@Karat.test' });
    const made = expectStatus(await post('/operators', input), 201);
    expect(made.body).toEqual({
      operator_id: expect.any(String),
      email: 'sana.malik@karat.test',
      name: 'Sana Malik',
      role: 'fulfilment',
      status: 'active',
      created_at: new Date(h.clock.now()).toISOString(),
      updated_at: new Date(h.clock.now()).toISOString(),
    });
    expect(made.text).not.toMatch(/password|argon2/);
    const signedIn = await operators.anonymous.post(`${operatorBase}/session`, {
      email: input.email,
      password,
    });
    expect(signedIn.body.operator_id).toBe(made.body.operator_id);
    const listed = await list('/operators?limit=1');
    expect(listed.body.operators).toEqual([
      { ...made.body, opened_by: [admin().operatorId], second_factor: null },
    ]);
    expect(await changesOf(h, 'operator', made.body.operator_id)).toEqual([
      {
        action: 'operator.create',
        before: null,
        after: { email: 'sana.malik@karat.test', name: 'Sana Malik', role: 'fulfilment' },
        reason: null,
        operatorId: admin().operatorId,
      },
    ]);
    const kept = await h.ctx.db.execute<{ hash: string }>(
      sql`select password_hash as hash from people where id = ${made.body.operator_id}`,
    );
    expect(kept[0]?.hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await post('/operators', { ...input, email: 'SANA.MALIK@karat.test' })).toMatchObject({
      status: 409,
      body: { error: 'already_exists' },
    });
  });

  test('an account opened by many concurrent requests for one address is one', async () => {
    const input = newAccount();
    const responses = await Promise.all(Array.from({ length: 5 }, () => post('/operators', input)));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
  });

  test('an account keeps nothing of a password for an Idempotency-Key', async () => {
    const input = newAccount();
    const key = { 'idempotency-key': 'an account' };
    expect((await post('/operators', input, key)).status).toBe(201);
    expect((await post('/operators', input, key)).status).toBe(409);
    const kept = await h.ctx.db.execute(sql`select 1 from idempotency_keys where key = 'an account'`);
    expect(kept).toHaveLength(0);
  });

  test.each([
    [{ email: 'sana' }, 'email'],
    [{ email: 'a b@karat.test' }, 'email'],
    [{ email: 'a@b@karat.test' }, 'email'],
    [{ email: `${'a'.repeat(65)}@karat.test` }, 'email'],
    [{ email: 'a\u0000@karat.test' }, 'email'],
    [{ email: '\ud800@karat.test' }, 'email'],
    [{ email: 'a@karat.test\n' }, 'email'],
    [{ name: ' ' }, 'name'],
    [{ name: 'x'.repeat(101) }, 'name'],
    [{ role: 'root' }, 'role'],
    [{ role: 'Admin' }, 'role'],
    [{ role: ['admin'] }, 'role'],
    [{ password: 'eleven chrs' }, 'password'],
    [{ password: '👑'.repeat(11) }, 'password'],
    [{ password: 'x'.repeat(1_001) }, 'password'],
    [{ status: 'active' }, 'status'],
    [{ operator_id: newUuid() }, 'operator_id'],
    [{ password_hash: '$argon2id$' }, 'password_hash'],
  ])('an account with %j is refused', async (overrides, field) => {
    const response = await post('/operators', newAccount(overrides));
    expect(response).toMatchObject({ status: 400, body: { error: 'invalid_request', field } });
    expect(response.text).not.toContain(password);
  });

  test('an account changes name and role, and nothing else', async () => {
    const { operatorId, email } = await operators.givenOperator('viewer');
    const changed = await patch(operatorId, { name: '<i>Sana</i>', role: 'compliance' });
    expect(changed).toMatchObject({ status: 200, body: { email, name: '<i>Sana</i>', role: 'compliance' } });
    // What is so already is no change.
    expect((await patch(operatorId, { role: 'compliance' })).status).toBe(200);
    expect(await changesOf(h, 'operator', operatorId)).toEqual([
      {
        action: 'operator.change',
        before: { email, name: 'The viewer', role: 'viewer' },
        after: { email, name: '<i>Sana</i>', role: 'compliance' },
        reason: null,
        operatorId: admin().operatorId,
      },
    ]);
    for (const body of [
      { email: 'other@karat.test' },
      { password },
      { status: 'disabled' },
      { role: 'owner' },
    ]) {
      expect((await patch(operatorId, body)).status).toBe(400);
    }
    expect(await patch(operatorId, {})).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  test('an operator cannot change the own role', async () => {
    for (const role of ['viewer', 'fulfilment', 'compliance'] as const) {
      const { client, operatorId } = operators.by[role];
      const tries = [
        await send(client, 'PATCH', `/operators/${operatorId}`, { role: 'admin' }),
        await send(client, 'POST', '/operators', newAccount({ role: 'admin' })),
        await send(client, 'POST', `/operators/${operatorId}/enable`, {}),
      ];
      for (const response of tries) {
        expect(response).toMatchObject({ status: 403, body: { error: 'insufficient_scope' } });
      }
      expect((await client.get(`${operatorBase}/me`)).body.role).toBe(role);
      // Nor by what a request says of itself.
      const headers = { 'x-operator-role': 'admin', 'x-operator-id': admin().operatorId };
      const me = await client.get(`${operatorBase}/me`, headers);
      expect(me.body).toMatchObject({ role, operator_id: operatorId });
      const requested = await client.get(`${operatorBase}/me?role=admin`);
      expect(requested).toMatchObject({
        status: 400,
        body: {
          error: 'invalid_request',
          field: 'role',
          message: 'role is no parameter of this request; it takes none.',
        },
      });
    }
  });

  test('an account is disabled once, and enabled once', async () => {
    const { operatorId } = await operators.givenOperator('viewer');
    const refusal = { status: 409, body: { error: 'transition_not_allowed' } };
    expect(await post(`/operators/${operatorId}/enable`)).toMatchObject(refusal);
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => post(`/operators/${operatorId}/disable`, { reason: 'Left' })),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
    expect((await list('/operators?status=disabled')).body.operators).toMatchObject([
      { operator_id: operatorId, status: 'disabled' },
    ]);
    expect((await post(`/operators/${operatorId}/enable`)).status).toBe(200);
    expect(await post(`/operators/${operatorId}/enable`)).toMatchObject(refusal);
  });

  test.each([newUuid(), 'x', '%00'])('an account %s is unknown', async (id) => {
    for (const response of [
      await patch(id, { name: 'x' }),
      await post(`/operators/${id}/disable`, { reason: 'x' }),
      await post(`/operators/${id}/enable`),
      await list(`/operators/${id}/tokens`),
      await post(`/operator-tokens/${id}/revoke`),
    ]) {
      expect(response).toMatchObject({ status: 404, body: { error: 'not_found' } });
    }
  });
});

describe('the last admin', () => {
  test('the last admin stays one, also when the last two leave at once, but for the command line', async () => {
    const own = await harness();
    const staff = await startOperators(own);
    try {
      const first = staff.by.admin;
      const refusal = {
        status: 409,
        body: { error: 'transition_not_allowed', message: expect.stringContaining('last active admin') },
      };
      const demote = (id: string) => send(first.client, 'PATCH', `/operators/${id}`, { role: 'viewer' });
      const disable = (id: string, by = first) =>
        send(by.client, 'POST', `/operators/${id}/disable`, { reason: 'x' });
      expect(await demote(first.operatorId)).toMatchObject(refusal);
      expect(await disable(first.operatorId)).toMatchObject(refusal);
      expect((await first.client.get(`${operatorBase}/me`)).body.role).toBe('admin');

      const second = await staff.givenOperator('admin');
      const responses = await Promise.all([
        disable(second.operatorId, first),
        disable(first.operatorId, second),
      ]);
      const active = await own.ctx.db.execute<{ id: string }>(
        sql`select id from people where role = 'admin' and status = 'active'`,
      );
      expect(active).toHaveLength(1);
      expect(responses.map(({ status }) => status).toSorted()[0]).toBe(200);

      // Who holds the database's password can make another one.
      const left = active[0]?.id ?? '';
      const gone = await inChange(own.ctx, commandLine, (change) =>
        setOperatorStatus(change, { operatorId: left, status: 'disabled' }),
      );
      expect(gone.status).toBe('disabled');
    } finally {
      await staff.close();
      await own.close();
    }
  });
});

describe('tokens', () => {
  test('tokens are listed without themselves, and revoked at once and once', async () => {
    const { operatorId, client, token } = await operators.givenOperator('fulfilment');
    const listed = expectStatus(await list(`/operators/${operatorId}/tokens`), 200);
    expect(listed.body).toEqual({
      tokens: [
        {
          token_id: expect.any(String),
          operator_id: operatorId,
          token_name: 'harness',
          status: 'active',
          expires_at: expect.any(String),
          last_used_at: null,
          created_at: expect.any(String),
          revoked_at: null,
        },
      ],
      next_cursor: null,
    });
    expect(listed.text).not.toMatch(/hash|karat_operator_|[0-9a-f]{64}/);
    const kept = await h.ctx.db.execute(
      sql`select 1 from operator_tokens where operator_tokens::text like ${`%${token.slice(-64)}%`}`,
    );
    expect(kept).toHaveLength(0);

    const [{ token_id: id }] = listed.body.tokens;
    expect((await client.get(`${operatorBase}/me`)).status).toBe(200);
    const key = { 'idempotency-key': id };
    const revoked = expectStatus(await post(`/operator-tokens/${id}/revoke`, { reason: 'Lost' }, key), 200);
    expect(revoked.body).toMatchObject({ token_id: id, status: 'revoked', revoked_at: expect.any(String) });
    expect((await client.get(`${operatorBase}/me`)).status).toBe(401);
    expect((await post(`/operator-tokens/${id}/revoke`, { reason: 'Lost' }, key)).body).toEqual(revoked.body);
    expect(await post(`/operator-tokens/${id}/revoke`)).toMatchObject({
      status: 400,
      body: { error: 'already_revoked' },
    });
    const facts = { operator_id: operatorId, name: 'harness' };
    expect(await changesOf(h, 'operator_token', id)).toEqual([
      {
        action: 'operator_token.revoke',
        before: { ...facts, status: 'active' },
        after: { ...facts, status: 'revoked' },
        reason: 'Lost',
        operatorId: admin().operatorId,
      },
    ]);
  });
});

describe('a service where moving value takes two people', () => {
  let two: Harness;
  let people: Operators;
  beforeAll(async () => {
    two = await harness({ config: { approvals: 2 } });
    people = await startOperators(two);
  });
  afterAll(async () => {
    await people.close();
    await two.close();
  });

  test.each(['fulfilment', 'compliance', 'admin'])(
    'no admin opens an account of role %s, so that none is both people',
    async (role) => {
      const { client } = people.by.admin;
      const message = `While moving value takes two operators, the role ${role} must be given on the command line: karat operator create, role or enable.`;
      const input = newAccount({ role });
      expect(await send(client, 'POST', '/operators', input)).toMatchObject({
        status: 403,
        body: { error: 'forbidden', message },
      });
      const viewer = expectStatus(
        await send(client, 'POST', '/operators', { ...input, role: 'viewer' }),
        201,
      );
      const listed = await client.get(`${operatorBase}/operators?limit=1`);
      expect(listed.body.operators).toEqual([
        { ...viewer.body, opened_by: [people.by.admin.operatorId], second_factor: null },
      ]);
    },
  );

  test('roles and closing of accounts wait for another admin; a name, and an unchanged role, do not', async () => {
    const { client } = people.by.admin;
    const { operatorId } = await people.givenOperator('fulfilment');
    const path = `/operators/${operatorId}`;
    const named = await send(client, 'PATCH', path, { name: 'Sana', role: 'fulfilment' });
    expect(named).toMatchObject({ status: 200, body: { name: 'Sana', role: 'fulfilment' } });
    expect(await send(client, 'PATCH', path, { role: 'fulfilment' })).toMatchObject({
      status: 200,
      body: { name: 'Sana', role: 'fulfilment' },
    });
    expectStatus(await send(client, 'PATCH', path, { role: 'viewer' }), 202);
    expectStatus(await send(client, 'POST', `${path}/disable`, { reason: 'Left' }), 202);
    expect((await client.get(`${operatorBase}/operators?limit=1`)).body.operators).toMatchObject([
      named.body,
    ]);
    // An owner of the database does it at once.
    const set = (status: 'active' | 'disabled') =>
      inChange(two.ctx, commandLine, (change) => setOperatorStatus(change, { operatorId, status }));
    await set('disabled');
    expectStatus(await send(client, 'POST', `${path}/enable`), 202);
    await set('active');
    expect((await client.get(`${operatorBase}/operators?limit=1`)).body.operators).toMatchObject([
      { operator_id: operatorId, status: 'active' },
    ]);
  });

  test('the last active admin is refused at once', async () => {
    const { client, operatorId } = people.by.admin;
    for (const response of [
      await send(client, 'PATCH', `/operators/${operatorId}`, { role: 'viewer' }),
      await send(client, 'POST', `/operators/${operatorId}/disable`, { reason: 'Left' }),
    ]) {
      expect(response).toMatchObject({ status: 409, body: { error: 'transition_not_allowed' } });
    }
  });
});

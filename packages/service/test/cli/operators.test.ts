import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientOf, type Harness, harness } from '../harness.js';
import { changesOf, type Operators, operatorBase, startOperators } from '../operators.js';
import { callKarat, type Env } from './run-karat.js';

/** What the command line does with accounts while it takes two people to move value. */
let h: Harness;
let people: Operators;
let env: Env;
beforeAll(async () => {
  h = await harness({ config: { approvals: 2 } });
  people = await startOperators(h);
  const url = h.ctx.config.databaseUrl.reveal();
  env = { DATABASE_URL: url, KARAT_OWNER_DATABASE_URL: url };
});
afterAll(async () => {
  await people.close();
  await h.close();
});

const operator = (command: string, email: string, ...more: string[]) =>
  callKarat(['operator', command, '--email', email, ...more], env);
const signIn = (email: string, password: string) =>
  people.anonymous.post(`${operatorBase}/session`, { email, password });

describe('operator enable', () => {
  test('operator enable opens an account of any role again, once, with its password and without its tokens', async () => {
    const { operatorId, email, password, client } = await people.givenOperator('admin');
    expect((await operator('disable', email, '--reason', 'on leave')).code).toBe(0);
    expect((await signIn(email, password)).status).toBe(401);
    const run = await operator('enable', email, '--reason', 'back again');
    expect([run.code, run.stderr]).toEqual([0, '']);
    expect(JSON.parse(run.stdout)).toEqual({
      operator_id: operatorId,
      email,
      name: 'The admin',
      role: 'admin',
      status: 'active',
    });
    expect((await signIn(email, password)).status).toBe(200);
    expect((await client.get(`${operatorBase}/me`)).status).toBe(401);
    const step = { operatorId: null, before: { status: 'disabled' }, after: { status: 'active' } };
    expect((await changesOf(h, 'operator', operatorId)).at(-1)).toEqual({
      ...step,
      action: 'operator.enable',
      reason: 'back again',
    });
    const refused = [await operator('enable', email), await operator('enable', 'none@karat.test')];
    expect(refused.map(({ code, stderr }) => `${code} ${stderr}`)).toEqual([
      '1 transition_not_allowed: The operator is already active.\n',
      '1 not_found: There is no operator none@karat.test.\n',
    ]);
  });
});

describe('operator link', () => {
  const link = (email: string, subject: string, issuer = 'https://login.test') =>
    operator('link', email, '--subject', subject, '--issuer', issuer);

  test('operator link has an account sign in at the provider, and voids its password and sessions', async () => {
    const { operatorId, email, password } = await people.givenOperator('compliance');
    const session = String((await signIn(email, password)).headers['set-cookie']).split(';')[0] ?? '';
    const run = await link(email, 'sub-1');
    expect([run.code, run.stderr]).toEqual([0, '']);
    const identity = { issuer: 'https://login.test/', subject: 'sub-1' };
    expect(JSON.parse(run.stdout)).toMatchObject({
      operator_id: operatorId,
      role: 'compliance',
      ...identity,
    });
    expect((await signIn(email, password)).status).toBe(401);
    expect((await people.anonymous.get(`${operatorBase}/me`, { cookie: session })).status).toBe(401);
    expect((await changesOf(h, 'operator', operatorId)).at(-1)).toMatchObject({
      action: 'operator.link',
      operatorId: null,
      after: identity,
    });
    // What breaks the glass.
    const again = 'another password of some length';
    expect((await callKarat(['operator', 'password', '--email', email], env, again)).code).toBe(0);
    expect((await signIn(email, again)).status).toBe(200);
  });

  test('operator link refuses a subject of another account, and an issuer that is no address', async () => {
    const [one, other] = [await people.givenOperator('viewer'), await people.givenOperator('viewer')];
    expect((await link(one.email, 'sub-2')).code).toBe(0);
    const refused = [await link(other.email, 'sub-2'), await link(other.email, 'sub-3', 'login.test')];
    expect(refused.map(({ code, stderr }) => `${code} ${stderr}`)).toEqual([
      `1 already_exists: This identity is that of ${one.email}.\n`,
      expect.stringMatching(/^2 .*--issuer.* must be the address of the identity provider/),
    ]);
  });
});

describe('operator password', () => {
  const next = 'another password of some length';
  const set = (email: string, input: string) =>
    callKarat(['operator', 'password', '--email', email], env, input);

  test('operator password sets a forgotten password and ends all sessions; tokens stay', async () => {
    const { operatorId, email, password, client } = await people.givenOperator('fulfilment');
    h.secrets.add(next);
    const sessions = [await signIn(email, password), await signIn(email, password)].map(({ headers }) =>
      clientOf(people.app, { cookie: String(headers['set-cookie']).split(';')[0] ?? '' }),
    );
    const me = () => Promise.all([...sessions, client].map((each) => each.get(`${operatorBase}/me`)));
    expect((await me()).map(({ status }) => status)).toEqual([200, 200, 200]);
    const other = await people.givenOperator('fulfilment');

    const run = await set(email.toUpperCase(), `${next}\n`);
    expect([run.code, run.stderr]).toEqual([0, '']);
    expect(JSON.parse(run.stdout)).toEqual({
      operator_id: operatorId,
      email,
      name: 'The fulfilment',
      role: 'fulfilment',
      status: 'active',
    });
    expect((await me()).map(({ status }) => status)).toEqual([401, 401, 200]);
    expect((await signIn(email, password)).status).toBe(401);
    expect((await signIn(email, next)).status).toBe(200);
    expect((await signIn(other.email, other.password)).status).toBe(200);
    expect(await changesOf(h, 'operator', operatorId)).toEqual([
      { action: 'operator.password', before: null, after: null, reason: null, operatorId: null },
    ]);
  });

  test('operator password leaves a disabled account disabled, for the day that it is enabled', async () => {
    const { email, password } = await people.givenOperator('viewer');
    expect((await operator('disable', email)).code).toBe(0);
    expect(JSON.parse((await set(email, next)).stdout)).toMatchObject({ email, status: 'disabled' });
    expect((await signIn(email, next)).status).toBe(401);
    expect((await operator('enable', email)).code).toBe(0);
    expect((await signIn(email, password)).status).toBe(401);
    expect((await signIn(email, next)).status).toBe(200);
  });

  test('operator password refuses invalid passwords, and nothing is changed', async () => {
    const { operatorId, email, password } = await people.givenOperator('viewer');
    const runs = [
      await set('none@karat.test', next),
      await set(email, 'too short'),
      await set(email, ''),
      await set(email, 'two\nlines of it'),
      await operator('password', email, '--password', next),
      await callKarat(['operator', 'password'], env, next),
    ];
    expect(runs.map(({ code, stderr }) => `${code} ${stderr}`)).toEqual([
      '1 not_found: There is no operator none@karat.test.\n',
      '1 invalid_request: password must have 12 to 1000 characters.\n',
      '2 The password is missing: standard input is empty (or set KARAT_OPERATOR_PASSWORD)\n',
      '2 Standard input has several lines, but a password is one line\n',
      '2 karat operator password has no option "--password": --help lists those that it has\n',
      '2 --email ADDRESS is missing (or KARAT_OPERATOR_EMAIL in the environment)\n',
    ]);
    expect((await signIn(email, password)).status).toBe(200);
    expect(await changesOf(h, 'operator', operatorId)).toEqual([]);
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Harness, harness } from '../harness.js';
import { changesOf, type Operators, operatorBase, startOperators } from '../operators.js';
import { callKarat, type Env } from './run-karat.js';

/** What the command line does with accounts while it takes two people to move value. */
let h: Harness;
let people: Operators;
let env: Env;
beforeAll(async () => {
  h = await harness({ config: { approvals: 2 } });
  people = await startOperators(h);
  env = { DATABASE_URL: h.ctx.config.databaseUrl.reveal() };
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
  test('opens an account of any role again, once, with its password and without its tokens', async () => {
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
      '1 transition_not_allowed: The operator is active already.\n',
      '1 not_found: There is no operator none@karat.test.\n',
    ]);
  });
});

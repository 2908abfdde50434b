import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildOperatorApp } from '../../../src/http/operator/app.js';
import { clientOf, type Harness, harness } from '../../harness.js';
import { type GivenOperator, type Operators, operatorBase, send, startOperators } from '../../operators.js';

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

const listed = async ({ operatorId }: GivenOperator) => {
  const answer = await operators.by.viewer.client.get(`${operatorBase}/operators/${operatorId}/tokens`);
  return answer.body.tokens[0].last_used_at;
};
const stored = async ({ operatorId }: GivenOperator) => {
  const [row] = await h.ctx.db.execute<{ at: string | null }>(
    sql`select last_used_at as at from operator_tokens where operator_id = ${operatorId}`,
  );
  return row?.at ? new Date(row.at).toISOString() : null;
};
const now = () => new Date(h.clock.now()).toISOString();

test('last_used_at of a token is its latest use, and none ever goes back', async () => {
  const operator = await operators.givenOperator('viewer');
  expect(await listed(operator)).toBeNull();
  h.clock.advance(5_000);
  await operator.client.get(`${operatorBase}/me`);
  const used = now();
  expect(await listed(operator)).toBe(used);
  h.clock.advance(-2_000);
  await operator.client.get(`${operatorBase}/me`);
  expect(await listed(operator)).toBe(used);
  h.clock.advance(60_000);
  // What the role may not do is a use as well.
  expect((await send(operator.client, 'POST', '/partners', {})).status).toBe(403);
  expect(await listed(operator)).toBe(now());
});

test('a use is written within about a second, and at the latest when the app closes', async () => {
  const operator = await operators.givenOperator('viewer');
  const app = await buildOperatorApp(h.ctx);
  const client = clientOf(app, { authorization: `Bearer ${operator.token}` });
  await client.get(`${operatorBase}/me`);
  await expect.poll(() => stored(operator), { timeout: 3_000 }).toBe(now());
  h.clock.advance(60_000);
  await client.get(`${operatorBase}/me`);
  await app.close();
  expect(await stored(operator)).toBe(now());
});

test('a session is no use of a token, nor is a token that is revoked', async () => {
  const operator = await operators.givenOperator('viewer');
  const session = { email: operator.email, password: operator.password };
  const signedIn = await operators.anonymous.post(`${operatorBase}/session`, session);
  const cookie = String(signedIn.headers['set-cookie']).split(';')[0] ?? '';
  expect((await clientOf(operators.app, { cookie }).get(`${operatorBase}/me`)).status).toBe(200);
  expect(await listed(operator)).toBeNull();
  const path = `/operators/${operator.operatorId}/disable`;
  expect((await send(operators.by.admin.client, 'POST', path, { reason: 'Left' })).status).toBe(200);
  expect((await operator.client.get(`${operatorBase}/me`)).status).toBe(401);
  expect(await listed(operator)).toBeNull();
});

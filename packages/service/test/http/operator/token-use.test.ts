import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOperatorToken } from '../../../src/actions/operators/create-operator.js';
import { commandLine } from '../../../src/domain/audit.js';
import { buildOperatorApp } from '../../../src/http/operator/app.js';
import { clientOf, type Harness, harness } from '../../harness.js';
import {
  changesOf,
  type GivenOperator,
  type Operators,
  operatorBase,
  send,
  startOperators,
} from '../../operators.js';

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
  const response = await operators.by.viewer.client.get(`${operatorBase}/operators/${operatorId}/tokens`);
  return response.body.tokens[0].last_used_at;
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

const dayMs = 86_400_000;

test.each([
  [undefined, 90],
  [1, 1],
  [365, 365],
])('a token made for %j days is good for %i, and not a moment longer', async (days, expected) => {
  const { email, operatorId } = await operators.givenOperator('viewer');
  const { token, tokenId } = await createOperatorToken(h.ctx, commandLine, { email, name: 'report', days });
  h.secrets.add(token);
  const expiresAt = new Date(h.clock.now() + expected * dayMs).toISOString();
  const client = clientOf(operators.app, { authorization: `Bearer ${token}` });
  const status = async () => (await client.get(`${operatorBase}/me`)).status;
  const shown = async () => {
    const path = `${operatorBase}/operators/${operatorId}/tokens`;
    return (await operators.by.viewer.client.get(path)).body.tokens[0];
  };
  expect(await changesOf(h, 'operator_token', tokenId)).toMatchObject([{ after: { expires_at: expiresAt } }]);
  h.clock.advance(expected * dayMs - 1);
  expect(await status()).toBe(200);
  expect(await shown()).toMatchObject({ token_id: tokenId, status: 'active', expires_at: expiresAt });
  h.clock.advance(1);
  expect(await status()).toBe(401);
  expect(await shown()).toMatchObject({ status: 'expired', expires_at: expiresAt });
  h.clock.advance(-expected * dayMs);
});

test.each([0, -1, 366, 1.5, Number.NaN])('no token is made for %j days', async (days) => {
  const { email } = operators.by.viewer;
  await expect(
    createOperatorToken(h.ctx, commandLine, { email, name: 'report', days }),
  ).rejects.toMatchObject({
    code: 'invalid_request',
    field: 'days',
  });
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Harness, harness } from '../../harness.js';
import { type Operators, startOperators } from '../../operators.js';

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

const cookieOf = (header: unknown) => String(header).split(';')[0] ?? '';

test('a session opens with email and password, says who it is, and ends', async () => {
  const { email, password, operatorId } = operators.by.viewer;
  const opened = await operators.anonymous.post('/operator/v1/session', { email, password });
  expect(opened).toMatchObject({ status: 200, body: { operator_id: operatorId, email, role: 'viewer' } });
  expect(opened.headers['set-cookie']).toMatch(
    /^karat_session=[0-9a-f]{64}; Max-Age=43200; Path=\/operator; HttpOnly; SameSite=Strict$/,
  );
  const cookie = cookieOf(opened.headers['set-cookie']);
  expect(await operators.anonymous.get('/operator/v1/me', { cookie })).toMatchObject({
    status: 200,
    body: { operator_id: operatorId },
  });
  const own = { cookie, host: 'karat.test', origin: 'https://karat.test', 'x-karat-console': '1' };
  expect(
    await operators.anonymous.send({ method: 'DELETE', url: '/operator/v1/session', headers: own }),
  ).toMatchObject({ status: 200 });
  expect(await operators.anonymous.get('/operator/v1/me', { cookie })).toMatchObject({
    status: 401,
    body: { error: 'unauthorized' },
  });
});

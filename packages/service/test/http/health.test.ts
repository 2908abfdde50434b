import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Harness, harness } from '../harness.js';

let h: Harness;
beforeAll(async () => {
  h = await harness();
});
afterAll(() => h.close());

test('health says who it is and touches nothing', async () => {
  const answer = await h.anonymous.get('/health');
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({
    status: 'ok',
    service: 'karat',
    version: '0.1.0',
    time: new Date(h.clock.now()).toISOString(),
  });
});

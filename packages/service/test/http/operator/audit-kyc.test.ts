import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OperatorRole } from '../../../src/domain/operator.js';
import { expectStatus, type Harness, harness } from '../../harness.js';
import { changesOf, type Operators, operatorBase, send, startOperators } from '../../operators.js';

let h: Harness;
let operators: Operators;
let userId: string;
beforeAll(async () => {
  h = await harness();
  operators = await startOperators(h);
  userId = (await h.givenUser(h.main.partnerId)).id;
  const { client } = operators.by.compliance;
  const body = { kyc_level: 'expired', reason: 'Passport of the user ran out' };
  expectStatus(await send(client, 'POST', `/users/${userId}/kyc-level`, body), 200);
  expectStatus(await send(client, 'POST', `/users/${userId}/suspend`, { reason: 'Asked us to' }), 200);
});
afterAll(async () => {
  await operators.close();
  await h.close();
});

const audit = async (role: OperatorRole, query = '') =>
  expectStatus(await operators.by[role].client.get(`${operatorBase}/audit?object_id=${userId}${query}`), 200)
    .body.entries;
const levels = { before: { kyc_level: 'full' }, after: { kyc_level: 'expired' } };

test.each(['compliance', 'admin'] as const)(
  'the role %s reads in the audit log which level of KYC was set',
  async (role) => {
    expect(await audit(role, '&action=user.kyc_level')).toMatchObject([
      { ...levels, reason: 'Passport of the user ran out' },
    ]);
  },
);

test.each(['viewer', 'fulfilment'] as const)(
  'the role %s reads there that a level was set and by whom, not which and why',
  async (role) => {
    const [suspension, level] = await audit(role);
    expect(level).toMatchObject({
      action: 'user.kyc_level',
      object_id: userId,
      operator_id: operators.by.compliance.operatorId,
      before: null,
      after: null,
      reason: null,
    });
    expect(suspension).toMatchObject({ action: 'user.suspend', reason: 'Asked us to' });
    expect(JSON.stringify(await audit(role))).not.toMatch(/expired|Passport/);
    expect(level.hash).toBe((await audit('admin'))[1].hash);
  },
);

test('the entry itself stays whole', async () => {
  expect((await changesOf(h, 'user', userId))[0]).toMatchObject(levels);
  const verdict = await operators.by.viewer.client.get(`${operatorBase}/audit/verify`);
  expect(verdict.body).toMatchObject({ ok: true });
});

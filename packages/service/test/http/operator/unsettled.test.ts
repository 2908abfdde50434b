import { afterAll, beforeAll, expect, test } from 'vitest';
import { approvals, operatorTransactions } from '../../../src/db/schema.js';
import { newUuid, type RedemptionId, uuidOf } from '../../../src/domain/ids.js';
import { goldUnits } from '../../../src/domain/money.js';
import type { RedemptionStatus } from '../../../src/domain/redemption.js';
import { buildMetricsApp } from '../../../src/http/server/metrics.js';
import { expectStatus, type Harness, harness } from '../../harness.js';
import { parseExposition } from '../../metrics/exposition.js';
import { signatureNamed } from '../../named-keys.js';
import { type Operators, operatorBase, startOperators } from '../../operators.js';
import { givenRedemption, seedDenominations } from '../../redeeming.js';

/** What still waits for a refund, a burn or a second person: in the list, and in the metrics. */

let h: Harness;
let operators: Operators;
let owner: Parameters<typeof givenRedemption>[1];
let metrics: Awaited<ReturnType<typeof buildMetricsApp>>;
beforeAll(async () => {
  h = await harness();
  operators = await startOperators(h);
  await seedDenominations(h);
  owner = { partner: h.main, user: await h.givenUser(h.main.partnerId) };
  metrics = await buildMetricsApp(h.ctx);
});
afterAll(async () => {
  await metrics.close();
  await operators.close();
  await h.close();
});

const hour = 3_600_000;
const ago = (ms: number) => new Date(h.clock.now() - ms);
const given = (status: RedemptionStatus, at: Date) => givenRedemption(h, owner, { status, at });

async function settled(
  redemptionId: RedemptionId,
  kind: 'refund' | 'burn',
  status: 'pending' | 'confirmed' | 'failed' | 'expired',
): Promise<string> {
  const id = newUuid();
  await h.ctx.db.insert(operatorTransactions).values({
    id,
    kind,
    status,
    redemptionId,
    amount: goldUnits(380_625n),
    txSignature: signatureNamed(id),
    lastValidBlockHeight: 10n,
    slot: status === 'confirmed' ? 9n : null,
    failureReason: status === 'failed' ? 'instruction 0: Custom 1' : null,
    createdAt: ago(0),
    updatedAt: ago(0),
  });
  return signatureNamed(id);
}

async function requested(objectId: string, action: string, at: Date): Promise<string> {
  const id = newUuid();
  await h.ctx.db.insert(approvals).values({
    id,
    action,
    objectType: action.split('.')[0] ?? '',
    objectId,
    request: {},
    objectHash: new Uint8Array(32),
    requestedBy: operators.by.fulfilment.operatorId,
    createdAt: at,
    expiresAt: new Date(at.getTime() + 24 * hour),
  });
  return id;
}

async function reported(name: string, labels: Record<string, string> = {}): Promise<number | undefined> {
  const { body } = await metrics.inject({ method: 'GET', url: '/metrics' });
  return parseExposition(body).find(name, labels);
}

test('unsettled redemptions are found by a filter, in their order, and counted', async () => {
  expect(await reported('karat_redemptions_unsettled', { kind: 'refund' })).toBe(0);
  expect(await reported('karat_redemption_unsettled_age_seconds', { kind: 'refund' })).toBeUndefined();
  expect(await reported('karat_approvals_pending')).toBe(0);
  expect(await reported('karat_approval_oldest_age_seconds')).toBeUndefined();

  await given('submitted', ago(90 * hour));
  const waits = await given('cancelled', ago(30 * hour));
  const failed = await given('cancelled', ago(20 * hour));
  await settled(failed, 'refund', 'failed');
  await settled(failed, 'refund', 'expired');
  const refunded = await given('cancelled', ago(80 * hour));
  const refund = await settled(refunded, 'refund', 'confirmed');
  const collected = await given('collected', ago(10 * hour));
  const burning = await given('collected', ago(70 * hour));
  const burn = await settled(burning, 'burn', 'pending');
  const approval = await requested(waits, 'redemption.refund', ago(5 * hour));
  await requested(failed, 'redemption.refund', ago(25 * hour));
  await requested(h.main.partnerId, 'partner.onchain', ago(2 * hour));

  const list = async (query: string) => {
    const path = `${operatorBase}/redemptions?${query}`;
    const { body } = expectStatus(await operators.by.viewer.client.get(path), 200);
    return body.redemptions.map((each: Record<string, unknown>) => [
      each.redemption_id,
      each.refund_tx_hash,
      each.burn_tx_hash,
      each.approval_id,
    ]);
  };
  expect(await list('settled=false')).toEqual([
    [waits, null, null, approval],
    [failed, null, null, null],
    [collected, null, null, null],
  ]);
  expect(await list('settled=true')).toEqual([
    [refunded, refund, null, null],
    [burning, null, burn, null],
  ]);
  expect(await list('settled=false&status=cancelled&order=desc&limit=1')).toEqual([
    [failed, null, null, null],
  ]);
  expect(await list('settled=false&status=submitted')).toEqual([]);
  expect(await list('limit=100')).toHaveLength(6);
  expect(await operators.by.viewer.client.get(`${operatorBase}/redemptions?settled=no`)).toMatchObject({
    status: 400,
    body: { error: 'invalid_request', field: 'settled' },
  });

  expect(await reported('karat_redemptions_unsettled', { kind: 'refund' })).toBe(2);
  expect(await reported('karat_redemptions_unsettled', { kind: 'burn' })).toBe(1);
  expect(await reported('karat_redemption_unsettled_age_seconds', { kind: 'refund' })).toBe(30 * 3_600);
  expect(await reported('karat_redemption_unsettled_age_seconds', { kind: 'burn' })).toBe(10 * 3_600);
  // One has lapsed, whether or not that was noted.
  expect(await reported('karat_approvals_pending')).toBe(2);
  expect(await reported('karat_approval_oldest_age_seconds')).toBe(5 * 3_600);

  // What was sent for it comes to nothing.
  await h.ctx
    .sql`update operator_transactions set status = 'expired' where redemption_id = ${uuidOf(burning)}`;
  expect((await list('settled=false')).map(([id]: unknown[]) => id)).toEqual([
    burning,
    waits,
    failed,
    collected,
  ]);
  await settled(burning, 'burn', 'pending');
  expect((await list('settled=true')).map(([id]: unknown[]) => id)).toEqual([refunded, burning]);
});

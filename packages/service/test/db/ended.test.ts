import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertOperatorTransaction } from '../../src/db/approvals/operator-transactions.js';
import { insertOrder } from '../../src/db/orders/orders.js';
import { insertSubmission } from '../../src/db/trades/submissions.js';
import { newUuid, type Uuid, uuidOf } from '../../src/domain/ids.js';
import { goldUnits, usdcUnits } from '../../src/domain/money.js';
import { type Harness, harness } from '../harness.js';
import { addressNamed, signatureNamed } from '../named-keys.js';
import { givenRedemption, seedDenominations } from '../redeeming.js';

let h: Harness;
let owner: Parameters<typeof givenRedemption>[1];
beforeAll(async () => {
  h = await harness();
  await seedDenominations(h);
  owner = { partner: h.main, user: await h.givenUser(h.main.partnerId) };
});
afterAll(() => h.close());

const at = new Date();
const landed = "tx_signature = sha512('x'), slot = 1, failure_reason = 'x'";

async function givenOrder(): Promise<Uuid> {
  const { partnerId, keyId } = h.main;
  const accounts = { signer: addressNamed('signer'), integrator: addressNamed('integrator') };
  const amounts = { goldAmount: goldUnits(1n), usdcLimit: usdcUnits(1n), lastValidBlockHeight: 1n };
  const id = newUuid();
  const order = { id, kind: 'purchase', partnerId, keyId, ...accounts, ...amounts, createdAt: at } as const;
  await h.ctx.db.transaction((tx) => insertOrder(tx, order));
  return id;
}

async function givenSubmission(): Promise<Uuid> {
  const quoteId = newUuid();
  const { partnerId } = h.main;
  const sent = {
    txSignature: signatureNamed(quoteId),
    userWallet: addressNamed('user'),
    requestId: 'r',
    traceparent: null,
  };
  const times = { lastValidBlockHeight: 1n, expiresAt: at, createdAt: at };
  await insertSubmission(h.ctx.db, { quoteId, partnerId, kind: 'buy', ...sent, ...times }, []);
  return quoteId;
}

async function givenOperatorTransaction(): Promise<Uuid> {
  const row = { id: newUuid(), kind: 'pause', redemptionId: null, partnerId: null, amount: null } as const;
  const sent = { txSignature: null, lastValidBlockHeight: 1n, operatorId: null };
  await h.ctx.db.transaction((tx) => insertOperatorTransaction(tx, { ...row, ...sent }, at));
  return row.id;
}

const redemption = async () => uuidOf(await givenRedemption(h, owner, { status: 'quoted' }));

test.each<[string, string, () => Promise<Uuid>, string, string]>([
  ['redemptions', 'lapsed', redemption, '', 'quoted'],
  ['redemptions', 'failed', redemption, `${landed}, reason = 'program_error'`, 'submitted'],
  ['orders', 'expired', givenOrder, '', 'pending_signature'],
  ['orders', 'failed', givenOrder, `${landed}, reason = 'program_error'`, 'confirmed'],
  ['submissions', 'expired', givenSubmission, '', 'submitted'],
  ['operator_transactions', 'expired', givenOperatorTransaction, '', 'confirmed'],
  ['operator_transactions', 'failed', givenOperatorTransaction, landed, 'pending'],
])('the database lets no writer move rows of %s out of %s', async (table, end, given, facts, status) => {
  const id = await given();
  const key = table === 'submissions' ? 'quote_id' : 'id';
  const set = (changes: string) => h.ctx.sql.unsafe(`update ${table} set ${changes} where ${key} = $1`, [id]);
  await set(facts === '' ? `status = '${end}'` : `status = '${end}', ${facts}`);
  await set(`status = '${end}'`);
  await expect(set(`status = '${status}'`)).rejects.toThrow(`what is ${end} does not become ${status}`);
});

import { IntegratorStatus } from '@karat/program-client';
import { eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { makeChange, readyOperation } from '../../../src/actions/approvals/carry-out.js';
import { getApproval, planApproved } from '../../../src/actions/approvals/decide-approval.js';
import { verifyAuditLog } from '../../../src/actions/audit.js';
import { inChange } from '../../../src/actions/change.js';
import { changeOperator } from '../../../src/actions/operators/change-operator.js';
import { planOperatorChange } from '../../../src/actions/operators/plan-operator-change.js';
import { addPartnerWallet } from '../../../src/actions/partners/add-partner-wallet.js';
import { changePartner } from '../../../src/actions/partners/change-partner.js';
import { planPartnerChange } from '../../../src/actions/partners/plan-partner-change.js';
import { approvals, deadLetters, people as operatorTable, redemptions } from '../../../src/db/schema.js';
import { commandLine } from '../../../src/domain/audit.js';
import { newUuid, type RedemptionId, uuidOf } from '../../../src/domain/ids.js';
import type { Operator } from '../../../src/domain/operator.js';
import { cosign } from '../../chain/signed-trade.js';
import { type ApiResponse, type Client, clientOf, expectStatus, newWallet } from '../../harness.js';
import { eventually } from '../../karat-chain.js';
import { type Operating, startOperating, tokens } from '../../operating.js';
import { changesOf, type GivenOperator, type Operators, operatorBase, send } from '../../operators.js';

let o: Operating;
let two: Operators;
beforeAll(async () => {
  o = await startOperating({ approvals: 2 });
  two = o.operators;
});
afterEach(() => o.chain.clearFaults());
afterAll(() => o.stop());

const dayMs = 24 * 60 * 60_000;
const error = (status: number, code: string, message: string) => ({
  status,
  body: { error: code, message: expect.stringContaining(message) },
});
const refused = (message: string) => error(409, 'transition_not_allowed', message);

const vault = () => two.by.fulfilment.client;
const other = () => two.by.admin.client;
const ask = (id: string, client = vault(), kind = 'refund') =>
  send(client, 'POST', `/redemptions/${id}/${kind}`);
const approve = (id: string, client = other(), headers?: Record<string, string>) =>
  send(client, 'POST', `/approvals/${id}/approve`, undefined, headers);
const reject = (id: string, client = other(), body: unknown = { reason: 'not today' }) =>
  send(client, 'POST', `/approvals/${id}/reject`, body);
const list = async (query = '', client = two.by.viewer.client) =>
  expectStatus(await client.get(`${operatorBase}/approvals${query}`), 200).body;

interface Listed {
  approval_id: string;
  status: string;
}
const find = async (id: string, client?: Client) =>
  (await list('?limit=100', client)).approvals.find((one: Listed) => one.approval_id === id);
const caseOf = async (id: string) =>
  expectStatus(await vault().get(`${operatorBase}/redemptions/${id}`), 200).body;

/** A refund that waits for its second person. */
async function givenRequest(client = vault()) {
  const found = await o.given.redemption('cancelled');
  const { approval_id: approvalId } = expectStatus(await ask(found.id, client), 202).body;
  return { ...found, approvalId: approvalId as string };
}

/** That nothing came of a request: no transaction, no tokens. */
async function expectUntouched(id: RedemptionId, wallet: { address: Parameters<typeof o.gold>[0] }) {
  expect(await o.rowsOf(id)).toEqual([]);
  expect(await o.gold(wallet.address)).toMatchObject({ owner: 1_000_000n });
  expect((await changesOf(o.h, 'redemption', id)).map(({ action }) => action)).toEqual([]);
}

describe('a request for an approval', () => {
  test.each([
    ['refund', 'cancelled', { owner: 1_000_000n + tokens }],
    ['burn', 'collected', { owner: 1_000_000n }],
  ] as const)(
    'a request for an approval as a %s is shown, approved by another operator, and done as it was shown',
    async (kind, status, gold) => {
      const { id, wallet } = await o.given.redemption(status);
      const before = await o.gold();
      const requested = expectStatus(await ask(id, vault(), kind), 202).body;
      const { approval_id: approvalId, expires_at: expiresAt } = requested;
      expect(requested).toEqual({ approval_id: expect.any(String), expires_at: expect.any(String) });
      await expectUntouched(id, wallet);
      expect(await caseOf(id)).toMatchObject({
        approval_id: approvalId,
        available_actions: [],
        settlement: null,
      });

      const request = {
        redemption_id: id,
        status,
        tokens: '0.380625',
        wallet_address: kind === 'refund' ? wallet.address : null,
      };
      const shown = {
        approval_id: approvalId,
        action: `redemption.${kind}`,
        object_type: 'redemption',
        object_id: id,
        request,
        before: null,
        status: 'pending',
        requested_by: two.by.fulfilment.operatorId,
        requested_by_name: 'The fulfilment',
        decided_by: null,
        decided_by_name: null,
        reason: null,
        created_at: new Date(Date.parse(expiresAt) - dayMs).toISOString(),
        expires_at: expiresAt,
        decided_at: null,
        available_actions: [],
      };
      expect(await find(approvalId)).toEqual(shown);
      const actions = ['approve', 'reject'];
      expect(await find(approvalId, other())).toEqual({ ...shown, available_actions: actions });

      const { body: done } = expectStatus(await approve(approvalId), 200);
      const hash = kind === 'refund' ? done.refund_tx_hash : done.tx_hash;
      const announced = { burn_announced_at: expect.any(String), burn_due_at: expect.any(String) };
      expect(done).toEqual(
        kind === 'refund'
          ? { redemption_id: id, refund_tx_hash: expect.any(String) }
          : { redemption_id: id, ...announced, burn_tx_hash: null, tx_hash: expect.any(String) },
      );
      // A burn is announced, and done later.
      expect(await o.gold(wallet.address)).toEqual({
        escrow: kind === 'refund' ? before.escrow - tokens : before.escrow,
        supply: before.supply,
        ...gold,
      });
      await eventually(
        async () => expect((await o.rowsOf(id))[0]).toMatchObject({ status: 'confirmed', txSignature: hash }),
        10_000,
      );
      expect(await find(approvalId)).toEqual({
        ...shown,
        status: 'approved',
        decided_by: two.by.admin.operatorId,
        decided_by_name: 'The admin',
        decided_at: expect.any(String),
      });
      const [requester, approver] = [two.by.fulfilment.operatorId, two.by.admin.operatorId];
      const action = `redemption.${kind}`;
      expect(await changesOf(o.h, 'approval', approvalId)).toEqual([
        {
          action: 'approval.request',
          before: null,
          after: { action, object_id: id, request },
          reason: null,
          operatorId: requester,
        },
        {
          action: 'approval.approve',
          before: { status: 'pending', action, object_id: id, request },
          after: { status: 'approved' },
          reason: null,
          operatorId: approver,
        },
      ]);
      expect(await changesOf(o.h, 'redemption', id)).toMatchObject([
        { action, after: { tx_hash: hash, tokens: '0.380625' }, operatorId: approver },
      ]);

      expect(await approve(approvalId)).toMatchObject(
        refused('An approval that is approved cannot be decided.'),
      );
      expect(await reject(approvalId)).toMatchObject(
        refused('An approval that is approved cannot be decided.'),
      );
      expect(await o.rowsOf(id)).toHaveLength(1);
    },
  );

  test('one operator alone cancels no announced burn that cannot be announced again in time', async () => {
    const { id } = await o.given.redemption('collected');
    const announced = expectStatus(await ask(id, vault(), 'burn'), 202).body;
    expectStatus(await approve(announced.approval_id), 200);
    await eventually(async () =>
      expect(await caseOf(id)).toMatchObject({ available_actions: ['cancel-burn'] }),
    );
    const now = o.h.ctx.clock.now();
    const reclaimableIn = (days: number) =>
      o.h.ctx.db
        .update(redemptions)
        .set({ reclaimableAt: new Date(now + days * dayMs) })
        .where(eq(redemptions.id, id));
    const reason = 'It was announced by mistake';
    const cancel = () => send(vault(), 'POST', `/redemptions/${id}/burn/cancel`, { reason });

    await reclaimableIn(1.9);
    const requested = expectStatus(await cancel(), 202).body;
    expect(requested).toEqual({ approval_id: expect.any(String), expires_at: expect.any(String) });
    expect(await find(requested.approval_id, other())).toMatchObject({
      action: 'redemption.cancel_burn',
      object_id: id,
      request: { redemption_id: id, status: 'collected', reason },
      available_actions: ['approve', 'reject'],
    });
    expect(await caseOf(id)).toMatchObject({
      burn_due_at: expect.any(String),
      approval_id: requested.approval_id,
      available_actions: [],
    });
    const { body } = expectStatus(await approve(requested.approval_id), 200);
    expect(body).toMatchObject({ redemption_id: id, burn_due_at: null, tx_hash: expect.any(String) });
    await eventually(async () => expect(await caseOf(id)).toMatchObject({ available_actions: ['burn'] }));
    expect((await changesOf(o.h, 'redemption', id)).at(-1)).toMatchObject({
      action: 'redemption.cancel_burn',
      reason,
      operatorId: two.by.admin.operatorId,
    });

    // With more than two days left it only stops something, and one operator does it at once.
    const again = expectStatus(await ask(id, vault(), 'burn'), 202).body;
    expectStatus(await approve(again.approval_id), 200);
    await eventually(async () =>
      expect(await caseOf(id)).toMatchObject({ available_actions: ['cancel-burn'] }),
    );
    await reclaimableIn(2.1);
    expect(expectStatus(await cancel(), 200).body).toMatchObject({ burn_due_at: null });
  }, 60_000);

  test('a request for an approval is not made twice, and can be made again when it was rejected', async () => {
    const { id, wallet, approvalId } = await givenRequest();
    for (const client of [vault(), other()]) {
      expect(await ask(id, client)).toMatchObject(refused('An approval of this is already requested.'));
    }
    const twins = await o.given.redemption('cancelled');
    const responses = await Promise.all([1, 2, 3, 4, 5].map(() => ask(twins.id)));
    expect(responses.map(({ status }) => status).sort()).toEqual([202, 409, 409, 409, 409]);

    expect(await reject(approvalId)).toMatchObject({
      status: 200,
      body: { approval_id: approvalId, status: 'rejected' },
    });
    expect(await find(approvalId)).toMatchObject({
      status: 'rejected',
      reason: 'not today',
      decided_by: two.by.admin.operatorId,
    });
    const [, rejection] = await changesOf(o.h, 'approval', approvalId);
    expect(rejection).toMatchObject({
      action: 'approval.reject',
      reason: 'not today',
      after: { status: 'rejected' },
    });
    for (const again of [await approve(approvalId), await reject(approvalId)]) {
      expect(again).toMatchObject(refused('An approval that is rejected cannot be decided.'));
    }
    await expectUntouched(id, wallet);
    expect(await caseOf(id)).toMatchObject({ approval_id: null, available_actions: ['refund'] });
    const { approval_id: second } = expectStatus(await ask(id), 202).body;
    expectStatus(await approve(second), 200);
  });

  test('a request for an approval comes to nothing unless it could be done then', async () => {
    const { id } = await o.given.redemption('submitted');
    expect(await ask(id)).toMatchObject(refused('A redemption that is submitted cannot be refunded.'));
    const found = (await list('?limit=100')).approvals.filter(
      (one: { object_id: string }) => one.object_id === id,
    );
    expect(found).toEqual([]);
  });
});

describe('the decider of an approval', () => {
  test('the decider is never the requester, whatever the role', async () => {
    for (const role of ['fulfilment', 'admin'] as const) {
      const { id, wallet, approvalId } = await givenRequest(two.by[role].client);
      for (const decide of [approve, reject]) {
        expect(await decide(approvalId, two.by[role].client)).toMatchObject(
          error(403, 'forbidden', 'You requested this yourself: another operator must decide it.'),
        );
      }
      await expectUntouched(id, wallet);
      expect(await find(approvalId)).toMatchObject({ status: 'pending' });
    }
    // Nor does the database take it from anyone.
    const { approvalId } = await givenRequest();
    const self = {
      status: 'approved',
      decidedBy: two.by.fulfilment.operatorId,
      decidedAt: new Date(),
    } as const;
    const mine = o.h.ctx.db
      .update(approvals)
      .set(self)
      .where(eq(approvals.id, approvalId as never));
    await expect(mine).rejects.toThrow();
  });

  test('the decider has the role for it', async () => {
    const { id, wallet, approvalId } = await givenRequest();
    for (const role of ['viewer', 'compliance'] as const) {
      for (const decide of [approve, reject]) {
        expect(await decide(approvalId, two.by[role].client)).toMatchObject(
          error(403, 'insufficient_scope', role),
        );
      }
    }
    await expectUntouched(id, wallet);
    const { path, terms } = await o.givenTerms();
    const { approval_id: onchain } = expectStatus(await send(other(), 'PUT', path, terms), 202).body;
    for (const decide of [approve, reject]) {
      expect(await decide(onchain, vault())).toMatchObject(
        error(403, 'insufficient_scope', 'The role fulfilment may not decide this.'),
      );
      expect(await decide(approvalId, two.anonymous)).toMatchObject(error(401, 'unauthorized', ''));
    }
    for (const unknown of [newUuid(), 'x', '%00', approvalId.toUpperCase().slice(1)]) {
      for (const decide of [approve, reject]) {
        expect(await decide(unknown)).toMatchObject(error(404, 'not_found', 'There is no such approval.'));
      }
    }
  });

  test('a rejection has a reason, and nothing else', async () => {
    const { approvalId } = await givenRequest();
    for (const [body, field] of [
      [undefined, undefined],
      [{}, 'reason'],
      [{ reason: '' }, 'reason'],
      [{ reason: 'x'.repeat(1_001) }, 'reason'],
      [{ reason: 'no', status: 'approved' }, 'status'],
    ] as const) {
      const response = await send(other(), 'POST', `/approvals/${approvalId}/reject`, body);
      expect(response).toMatchObject({
        status: 400,
        body: { error: 'invalid_request', ...(field ? { field } : {}) },
      });
    }
    const fields = await send(other(), 'POST', `/approvals/${approvalId}/approve`, { amount: 1 });
    expect(fields).toMatchObject({ status: 400, body: { field: 'amount' } });
    expect(await find(approvalId)).toMatchObject({ status: 'pending' });
  });

  test('exactly one of all concurrent approvals succeeds', async () => {
    const { id, wallet, approvalId } = await givenRequest();
    const third = await two.givenOperator('fulfilment');
    const people = [other(), third.client];
    const responses = await Promise.all(
      Array.from({ length: 12 }, (_, index) => approve(approvalId, people[index % 2])),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    // A node with so much to do may also be too slow for some of them.
    for (const { status, body } of responses) {
      if (status !== 200) expect(['transition_not_allowed', 'service_unavailable']).toContain(body.error);
    }
    expect(await o.gold(wallet.address)).toMatchObject({ owner: 1_000_000n + tokens });
    expect(await o.rowsOf(id)).toHaveLength(1);
    expect(await changesOf(o.h, 'approval', approvalId)).toHaveLength(2);
  });

  test('the decider agrees or refuses, never both', async () => {
    const { id, wallet, approvalId } = await givenRequest();
    const responses = await Promise.all([
      approve(approvalId),
      reject(approvalId),
      approve(approvalId),
      reject(approvalId),
    ]);
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    const { status } = await find(approvalId);
    const approved = responses.some((response: ApiResponse) => response.body.refund_tx_hash !== undefined);
    expect(status).toBe(approved ? 'approved' : 'rejected');
    if (approved) expect(await o.rowsOf(id)).toHaveLength(1);
    else await expectUntouched(id, wallet);
  });
});

test('an approval that one operator refuses while another agrees is not done', async () => {
  const { id, wallet, approvalId } = await givenRequest();
  const third = await two.givenOperator('fulfilment');
  const { sql } = o.h.ctx;
  let agreed: Promise<ApiResponse> | undefined;
  await sql.begin(async (tx) => {
    await tx`select id from approvals where id = ${approvalId} for update`;
    agreed = approve(approvalId);
    await eventually(async () => {
      const waiting = await sql`
        select pid from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like 'update "approvals"%'`;
      expect(waiting).toHaveLength(1);
    }, 10_000);
    await tx`
      update approvals set status = 'rejected', decided_by = ${third.operatorId}, decided_at = now(), reason = 'no'
      where id = ${approvalId}`;
  });
  expect(await agreed).toMatchObject(refused('Another operator has decided this.'));
  await expectUntouched(id, wallet);
});

describe('an approval is void', () => {
  // Two more processes of the service are made for it.
  test('an approval is void after 24 hours', { timeout: 90_000 }, async () => {
    const { id, wallet, approvalId } = await givenRequest();
    const { expires_at: expiresAt } = await find(approvalId);
    const at = (ms: number) => ({ clock: { now: () => Date.parse(expiresAt) + ms } });
    const tomorrow = await o.otherwise(at(0));
    for (const decide of [approve, reject]) {
      expect(await decide(approvalId, tomorrow.by.admin.client)).toMatchObject(
        refused('An approval that is expired cannot be decided.'),
      );
    }
    await expectUntouched(id, wallet);
    const viewer = tomorrow.by.viewer.client;
    expect(await find(approvalId, viewer)).toMatchObject({ status: 'expired', decided_by: null });
    const idsOf = async (status: string) =>
      (await list(`?limit=100&status=${status}`, viewer)).approvals.map((one: Listed) => one.approval_id);
    expect(await idsOf('expired')).toContain(approvalId);
    expect(await idsOf('pending')).not.toContain(approvalId);
    // A moment before it was good still.
    const justInTime = await o.otherwise(at(-1));
    expect(await find(approvalId, justInTime.by.viewer.client)).toMatchObject({ status: 'pending' });
    // It is not in the way of another one.
    const { approval_id: second } = expectStatus(await ask(id, tomorrow.by.fulfilment.client), 202).body;
    expect(await find(approvalId)).toMatchObject({ status: 'expired' });
    expectStatus(await approve(second, tomorrow.by.admin.client), 200);
    expect(await o.rowsOf(id)).toHaveLength(1);
  });

  test.each([
    ['is disabled', { status: 'disabled' }],
    ['has another role', { role: 'viewer' }],
  ] as const)('an approval is void when the requester %s by then; it can be rejected', async (_, change) => {
    const requester = await two.givenOperator('fulfilment');
    const { id, wallet, approvalId } = await givenRequest(requester.client);
    await o.h.ctx.db.update(operatorTable).set(change).where(eq(operatorTable.id, requester.operatorId));
    expect(await approve(approvalId)).toMatchObject(
      refused('The operator who requested this may no longer do it.'),
    );
    await expectUntouched(id, wallet);
    expectStatus(await reject(approvalId), 200);
  });

  test('an approval is void when the redemption is another one by then', async () => {
    for (const change of [
      "user_wallet = sha256('somebody')",
      'tokens_required = tokens_required + 1',
      'updated_at = now()',
    ]) {
      const { id, wallet, approvalId } = await givenRequest();
      await o.h.ctx.sql.unsafe(`update redemptions set ${change} where id = '${uuidOf(id)}'`);
      expect(await approve(approvalId)).toMatchObject(
        refused('This has changed since the approval was requested: request it again.'),
      );
      await expectUntouched(id, wallet);
    }
  });

  test('a void approval gives way to a new request, which ends it', async () => {
    const { id, approvalId } = await givenRequest();
    await o.h.ctx.sql.unsafe(`update redemptions set updated_at = now() where id = '${uuidOf(id)}'`);
    expect(await approve(approvalId)).toMatchObject(refused('This has changed since the approval'));
    const responses = await Promise.all([1, 2, 3].map(() => ask(id)));
    expect(responses.map(({ status }) => status).sort()).toEqual([202, 409, 409]);
    const reason = 'It has changed since, and was requested again.';
    expect(await find(approvalId)).toMatchObject({ status: 'expired', reason });
    const [, end] = await changesOf(o.h, 'approval', approvalId);
    expect(end).toMatchObject({
      action: 'approval.expire',
      reason,
      operatorId: two.by.fulfilment.operatorId,
    });
    const { body } = responses.find(({ status }) => status === 202) ?? {};
    expectStatus(await approve(body.approval_id), 200);
  });

  test('an approval that waits only for the node does not give way', async () => {
    const { id } = await givenRequest();
    expect(await ask(id, other())).toMatchObject(refused('An approval of this is already requested.'));
  });

  test('an approval is void when the tokens have left escrow by then', async () => {
    const { id, wallet, approvalId } = await givenRequest();
    const alone = await o.otherwise({ config: { approvals: 1 } });
    expectStatus(await ask(id, alone.by.fulfilment.client), 200);
    // Whether the indexer has recorded it by then.
    const message = expect.stringMatching(/already (being|been) refunded/);
    expect(await approve(approvalId)).toMatchObject({
      status: 409,
      body: { error: 'transition_not_allowed', message },
    });
    expect(await o.gold(wallet.address)).toMatchObject({ owner: 1_000_000n + tokens });
    expect(await o.rowsOf(id)).toHaveLength(1);
  });
});

describe('an approval', () => {
  test('an approval stays open while escrow cannot cover it or the node is down', async () => {
    const { id, approvalId } = await givenRequest();
    const { node, addresses, goldMint } = o.chain;
    const { escrow } = await o.gold();
    await node.setTokenBalance(addresses.escrowAuthority, goldMint, 0n);
    expect(await approve(approvalId)).toMatchObject(error(400, 'broadcast_failed', 'EscrowShort'));
    await node.setTokenBalance(addresses.escrowAuthority, goldMint, escrow);
    await o.chain.injectFault({ method: 'simulateTransaction', mode: 'close', times: 1 });
    expect(await approve(approvalId)).toMatchObject(error(503, 'service_unavailable', 'does not respond'));
    const mend = await o.failing('operator_transactions', 'insert');
    expect((await approve(approvalId)).status).toBeGreaterThanOrEqual(500);
    await mend();
    expect(await find(approvalId)).toMatchObject({ status: 'pending' });
    expect(await changesOf(o.h, 'approval', approvalId)).toHaveLength(1);
    expectStatus(await approve(approvalId), 200);
    expect(await o.rowsOf(id)).toHaveLength(1);
  });

  test('an approval that comes again with its Idempotency-Key has the first response', async () => {
    const { wallet, approvalId } = await givenRequest();
    const key = { 'idempotency-key': 'agreed' };
    const first = expectStatus(await approve(approvalId, other(), key), 200);
    const again = await approve(approvalId, other(), key);
    expect(again).toMatchObject({
      status: 200,
      body: first.body,
      headers: { 'idempotency-replayed': 'true' },
    });
    expect(await o.gold(wallet.address)).toMatchObject({ owner: 1_000_000n + tokens });
  });

  test('an approval hands the transaction out where the key of operations is absent', async () => {
    const { id, wallet, approvalId } = await givenRequest();
    const keyless = await o.otherwise({ keys: { operations: undefined } });
    const { body } = expectStatus(await approve(approvalId, keyless.by.admin.client), 202);
    expect(body).toMatchObject({ signers: [o.chain.operations.address], transaction: expect.any(String) });
    expect(await find(approvalId)).toMatchObject({ status: 'approved' });
    await o.chain.sendStraight(cosign(Buffer.from(body.transaction, 'base64'), [o.chain.operations]));
    await eventually(async () => expect((await o.rowsOf(id))[0]?.status).toBe('confirmed'), 10_000);
    expect(await o.gold(wallet.address)).toMatchObject({ owner: 1_000_000n + tokens });
  });
});

describe('a partner on chain', () => {
  const put = (path: string, terms: object) => send(other(), 'PUT', path, terms);
  const second = async (): Promise<GivenOperator> => two.givenOperator('admin');

  test('a partner on chain is put there as the approver saw it', async () => {
    const { partnerId, path, terms } = await o.givenTerms();
    const { approval_id: approvalId } = expectStatus(await put(path, terms), 202).body;
    expect(o.h.ctx.chain.program.integrator(partnerId)).toBeUndefined();
    const { request, before } = await find(approvalId);
    expect([request, before]).toEqual([{ ...terms, status: 'active', daily_limit_usdc: 'none' }, null]);
    expect(await put(path, { ...terms, open_fee_bps: 1 })).toMatchObject(
      refused('An approval of this is already requested'),
    );

    const { client, operatorId } = await second();
    const { body } = expectStatus(await approve(approvalId, client), 200);
    const {
      balances: _,
      daily_volume_usdc: _volume,
      proposed_authorities: _proposed,
      terms_seq: _seq,
      central_vault_address: __,
      integrator_address: ___,
      ...onchain
    } = body.onchain;
    expect(onchain).toEqual(request);
    expect(await changesOf(o.h, 'partner', partnerId)).toEqual([
      {
        action: 'partner.onchain',
        before: null,
        after: { ...request, tx_hash: body.tx_hash },
        reason: null,
        operatorId,
      },
    ]);

    const wanted = { ...terms, closed_fee_bps: 77 };
    const { approval_id: next } = expectStatus(await put(path, wanted), 202).body;
    expect(await find(next)).toMatchObject({ request: { ...wanted, status: 'active' }, before: request });
  });

  /** A change of a partner on chain that waits for its second person. */
  async function givenChange() {
    const found = await o.givenTerms();
    const { partnerId, path, terms } = found;
    const first = expectStatus(await put(path, terms), 202).body;
    const { client } = await second();
    expectStatus(await approve(first.approval_id, client), 200);
    const requested = expectStatus(await put(path, { ...terms, open_fee_bps: 70 }), 202).body;
    const integrator = await o.h.ctx.chain.program.integratorAddress(partnerId);
    return { ...found, client, approvalId: requested.approval_id as string, integrator };
  }
  const rowsOf = (partnerId: string) => o.rows((row) => row.partnerId === partnerId);

  test('a partner on chain is not changed when it is another one by then', async () => {
    const { partnerId, terms, client, approvalId, integrator, update } = await givenChange();
    const partner = {
      partnerId,
      wallet: terms.wallet_address as never,
      openFeeBps: 60,
      updateAuthority: update.address,
      withdrawalAuthority: terms.withdrawal_authority as never,
    };
    await o.chain.changePartner(integrator, partner, IntegratorStatus.Active);
    await eventually(
      () => expect(o.h.ctx.chain.program.integrator(partnerId)?.data.openFeeBps).toBe(60),
      10_000,
    );
    expect(await approve(approvalId, client)).toMatchObject(refused('This has changed since the approval'));
    expect(o.h.ctx.chain.program.integrator(partnerId)?.data.openFeeBps).toBe(60);
    expect(await rowsOf(partnerId)).toHaveLength(1);
  });

  test('a partner on chain is not changed when it was suspended by then', async () => {
    const { partnerId, client, approvalId } = await givenChange();
    expectStatus(await send(other(), 'POST', `/partners/${partnerId}/suspend`, { reason: 'fraud' }), 200);
    expect(await approve(approvalId, client)).toMatchObject(refused('This has changed since the approval'));
    expect(await rowsOf(partnerId)).toHaveLength(1);
  });

  test('a partner on chain is not given a wallet that was revoked by then', async () => {
    const { partnerId, terms, client, approvalId } = await givenChange();
    const wallet = `/partners/${partnerId}/wallets/${terms.wallet_address}/revoke`;
    expectStatus(await send(other(), 'POST', wallet), 200);
    expect(await approve(approvalId, client)).toMatchObject(
      refused('This is no longer possible: wallet_address is not an active wallet of this partner.'),
    );
    expect(await rowsOf(partnerId)).toHaveLength(1);
  });
});

describe('a change of power', () => {
  let second: GivenOperator;
  beforeAll(async () => {
    second = await two.givenOperator('admin');
  });
  const partnerOf = async (id: string) =>
    expectStatus(await other().get(`${operatorBase}/partners/${id}`), 200).body;
  const accountOf = async (id: string) =>
    (await other().get(`${operatorBase}/operators?limit=100`)).body.operators.find(
      (one: { operator_id: string }) => one.operator_id === id,
    );

  interface Case {
    ask: () => Promise<ApiResponse>;
    action: string;
    object: readonly [type: string, id: string];
    request: object;
    before: object | null;
    /** What shows whether it was done. */
    probe: () => Promise<unknown>;
    undone: unknown;
    done: unknown;
    response: object;
  }

  const cases: Record<string, () => Promise<Case>> = {
    'a wallet of a partner': async () => {
      const { partnerId, wallet } = await o.h.givenPartner();
      const { address } = newWallet();
      const before = { ...(await audited(partnerId)), wallets: [wallet.address] };
      return {
        ask: () => send(other(), 'POST', `/partners/${partnerId}/wallets`, { wallet_address: address }),
        action: 'partner.add_wallet',
        object: ['wallet', address],
        request: { partner_id: partnerId, wallet_address: address },
        before,
        probe: async () => (await partnerOf(partnerId)).wallets.length,
        undone: 1,
        done: 2,
        response: { partner_id: partnerId, wallet_address: address, status: 'active' },
      };
    },
    'a partner with a wallet': async () => {
      const { address } = newWallet();
      const input = { name: 'Bought Gold', fee_percentage: 0.015, wallet_address: address };
      const named = async () =>
        (await other().get(`${operatorBase}/partners?limit=100`)).body.partners.filter(
          (one: { wallets: { wallet_address: string }[] }) => one.wallets[0]?.wallet_address === address,
        ).length;
      return {
        ask: () => send(other(), 'POST', '/partners', input),
        action: 'partner.create',
        object: ['partner', ''],
        request: input,
        before: null,
        probe: named,
        undone: 0,
        done: 1,
        response: { ...input, wallet_address: undefined, status: 'active' },
      };
    },
    'a fee': async () => {
      const { partnerId } = await o.h.givenPartner();
      const before = await audited(partnerId);
      return {
        ask: () => send(other(), 'PATCH', `/partners/${partnerId}`, { name: 'Dear', fee_percentage: 0.5 }),
        action: 'partner.change',
        object: ['partner', partnerId],
        request: { name: 'Dear', fee_percentage: 0.5 },
        before,
        probe: async () => (await partnerOf(partnerId)).name,
        undone: before.name,
        done: 'Dear',
        response: { partner_id: partnerId, name: 'Dear', fee_percentage: 0.5 },
      };
    },
    'a larger fee budget and a lower smallest trade': async () => {
      const { partnerId } = await o.h.givenPartner();
      const path = `/partners/${partnerId}`;
      await o.h.ctx.sql`
        update partners set fee_budget_lamports = 1000000, min_trade_usdc = 10000000 where id = ${partnerId}`;
      const loose = { fee_budget_lamports_per_hour: 1_000_001, min_trade_usdc: 9.999999 };
      return {
        ask: () => send(other(), 'PATCH', path, loose),
        action: 'partner.change',
        object: ['partner', partnerId],
        request: loose,
        before: await audited(partnerId),
        probe: async () => (await partnerOf(partnerId)).min_trade_usdc,
        undone: 10,
        done: 9.999999,
        response: { partner_id: partnerId, ...loose },
      };
    },
    'resuming a partner': async () => {
      const { partnerId } = await o.h.givenPartner();
      expectStatus(await send(other(), 'POST', `/partners/${partnerId}/suspend`, { reason: 'x' }), 200);
      return {
        ask: () => send(other(), 'POST', `/partners/${partnerId}/resume`, { reason: 'looked into' }),
        action: 'partner.resume',
        object: ['partner', partnerId],
        request: { status: 'active', reason: 'looked into' },
        before: await audited(partnerId),
        probe: async () => (await partnerOf(partnerId)).status,
        undone: 'suspended',
        done: 'active',
        response: { partner_id: partnerId, status: 'active' },
      };
    },
    'a denomination': async () => {
      const input = {
        id: 'ae_g_250',
        label: '250 g bar',
        weight_g: 250,
        country: 'AE',
        city: 'Dubai',
        active: true,
      };
      return {
        ask: () => send(other(), 'POST', '/denominations', input),
        action: 'denomination.create',
        object: ['denomination', input.id],
        request: input,
        before: null,
        probe: async () =>
          (await o.partner.client.get('/v1/denominations?country=AE')).body.denominations.some(
            (one: { id: string }) => one.id === input.id,
          ),
        undone: false,
        done: true,
        response: input,
      };
    },
    'another label of a denomination': async () => {
      const place = { country: 'PK', city: 'Karachi' };
      const denomination = { id: 'pk_g_5', label: '5 g bar', weight_g: 5, ...place, active: true };
      const { approval_id: id } = expectStatus(
        await send(other(), 'POST', '/denominations', denomination),
        202,
      ).body;
      expectStatus(await approve(id, second.client), 200);
      return {
        // A form sends what stays, too.
        ask: () =>
          send(other(), 'PATCH', '/denominations/pk_g_5', {
            label: 'Kilobar',
            country: 'pk',
            city: 'Quetta',
          }),
        action: 'denomination.change',
        object: ['denomination', 'pk_g_5'],
        request: { label: 'Kilobar', city: 'Quetta' },
        before: denomination,
        probe: async () =>
          (await o.partner.client.get('/v1/denominations?country=PK')).body.denominations.find(
            (one: { id: string }) => one.id === 'pk_g_5',
          ).label,
        undone: '5 g bar',
        done: 'Kilobar',
        response: { ...denomination, label: 'Kilobar', city: 'Quetta' },
      };
    },
    'another city of a denomination': async () => ({
      ask: () => send(other(), 'PATCH', '/denominations/pk_old', { city: 'Multan' }),
      action: 'denomination.change',
      object: ['denomination', 'pk_old'],
      request: { city: 'Multan' },
      before: { id: 'pk_old', label: 'Old bar', weight_g: 5, country: 'PK', city: 'Karachi', active: false },
      probe: async () => (await o.h.ctx.sql`select city from denominations where id = 'pk_old'`)[0]?.city,
      undone: 'Karachi',
      done: 'Multan',
      response: { id: 'pk_old', city: 'Multan' },
    }),
    'another role': async () => {
      const { operatorId, email } = await two.givenOperator('viewer');
      return {
        ask: () => send(other(), 'PATCH', `/operators/${operatorId}`, { role: 'fulfilment' }),
        action: 'operator.change',
        object: ['operator', operatorId],
        request: { role: 'fulfilment' },
        before: { email, name: 'The viewer', role: 'viewer' },
        probe: async () => (await accountOf(operatorId)).role,
        undone: 'viewer',
        done: 'fulfilment',
        response: { operator_id: operatorId, role: 'fulfilment' },
      };
    },
    'disabling an operator': async () => {
      const { operatorId, email } = await two.givenOperator('admin');
      return {
        ask: () => send(other(), 'POST', `/operators/${operatorId}/disable`, { reason: 'left' }),
        action: 'operator.disable',
        object: ['operator', operatorId],
        request: { status: 'disabled', reason: 'left' },
        before: { email, name: 'The admin', role: 'admin', status: 'active' },
        probe: async () => (await accountOf(operatorId)).status,
        undone: 'active',
        done: 'disabled',
        response: { operator_id: operatorId, status: 'disabled' },
      };
    },
    'enabling an operator': async () => {
      const { operatorId, email } = await two.givenOperator('compliance');
      const closed = { status: 'disabled' } as const;
      await o.h.ctx.db.update(operatorTable).set(closed).where(eq(operatorTable.id, operatorId));
      return {
        ask: () => send(other(), 'POST', `/operators/${operatorId}/enable`),
        action: 'operator.enable',
        object: ['operator', operatorId],
        request: { status: 'active', reason: null },
        before: { email, name: 'The compliance', role: 'compliance', status: 'disabled' },
        probe: async () => (await accountOf(operatorId)).status,
        undone: 'disabled',
        done: 'active',
        response: { operator_id: operatorId, status: 'active' },
      };
    },
    'resuming trading': async () => {
      const others = { partner: false, withdraw: false, redeem: false, settle: false, treasury: false };
      const paused = { trade: true, ...others };
      // Pausing is one person's, at once, also when a form sends the flags that stay.
      const pause = expectStatus(await send(other(), 'PUT', '/chain/status', { paused }), 200).body;
      expect(pause.paused).toEqual(paused);
      return {
        ask: () => send(other(), 'PUT', '/chain/status', { paused: { trade: false }, reason: 'calm again' }),
        action: 'chain.status',
        object: ['chain', o.chain.config.programId ?? ''],
        request: { paused: { trade: false }, reason: 'calm again' },
        before: { paused, market: pause.market },
        probe: async () => (await other().get(`${operatorBase}/chain/status`)).body.paused.trade,
        undone: true,
        done: false,
        response: { paused: { ...paused, trade: false }, tx_hash: expect.any(String) },
      };
    },
  };

  async function audited(partnerId: string) {
    const { name, status, fee_percentage, fee_budget_lamports_per_hour, min_trade_usdc } =
      await partnerOf(partnerId);
    return { name, status, fee_percentage, fee_budget_lamports_per_hour, min_trade_usdc };
  }

  test('a second approval is 409, also where the node fails while it is prepared', async () => {
    const given = await cases['resuming trading']?.();
    if (!given) throw new Error('no case');
    const { approval_id: approvalId } = expectStatus(await given.ask(), 202).body;
    const { ctx } = o.h;
    const { operatorId: personId } = await two.givenOperator('admin');
    const operator: Operator = {
      ...{ kind: 'operator', personId, role: 'admin', openedBy: [] },
      ...{ email: 'second@karat.test', name: 'Second' },
    };
    const approved = { approver: operator, approval: await getApproval(ctx, approvalId) };
    const plan = await planApproved(ctx, approved);
    if (plan.in === 'database') throw new Error('resuming trading is no matter of the database');
    const silent = { method: 'getAccountInfo', mode: 'error', times: 50 };
    await o.chain.injectFault(silent);
    await expect(readyOperation(ctx, plan)).rejects.toMatchObject({ code: 'service_unavailable' });
    await o.chain.clearFaults();
    expectStatus(await approve(approvalId, (await two.givenOperator('admin')).client), 200);
    await o.chain.injectFault(silent);
    await expect(readyOperation(ctx, plan)).rejects.toMatchObject({ code: 'transition_not_allowed' });
    await o.chain.clearFaults();
    await o.ready();
  });

  test.each(Object.keys(cases))(
    'a change of power, %s, waits for another admin, who sees before and after',
    async (name) => {
      const given = await cases[name]?.();
      if (!given) throw new Error('no case');
      const requested = expectStatus(await given.ask(), 202).body;
      const { approval_id: approvalId } = requested;
      expect(requested).toEqual({ approval_id: expect.any(String), expires_at: expect.any(String) });
      expect(await given.probe()).toEqual(given.undone);
      const [objectType, objectId] = given.object;
      const shown = await find(approvalId);
      expect(shown).toMatchObject({
        action: given.action,
        object_type: objectType,
        object_id: objectId || expect.any(String),
        status: 'pending',
        requested_by: two.by.admin.operatorId,
      });
      expect([shown.request, shown.before]).toEqual([given.request, given.before]);

      expect(await approve(approvalId)).toMatchObject(error(403, 'forbidden', 'You requested this yourself'));
      expect(await approve(approvalId, vault())).toMatchObject(
        error(403, 'insufficient_scope', 'fulfilment'),
      );
      if (objectId !== '')
        expect(await given.ask()).toMatchObject(refused('An approval of this is already requested'));
      expect(await given.probe()).toEqual(given.undone);

      const { response } = given;
      const responses = await Promise.all([1, 2, 3].map(() => approve(approvalId, second.client)));
      const [won] = responses.filter(({ status }) => status === 200);
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
      expect(won?.body).toMatchObject(JSON.parse(JSON.stringify({ ...response, tx_hash: undefined })));
      expect(await given.probe()).toEqual(given.done);
      expect(await find(approvalId)).toMatchObject({ status: 'approved', decided_by: second.operatorId });
      expect((await changesOf(o.h, 'approval', approvalId)).map(({ action }) => action)).toEqual([
        'approval.request',
        'approval.approve',
      ]);
      const type = objectType === 'wallet' ? 'partner' : objectType;
      const id = objectType === 'wallet' ? won?.body.partner_id : shown.object_id;
      const changes = (await changesOf(o.h, type, id)).filter(({ action }) => action === given.action);
      expect(changes.at(-1)).toMatchObject({ action: given.action, operatorId: second.operatorId });
      if (given.action !== 'chain.status') expect(changes).toHaveLength(1);
    },
  );

  test('a change of power is not made when its object is another one by then', async () => {
    const { partnerId } = await o.h.givenPartner();
    const path = `/partners/${partnerId}`;
    const { approval_id: raise } = expectStatus(
      await send(other(), 'PATCH', path, { fee_percentage: 0.2 }),
      202,
    ).body;
    const wallet = { wallet_address: newWallet().address };
    const { approval_id: add } = expectStatus(
      await send(other(), 'POST', `${path}/wallets`, wallet),
      202,
    ).body;
    expectStatus(await send(other(), 'POST', `${path}/suspend`, { reason: 'fraud' }), 200);
    for (const id of [raise, add]) {
      expect(await approve(id, second.client)).toMatchObject(refused('This has changed since the approval'));
      expect(await find(id)).toMatchObject({ status: 'pending' });
    }
    expect(await partnerOf(partnerId)).toMatchObject({ fee_percentage: 0.015, wallets: [expect.anything()] });
  });

  test('a change of power is not made when it cannot be any more', async () => {
    const [one, another] = [await o.h.givenPartner(), await o.h.givenPartner()];
    const wallet = { wallet_address: newWallet().address };
    const path = `/partners/${one.partnerId}/wallets`;
    const { approval_id: id } = expectStatus(await send(other(), 'POST', path, wallet), 202).body;
    await inChange(o.h.ctx, commandLine, (change) =>
      addPartnerWallet(change, {
        partnerId: another.partnerId,
        walletAddress: wallet.wallet_address,
      }),
    );
    expect(await approve(id, second.client)).toMatchObject(
      refused('This is no longer possible: This wallet already belongs to partner'),
    );
    expectStatus(await reject(id, second.client), 200);
  });

  test('a change of power that fails to be written leaves neither itself nor the decision', async () => {
    const { partnerId } = await o.h.givenPartner();
    const ask = await send(other(), 'PATCH', `/partners/${partnerId}`, { fee_percentage: 0.3 });
    const { approval_id: id } = expectStatus(ask, 202).body;
    const mend = await o.failing('audit_log', 'insert');
    expect((await approve(id, second.client)).status).toBeGreaterThanOrEqual(500);
    await mend();
    expect(await find(id)).toMatchObject({ status: 'pending' });
    expect(await partnerOf(partnerId)).toMatchObject({ fee_percentage: 0.015 });
    expectStatus(await approve(id, second.client), 200);
    expect(await partnerOf(partnerId)).toMatchObject({ fee_percentage: 0.3 });
  });

  test('a change of power that was none when requested, and is one by now, is not made by one person', async () => {
    const { ctx } = o.h;
    const { partnerId } = await o.h.givenPartner();
    const by = { personId: two.by.admin.operatorId, requestId: 'x' };
    const sameFee = { partnerId, name: undefined, feePercentage: 0.015 };
    const feePlan = await planPartnerChange(ctx, sameFee);
    await inChange(ctx, commandLine, (change) => changePartner(change, { ...sameFee, feePercentage: 0.01 }));
    await expect(inChange(ctx, by, (change) => makeChange(change, feePlan))).rejects.toThrow(
      'Somebody else has changed this',
    );
    expect(await partnerOf(partnerId)).toMatchObject({ fee_percentage: 0.01 });

    const { operatorId } = await two.givenOperator('admin');
    const rolePlan = await planOperatorChange(ctx, { operatorId, role: 'admin' });
    await inChange(ctx, commandLine, (change) => changeOperator(change, { operatorId, role: 'viewer' }));
    await expect(inChange(ctx, by, (change) => makeChange(change, rolePlan))).rejects.toThrow(
      'Somebody else has changed this',
    );
    expect(await accountOf(operatorId)).toMatchObject({ role: 'viewer' });
  });

  test('a change of power is refused at once when it could not be made', async () => {
    const { partnerId, wallet } = await o.h.givenPartner();
    const path = `/partners/${partnerId}`;
    const taken = { wallet_address: wallet.address };
    const bar = { label: '1 kg', weight_g: 0.01, country: 'AE', city: 'Dubai', active: true };
    for (const [response, status, code] of [
      [await send(other(), 'POST', `${path}/wallets`, taken), 409, 'wallet_already_registered'],
      [
        await send(other(), 'POST', '/partners', { name: 'x', fee_percentage: 0, ...taken }),
        409,
        'wallet_already_registered',
      ],
      [await send(other(), 'PATCH', path, { fee_percentage: 0.6 }), 400, 'invalid_request'],
      [await send(other(), 'POST', `${path}/resume`), 409, 'transition_not_allowed'],
      [await send(other(), 'POST', '/denominations', { id: 'kg', ...bar }), 400, 'invalid_request'],
      [await send(other(), 'PATCH', `/operators/${newUuid()}`, { role: 'viewer' }), 404, 'not_found'],
    ] as const) {
      expect(response).toMatchObject({ status, body: { error: code } });
    }
  });

  test('a change that only stops or names something takes one person', async () => {
    const { partnerId, wallet } = await o.h.givenPartner();
    const path = `/partners/${partnerId}`;
    expectStatus(await send(other(), 'PATCH', path, { name: 'Renamed', fee_percentage: 0.015 }), 200);
    const tighter = { fee_budget_lamports_per_hour: 1_000_000, min_trade_usdc: 10 };
    expect(expectStatus(await send(other(), 'PATCH', path, tighter), 200).body).toMatchObject(tighter);
    expectStatus(await send(other(), 'POST', `${path}/wallets/${wallet.address}/revoke`), 200);
    expectStatus(await send(other(), 'POST', `${path}/suspend`, { reason: 'fraud' }), 200);
    expectStatus(await send(other(), 'POST', '/partners', { name: 'Without', fee_percentage: 0.5 }), 201);
    const { label } = expectStatus(
      await send(other(), 'PATCH', '/denominations/pk_old', { active: false }),
      200,
    ).body;
    expectStatus(await send(other(), 'PATCH', '/denominations/pk_old', { label, active: true }), 200);
  });

  test('a change of power never delays a pause: one request does not pause and resume', async () => {
    const pause = (paused: object) => send(other(), 'PUT', '/chain/status', { paused });
    expectStatus(await pause({ partner: true }), 200);
    expect(await pause({ partner: false, withdraw: true })).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', field: 'paused' },
    });
    expect(
      expectStatus(await pause({ trade: false, partner: true, withdraw: true }), 200).body.paused,
    ).toMatchObject({
      trade: false,
      partner: true,
      withdraw: true,
    });
    const everything = { paused: { trade: false, partner: false, withdraw: false } };
    const { approval_id: id } = expectStatus(await pause(everything.paused), 202).body;
    // What was paused meanwhile is not resumed with the rest.
    expectStatus(await pause({ trade: true }), 200);
    expect(await approve(id, second.client)).toMatchObject(refused('This has changed since the approval'));
    expectStatus(await reject(id, second.client), 200);
    const { approval_id: again } = expectStatus(await pause(everything.paused), 202).body;
    expect(expectStatus(await approve(again, second.client), 200).body).toMatchObject(everything);
  });

  test('a pause is not resumed by an approval requested before the last pause of it', async () => {
    const pause = (paused: object, reason: string) =>
      send(other(), 'PUT', '/chain/status', { paused, reason });
    expectStatus(await pause({ withdraw: true }, 'maintenance'), 200);
    const { approval_id: id } = expectStatus(await pause({ withdraw: false }, 'done'), 202).body;
    // Paused already: the flags stay as they are.
    expectStatus(await pause({ withdraw: true }, 'a key was stolen'), 200);
    // By a process whose clock is behind: its ids come before those of the others.
    await o.h.ctx.sql`
      update operator_transactions set id = '00000000-0000-7000-8000-000000000000'
      where id = (select max(id::text)::uuid from operator_transactions where kind = 'pause')`;
    expect(await approve(id, second.client)).toMatchObject(refused('This has changed since the approval'));
    expectStatus(await reject(id, second.client), 200);

    const { approval_id: last } = expectStatus(await pause({ withdraw: false }, 'looked into'), 202).body;
    expect(expectStatus(await approve(last, second.client), 200).body.paused.withdraw).toBe(false);
  });
});

describe('the list of approvals', () => {
  test('the list has every approval once, newest first, page by page, while others are requested', async () => {
    const before: string[] = (await list('?limit=100')).approvals.map((one: Listed) => one.approval_id);
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: { approvals: Listed[]; next_cursor: string | null } = await list(
        `?limit=7${cursor && `&cursor=${cursor}`}`,
      );
      seen.push(...page.approvals.map((one) => one.approval_id));
      if (seen.length === 7) await givenRequest();
      cursor = page.next_cursor;
    }
    expect(seen).toEqual(before);
    expect(seen.length).toBeGreaterThan(14);
  });

  test.each(['status=', 'status=open', 'limit=0', 'limit=101', 'cursor=', 'cursor=x'])(
    'the list of approvals refuses %s',
    async (query) => {
      const field = query.split('=')[0];
      expect(await two.by.viewer.client.get(`${operatorBase}/approvals?${query}`)).toMatchObject({
        status: 400,
        body: { error: 'invalid_request', field },
      });
      expect((await clientOf(two.app, {}).get(`${operatorBase}/approvals`)).status).toBe(401);
    },
  );
});

test('approvals leave no dead letter and an intact audit log', async () => {
  expect(await o.h.ctx.db.select().from(deadLetters)).toEqual([]);
  expect(await verifyAuditLog(o.h.ctx.db)).toMatchObject({ ok: true });
});

import { IntegratorStatus } from '@karat/program-client';
import { eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { verifyAuditLog } from '../../../src/actions/audit.js';
import { approvals, deadLetters, operators as operatorTable } from '../../../src/db/schema.js';
import { newUuid, type RedemptionId } from '../../../src/domain/ids.js';
import { cosign } from '../../chain/signed-trade.js';
import { type Answer, type Client, clientOf, newWallet } from '../../harness.js';
import { eventually } from '../../karat-chain.js';
import { type Operating, startOperating, tokens } from '../../operating.js';
import { changesOf, type GivenOperator, type Operators, operatorBase, send } from '../../operators.js';
import { expectStatus } from '../../redeeming.js';

let o: Operating;
let two: Operators;
beforeAll(async () => {
  o = await startOperating({ config: { approvals: 2 } });
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
  const found = await o.givenCase('cancelled');
  const { approval_id: approvalId } = expectStatus(await ask(found.id, client), 202).body;
  return { ...found, approvalId: approvalId as string };
}

/** That nothing came of a request: no transaction, no tokens. */
async function expectUntouched(id: RedemptionId, wallet: { address: Parameters<typeof o.gold>[0] }) {
  expect(await o.rowsOf(id)).toEqual([]);
  expect(await o.gold(wallet.address)).toMatchObject({ owner: 1_000_000n });
  expect((await changesOf(o.h, 'redemption', id)).map(({ action }) => action)).toEqual([]);
}

describe('what one operator asks for', () => {
  test.each([
    ['refund', 'cancelled', { owner: 1_000_000n + tokens }],
    ['burn', 'collected', { owner: 1_000_000n }],
  ] as const)(
    'as a %s is shown, approved by another one, and done as it was shown',
    async (kind, status, gold) => {
      const { id, wallet } = await o.givenCase(status);
      const before = await o.gold();
      const asked = expectStatus(await ask(id, vault(), kind), 202).body;
      const { approval_id: approvalId, expires_at: expiresAt } = asked;
      expect(asked).toEqual({ approval_id: expect.any(String), expires_at: expect.any(String) });
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
      };
      expect(await find(approvalId)).toEqual(shown);

      const { body: done } = expectStatus(await approve(approvalId), 200);
      const hash = done[`${kind}_tx_hash`];
      expect(done).toEqual({ redemption_id: id, [`${kind}_tx_hash`]: expect.any(String) });
      expect(await o.gold(wallet.address)).toEqual({
        escrow: before.escrow - tokens,
        supply: kind === 'burn' ? before.supply - tokens : before.supply,
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

  test('is not asked for twice, and can be asked for again when it was rejected', async () => {
    const { id, wallet, approvalId } = await givenRequest();
    for (const client of [vault(), other()]) {
      expect(await ask(id, client)).toMatchObject(
        refused('Somebody has asked for an approval of this already.'),
      );
    }
    const twins = await o.givenCase('cancelled');
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => ask(twins.id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409, 409, 409]);

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

  test('comes to nothing unless it could be done then', async () => {
    const { id } = await o.givenCase('submitted');
    expect(await ask(id)).toMatchObject(refused('A redemption that is submitted cannot be refunded.'));
    const found = (await list('?limit=100')).approvals.filter(
      (one: { object_id: string }) => one.object_id === id,
    );
    expect(found).toEqual([]);
  });
});

describe('who decides', () => {
  test('is never who asked, whatever his role', async () => {
    for (const role of ['fulfilment', 'admin'] as const) {
      const { id, wallet, approvalId } = await givenRequest(two.by[role].client);
      for (const decide of [approve, reject]) {
        expect(await decide(approvalId, two.by[role].client)).toMatchObject(
          error(403, 'forbidden', 'You asked for this yourself: another operator has to decide it.'),
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

  test('has the role for it', async () => {
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

  test('says why not, and nothing else', async () => {
    const { approvalId } = await givenRequest();
    for (const [body, field] of [
      [undefined, undefined],
      [{}, 'reason'],
      [{ reason: '' }, 'reason'],
      [{ reason: 'x'.repeat(1_001) }, 'reason'],
      [{ reason: 'no', status: 'approved' }, 'status'],
    ] as const) {
      const answer = await send(other(), 'POST', `/approvals/${approvalId}/reject`, body);
      expect(answer).toMatchObject({
        status: 400,
        body: { error: 'invalid_request', ...(field ? { field } : {}) },
      });
    }
    const fields = await send(other(), 'POST', `/approvals/${approvalId}/approve`, { amount: 1 });
    expect(fields).toMatchObject({ status: 400, body: { field: 'amount' } });
    expect(await find(approvalId)).toMatchObject({ status: 'pending' });
  });

  test('is one of all who press at once', async () => {
    const { id, wallet, approvalId } = await givenRequest();
    const third = await two.givenOperator('fulfilment');
    const people = [other(), third.client];
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => approve(approvalId, people[index % 2])),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    // A node with so much to do may also be too slow for some of them.
    for (const { status, body } of answers) {
      if (status !== 200) expect(['transition_not_allowed', 'service_unavailable']).toContain(body.error);
    }
    expect(await o.gold(wallet.address)).toMatchObject({ owner: 1_000_000n + tokens });
    expect(await o.rowsOf(id)).toHaveLength(1);
    expect(await changesOf(o.h, 'approval', approvalId)).toHaveLength(2);
  });

  test('agrees or refuses, never both', async () => {
    const { id, wallet, approvalId } = await givenRequest();
    const answers = await Promise.all([
      approve(approvalId),
      reject(approvalId),
      approve(approvalId),
      reject(approvalId),
    ]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const { status } = await find(approvalId);
    const approved = answers.some((answer: Answer) => answer.body.refund_tx_hash !== undefined);
    expect(status).toBe(approved ? 'approved' : 'rejected');
    if (approved) expect(await o.rowsOf(id)).toHaveLength(1);
    else await expectUntouched(id, wallet);
  });
});

test('what somebody refuses while another one agrees is not done', async () => {
  const { id, wallet, approvalId } = await givenRequest();
  const third = await two.givenOperator('fulfilment');
  const { sql } = o.h.ctx;
  let agreed: Promise<Answer> | undefined;
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
  expect(await agreed).toMatchObject(refused('Somebody else has decided this.'));
  await expectUntouched(id, wallet);
});

describe('an approval is void', () => {
  // Two more processes of the service are made for it.
  test('after 24 hours', { timeout: 90_000 }, async () => {
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
  ] as const)('when who asked %s by then; it can be rejected', async (_, change) => {
    const requester = await two.givenOperator('fulfilment');
    const { id, wallet, approvalId } = await givenRequest(requester.client);
    await o.h.ctx.db.update(operatorTable).set(change).where(eq(operatorTable.id, requester.operatorId));
    expect(await approve(approvalId)).toMatchObject(
      refused('Whoever asked for this may not do it any more.'),
    );
    await expectUntouched(id, wallet);
    expectStatus(await reject(approvalId), 200);
  });

  test('when the redemption is another one by then', async () => {
    for (const change of [
      "user_wallet = 'somebody'",
      'tokens_required = tokens_required + 1',
      'updated_at = now()',
    ]) {
      const { id, wallet, approvalId } = await givenRequest();
      await o.h.ctx.sql.unsafe(`update redemptions set ${change} where id = '${id}'`);
      expect(await approve(approvalId)).toMatchObject(
        refused('This has changed since the approval was asked for: reject it and ask anew.'),
      );
      await expectUntouched(id, wallet);
    }
  });

  test('when the tokens have left escrow by then', async () => {
    const { id, wallet, approvalId } = await givenRequest();
    const alone = await o.otherwise({ config: { approvals: 1 } });
    expectStatus(await ask(id, alone.by.fulfilment.client), 200);
    expect(await approve(approvalId)).toMatchObject(refused('refunded cannot be so again'));
    expect(await o.gold(wallet.address)).toMatchObject({ owner: 1_000_000n + tokens });
    expect(await o.rowsOf(id)).toHaveLength(1);
  });
});

describe('an approval', () => {
  test('stays open while escrow cannot cover it or the node is down', async () => {
    const { id, approvalId } = await givenRequest();
    const { node, addresses, goldMint } = o.chain;
    const { escrow } = await o.gold();
    await node.setTokenBalance(addresses.escrowAuthority, goldMint, 0n);
    expect(await approve(approvalId)).toMatchObject(refused('Escrow holds less GOLD'));
    await node.setTokenBalance(addresses.escrowAuthority, goldMint, escrow);
    await o.chain.injectFault({ method: 'simulateTransaction', mode: 'close', times: 1 });
    expect(await approve(approvalId)).toMatchObject(error(503, 'service_unavailable', 'does not answer'));
    const mend = await o.failing('operator_transactions', 'insert');
    expect((await approve(approvalId)).status).toBeGreaterThanOrEqual(500);
    await mend();
    expect(await find(approvalId)).toMatchObject({ status: 'pending' });
    expect(await changesOf(o.h, 'approval', approvalId)).toHaveLength(1);
    expectStatus(await approve(approvalId), 200);
    expect(await o.rowsOf(id)).toHaveLength(1);
  });

  test('that comes again with its Idempotency-Key has the first answer', async () => {
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

  test('hands the transaction out where nobody holds the admin’s key', async () => {
    const { id, wallet, approvalId } = await givenRequest();
    const keyless = await o.otherwise({ keys: { admin: undefined } });
    const { body } = expectStatus(await approve(approvalId, keyless.by.admin.client), 202);
    expect(body).toMatchObject({ signers: [o.chain.admin.address], transaction: expect.any(String) });
    expect(await find(approvalId)).toMatchObject({ status: 'approved' });
    await o.chain.sendStraight(cosign(Buffer.from(body.transaction, 'base64'), [o.chain.admin]));
    await eventually(async () => expect((await o.rowsOf(id))[0]?.status).toBe('confirmed'), 10_000);
    expect(await o.gold(wallet.address)).toMatchObject({ owner: 1_000_000n + tokens });
  });
});

describe('a partner on chain', () => {
  const put = (path: string, terms: object) => send(other(), 'PUT', path, terms);
  const second = async (): Promise<GivenOperator> => two.givenOperator('admin');

  test('is put there as the approver saw it', async () => {
    const { partnerId, path, terms } = await o.givenTerms();
    const { approval_id: approvalId } = expectStatus(await put(path, terms), 202).body;
    expect(o.h.ctx.chain.program.integrator(partnerId)).toBeUndefined();
    const { request, before } = await find(approvalId);
    expect([request, before]).toEqual([{ ...terms, status: 'active' }, null]);
    expect(await put(path, { ...terms, open_fee_bps: 1 })).toMatchObject(
      refused('asked for an approval of this'),
    );

    const { client, operatorId } = await second();
    const { body } = expectStatus(await approve(approvalId, client), 200);
    const { balances: _, central_vault_address: __, integrator_address: ___, ...onchain } = body.onchain;
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

    const wanted = { ...terms, withdrawal_authority: newWallet().address };
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
    const asked = expectStatus(await put(path, { ...terms, open_fee_bps: 70 }), 202).body;
    const integrator = await o.h.ctx.chain.program.integratorAddress(partnerId);
    return { ...found, client, approvalId: asked.approval_id as string, integrator };
  }
  const rowsOf = (partnerId: string) => o.rows((row) => row.partnerId === partnerId);

  test('is not changed when it is another one by then', async () => {
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

  test('is not changed when it was suspended by then', async () => {
    const { partnerId, client, approvalId } = await givenChange();
    expectStatus(await send(other(), 'POST', `/partners/${partnerId}/suspend`, { reason: 'fraud' }), 200);
    expect(await approve(approvalId, client)).toMatchObject(refused('This has changed since the approval'));
    expect(await rowsOf(partnerId)).toHaveLength(1);
  });

  test('is not given a wallet that was revoked by then', async () => {
    const { partnerId, terms, client, approvalId } = await givenChange();
    const wallet = `/partners/${partnerId}/wallets/${terms.wallet_address}/revoke`;
    expectStatus(await send(other(), 'POST', wallet), 200);
    expect(await approve(approvalId, client)).toMatchObject(
      refused('This cannot be done any more: wallet_address is not an active wallet of this partner.'),
    );
    expect(await rowsOf(partnerId)).toHaveLength(1);
  });
});

describe('the list', () => {
  test('has every approval once, newest first, page by page, while others are asked for', async () => {
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
    'refuses %s',
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

test('all of it left nothing that does not fit', async () => {
  expect(await o.h.ctx.db.select().from(deadLetters)).toEqual([]);
  expect(await verifyAuditLog(o.h.ctx.db)).toMatchObject({ ok: true });
});

import { eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { verifyAuditLog } from '../../../src/actions/audit.js';
import { settleDueBurns } from '../../../src/actions/redemptions/settle-burns.js';
import {
  confirmOperatorTransaction,
  insertOperatorTransaction,
} from '../../../src/db/approvals/operator-transactions.js';
import { deadLetters, operatorTransactions, redemptions } from '../../../src/db/schema.js';
import { newId, newUuid } from '../../../src/domain/ids.js';
import { operatorRoles } from '../../../src/domain/operator.js';
import { redemptionStatuses } from '../../../src/domain/redemption.js';
import { cosign } from '../../chain/signed-trade.js';
import { type ApiResponse, expectStatus } from '../../harness.js';
import { eventually } from '../../karat-chain.js';
import { signatureNamed } from '../../named-keys.js';
import { type Operating, startOperating, tokens } from '../../operating.js';
import { changesOf, type Operators, send } from '../../operators.js';

let o: Operating;
beforeAll(async () => {
  o = await startOperating();
});
afterEach(() => o.chain.clearFaults());
afterAll(() => o.stop());

const vault = () => o.operators.by.fulfilment;
const announce = (id: string, client = vault().client, headers?: Record<string, string>) =>
  send(client, 'POST', `/redemptions/${id}/burn`, undefined, headers);
const reason = 'The bar came back';
const cancel = (id: string, client = vault().client) =>
  send(client, 'POST', `/redemptions/${id}/burn/cancel`, { reason });
const get = async (id: string) =>
  expectStatus(await vault().client.get(`/operator/v1/redemptions/${id}`), 200).body;
const error = (status: number, code: string, message: string) => ({
  status,
  body: { error: code, message: expect.stringContaining(message) },
});
const refused = (message: string) => error(409, 'transition_not_allowed', message);
const auditOf = (id: string) => changesOf(o.h, 'redemption', id);

/** The record of a redemption, as soon as it is so. */
const becomes = (id: string, wanted: object) =>
  eventually(async () => {
    const record = await get(id);
    expect(record).toMatchObject(wanted);
    return record;
  }, 20_000);

/** Moves the chain on by the burn delay, and burns what is due, as the keeper does. */
async function burnDue(): Promise<number> {
  o.chain.node.warp({ seconds: o.h.ctx.chain.program.config().settings.burnDelay });
  await o.ready();
  return settleDueBurns(o.h.ctx, AbortSignal.timeout(60_000));
}

/** Base units of GOLD that escrow and all holders have. */
const held = async () => {
  const { escrow, supply } = await o.gold();
  return { escrow, supply };
};

test('a burn is announced, and done once it is due, exactly once', async () => {
  const { id } = await o.given.redemption('collected');
  const before = await held();
  const { body } = expectStatus(await announce(id), 200);
  expect(body).toEqual({
    redemption_id: id,
    burn_announced_at: expect.stringMatching(/Z$/),
    burn_due_at: expect.stringMatching(/Z$/),
    burn_tx_hash: null,
    tx_hash: expect.any(String),
  });
  const record = await becomes(id, {
    status: 'collected',
    available_actions: ['cancel-burn'],
    burn_due_at: body.burn_due_at,
    burn_tx_hash: null,
  });
  const delay = (Date.parse(record.burn_due_at) - Date.parse(record.burn_announced_at)) / 1_000;
  expect(Math.abs(delay - o.h.ctx.chain.program.config().settings.burnDelay)).toBeLessThan(30);
  expect(await held()).toEqual(before);
  expect(await announce(id)).toMatchObject(refused('The burn of this redemption is already announced'));
  // It is not due yet.
  expect(await settleDueBurns(o.h.ctx, AbortSignal.timeout(60_000))).toBe(0);

  expect(await burnDue()).toBe(1);
  const burned = await becomes(id, { available_actions: [], settlement: { status: 'confirmed' } });
  const after = { escrow: before.escrow - tokens, supply: before.supply - tokens };
  expect(await held()).toEqual(after);
  expect(await settleDueBurns(o.h.ctx, AbortSignal.timeout(60_000))).toBe(0);
  expect(await announce(id)).toMatchObject(refused('This redemption has already been burned.'));
  expect(await cancel(id)).toMatchObject(refused('are no longer in escrow'));
  expect(await held()).toEqual(after);
  expect(await auditOf(id)).toMatchObject([
    { action: 'redemption.burn', operatorId: vault().operatorId, after: { tx_hash: body.tx_hash } },
    { action: 'redemption.settle_burn', operatorId: null, after: { tx_hash: burned.burn_tx_hash } },
  ]);
  expect((await o.rowsOf(id)).map(({ kind, status }) => [kind, status])).toEqual([
    ['announce_burn', 'confirmed'],
    ['burn', 'confirmed'],
  ]);
}, 90_000);

test('an announced burn is cancelled with a reason, and can be announced again', async () => {
  const { id } = await o.given.redemption('collected');
  const before = await held();
  expect(await cancel(id)).toMatchObject(refused('No burn of this redemption is announced.'));
  expectStatus(await announce(id), 200);
  await becomes(id, { available_actions: ['cancel-burn'] });
  const { body } = expectStatus(await cancel(id), 200);
  expect(body).toEqual({
    redemption_id: id,
    burn_announced_at: null,
    burn_due_at: null,
    burn_tx_hash: null,
    tx_hash: expect.any(String),
  });
  await becomes(id, { burn_announced_at: null, burn_due_at: null, available_actions: ['burn'] });
  expect((await auditOf(id)).at(-1)).toMatchObject({
    action: 'redemption.cancel_burn',
    reason,
    operatorId: vault().operatorId,
  });
  expect(await burnDue()).toBe(0);
  expect(await held()).toEqual(before);
  expectStatus(await announce(id), 200);
  await becomes(id, { available_actions: ['cancel-burn'] });
  expect(await burnDue()).toBe(1);
  expect(await held()).toEqual({ escrow: before.escrow - tokens, supply: before.supply - tokens });
}, 90_000);

test('an announced burn of gold that was not handed over can be cancelled, and nothing is refunded before', async () => {
  const { id } = await o.given.redemption('collected');
  expectStatus(await announce(id), 200);
  await becomes(id, { available_actions: ['cancel-burn'] });
  // As a database has it that was restored to before the hand-over.
  await o.h.ctx.db.update(redemptions).set({ status: 'cancelled' }).where(eq(redemptions.id, id));
  await becomes(id, { status: 'cancelled', available_actions: ['cancel-burn'] });
  const before = await held();
  expect(await send(vault().client, 'POST', `/redemptions/${id}/refund`)).toMatchObject(
    refused('A burn of this redemption is announced on chain, which says that its gold was handed out.'),
  );
  expect(await held()).toEqual(before);
  expect(await o.rowsOf(id)).toHaveLength(1);
  expectStatus(await cancel(id), 200);
  await becomes(id, { available_actions: ['refund'] });
});

test('a burn, announced 20 times at once, is announced and done once', async () => {
  const { id } = await o.given.redemption('collected');
  const before = await held();
  const people = [vault(), o.operators.by.admin];
  const responses: ApiResponse[] = await Promise.all(
    Array.from({ length: 20 }, (_, index) => announce(id, people[index % 2]?.client)),
  );
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
  for (const { status, body } of responses) {
    if (status !== 200) expect(['transition_not_allowed', 'service_unavailable']).toContain(body.error);
  }
  await becomes(id, { available_actions: ['cancel-burn'] });
  o.chain.node.warp({ seconds: o.h.ctx.chain.program.config().settings.burnDelay });
  await o.ready();
  const rounds = [1, 2, 3].map(() => settleDueBurns(o.h.ctx, AbortSignal.timeout(60_000)));
  expect((await Promise.all(rounds)).reduce((sum, count) => sum + count, 0)).toBe(1);
  expect(await held()).toEqual({ escrow: before.escrow - tokens, supply: before.supply - tokens });
}, 90_000);

test.each(['announce', 'cancel'] as const)(
  'to %s a burn is refused when the same is recorded at that moment',
  async (act) => {
    const { id } = await o.given.redemption('collected');
    const request = act === 'announce' ? announce : cancel;
    if (act === 'cancel') {
      expectStatus(await announce(id), 200);
      await becomes(id, { available_actions: ['cancel-burn'] });
    }
    const before = await o.rowsOf(id);
    const { db, sql } = o.h.ctx;
    const at = new Date(o.h.ctx.clock.now());
    const first = {
      ...{ id: newUuid(), kind: `${act}_burn` as const, redemptionId: id, partnerId: o.h.main.partnerId },
      ...{ amount: null, operatorId: null },
      ...{ txSignature: signatureNamed(`${act} once`), lastValidBlockHeight: 1n << 40n },
    };
    await db.transaction((tx) => insertOperatorTransaction(tx, first, at));
    let second: Promise<ApiResponse> | undefined;
    await db.transaction(async (tx) => {
      const burn = { eventSeq: 1n << 60n, burnDueAt: act === 'announce' ? at : null };
      const landed = { txSignature: first.txSignature, slot: 1n, ...burn };
      await confirmOperatorTransaction(tx, first.id, landed, at);
      second = request(id);
      await eventually(async () => {
        const waiting = await sql`select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like 'insert into "operator_transactions"%'`;
        expect(waiting).toHaveLength(1);
      });
    });
    expect(await second).toMatchObject(refused(act === 'announce' ? 'already announced' : 'No burn'));
    expect((await o.rowsOf(id)).map((row) => row.id)).toEqual([...before, first].map((row) => row.id));
    await db.delete(operatorTransactions).where(eq(operatorTransactions.id, first.id));
  },
);

test('an announcement that comes again with its Idempotency-Key has the first response', async () => {
  const { id } = await o.given.redemption('collected');
  const key = { 'idempotency-key': 'announce once' };
  const first = expectStatus(await announce(id, undefined, key), 200);
  const again = await announce(id, undefined, key);
  expect(again).toMatchObject({ status: 200, body: first.body, headers: { 'idempotency-replayed': 'true' } });
  expect((await o.rowsOf(id)).filter(({ kind }) => kind === 'announce_burn')).toHaveLength(1);
});

describe('a process without the keys', () => {
  let keyless: Operators;
  beforeAll(async () => {
    keyless = await o.otherwise({ keys: { operations: undefined, guardian: undefined, admin: undefined } });
  });

  test('an announcement and its cancellation are handed out unsigned, and known when they land', async () => {
    const { id } = await o.given.redemption('collected');
    const { client } = keyless.by.fulfilment;
    const { body } = expectStatus(await announce(id, client), 202);
    expect(body).toEqual({
      transaction: expect.any(String),
      signers: [o.chain.operations.address],
      expires_at: expect.stringMatching(/Z$/),
    });
    await o.chain.sendStraight(cosign(Buffer.from(body.transaction, 'base64'), [o.chain.operations]));
    await becomes(id, { available_actions: ['cancel-burn'], burn_due_at: expect.any(String) });
    const left = expectStatus(await cancel(id, client), 202).body;
    expect(left.signers).toEqual([o.chain.guardian.address]);
    await o.chain.sendStraight(cosign(Buffer.from(left.transaction, 'base64'), [o.chain.guardian]));
    await becomes(id, { available_actions: ['burn'], burn_due_at: null });
  });
});

test.each(redemptionStatuses.filter((status) => status !== 'collected' && status !== 'failed'))(
  'a burn of a redemption that is %s is not announced',
  async (status) => {
    const { id } = await o.given.redemption(status);
    const known = status !== 'quoted' && status !== 'lapsed';
    for (const response of [await announce(id), await cancel(id)]) {
      expect(response.status).toBe(known ? 409 : 404);
    }
    expect(await auditOf(id)).toEqual([]);
  },
);

test('a burn is announced and cancelled by those who fulfil, and a cancellation has a reason', async () => {
  const { id } = await o.given.redemption('collected');
  for (const role of operatorRoles) {
    if (role === 'fulfilment' || role === 'admin') continue;
    const { client } = o.operators.by[role];
    for (const response of [await announce(id, client), await cancel(id, client)]) {
      expect(response).toMatchObject(error(403, 'insufficient_scope', role));
    }
  }
  for (const body of [undefined, {}, { reason: '' }, { reason, note: 'x' }]) {
    expect(await send(vault().client, 'POST', `/redemptions/${id}/burn/cancel`, body)).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    });
  }
  expect(await announce(newId('red'))).toMatchObject(error(404, 'redemption_not_found', ''));
  expect(await cancel(newId('red'))).toMatchObject(error(404, 'redemption_not_found', ''));
});

test('an unwritten announcement is never sent', async () => {
  const { id } = await o.given.redemption('collected');
  for (const table of ['operator_transactions', 'audit_log']) {
    const mend = await o.failing(table, 'insert');
    expect((await announce(id)).status).toBeGreaterThanOrEqual(500);
    await mend();
    expect(await o.rowsOf(id)).toEqual([]);
  }
  expectStatus(await announce(id), 200);
});

test('an announcement that is void blocks no refund for ever: it can still be cancelled', async () => {
  const { id } = await o.given.redemption('collected');
  const { body } = expectStatus(await announce(id), 200);
  await becomes(id, { burn_due_at: body.burn_due_at });
  // As a database has it that was restored to before the hand-over.
  await o.h.ctx.db.update(redemptions).set({ status: 'cancelled' }).where(eq(redemptions.id, id));
  const { burnDelay } = o.h.ctx.chain.program.config().settings;
  o.chain.node.warp({ seconds: burnDelay + 15 * 86_400 });
  await o.ready();
  await becomes(id, { available_actions: ['cancel-burn'], burn_due_at: null });
  expect(await send(vault().client, 'POST', `/redemptions/${id}/refund`)).toMatchObject(
    refused('have the guardian cancel the announcement first'),
  );
  expectStatus(await cancel(id), 200);
  await becomes(id, { available_actions: ['refund'] });
  expectStatus(await send(vault().client, 'POST', `/redemptions/${id}/refund`), 200);
}, 90_000);

test('burns leave no dead letter and an intact audit log', async () => {
  expect(await o.h.ctx.db.select().from(deadLetters)).toEqual([]);
  expect(await verifyAuditLog(o.h.ctx.db)).toMatchObject({ ok: true });
});

import { randomBytes } from 'node:crypto';
import { sql } from 'drizzle-orm';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deadLetters } from '../../../src/db/indexing/dead-letters.js';
import { newUuid } from '../../../src/domain/ids.js';
import type { OperatorRole } from '../../../src/domain/operator.js';
import { buildOperatorApp } from '../../../src/http/operator/app.js';
import { type EscrowNode, startEscrowNode } from '../../escrow-node.js';
import { clientOf, type Harness, harness, newWallet } from '../../harness.js';
import {
  expectOneEffectOfDying,
  expectOneEffectOfTwins,
  type Mortal,
  type Mortals,
  mortalContexts,
  type Prepared,
} from '../../idempotent.js';
import { signatureNamed } from '../../named-keys.js';
import { type Operators, send, startOperators } from '../../operators.js';
import { givenRedemption, seedDenominations } from '../../redeeming.js';
import { idempotentOf } from '../routes.js';

/**
 * The changes of operators that the database alone sees, each with deaths at every statement and with twins. What is
 * sent to the chain as well is told apart by its own steps, not by its Idempotency-Key alone.
 */
const movesTheChain = [
  'POST /operator/v1/approvals/:approval_id/approve',
  'POST /operator/v1/approvals/:approval_id/reject',
  'POST /operator/v1/partners/:partner_id/authorities/:role/apply',
  'POST /operator/v1/partners/:partner_id/authorities/:role/cancel',
  'POST /operator/v1/partners/:partner_id/authorities/:role/propose',
  'POST /operator/v1/redemptions/:redemption_id/burn',
  'POST /operator/v1/redemptions/:redemption_id/refund',
  'PUT /operator/v1/chain/status',
  'PUT /operator/v1/partners/:partner_id/onchain',
];

let node: EscrowNode;
let h: Harness;
let operators: Operators;
let mortals: Mortals;
let apps: Record<Mortal, FastifyInstance>;
const registered: RouteOptions[] = [];
beforeAll(async () => {
  node = await startEscrowNode();
  h = await harness({ config: node.config });
  await seedDenominations(h);
  operators = await startOperators(h);
  mortals = mortalContexts(h.ctx);
  const note = (app: FastifyInstance) => void app.addHook('onRoute', (route) => void registered.push(route));
  apps = {
    dying: await buildOperatorApp(mortals.dying, { extend: note }),
    healthy: await buildOperatorApp(mortals.healthy),
    living: operators.app,
  };
});
afterAll(async () => {
  await apps.dying.close();
  await apps.healthy.close();
  await operators.close();
  await h.close();
  await node.stop();
});

/** Every change is one row of the audit log. */
async function changes(): Promise<number> {
  const rows = await h.ctx.db.execute<{ n: number }>(sql`select count(*)::int as n from audit_log`);
  return rows[0]?.n ?? -1;
}

async function change(
  role: OperatorRole,
  method: 'PUT' | 'PATCH' | 'POST' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<Prepared> {
  const before = await changes();
  const authorization = `Bearer ${operators.by[role].token}`;
  return {
    send: (mortal, key) =>
      send(clientOf(apps[mortal], { authorization }), method, path, body, { 'idempotency-key': key }),
    effects: async () => (await changes()) - before,
  };
}

const name = () => `x${randomBytes(6).toString('hex')}`;
const partner = async () => (await h.givenPartner()).partnerId;
const user = async (more: Parameters<Harness['givenUser']>[1] = {}) =>
  (await h.givenUser(h.main.partnerId, more)).id;
const redemption = async (status: 'submitted' | 'preparing' | 'ready' | 'cancellation_requested') =>
  givenRedemption(h, { partner: h.main, user: await h.givenUser(h.main.partnerId) }, { status });
const moved = async (status: Parameters<typeof redemption>[0], move: string, body: object = {}) =>
  change('fulfilment', 'POST', `/redemptions/${await redemption(status)}/${move}`, body);
/** A country, or a pattern of one, that was there before. */
async function there(path: string, body: object): Promise<string> {
  await send(operators.by.admin.client, 'PUT', path, body);
  return path;
}
async function deadLetter(): Promise<string> {
  const id = newUuid();
  const createdAt = new Date(h.clock.now());
  const row = {
    id,
    signature: signatureNamed(id),
    slot: 7n,
    reason: 'unknown_user',
    detail: {},
    createdAt,
  } as const;
  await h.ctx.db.insert(deadLetters).values(row);
  return id;
}
const bar = (id: string) => ({
  id,
  label: 'A bar',
  weight_g: 10,
  country: 'PK',
  city: 'Lahore',
  active: true,
});

/** Every such route, each with a fresh thing to do. */
const routes: Record<string, () => Promise<Prepared>> = {
  'POST /operator/v1/partners': () =>
    change('admin', 'POST', '/partners', { name: name(), fee_percentage: 0.01 }),
  'PATCH /operator/v1/partners/:partner_id': async () =>
    change('admin', 'PATCH', `/partners/${await partner()}`, { name: name() }),
  'POST /operator/v1/partners/:partner_id/suspend': async () =>
    change('admin', 'POST', `/partners/${await partner()}/suspend`, { reason: 'a test' }),
  'POST /operator/v1/partners/:partner_id/resume': async () => {
    const { partnerId } = await h.givenPartner({ status: 'suspended' });
    return change('admin', 'POST', `/partners/${partnerId}/resume`, {});
  },
  'POST /operator/v1/partners/:partner_id/wallets': async () =>
    change('admin', 'POST', `/partners/${await partner()}/wallets`, { wallet_address: newWallet().address }),
  'POST /operator/v1/partners/:partner_id/wallets/:wallet_address/revoke': async () => {
    const { partnerId, wallet } = await h.givenPartner();
    return change('admin', 'POST', `/partners/${partnerId}/wallets/${wallet.address}/revoke`);
  },
  'POST /operator/v1/api-keys/:key_id/revoke': async () =>
    change('compliance', 'POST', `/api-keys/${(await h.givenPartner()).keyId}/revoke`),
  'PATCH /operator/v1/operators/:operator_id': async () =>
    change('admin', 'PATCH', `/operators/${(await operators.givenOperator('viewer')).operatorId}`, {
      name: name(),
    }),
  'POST /operator/v1/operators/:operator_id/disable': async () =>
    change('admin', 'POST', `/operators/${(await operators.givenOperator('viewer')).operatorId}/disable`, {
      reason: 'a test',
    }),
  'POST /operator/v1/operators/:operator_id/enable': async () => {
    const { operatorId } = await operators.givenOperator('viewer');
    await send(operators.by.admin.client, 'POST', `/operators/${operatorId}/disable`, { reason: 'a test' });
    return change('admin', 'POST', `/operators/${operatorId}/enable`, {});
  },
  'POST /operator/v1/operator-tokens/:token_id/revoke': async () => {
    const { operatorId } = await operators.givenOperator('viewer');
    const tokens = await h.ctx.db.execute<{ id: string }>(
      sql`select id from operator_tokens where operator_id = ${operatorId}`,
    );
    return change('admin', 'POST', `/operator-tokens/${tokens[0]?.id}/revoke`);
  },
  'PUT /operator/v1/countries/:code': async () =>
    change('admin', 'PUT', '/countries/AE', { name: name(), active: true }),
  'PUT /operator/v1/countries/:code/id-types/:id_type': () =>
    change('admin', 'PUT', `/countries/PK/id-types/${name()}`, { pattern: '[0-9]+' }),
  'DELETE /operator/v1/countries/:code/id-types/:id_type': async () =>
    change('admin', 'DELETE', await there(`/countries/PK/id-types/${name()}`, { pattern: '[0-9]+' })),
  'POST /operator/v1/denominations': () => change('admin', 'POST', '/denominations', bar(name())),
  'PATCH /operator/v1/denominations/:id': async () => {
    const id = name();
    await send(operators.by.admin.client, 'POST', '/denominations', bar(id));
    return change('admin', 'PATCH', `/denominations/${id}`, { active: false });
  },
  'POST /operator/v1/users/:service_user_id/suspend': async () =>
    change('compliance', 'POST', `/users/${await user()}/suspend`, { reason: 'a test' }),
  'POST /operator/v1/users/:service_user_id/resume': async () =>
    change('compliance', 'POST', `/users/${await user({ status: 'suspended' })}/resume`, {}),
  'POST /operator/v1/users/:service_user_id/kyc-level': async () =>
    change('compliance', 'POST', `/users/${await user()}/kyc-level`, {
      kyc_level: 'basic',
      reason: 'lapsed',
    }),
  'POST /operator/v1/redemptions/:redemption_id/prepare': () => moved('submitted', 'prepare'),
  'POST /operator/v1/redemptions/:redemption_id/ready': () => moved('preparing', 'ready'),
  'POST /operator/v1/redemptions/:redemption_id/collect': () => moved('ready', 'collect'),
  'POST /operator/v1/redemptions/:redemption_id/cancel': () =>
    moved('cancellation_requested', 'cancel', { physical_gold_committed: false }),
  'POST /operator/v1/dead-letters/:id/retry': async () =>
    change('admin', 'POST', `/dead-letters/${await deadLetter()}/retry`),
  'POST /operator/v1/dead-letters/:id/resolve': async () =>
    change('admin', 'POST', `/dead-letters/${await deadLetter()}/resolve`, { reason: 'a test' }),
  'POST /operator/v1/dead-letters/resolve': async () =>
    change('admin', 'POST', '/dead-letters/resolve', {
      dead_letter_ids: [await deadLetter()],
      reason: 'a test',
    }),
};

test('these are all the routes that take an Idempotency-Key', () => {
  expect(idempotentOf(registered)).toEqual([...Object.keys(routes), ...movesTheChain].sort());
});

test.each(Object.entries(routes))(
  '%s: wherever the process dies, one effect, and the answer tells of it',
  (route, prepare) => expectOneEffectOfDying(mortals, route, prepare),
);

test.each(Object.entries(routes))('%s: 20 twins, one effect, one answer', (route, prepare) =>
  expectOneEffectOfTwins(route, prepare, ({ body }) => body.error),
);

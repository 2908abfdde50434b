import { randomBytes } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll } from 'vitest';
import { deadLetters } from '../../../src/db/indexing/dead-letters.js';
import { totps } from '../../../src/db/people/totps.js';
import { newUuid } from '../../../src/domain/ids.js';
import type { OperatorRole } from '../../../src/domain/operator.js';
import { newTotpNonce } from '../../../src/domain/totp.js';
import { buildOperatorApp } from '../../../src/http/operator/app.js';
import { type EscrowNode, startEscrowNode } from '../../escrow-node.js';
import { type Harness, harness, newWallet } from '../../harness.js';
import { signatureNamed } from '../../named-keys.js';
import { givenSession, type Operators, operatorBase, send, startOperators } from '../../operators.js';
import { givenRedemption, pickupCodeOf, seedDenominations } from '../../redeeming.js';
import { newBar } from '../operator/contract-routes.js';
import { count, describeIdempotency, type Prepared } from './idempotency-crash.js';
import { operator } from './surfaces.js';

/**
 * The changes of operators that the database alone sees, each with deaths at every change and with twins. What is
 * sent to the chain as well is told apart by its own steps, not by its Idempotency-Key alone.
 */
const movesTheChain = [
  'POST /operator/v1/approvals/:approval_id/approve',
  'POST /operator/v1/approvals/:approval_id/reject',
  'POST /operator/v1/chain/settings',
  'POST /operator/v1/chain/settings/apply',
  'POST /operator/v1/chain/settings/cancel',
  'POST /operator/v1/partners/:partner_id/authorities/:role/apply',
  'POST /operator/v1/partners/:partner_id/authorities/:role/cancel',
  'POST /operator/v1/partners/:partner_id/authorities/:role/propose',
  'POST /operator/v1/redemptions/:redemption_id/burn',
  'POST /operator/v1/redemptions/:redemption_id/burn/cancel',
  'POST /operator/v1/redemptions/:redemption_id/refund',
  'POST /operator/v1/treasury/attestation',
  'PUT /operator/v1/chain/status',
  'PUT /operator/v1/partners/:partner_id/onchain',
];

let node: EscrowNode;
let h: Harness;
let operators: Operators;
beforeAll(async () => {
  node = await startEscrowNode();
  h = await harness({ config: node.config });
  await seedDenominations(h);
  operators = await startOperators(h);
});
afterAll(async () => {
  await operators?.close();
  await h?.close();
  await node?.stop();
});

/** Every change is one row of the audit log, but for a collection, which has one of its bar as well. */
const changes = () =>
  count(h.ctx, sql`select count(*)::int as n from audit_log where action <> 'bar.hand_over'`);

async function change(role: OperatorRole, path: string, body?: unknown): Promise<Prepared> {
  const before = await changes();
  const effects = async () => (await changes()) - before;
  return { url: operatorBase + path, body, secret: operators.by[role].token, effects };
}

const name = () => `x${randomBytes(6).toString('hex')}`;
const partner = async () => (await h.givenPartner()).partnerId;
const user = async (more: Parameters<Harness['givenUser']>[1] = {}) =>
  (await h.givenUser(h.main.partnerId, more)).id;
const redemption = async (status: 'submitted' | 'preparing' | 'ready' | 'cancellation_requested') =>
  givenRedemption(h, { partner: h.main, user: await h.givenUser(h.main.partnerId) }, { status });
const moved = async (status: Parameters<typeof redemption>[0], move: string, body: object = {}) =>
  change('fulfilment', `/redemptions/${await redemption(status)}/${move}`, body);
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
const view = (name: string) => ({ list: 'redemptions', name, filter: { assigned_to: 'me' } });
const bar = (id: string) => ({
  id,
  label: 'A bar',
  weight_g: 10,
  country: 'PK',
  city: 'Lahore',
  active: true,
});

async function barInStock(): Promise<string> {
  const { body } = await send(operators.by.admin.client, 'POST', '/bars', { bars: [newBar()] });
  return body.bars[0].bar_id;
}

let limits = 0;
/** A limit that was not set before. */
function newLimit(): number {
  limits += 1;
  return limits;
}

/** Every such route, each with a fresh thing to do. */
const routes: Record<string, () => Promise<Prepared>> = {
  'POST /operator/v1/partners': () => change('admin', '/partners', { name: name(), fee_percentage: 0.01 }),
  'PATCH /operator/v1/partners/:partner_id': async () =>
    change('admin', `/partners/${await partner()}`, { name: name() }),
  'PUT /operator/v1/limits': () => change('compliance', '/limits', { partner_daily_gold: newLimit() }),
  'PUT /operator/v1/partners/:partner_id/limits': async () =>
    change('compliance', `/partners/${await partner()}/limits`, { partner_daily_gold: newLimit() }),
  'PUT /operator/v1/users/:service_user_id/limits': async () =>
    change('compliance', `/users/${await user()}/limits`, { user_daily_gold: newLimit() }),
  'POST /operator/v1/partners/:partner_id/suspend': async () =>
    change('admin', `/partners/${await partner()}/suspend`, { reason: 'a test' }),
  'POST /operator/v1/partners/:partner_id/resume': async () => {
    const { partnerId } = await h.givenPartner({ status: 'suspended' });
    return change('admin', `/partners/${partnerId}/resume`, {});
  },
  'POST /operator/v1/partners/:partner_id/wallets': async () =>
    change('admin', `/partners/${await partner()}/wallets`, { wallet_address: newWallet().address }),
  'POST /operator/v1/partners/:partner_id/wallets/:wallet_address/revoke': async () => {
    const wallets = `/partners/${await partner()}/wallets`;
    // One that has minted no key, whose revocation is an effect of its own.
    const { address } = newWallet();
    await send(operators.by.admin.client, 'POST', wallets, { wallet_address: address });
    return change('admin', `${wallets}/${address}/revoke`);
  },
  'POST /operator/v1/api-keys/:key_id/revoke': async () =>
    change('compliance', `/api-keys/${(await h.givenPartner()).keyId}/revoke`),
  'POST /operator/v1/webhook-endpoints/:endpoint_id/disable': async () => {
    const { client } = await h.givenPartner();
    const { body } = await client.post('/v1/webhook-endpoints', { url: 'https://93.184.216.34/' });
    return change('admin', `/webhook-endpoints/${body.endpoint_id}/disable`, { reason: 'a test' });
  },
  'PATCH /operator/v1/operators/:operator_id': async () =>
    change('admin', `/operators/${(await operators.givenOperator('viewer')).operatorId}`, {
      name: name(),
    }),
  'POST /operator/v1/operators/:operator_id/disable': async () =>
    change('admin', `/operators/${(await operators.givenOperator('viewer')).operatorId}/disable`, {
      reason: 'a test',
    }),
  'POST /operator/v1/operators/:operator_id/enable': async () => {
    const { operatorId } = await operators.givenOperator('viewer');
    await send(operators.by.admin.client, 'POST', `/operators/${operatorId}/disable`, { reason: 'a test' });
    return change('admin', `/operators/${operatorId}/enable`, {});
  },
  'POST /operator/v1/operators/:operator_id/reset-second-factor': async () => {
    const { operatorId } = await operators.givenOperator('viewer');
    const totp = { personId: operatorId, nonce: newTotpNonce(), createdAt: new Date(), lastStep: 0n };
    await h.ctx.db.insert(totps).values({ ...totp, confirmedAt: new Date() });
    return change('admin', `/operators/${operatorId}/reset-second-factor`, { reason: 'a test' });
  },
  'POST /operator/v1/operator-tokens/:token_id/revoke': async () => {
    const { operatorId } = await operators.givenOperator('viewer');
    const tokens = await h.ctx.db.execute<{ id: string }>(
      sql`select id from operator_tokens where operator_id = ${operatorId}`,
    );
    return change('admin', `/operator-tokens/${tokens[0]?.id}/revoke`);
  },
  'POST /operator/v1/operators/:operator_id/end-sessions': async () => {
    const { operatorId } = await operators.givenOperator('viewer');
    await givenSession(h, operatorId);
    return change('admin', `/operators/${operatorId}/end-sessions`, { reason: 'a test' });
  },
  'POST /operator/v1/operator-sessions/:session_id/end': async () => {
    const { operatorId } = await operators.givenOperator('viewer');
    return change('admin', `/operator-sessions/${await givenSession(h, operatorId)}/end`);
  },
  'PUT /operator/v1/countries/:code': async () =>
    change('admin', '/countries/AE', { name: name(), active: true }),
  'PUT /operator/v1/countries/:code/id-types/:id_type': () =>
    change('admin', `/countries/PK/id-types/${name()}`, { pattern: '[0-9]+' }),
  'DELETE /operator/v1/countries/:code/id-types/:id_type': async () =>
    change('admin', await there(`/countries/PK/id-types/${name()}`, { pattern: '[0-9]+' })),
  'POST /operator/v1/denominations': () => change('admin', '/denominations', bar(name())),
  'PATCH /operator/v1/denominations/:id': async () => {
    const id = name();
    await send(operators.by.admin.client, 'POST', '/denominations', bar(id));
    return change('admin', `/denominations/${id}`, { active: false });
  },
  'POST /operator/v1/users/:service_user_id/suspend': async () =>
    change('compliance', `/users/${await user()}/suspend`, { reason: 'a test' }),
  'POST /operator/v1/users/:service_user_id/resume': async () =>
    change('compliance', `/users/${await user({ status: 'suspended' })}/resume`, {}),
  'POST /operator/v1/users/:service_user_id/kyc-level': async () =>
    change('compliance', `/users/${await user()}/kyc-level`, {
      kyc_level: 'basic',
      reason: 'lapsed',
    }),
  'POST /operator/v1/views': () => change('viewer', '/views', view(name())),
  'DELETE /operator/v1/views/:view_id': async () => {
    const { body } = await send(operators.by.viewer.client, 'POST', '/views', view(name()));
    return change('viewer', `/views/${body.view_id}`);
  },
  'POST /operator/v1/redemptions/:redemption_id/assign': () =>
    moved('submitted', 'assign', { assignee_id: operators.by.fulfilment.operatorId }),
  'POST /operator/v1/redemptions/:redemption_id/prepare': () => moved('submitted', 'prepare'),
  'POST /operator/v1/redemptions/:redemption_id/ready': () => moved('preparing', 'ready'),
  'POST /operator/v1/redemptions/:redemption_id/collect': async () => {
    const id = await redemption('ready');
    return change('fulfilment', `/redemptions/${id}/collect`, { pickup_code: await pickupCodeOf(h, id) });
  },
  'POST /operator/v1/redemptions/:redemption_id/reissue-code': () => moved('ready', 'reissue-code'),
  'POST /operator/v1/redemptions/:redemption_id/cancel': () =>
    moved('cancellation_requested', 'cancel', { physical_gold_committed: false }),
  'POST /operator/v1/bars': () => change('fulfilment', '/bars', { bars: [newBar()] }),
  'PATCH /operator/v1/bars/:bar_id': async () =>
    change('fulfilment', `/bars/${await barInStock()}`, { status: 'withdrawn', reason: 'a test' }),
  'POST /operator/v1/dead-letters/:id/retry': async () =>
    change('admin', `/dead-letters/${await deadLetter()}/retry`),
  'POST /operator/v1/dead-letters/:id/resolve': async () =>
    change('admin', `/dead-letters/${await deadLetter()}/resolve`, { reason: 'a test' }),
  'POST /operator/v1/dead-letters/resolve': async () =>
    change('admin', '/dead-letters/resolve', {
      dead_letter_ids: [await deadLetter()],
      reason: 'a test',
    }),
};

describeIdempotency(operator, {
  ctx: () => h.ctx,
  living: () => operators.app,
  build: buildOperatorApp,
  lease: async () => {},
  routes,
  movesTheChain,
  includes: () => true,
});

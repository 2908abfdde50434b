import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describePartnerApi } from '../../src/http/app.js';
import type { OpenApiDocument } from '../../src/http/openapi/conventions.js';
import type { JsonSchema } from '../../src/http/openapi/examples.js';
import { cosign } from '../chain/signed-trade.js';
import { expanded } from '../expanded.js';
import { eventually } from '../karat-chain.js';
import { givenRedemption, seedDenominations } from '../redeeming.js';
import { expectStatus, startTrading, type Trading } from '../trading.js';

/** Statements of the specification about the surface as a whole; docs/conformance.md says which. */

const document = (await describePartnerApi()) as OpenApiDocument;
const operations = Object.entries(expanded(document).paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
);
const keyed = operations.filter(({ operation }) => operation.security?.length === 1);

let t: Trading;
beforeAll(async () => {
  t = await startTrading();
});
afterAll(() => t.stop());

test('the routes are those of the specification, with its methods and its authentication', () => {
  const table = [
    ['none', 'get /health'],
    ['none', 'post /v1/auth/challenge'],
    ['none', 'post /v1/auth/api-key'],
    ['key', 'get /v1/partner/api-keys'],
    ['key', 'post /v1/partner/api-keys/{key_id}/revoke'],
    ['key', 'post /v1/users'],
    ['key', 'get /v1/users/{service_user_id}'],
    ['key', 'get /v1/denominations'],
    ['key', 'post /v1/buy'],
    ['key', 'post /v1/sell'],
    ['key', 'post /v1/buy/{trade_id}/submit'],
    ['key', 'post /v1/sell/{trade_id}/submit'],
    ['key', 'get /v1/trades/{trade_id}'],
    ['key', 'post /v1/redemptions'],
    ['key', 'post /v1/redemptions/{redemption_id}/submit'],
    ['key', 'post /v1/redemptions/{redemption_id}/cancel'],
    ['key', 'get /v1/redemptions/{redemption_id}'],
    ['key', 'get /v1/redemptions'],
  ];
  const additions = ['get /ready', 'get /v1/users', 'get /v1/trades'];
  const found = operations.map(({ method, path, operation }) => [
    operation.security?.length === 1 ? 'key' : 'none',
    `${method} ${path}`,
  ]);
  const listed = found.filter(([, name]) => !additions.includes(name ?? ''));
  expect(listed.sort()).toEqual(table.sort());
});

test.each(keyed)('$method $path is 401 without a key and with one that is none', async ({ method, path }) => {
  const url = path.replace(/\{\w+\}/g, 'x');
  for (const headers of [{}, { 'x-api-key': '' }, { 'x-api-key': `service_partner_${'0'.repeat(64)}` }]) {
    const answer = await t.service.anonymous.send({
      method: method === 'get' ? 'GET' : 'POST',
      url,
      headers: { 'content-type': 'application/json', ...headers },
      payload: '{}',
    });
    expect(answer).toMatchObject({ status: 401, body: { error: 'unauthorized' } });
  }
});

test('every path but the probes starts with /v1, and none has another version', () => {
  const paths = Object.keys(document.paths);
  expect(paths.filter((path) => !path.startsWith('/v1/'))).toEqual(['/health', '/ready']);
});

test('nothing calls back: there is no event, webhook or callback', () => {
  expect(Object.keys(document)).not.toContain('webhooks');
  for (const { operation } of operations) expect(Object.keys(operation)).not.toContain('callbacks');
});

test('every field is written in snake_case, in what is asked and in what is answered', () => {
  const names = operations.flatMap(({ operation }) => [
    ...(operation.parameters ?? []).flatMap(({ in: where, name }) => (where === 'header' ? [] : [name])),
    ...[operation.requestBody, ...Object.values(operation.responses)].flatMap((body) =>
      Object.values(body?.content ?? {}).flatMap(({ schema }) => namesOf(schema ?? {})),
    ),
  ]);
  const fields = names.filter((name) => name !== undefined);
  expect(fields.length).toBeGreaterThan(200);
  for (const name of fields) expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
});

test('a transaction is base64, and its signature base58, in every answer that has one', async () => {
  const base58 = /^[1-9A-HJ-NP-Za-km-z]{86,88}$/;
  await t.chain.node.setTokenBalance(t.user.wallet.address, t.chain.goldMint, 1_000_000n);
  for (const side of [t.buy, t.sell]) {
    const { tradeId, transaction, answer } = await side.quoted();
    const text = answer.body.partially_signed_transaction;
    expect(Buffer.from(text, 'base64').toString('base64')).toBe(text);
    const signed = cosign(transaction, [t.partner.wallet, t.user.wallet]);
    const { body } = expectStatus(await side.submit(tradeId, signed), 200);
    expect(Object.keys(body).sort()).toEqual(['trade_id', 'tx_hash']);
    expect(body).toEqual({ trade_id: tradeId, tx_hash: expect.stringMatching(base58) });
    await eventually(async () => expect((await t.chain.landed(body.tx_hash)).meta.err).toBeNull(), 10_000);
  }
});

test('slippage_bps is 50 where none is given, and a floor replaces it', async () => {
  const floors = async (body: object) => (await t.quoted(body)).answer.body.quote.min_gold_out;
  expect(await floors({})).toBe(await floors({ slippage_bps: 50 }));
  expect(await floors({ slippage_bps: 0 })).toBe(0.024267);
  expect(await floors({ slippage_bps: 10_000, min_gold_out: 0.02 })).toBe(0.02);
  const { answer } = await t.sell.quoted({ gold_amount: 0.5, slippage_bps: 10_000, min_usdc_out: 2_000 });
  expect(answer.body.quote.min_usdc_out).toBe(2_000);
});

test('a sell is refused for the same reasons as a buy, with the same codes', async () => {
  const { service, partner } = t;
  const noWallet = await service.givenPartner({ walletStatus: 'revoked' });
  const offChain = await service.givenPartner();
  const [poor, suspended, foreign, walletless, unset] = await Promise.all([
    service.givenUser(partner.partnerId, { kycLevel: 'basic' }),
    service.givenUser(partner.partnerId, { status: 'suspended' }),
    service.givenUser(offChain.partnerId),
    service.givenUser(noWallet.partnerId),
    service.givenUser(offChain.partnerId),
  ]);
  const cases: [string, number, string, typeof partner.client][] = [
    ['gu_unknown', 404, 'user_not_found', partner.client],
    [foreign.id, 403, 'partner_mismatch', partner.client],
    [poor.id, 400, 'kyc_level_insufficient', partner.client],
    [suspended.id, 403, 'user_suspended', partner.client],
    [walletless.id, 400, 'wallet_missing', noWallet.client],
    [unset.id, 400, 'onchain_config_missing', offChain.client],
    ['', 400, 'invalid_request', partner.client],
  ];
  for (const [user, status, error, client] of cases) {
    const buy = await client.post('/v1/buy', { service_user_id: user, usdc_amount: 10 });
    const sell = await client.post('/v1/sell', { service_user_id: user, gold_amount: 0.01 });
    expect([buy.status, buy.body.error], `a buy for ${user}`).toEqual([status, error]);
    expect([sell.status, sell.body], `a sell for ${user}`).toEqual([buy.status, buy.body]);
  }
});

describe('a list', () => {
  test('of redemptions leaves out why one was cancelled, the single record shows it', async () => {
    const { service, partner, user } = t;
    await seedDenominations(service);
    const id = await givenRedemption(service, { partner, user }, { status: 'submitted' });
    const cancelled = await partner.client.post(`/v1/redemptions/${id}/cancel`, { reason: 'moved away' });
    expect(cancelled.body).toEqual({ redemption_id: id, status: 'cancellation_requested' });
    const { body } = expectStatus(await partner.client.get('/v1/redemptions'), 200);
    const [entry] = body.redemptions;
    const single = expectStatus(await partner.client.get(`/v1/redemptions/${id}`), 200).body;
    expect(single).toEqual({ ...entry, cancellation_reason: 'moved away' });
    expect(Object.keys(entry)).not.toContain('cancellation_reason');
  });
});

/** Names of all members of a schema, at any depth; what is free-form has none. */
function namesOf(schema: JsonSchema): string[] {
  const parts = [...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])];
  const members = Object.entries(schema.properties ?? {});
  return [
    ...members.flatMap(([name, part]) => [name, ...namesOf(part)]),
    ...parts.flatMap((part) => namesOf(part)),
  ];
}

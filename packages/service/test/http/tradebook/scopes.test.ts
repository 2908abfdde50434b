import {
  getAcceptAdminInstruction,
  getConfigDecoder,
  getConfigEncoder,
  getProposeAdminInstruction,
} from '@karat/program-client';
import { createSolanaRpc, type TransactionSigner } from '@solana/kit';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createChain } from '../../../src/chain/create-chain.js';
import { partners } from '../../../src/db/schema.js';
import { buildApp } from '../../../src/http/app.js';
import { type ApiResponse, type Client, clientOf, kitSigner, newWallet, type Wallet } from '../../harness.js';
import { type Karat, type RoleClient, startKarat, type Treasury } from '../../karat.js';
import { sendAnew } from '../../karat-chain.js';
import { median } from '../../median.js';
import { mintRoleKey, updateExecutives } from '../../tradebook.js';

let t: Karat;
let treasury: Treasury;
beforeAll(async () => {
  t = await startKarat();
  treasury = await t.given.treasury();
});
afterAll(() => t.stop());

const failure = (code: string) => ({
  success: false,
  error: { code, message: expect.stringMatching(/\S/) },
});
const estimate = (key: Client, body: unknown = { goldAmount: 1 }) =>
  key.post('/api/trading/estimate/buy', body);
const me = (key: Client) => key.get('/api/distribution/partner/me');
const setStatus = (of: Treasury, status: 'active' | 'suspended') =>
  t.service.ctx.db.update(partners).set({ status }).where(eq(partners.id, of.partnerId));

/** What `ask` returns once it is no longer the first response, and when it was last called with that response. */
async function changed(
  ask: () => Promise<ApiResponse>,
  from: number,
): Promise<{ response: ApiResponse; ms: number }> {
  const began = performance.now();
  let ms = 0;
  for (;;) {
    const requestedMs = performance.now() - began;
    const response = await ask();
    if (response.status !== from || requestedMs > 10_000) return { response, ms };
    ms = requestedMs;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('a role that is lost on chain', () => {
  test('a role that is lost on chain ends the scope of its keys within 2 s, and one that is given back returns it', async () => {
    const of = treasury;
    const { wallet: executive } = of.executive;
    const successor = newWallet();
    const lostMs: number[] = [];
    const move = async (from: Wallet, key: RoleClient, to: Wallet) => {
      expect((await changed(() => estimate(key), 403)).response.status).toBe(200);
      await updateExecutives(t.chain, of, { add: [to.address], remove: [from.address] });
      const { response, ms } = await changed(() => estimate(key), 200);
      expect(response).toMatchObject({ status: 403, body: failure('insufficient_scope') });
      expect(response.body.error.message).toContain('lost the role');
      lostMs.push(ms);
    };
    await move(executive, of.executive, successor);
    // With no role left, the key is good for nothing at all.
    expect(await me(of.executive)).toMatchObject({ status: 403, body: failure('insufficient_scope') });
    // The new executive may act at once, and the other roles are untouched.
    const key = await mintRoleKey(t.service, successor, { keyType: 'PARTNER', partnerId: of.partnerId });
    expect((await estimate(key)).status).toBe(200);
    expect((await me(of.update)).status).toBe(200);
    await move(successor, key, executive);
    await move(executive, of.executive, successor);
    await move(successor, key, executive);
    expect((await changed(() => estimate(of.executive), 403)).response.status).toBe(200);
    expect(median(lostMs)).toBeLessThan(2_000);
  });

  test('a role that is lost on chain leaves a wallet its other roles, and a role that came later is not in an older key', async () => {
    const of = await t.given.treasury(await t.service.givenPartner());
    const { wallet: update } = of.update;
    await updateExecutives(t.chain, of, { add: [update.address] });
    const desired = { keyType: 'PARTNER' as const, partnerId: of.partnerId };
    const both = await changed(async () => {
      const key = await mintRoleKey(t.service, update, desired);
      return { ...(await estimate(key)), body: key };
    }, 403);
    const newer = both.response.body as RoleClient;
    expect((await estimate(newer)).status).toBe(200);
    const older = await estimate(of.update);
    expect(older).toMatchObject({ status: 403, body: failure('insufficient_scope') });
    expect(older.body.error.message).toBe(
      'This needs a key of scope PARTNER_EXECUTIVE_AUTHORITY; yours has PARTNER_UPDATE_AUTHORITY.',
    );
    await updateExecutives(t.chain, of, { remove: [update.address] });
    expect((await changed(() => estimate(newer), 200)).response.status).toBe(403);
    expect((await newer.get('/api/auth/api-keys')).status).toBe(200);
  });

  test('a role that is lost on chain ends the keys of an admin who handed the program on', async () => {
    const { chain } = t;
    const successor = newWallet();
    chain.node.airdrop(successor.address, 10_000_000_000n);
    const [admin, next] = await Promise.all([kitSigner(chain.admin), kitSigner(successor)]);
    const seeder = {
      rpc: createSolanaRpc(chain.node.rpcUrl),
      payer: admin,
      commitment: 'processed' as const,
    };
    const program = { programAddress: chain.config.programId };
    const { config } = chain.addresses;
    const keysOf = (key: RoleClient) => key.get('/api/auth/api-keys');
    const lostMs: number[] = [];
    const handOver = async (from: TransactionSigner, key: RoleClient, to: TransactionSigner) => {
      expect((await changed(() => keysOf(key), 403)).response.status).toBe(200);
      await sendAnew(
        seeder,
        getProposeAdminInstruction({ config, admin: from, newAdmin: to.address }, program),
      );
      // Its delay of a day is over.
      const account = chain.node.getAccount(config);
      if (!account) throw new Error('the program has no configuration');
      const before = getConfigDecoder().decode(account.data);
      const adminProposal = { ...before.adminProposal, readyAt: BigInt(chain.node.nowUnixSeconds()) - 10n };
      const data = Uint8Array.from(getConfigEncoder().encode({ ...before, adminProposal }));
      chain.node.setAccount(config, { ...account, data });
      await sendAnew(seeder, getAcceptAdminInstruction({ config, newAdmin: to }, program));
      const { response, ms } = await changed(() => keysOf(key), 200);
      expect(response).toMatchObject({ status: 403, body: failure('insufficient_scope') });
      lostMs.push(ms);
    };
    const key = await t.given.admin();
    await handOver(admin, key, next);
    const own = await mintRoleKey(t.service, successor, { keyType: 'ADMIN' });
    expect((await keysOf(own)).body.data.apiKeys).toMatchObject([{ id: own.keyId }, { id: key.keyId }]);
    await handOver(next, own, admin);
    await handOver(admin, key, next);
    // And back, for the tests below.
    await handOver(next, own, admin);
    expect((await changed(() => keysOf(key), 403)).response.status).toBe(200);
    expect(median(lostMs)).toBeLessThan(2_000);
  });
});

describe('order of checks on a keyed route', () => {
  const ask = (headers: Record<string, string>, payload = '{') =>
    clientOf(t.service.app, headers).send({
      method: 'POST',
      url: '/api/trading/estimate/buy',
      headers: { 'content-type': 'application/json' },
      payload,
    });

  test('order of checks: the key comes first', async () => {
    for (const key of ['', 'x', `service_tradebook_${'0'.repeat(64)}`, 'k'.repeat(5_000)]) {
      expect(await ask({ 'x-api-key': key })).toMatchObject({ status: 401, body: failure('unauthorized') });
    }
    expect(await ask({})).toMatchObject({ status: 401, body: failure('unauthorized') });
  });

  test('order of checks: the scope comes after the key, also for a key of the partner API and for a suspended partner', async () => {
    const suspended = await t.given.treasury(await t.service.givenPartner());
    await setStatus(suspended, 'suspended');
    const ofPartnerApi = await t.service.givenPartner({ status: 'suspended' });
    for (const { apiKey } of [treasury.partner, ofPartnerApi, suspended.update]) {
      expect(await ask({ 'x-api-key': apiKey })).toMatchObject({
        status: 403,
        body: failure('insufficient_scope'),
      });
    }
    const onA = await clientOf(t.service.app, { 'x-api-key': treasury.update.apiKey }).get('/v1/users');
    expect(onA).toMatchObject({ status: 403, body: { error: 'insufficient_scope' } });
  });

  test('order of checks: the state of the partner comes after the scope', async () => {
    const suspended = await t.given.treasury(await t.service.givenPartner());
    await setStatus(suspended, 'suspended');
    const response = await ask({ 'x-api-key': suspended.executive.apiKey });
    expect(response).toMatchObject({ status: 403, body: failure('partner_suspended') });
    await setStatus(suspended, 'active');
    expect((await estimate(suspended.executive)).status).toBe(200);
  });

  test('order of checks: the budget of the key comes after the state of its partner', async () => {
    const { ctx } = t.service;
    const app = await buildApp({ ...ctx, config: { ...ctx.config, keyRateLimitPerMinute: 2 } });
    // Of a partner of its own, whose keys this process alone has leased requests for.
    const { executive } = await t.given.treasury(await t.service.givenPartner());
    const client = clientOf(app, { 'x-api-key': executive.apiKey });
    const requested = [await estimate(client), await estimate(client), await estimate(client, '{')];
    expect(requested.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(requested[2]).toMatchObject({
      body: failure('rate_limited'),
      headers: { 'ratelimit-limit': '2' },
    });
    await app.close();
  });

  test('order of checks: the body comes last', async () => {
    const { apiKey } = treasury.executive;
    expect(await ask({ 'x-api-key': apiKey })).toMatchObject({
      status: 400,
      body: failure('invalid_request'),
    });
  });
});

test('the log line of a keyed request names its key and partner', async () => {
  await me(clientOf(t.service.app, { 'x-api-key': treasury.update.apiKey, 'x-request-id': 'whose' }));
  const lines = t.service.logLines.map((text) => JSON.parse(text));
  expect(lines.find((entry) => entry.request_id === 'whose')).toMatchObject({
    route: '/api/distribution/partner/me',
    partner_id: treasury.partnerId,
    key_id: treasury.update.keyId,
  });
});

test('roles are unknown while the node is silent: 503, and an unknown key is still 401', async () => {
  const { ctx } = t.service;
  const silent = await buildApp({ ...ctx, chain: await createChain(ctx) });
  const ask = (apiKey: string) => me(clientOf(silent, { 'x-api-key': apiKey }));
  expect(await ask(treasury.update.apiKey)).toMatchObject({
    status: 503,
    body: failure('service_unavailable'),
  });
  expect((await ask(`service_tradebook_${'1'.repeat(64)}`)).status).toBe(401);
  expect(await ask(treasury.partner.apiKey)).toMatchObject({
    status: 403,
    body: failure('insufficient_scope'),
  });
  const requested = await clientOf(silent, {}).post('/api/auth/challenge', {
    walletAddress: t.chain.admin.address,
    keyType: 'ADMIN',
  });
  expect(requested).toMatchObject({ status: 503, body: failure('service_unavailable') });
  await silent.close();
});

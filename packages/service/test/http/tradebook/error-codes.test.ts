import { IntegratorStatus } from '@karat/program-client';
import { getAddressEncoder } from '@solana/kit';
import { eq, sql } from 'drizzle-orm';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { partners } from '../../../src/db/schema.js';
import { newUuid } from '../../../src/domain/ids.js';
import { type ErrorCode, errorStatus } from '../../../src/errors.js';
import { buildApp, describeTradebookApi } from '../../../src/http/app.js';
import { type Answer, clientOf, newAddress, newWallet } from '../../harness.js';
import { eventually, usualPrice } from '../../karat-chain.js';
import {
  givenKey,
  givenVaultPartner,
  type Ordering,
  ordered,
  paths,
  startOrdering,
  type VaultPartner,
} from '../../ordering.js';
import { expectStatus } from '../../trading.js';

/** Every error code of the tradebook API, reached over HTTP, with its status, the envelope and the field to blame. */

let t: Ordering;
/** Whom the tests suspend. */
let other: VaultPartner;
/** A process that allows a key one request a minute. */
let strict: FastifyInstance;
beforeAll(async () => {
  t = await startOrdering();
  const { partnerId } = await t.service.givenPartner();
  other = await givenVaultPartner(t.service, t.chain, partnerId);
  const { ctx } = t.service;
  await eventually(() => expect(ctx.chain.program.integrator(partnerId)).toBeDefined(), 10_000);
  strict = await buildApp({
    ...ctx,
    config: { ...ctx.config, keyRateLimitPerMinute: 1, openRateLimitPerMinute: 1 },
  });
});
afterAll(async () => {
  await strict.close();
  await t.stop();
});

const anonymous = (app = t.service.app) => clientOf(app, {}, { remoteAddress: newAddress() });
const purchase = (body: object = {}, client = t.partner.executive) =>
  client.post(paths.purchases, { goldAmount: 1, maxUsdcAmount: 5_000, ...body });
const sale = (body: object = {}, client = t.partner.executive) =>
  client.post(paths.sales, { goldAmount: 1, minimumUsdcAmount: 0, ...body });
const withdrawal = (body: object = {}, client = t.partner.withdrawal) =>
  client.post(paths.withdrawals, { amount: 1, tokenType: 'usdc', ...body });
const executives = (body: object, id: string = t.partner.partnerId, client = t.partner.update) =>
  client.put(paths.executives(id), body);
const submit = (signedTransaction: unknown) => t.open.post('/api/transactions/submit', { signedTransaction });

async function challenge(of = t.partner) {
  const wish = { walletAddress: of.update.wallet.address, keyType: 'PARTNER', partnerId: of.partnerId };
  return expectStatus(await anonymous().post('/api/auth/challenge', wish), 200).body.data;
}
const mint = async (challengeId: string, signature: string) => {
  const answer = await anonymous().post('/api/auth/api-key', { challengeId, signature, keyName: 'k' });
  if (answer.body.data) t.service.secrets.add(answer.body.data.apiKey);
  return answer;
};
const setStatus = (of: VaultPartner, status: 'active' | 'suspended') =>
  t.service.ctx.db.update(partners).set({ status }).where(eq(partners.id, of.partnerId));

/** What `ask` answers as soon as the service has seen the change. */
const once = (ask: () => Promise<Answer>, status: number) =>
  eventually(async () => expectStatus(await ask(), status), 10_000);

async function whileSuspended(ask: () => Promise<Answer>): Promise<Answer> {
  await setStatus(other, 'suspended');
  try {
    return await ask();
  } finally {
    await setStatus(other, 'active');
  }
}

async function withStalePrice(ask: () => Promise<Answer>): Promise<Answer> {
  t.chain.price.set({ ...usualPrice, publishTimeSeconds: 1n });
  try {
    return await once(ask, 503);
  } finally {
    t.chain.price.set(usualPrice);
    await t.ready();
  }
}

async function revoked(): Promise<string> {
  const { partnerId, executive } = t.partner;
  const scope = 'PARTNER_EXECUTIVE_AUTHORITY';
  const { keyId } = await givenKey(t.service, { partnerId, wallet: executive.wallet, scope });
  await t.partner.update.post(`/api/auth/api-keys/${keyId}/revoke`);
  return keyId;
}

interface Case {
  of: string;
  ask: () => Promise<Answer>;
  field?: string;
}
const of = (name: string, ask: () => Promise<Answer>, field?: string): Case => ({
  of: name,
  ask,
  ...(field === undefined ? {} : { field }),
});

const codes: Partial<Record<ErrorCode, Case[]>> = {
  invalid_request: [
    of('a body that is no JSON', () => t.partner.executive.post(paths.purchases, '{')),
    of('a missing field', () => purchase({ goldAmount: undefined }), 'goldAmount'),
    of('an item of a list', () => executives({ add: [1] }), 'add.0'),
    of('text that is no base64', () => submit('no base64'), 'signedTransaction'),
    of(
      'an end that is too far',
      () =>
        anonymous().post('/api/auth/api-key', {
          challengeId: 'x',
          signature: 'x',
          keyName: 'k',
          expirationDays: 366,
        }),
      'expirationDays',
    ),
  ],
  invalid_wallet: [
    of(
      'a challenge',
      () => anonymous().post('/api/auth/challenge', { walletAddress: 'x', keyType: 'ADMIN' }),
      'walletAddress',
    ),
    of('an executive to add', () => executives({ add: [t.partner.vault] }), 'add.0'),
    of('an executive to remove', () => executives({ remove: ['x'] }), 'remove.0'),
  ],
  invalid_signature: [
    of(
      'another wallet',
      async () => {
        const { challengeId, message } = await challenge();
        return mint(challengeId, newWallet().sign(message));
      },
      'signature',
    ),
  ],
  invalid_challenge: [
    of('an unknown one', () => mint('ch_nonsense', newWallet().sign('x'))),
    of('a used one', async () => {
      const { challengeId, message } = await challenge();
      const signature = t.partner.update.wallet.sign(message);
      await mint(challengeId, signature);
      return mint(challengeId, signature);
    }),
  ],
  challenge_expired: [
    of('one of two minutes ago', async () => {
      const { challengeId, message } = await challenge();
      await t.service.ctx.db.execute(sql`update challenges
        set created_at = now() - interval '3 minutes', expires_at = now() - interval '1 minute'
        where id = ${challengeId}`);
      return mint(challengeId, t.partner.update.wallet.sign(message));
    }),
  ],
  onchain_config_missing: [
    of('executives of a partner that is not on chain', async () =>
      executives({ add: [newWallet().address] }, (await t.service.givenPartner()).partnerId, t.admin),
    ),
  ],
  broadcast_failed: [
    of('good base64 that is no transaction', () => submit('AAAA')),
    of('the refusal of the node', async () => {
      const poor = await givenVaultPartner(t.service, t.chain, (await t.service.givenPartner()).partnerId);
      await once(() => poor.withdrawal.post(paths.withdrawals, { amount: 1, tokenType: 'usdc' }), 201);
      const { signed } = await ordered(poor.withdrawal, paths.withdrawals, { amount: 1, tokenType: 'usdc' });
      await t.chain.node.setTokenBalance(poor.vault, t.chain.usdcMint, 0n);
      return submit(Buffer.from(signed).toString('base64'));
    }),
  ],
  already_revoked: [
    of('a key', async () => t.partner.update.post(`/api/auth/api-keys/${await revoked()}/revoke`)),
  ],
  max_usdc_exceeded: [of('a purchase', () => purchase({ maxUsdcAmount: 4_120.723618 }), 'maxUsdcAmount')],
  minimum_usdc_not_met: [of('a sale', () => sale({ minimumUsdcAmount: 4_079.619401 }), 'minimumUsdcAmount')],
  insufficient_reserve: [
    of('a withdrawal of more than there is', () => withdrawal({ amount: 1_000_000.000001 })),
    of('a sale of more than there is', async () => {
      await t.chain.node.setTokenBalance(other.vault, t.chain.goldMint, 0n);
      return sale({}, other.executive);
    }),
    of('a purchase of more than there is', async () => {
      await t.chain.node.setTokenBalance(other.vault, t.chain.usdcMint, 0n);
      return purchase({}, other.executive);
    }),
  ],
  transaction_not_supported: [
    of('a transfer', async () => {
      const { signed } = await ordered(t.partner.withdrawal, paths.withdrawals, {
        amount: 1,
        tokenType: 'usdc',
      });
      const otherProgram = Buffer.from(signed);
      // The program of the order is another one: none of its bytes is looked at before that.
      const { programAddress } = t.service.ctx.chain;
      const at = otherProgram.indexOf(Buffer.from(getAddressEncoder().encode(programAddress)));
      otherProgram[at] = (otherProgram[at] ?? 0) ^ 1;
      return submit(otherProgram.toString('base64'));
    }),
  ],
  unauthorized: [
    of('no key', () => anonymous().get('/api/distribution/partner/me')),
    of('an unknown key', () =>
      clientOf(t.service.app, { 'x-api-key': `service_tradebook_${'0'.repeat(64)}` }).get(
        '/api/auth/api-keys',
      ),
    ),
    of('a key that ended', async () => {
      const { partnerId, executive } = t.partner;
      const key = await givenKey(t.service, {
        partnerId,
        wallet: executive.wallet,
        scope: 'PARTNER_EXECUTIVE_AUTHORITY',
      });
      await t.service.ctx.db.execute(sql`update api_keys set created_at = now() - interval '2 days',
        expires_at = now() - interval '1 day' where id = ${key.keyId}`);
      return key.get('/api/distribution/partner/me');
    }),
  ],
  insufficient_scope: [
    of('a purchase by the withdrawal authority', () => purchase({}, t.partner.withdrawal)),
    of('a key of the partner API', () => t.service.partner.get('/api/distribution/partner/me')),
  ],
  partner_mismatch: [
    of("another partner's executives", () => executives({ add: [newWallet().address] }, other.partnerId)),
    of("another partner's withdrawal", async () => {
      const { withdrawalId } = expectStatus(await withdrawal(), 201).body.data;
      return other.update.get(`/api/trading/withdrawals/${withdrawalId}`);
    }),
  ],
  partner_suspended: [
    of('a suspended partner', () =>
      whileSuspended(() => other.executive.get('/api/distribution/partner/me')),
    ),
    of('a new key for a suspended partner', async () => {
      const { challengeId, message } = await challenge(other);
      return whileSuspended(() => mint(challengeId, other.update.wallet.sign(message)));
    }),
    of('a partner that is suspended on chain', async () => {
      const { partnerId } = await t.service.givenPartner();
      const third = await givenVaultPartner(t.service, t.chain, partnerId);
      const wallet = newWallet().address;
      const terms = {
        partnerId,
        wallet,
        updateAuthority: third.update.wallet.address,
        withdrawalAuthority: third.withdrawal.wallet.address,
      };
      await once(() => purchase({}, third.executive), 201);
      await t.chain.changePartner(third.integrator, terms, IntegratorStatus.Suspended);
      return once(() => purchase({}, third.executive), 403);
    }),
  ],
  not_found: [of('a path that is none', () => anonymous().get('/api/nowhere'))],
  wallet_not_found: [
    of('a wallet without a role', () =>
      anonymous().post('/api/auth/challenge', {
        walletAddress: newWallet().address,
        keyType: 'PARTNER',
        partnerId: t.partner.partnerId,
      }),
    ),
  ],
  key_not_found: [
    of('an unknown key', () => t.partner.update.post(`/api/auth/api-keys/${newUuid()}/revoke`)),
  ],
  partner_not_found: [
    of('an unknown partner', () => executives({ add: [newWallet().address] }, newUuid())),
    of('the partner of an admin', () => t.admin.get('/api/distribution/partner/me')),
  ],
  purchase_not_found: [
    of('an unknown one', () => t.partner.update.get(`/api/trading/purchases/${newUuid()}`)),
  ],
  sale_not_found: [of('an unknown one', () => t.partner.update.get(`/api/trading/sales/${newUuid()}`))],
  withdrawal_not_found: [
    of('an unknown one', () => t.partner.update.get(`/api/trading/withdrawals/${newUuid()}`)),
  ],
  method_not_allowed: [of('GET of what is created', () => anonymous().get(paths.withdrawals))],
  idempotency_conflict: [
    of('another body', async () => {
      const key = { 'idempotency-key': newUuid() };
      await t.partner.executive.post(paths.sales, { goldAmount: 1, minimumUsdcAmount: 0 }, key);
      return t.partner.executive.post(paths.sales, { goldAmount: 2, minimumUsdcAmount: 0 }, key);
    }),
  ],
  payload_too_large: [of('more than 64 KiB', () => submit('A'.repeat(65_536)))],
  unsupported_media_type: [
    of('a form', () =>
      t.open.post('/api/transactions/submit', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' }),
    ),
  ],
  rate_limited: [
    of('a key above its budget', async () => {
      const { partnerId, executive } = t.partner;
      const { apiKey } = await givenKey(t.service, {
        partnerId,
        wallet: executive.wallet,
        scope: 'PARTNER_EXECUTIVE_AUTHORITY',
      });
      const client = clientOf(strict, { 'x-api-key': apiKey });
      await client.get('/api/distribution/partner/me');
      return client.get('/api/distribution/partner/me');
    }),
    of('submitting above the budget of an address', async () => {
      const client = anonymous(strict);
      await client.post('/api/transactions/submit', { signedTransaction: 'AAAA' });
      return client.post('/api/transactions/submit', { signedTransaction: 'AAAA' });
    }),
    of('an eleventh request to the auth routes', async () => {
      const client = anonymous();
      for (let i = 0; i < 10; i += 1) await client.post('/api/auth/challenge', {});
      return client.post('/api/auth/challenge', {});
    }),
  ],
  pricing_unavailable: [
    of('a purchase', () => withStalePrice(() => purchase())),
    of('a sale', () => withStalePrice(() => sale())),
    of('an estimate', () =>
      withStalePrice(() => t.partner.executive.post('/api/trading/estimate/buy', { goldAmount: 1 })),
    ),
    of('the price', () => withStalePrice(() => anonymous().get('/api/trading/gold/price'))),
  ],
  service_unavailable: [
    of('paused withdrawals', async () => {
      await t.chain.setStatus({ paused: 4 });
      const answer = await once(() => withdrawal(), 503);
      await t.chain.setStatus({ paused: 0 });
      await once(() => withdrawal(), 201);
      return answer;
    }),
  ],
};

test('these are the codes that the published document names, and no other', async () => {
  const document = JSON.stringify(await describeTradebookApi());
  const named = new Set([...document.matchAll(/components\/examples\/(\w+)/g)].map(([, code]) => code));
  // What nobody foresaw is in conventions.test.ts, too many keys in keys.test.ts; what no route answers is not described.
  const reached = Object.keys(codes).filter((code) => !['not_found', 'method_not_allowed'].includes(code));
  reached.push('too_many_keys');
  expect([...named].filter((code) => code !== 'internal_error').sort()).toEqual(reached.sort());
});

describe.each(Object.entries(codes))('%s', (code, cases) => {
  test.each(cases)('$of', async ({ ask, field }) => {
    const { status, body, headers } = await ask();
    expect([status, body]).toEqual([
      errorStatus[code as ErrorCode],
      {
        success: false,
        error: { code, message: expect.stringMatching(/\S/), ...(field === undefined ? {} : { field }) },
      },
    ]);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(headers['x-request-id']).toEqual(expect.any(String));
  });
});

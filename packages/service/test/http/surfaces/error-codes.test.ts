import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IntegratorStatus } from '@karat/program-client';
import { getAddressEncoder } from '@solana/kit';
import { eq, sql } from 'drizzle-orm';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { putLimits } from '../../../src/db/limits/velocity.js';
import { partners } from '../../../src/db/schema.js';
import { type ChallengeId, newUuid, uuidOf } from '../../../src/domain/ids.js';
import type { RedemptionStatus } from '../../../src/domain/redemption.js';
import { noLimits } from '../../../src/domain/velocity.js';
import { buildApp } from '../../../src/http/app.js';
import { buildOperatorApp } from '../../../src/http/operator/app.js';
import { reasonNames } from '../../../src/reasons.js';
import { cosign } from '../../chain/signed-trade.js';
import { type ApiResponse, clientOf, expectStatus, newWallet, watchResponses } from '../../harness.js';
import { givenKey } from '../../karat.js';
import { eventually } from '../../karat-chain.js';
import { send } from '../../operators.js';
import { base64, ordered, paths } from '../../ordering.js';
import { givenRedemption, pickupCodeOf, tola, wrongCodeFor } from '../../redeeming.js';
import { newBar } from '../operator/contract-routes.js';
import { operator, partner, type Surface, tradebook } from './surfaces.js';
import { keySteps, startWorld, type Tenant, userBody, type World } from './world.js';

/** Every error code that a surface documents, reached over HTTP, with its status, its form and the field to blame. */

let w: World;
/** A wallet that may not be served. */
const listed = newWallet();
/** Whom the tests suspend. */
let other: Tenant;
/** Processes that allow a key, an operator or an address one request a minute. */
let strict: FastifyInstance;
let strictOperators: FastifyInstance;
beforeAll(async () => {
  const sanctionsList = join(mkdtempSync(join(tmpdir(), 'karat-list-')), 'list.txt');
  writeFileSync(sanctionsList, listed.address);
  w = await startWorld({ config: { sanctionsList } });
  other = await w.givenTenant();
  const { ctx } = w.service;
  const limits = { keyRateLimitPerMinute: 1, openRateLimitPerMinute: 1, operatorRateLimitPerMinute: 1 };
  const config = { ...ctx.config, ...limits };
  strict = await buildApp({ ...ctx, config }, { extend: watchResponses });
  strictOperators = await buildOperatorApp({ ...ctx, config }, { extend: watchResponses });
});
afterAll(async () => {
  await strict?.close();
  await strictOperators?.close();
  await w?.stop();
});

type Ask = () => Promise<ApiResponse>;
/** A request, and the field that its error names. */
const blames = (field: string, ask: Ask) => ({ field, ask });
type Blamed = ReturnType<typeof blames>;
type Case = [status: number, code: string, of: string, ask: Ask, field: string | undefined];

/** Cases of a code by what they are of. */
const of = (status: number, code: string, cases: Record<string, Ask | Blamed>): Case[] =>
  Object.entries(cases).map(([name, one]) =>
    typeof one === 'function'
      ? [status, code, name, one, undefined]
      : [status, code, name, one.ask, one.field],
  );

const execute = (query: ReturnType<typeof sql>) => w.service.ctx.db.execute(query);
const setStatus = (of: Tenant, status: 'active' | 'suspended') =>
  w.service.ctx.db.update(partners).set({ status }).where(eq(partners.id, of.partner.partnerId));
async function whileSuspended(ask: () => Promise<ApiResponse>): Promise<ApiResponse> {
  await setStatus(other, 'suspended');
  try {
    return await ask();
  } finally {
    await setStatus(other, 'active');
  }
}
/** What `ask` resolves to while parts of the program are paused; it has `status` then. */
async function whilePaused(paused: number, ask: () => Promise<ApiResponse>): Promise<ApiResponse> {
  await w.chain.setStatus({ paused });
  const response = await once(ask, 503);
  await w.chain.setStatus({ paused: 0 });
  await eventually(async () => expect((await ask()).status).toBeLessThan(300), 10_000);
  return response;
}
/** What `ask` resolves to as soon as the service has seen the change. */
const once = (ask: () => Promise<ApiResponse>, status: number) =>
  eventually(async () => expectStatus(await ask(), status), 10_000);
const json = { 'content-type': 'application/json' };

/** What holds for every surface, by a list and a change that it has. */
function common(surface: Surface, list: string, change: string): Case[] {
  const client = (secret = '', app = appOf(surface)) => clientOf(app, surface.credentials(secret));
  const own = () => client(secretOf(surface));
  const spend = async (app: FastifyInstance, secret: string) => {
    await client(secret, app).get(list);
    return client(secret, app).get(list);
  };
  return [
    ...of(400, 'invalid_request', {
      'a body that is no JSON': () => own().post(change, '{'),
    }),
    ...of(401, 'unauthorized', {
      'no key': () => clientOf(appOf(surface), {}).get(list),
      'an unknown key': () => client(surface.unknownSecret).get(list),
    }),
    ...of(404, 'not_found', {
      'a path that is none': () => own().get(`${list}/no/where`),
    }),
    ...of(405, 'method_not_allowed', {
      'a method that is none': () => own().send({ method: 'DELETE', url: list }),
    }),
    ...of(413, 'payload_too_large', {
      'more than 64 KiB': () => own().post(change, { x: 'A'.repeat(65_536) }),
    }),
    ...of(415, 'unsupported_media_type', {
      'a form': () => own().post(change, 'a=b', { 'content-type': 'application/x-www-form-urlencoded' }),
    }),
    ...of(429, 'rate_limited', {
      'a key above its budget': async () => {
        if (surface === operator) return spend(strictOperators, w.operators.by.viewer.token);
        const { apiKey } = await w.service.givenPartner();
        return spend(strict, surface === partner ? apiKey : w.own.vault.withdrawal.apiKey);
      },
    }),
  ];
}
const appOf = (surface: Surface) => (surface === operator ? w.operators.app : w.service.app);
function secretOf(surface: Surface): string {
  if (surface === operator) return w.operators.by.admin.token;
  return surface === partner ? w.own.partner.apiKey : w.own.vault.executive.apiKey;
}

/** What happens on the way to a key. */
function ofKeys(name: keyof typeof keySteps, walletField: string): Case[] {
  const { challengePath, desired } = keySteps[name];
  const ask = (wallet: string) => w.anonymous().post(challengePath, desired(wallet, w.own.partner.partnerId));
  return [
    ...of(400, 'invalid_wallet', { 'a challenge': blames(walletField, () => ask('x')) }),
    ...of(400, 'invalid_signature', {
      'another wallet': blames('signature', async () => {
        const { id, message } = await w.challenge(name);
        return w.mint(name, id, newWallet().sign(message));
      }),
    }),
    ...of(400, 'invalid_challenge', {
      'an unknown challenge': () => w.mint(name, 'ch_nonsense', newWallet().sign('x')),
      'a used challenge': async () => {
        const { id, signature } = await w.challenge(name);
        expectStatus(await w.mint(name, id, signature), 201);
        return w.mint(name, id, signature);
      },
    }),
    ...of(400, 'challenge_expired', {
      'a challenge of two minutes ago': async () => {
        const { id, signature } = await w.challenge(name);
        await execute(sql`update challenges set created_at = now() - interval '3 minutes',
          expires_at = now() - interval '1 minute' where id = ${uuidOf(id as ChallengeId)}`);
        return w.mint(name, id, signature);
      },
    }),
    ...of(403, 'partner_suspended', {
      'a new key for a suspended partner': async () => {
        const { id, signature } = await w.challenge(name, other);
        return whileSuspended(() => w.mint(name, id, signature));
      },
    }),
    ...of(404, 'wallet_not_found', { 'a wallet of nobody': () => ask(newWallet().address) }),
    ...of(429, 'rate_limited', {
      'an eleventh request to the auth routes': async () => {
        const client = w.anonymous();
        for (let i = 0; i < 10; i += 1) await client.post(challengePath, {});
        return client.post(challengePath, {});
      },
    }),
  ];
}

const own = () => w.own.partner.client;
const register = (body: object) => own().post('/v1/users', body);
const buy = (userId: string, client = own()) =>
  client.post('/v1/buy', { service_user_id: userId, usdc_amount: 10 });
const sell = (userId: string, client = own()) =>
  client.post('/v1/sell', { service_user_id: userId, gold_amount: 0.01 });
const redeem = (userId: string, client = own(), more: object = {}) =>
  client.post('/v1/redemptions', {
    service_user_id: userId,
    denomination_id: tola.id,
    city: tola.city,
    ...more,
  });
const redeemOwn = (more: object) => redeem(w.own.user.id, own(), more);
const alwaysGiveReasons = ['broadcast_failed', 'pricing_unavailable'];

/** Takes the reason out of an error, with what comes along with it. */
function takeReason(error: Record<string, string>) {
  const { reason, doc_url: flat, docUrl = flat } = error;
  for (const name of ['reason', 'program_error_name', 'programErrorName']) delete error[name];
  return { reason, docUrl };
}

const unknown = '01890000-0000-7000-8000-000000000000';
const cancel = async (status: RedemptionStatus) =>
  own().post(`/v1/redemptions/${await givenRedemption(w.service, w.own, { status })}/cancel`);
/** A case for each kind of request that names a user. */
const byKind = (name: string, ask: (kind: typeof buy) => Promise<ApiResponse>, kinds = [buy, sell, redeem]) =>
  Object.fromEntries(kinds.map((kind) => [`${name}: ${kind.name}`, () => ask(kind)]));
const givenUserOf = async (more: Parameters<World['service']['givenUser']>[1]) =>
  (await w.service.givenUser(w.own.partner.partnerId, more)).id;
let listedUser: Promise<string> | undefined;
function givenListedUser(): Promise<string> {
  listedUser ??= givenUserOf({ wallet: listed });
  return listedUser;
}
/** Asks as a new partner for its user. */
const asNewPartner = (more: Parameters<World['service']['givenPartner']>[0]) => async (kind: typeof buy) => {
  const { partnerId, client } = await w.service.givenPartner(more);
  return kind((await w.service.givenUser(partnerId)).id, client);
};

/** Codes in the order of the specification's section 7. */
const specified: Case[] = [
  ...of(400, 'invalid_request', {
    'a missing field': blames('user_id', () => register(userBody({ user_id: undefined }))),
    'a nested field': blames('kyc.country', () => register(userBody({}, { country: 'XX' }))),
    'an amount that is not positive': blames('usdc_amount', () =>
      own().post('/v1/buy', { service_user_id: w.own.user.id, usdc_amount: 0 }),
    ),
  }),
  ...of(400, 'invalid_wallet', {
    'a user': blames('wallet_address', () => register(userBody({ wallet_address: 'x' }))),
  }),
  ...of(400, 'wallet_revoked', {
    'a wallet that was revoked meanwhile': async () => {
      const who = await w.service.givenPartner();
      const { id, signature } = await w.challenge('partner', { ...w.own, partner: who });
      await execute(sql`update partner_wallets set status = 'revoked', revoked_at = now()
        where partner_id = ${who.partnerId}`);
      return w.mint('partner', id, signature);
    },
  }),
  ...of(400, 'invalid_denomination', {
    'an unknown one': blames('denomination_id', () => redeemOwn({ denomination_id: 'x' })),
    'an inactive one': blames('denomination_id', () => redeemOwn({ denomination_id: 'pk_old' })),
  }),
  ...of(400, 'invalid_city', {
    'another city': blames('city', () => redeemOwn({ city: 'Lahore' })),
  }),
  ...of(400, 'kyc_level_insufficient', {
    'a new user': blames('kyc.kyc_level', () => register(userBody({}, { kyc_level: 'basic' }))),
    ...byKind('a user', async (kind) => kind(await givenUserOf({ kycLevel: 'basic' }))),
  }),
  ...of(
    400,
    'onchain_config_missing',
    byKind('a partner that is not on chain', asNewPartner({}), [buy, sell]),
  ),
  ...of(
    400,
    'wallet_missing',
    byKind('a partner without an active wallet', asNewPartner({ walletStatus: 'revoked' }), [buy, sell]),
  ),
  ...of(400, 'broadcast_failed', {
    'good base64 that is no transaction': () =>
      own().post(`/v1/buy/trd_${unknown}/submit`, { signed_tx: 'AAAA' }),
    'the node’s refusal': async () => {
      const poor = await w.service.givenUser(w.own.partner.partnerId);
      const { body } = await buy(poor.id);
      const bytes = Buffer.from(body.partially_signed_transaction, 'base64');
      const signed_tx = base64(cosign(bytes, [w.own.partner.wallet, poor.wallet]));
      return own().post(`/v1/buy/${body.trade_id}/submit`, { signed_tx });
    },
  }),
  ...(['preparing', 'ready', 'collected', 'cancellation_requested', 'cancelled', 'failed'] as const).flatMap(
    (status) => of(400, 'cancellation_not_allowed', { [`one that is ${status}`]: () => cancel(status) }),
  ),
  ...common(partner, '/v1/users', '/v1/users'),
  ...ofKeys('partner', 'wallet_address'),
  ...of(403, 'insufficient_scope', {
    'a key of another scope': async () =>
      (await w.service.givenPartner({ scope: 'ADMIN' })).client.get('/v1/users'),
  }),
  ...of(403, 'partner_mismatch', {
    "another partner's user": async () =>
      (await w.service.givenPartner()).client.get(`/v1/users/${w.own.user.id}`),
  }),
  ...of(403, 'partner_suspended', {
    'a suspended partner': async () =>
      (await w.service.givenPartner({ status: 'suspended' })).client.get('/v1/users'),
  }),
  ...of(
    403,
    'user_suspended',
    byKind('a suspended user', async (kind) => kind(await givenUserOf({ status: 'suspended' }))),
  ),
  ...of(404, 'user_not_found', {
    'an unknown user': () => own().get(`/v1/users/gu_${unknown}`),
    ...byKind('an unknown user', (kind) => kind(`gu_${unknown}`)),
  }),
  ...of(404, 'trade_not_found', {
    'an unknown trade': () => own().get('/v1/trades/trd_x'),
  }),
  ...of(404, 'redemption_not_found', {
    'an unknown redemption': () => own().get('/v1/redemptions/red_x'),
    'a quote that has not landed': async () =>
      own().get(`/v1/redemptions/${await givenRedemption(w.service, w.own, { status: 'quoted' })}`),
  }),
  ...of(409, 'user_already_exists', {
    'a wallet that is taken': blames('wallet_address', () =>
      register(userBody({ wallet_address: w.own.user.wallet.address })),
    ),
    'an id that is taken': blames('user_id', async () => {
      const { partnerUserId } = await w.service.givenUser(w.own.partner.partnerId);
      return register(userBody({ user_id: partnerUserId }));
    }),
  }),
  ...of(
    503,
    'pricing_unavailable',
    byKind('a price that is too old', (kind) => w.withStalePrice(() => kind(w.own.user.id))),
  ),
];

const hooks = '/v1/webhook-endpoints';
const reserves = '/v1/reserves/statements';
const publicUrl = 'https://93.184.216.34/events';

/** What the partner API documents beyond them. */
const partnerAdditions: Case[] = [
  ...of(400, 'already_revoked', {
    'a key': async () => {
      const { keyId } = await w.service.givenPartner();
      const { partnerId } = w.own.partner;
      await execute(sql`update api_keys set partner_id = ${partnerId}, status = 'revoked', revoked_at = now()
        where id = ${keyId}`);
      return own().post(`/v1/partner/api-keys/${keyId}/revoke`);
    },
  }),
  ...of(403, 'wallet_not_allowed', {
    'a new user': blames('wallet_address', () => register(userBody({ wallet_address: listed.address }))),
    ...byKind('a user', async (kind) => kind(await givenListedUser())),
  }),
  ...of(
    403,
    'limit_exceeded',
    byKind('a user who may move nothing', async (kind) => {
      const { id } = await w.service.givenUser(w.own.partner.partnerId);
      const limits = { ...noLimits, userUsdc: 0n, userGold: 0n };
      const owner = { kind: 'user', ownerId: uuidOf(id) } as const;
      await w.service.ctx.db.transaction((tx) => putLimits(tx, owner, limits, new Date()));
      const response = await kind(id);
      const { details, ...body } = response.body;
      expect(details).toMatchObject({ amount: 0, used: 0, available_at: null });
      return { ...response, body };
    }),
  ),
  ...of(404, 'key_not_found', {
    'an unknown key': () => own().post(`/v1/partner/api-keys/${newUuid()}/revoke`),
  }),
  ...of(404, 'endpoint_not_found', {
    'an unknown webhook endpoint': () => own().get(`${hooks}/we_${unknown}`),
  }),
  ...of(404, 'statement_not_found', {
    'an unknown statement of the reserves': () => w.anonymous().get(`${reserves}/rs_${unknown}/bars`),
  }),
  ...of(404, 'bar_not_found', {
    'a bar that the statement does not list': async () => {
      await w.given.bars(1);
      const { id } = await w.given.statement();
      return w.anonymous().get(`${reserves}/${id}/proof?refiner=Valcambi&serial=none`);
    },
  }),
  ...of(409, 'transition_not_allowed', {
    'to send again to a disabled endpoint': async () => {
      const { body } = expectStatus(await own().post(hooks, { url: publicUrl }), 201);
      const url = `${hooks}/${body.endpoint_id}`;
      await own().send({ method: 'PATCH', url, payload: { status: 'disabled' }, headers: json });
      return own().post(`${url}/resend`, { event_id: `evt_${unknown}` });
    },
  }),
  ...of(404, 'statement_not_found', {
    'a month from before the partner': () => own().get('/v1/statements?month=2020-01'),
  }),
  ...of(409, 'receipt_not_ready', {
    'a redemption that was not handed over': async () =>
      own().get(`/v1/redemptions/${await givenRedemption(w.service, w.own)}/receipt`),
  }),
  ...of(409, 'endpoint_limit_reached', {
    'an eleventh webhook endpoint': async () => {
      const { client } = await w.service.givenPartner();
      for (let i = 0; i < 10; i += 1) expectStatus(await client.post(hooks, { url: publicUrl }), 201);
      return client.post(hooks, { url: publicUrl });
    },
  }),
  ...of(409, 'idempotency_conflict', {
    'another body': async () => {
      const key = { 'idempotency-key': newUuid() };
      await own().post('/v1/users', userBody(), key);
      return own().post('/v1/users', userBody(), key);
    },
  }),
  ...of(503, 'service_unavailable', {
    'paused trading': () => whilePaused(1, () => buy(w.own.user.id)),
  }),
];

const purchase = (body: object = {}, client = w.own.vault.executive) =>
  client.post(paths.purchases, { goldAmount: 1, maxUsdcAmount: 5_000, ...body });
const sale = (body: object = {}, client = w.own.vault.executive) =>
  client.post(paths.sales, { goldAmount: 1, minimumUsdcAmount: 0, ...body });
const withdrawal = (body: object = {}, client = w.own.vault.withdrawal) =>
  client.post(paths.withdrawals, { amount: 1, tokenType: 'usdc', ...body });
const executives = (body: object, id: string = w.own.partner.partnerId, client = w.own.vault.update) =>
  client.put(paths.executives(id), body);
const addNew = (id: string, client = w.own.vault.update) =>
  executives({ add: [newWallet().address] }, id, client);
const submit = (signedTransaction: unknown) =>
  w.anonymous().post('/api/transactions/submit', { signedTransaction });
const update = () => w.own.vault.update;
const me = '/api/distribution/partner/me';
const tradebookKey = ({ partnerId, executive }: Tenant['vault']) =>
  givenKey(w.service, { partnerId, wallet: executive.wallet, scope: 'PARTNER_EXECUTIVE_AUTHORITY' });

const tradebookCases: Case[] = [
  ...common(tradebook, me, paths.purchases),
  ...ofKeys('tradebook', 'walletAddress'),
  ...of(400, 'invalid_request', {
    'a missing field': blames('goldAmount', () => purchase({ goldAmount: undefined })),
    'an item of a list': blames('add.0', () => executives({ add: [1] })),
    'text that is no base64': blames('signedTransaction', () => submit('no base64')),
    'an end that is too far': blames('expirationDays', () =>
      w.mint('tradebook', 'x', 'x', { expirationDays: 366 }),
    ),
  }),
  ...of(400, 'invalid_wallet', {
    'an executive to add': blames('add.0', () => executives({ add: [w.own.vault.vault] })),
    'an executive to remove': blames('remove.0', () => executives({ remove: ['x'] })),
  }),
  ...of(400, 'onchain_config_missing', {
    'executives of a partner that is not on chain': async () =>
      addNew((await w.service.givenPartner()).partnerId, w.admin),
  }),
  ...of(400, 'broadcast_failed', {
    'good base64 that is no transaction': () => submit('AAAA'),
    'the refusal of the node': async () => {
      const { vault: poor } = await w.givenTenant();
      const { signed } = await ordered(poor.withdrawal, paths.withdrawals, { amount: 1, tokenType: 'usdc' });
      await w.chain.node.setTokenBalance(poor.vault, w.chain.usdcMint, 0n);
      return submit(base64(signed));
    },
  }),
  ...of(400, 'already_revoked', {
    'a key': async () => {
      const path = `/api/auth/api-keys/${(await tradebookKey(w.own.vault)).keyId}/revoke`;
      await update().post(path);
      return update().post(path);
    },
  }),
  ...of(400, 'max_usdc_exceeded', {
    'a purchase': blames('maxUsdcAmount', () => purchase({ maxUsdcAmount: 4_120.723618 })),
  }),
  ...of(400, 'minimum_usdc_not_met', {
    'a sale': blames('minimumUsdcAmount', () => sale({ minimumUsdcAmount: 4_079.619401 })),
  }),
  ...of(400, 'insufficient_reserve', {
    'a withdrawal of more than there is': () => withdrawal({ amount: 1_000_000.000001 }),
    'a sale of more than there is': async () => {
      await w.chain.node.setTokenBalance(other.vault.vault, w.chain.goldMint, 0n);
      return sale({}, other.vault.executive);
    },
    'a purchase of more than there is': async () => {
      await w.chain.node.setTokenBalance(other.vault.vault, w.chain.usdcMint, 0n);
      return purchase({}, other.vault.executive);
    },
  }),
  ...of(400, 'transaction_not_supported', {
    'a call of another program': async () => {
      const body = { amount: 1, tokenType: 'usdc' };
      const { signed } = await ordered(w.own.vault.withdrawal, paths.withdrawals, body);
      const otherProgram = Buffer.from(signed);
      // The program of the order is another one: none of its bytes is looked at before that.
      const { programAddress } = w.service.ctx.chain;
      const at = otherProgram.indexOf(Buffer.from(getAddressEncoder().encode(programAddress)));
      otherProgram[at] = (otherProgram[at] ?? 0) ^ 1;
      return submit(base64(otherProgram));
    },
  }),
  ...of(401, 'unauthorized', {
    'a key that ended': async () => {
      const key = await tradebookKey(w.own.vault);
      await execute(sql`update api_keys set created_at = now() - interval '2 days',
        expires_at = now() - interval '1 day' where id = ${key.keyId}`);
      return key.get(me);
    },
  }),
  ...of(403, 'insufficient_scope', {
    'a purchase by the withdrawal authority': () => purchase({}, w.own.vault.withdrawal),
    'a key of the partner API': () => own().get(me),
  }),
  ...of(403, 'wallet_not_allowed', {
    'an executive to add': () => executives({ add: [listed.address] }),
  }),
  ...of(403, 'partner_mismatch', {
    "another partner's executives": () => addNew(other.partner.partnerId),
    "another partner's withdrawal": async () => {
      const { withdrawalId } = expectStatus(await withdrawal(), 201).body.data;
      return other.vault.update.get(`/api/trading/withdrawals/${withdrawalId}`);
    },
  }),
  ...of(403, 'partner_suspended', {
    'a suspended partner': () => whileSuspended(() => other.vault.executive.get(me)),
    'a partner that is suspended on chain': async () => {
      const given = await w.service.givenPartner();
      const { executive, update, withdrawal, integrator } = await w.given.treasury(given);
      const terms = {
        partnerId: given.partnerId,
        wallet: newWallet().address,
        updateAuthority: update.wallet.address,
        withdrawalAuthority: withdrawal.wallet.address,
      };
      await once(() => purchase({}, executive), 201);
      await w.chain.changePartner(integrator, terms, IntegratorStatus.Suspended);
      return once(() => purchase({}, executive), 403);
    },
  }),
  ...of(404, 'key_not_found', {
    'an unknown key': () => update().post(`/api/auth/api-keys/${newUuid()}/revoke`),
  }),
  ...of(404, 'partner_not_found', {
    'an unknown partner': () => addNew(newUuid()),
    'the partner of an admin': () => w.admin.get(me),
  }),
  ...['purchase', 'sale', 'withdrawal'].flatMap((kind) =>
    of(404, `${kind}_not_found`, {
      'an unknown one': () => update().get(`/api/trading/${kind}s/${newUuid()}`),
    }),
  ),
  ...of(409, 'idempotency_conflict', {
    'another body': async () => {
      const key = { 'idempotency-key': newUuid() };
      const { executive } = w.own.vault;
      await executive.post(paths.sales, { goldAmount: 1, minimumUsdcAmount: 0 }, key);
      return executive.post(paths.sales, { goldAmount: 2, minimumUsdcAmount: 0 }, key);
    },
  }),
  ...of(429, 'rate_limited', {
    'submitting above the budget of an address': async () => {
      const client = w.anonymous(strict);
      await client.post('/api/transactions/submit', { signedTransaction: 'AAAA' });
      return client.post('/api/transactions/submit', { signedTransaction: 'AAAA' });
    },
  }),
  ...of(503, 'pricing_unavailable', {
    'a purchase': () => w.withStalePrice(() => purchase()),
    'a sale': () => w.withStalePrice(() => sale()),
    'an estimate': () =>
      w.withStalePrice(() => w.own.vault.executive.post('/api/trading/estimate/buy', { goldAmount: 1 })),
    'the price': () => w.withStalePrice(() => w.anonymous().get('/api/trading/gold/price')),
  }),
  ...of(503, 'service_unavailable', {
    'paused withdrawals': () => whilePaused(4, () => withdrawal()),
  }),
];

const base = '/operator/v1';
const admin = () => w.operators.by.admin.client;
const change = (path: string, body?: unknown, headers: Record<string, string> = {}) =>
  admin().post(base + path, body, headers);
const put = (path: string, body: object) =>
  admin().send({ method: 'PUT', url: base + path, headers: json, payload: JSON.stringify(body) });
const newPartner = (more: object = {}) => ({ name: 'Initech', fee_percentage: 0.01, ...more });
const reason = { reason: 'a test' };

const operatorCases: Case[] = [
  ...common(operator, `${base}/partners`, `${base}/partners`),
  ...of(400, 'invalid_request', {
    'a field of the wrong type': blames('name', () => change('/partners', newPartner({ name: 1 }))),
  }),
  ...of(400, 'invalid_wallet', {
    'a wallet of a partner': blames('wallet_address', () =>
      change('/partners', newPartner({ wallet_address: 'x' })),
    ),
  }),
  ...of(400, 'invalid_denomination', {
    'a bar that gets one that is not there': blames('denomination_id', async () => {
      const { bars } = expectStatus(await change('/bars', { bars: [newBar()] }), 201).body;
      return send(admin(), 'PATCH', `/bars/${bars[0].bar_id}`, { denomination_id: 'none' });
    }),
  }),
  ...of(400, 'invalid_city', {
    'a bar that is moved to a city without a vault': blames('city', async () => {
      const { bars } = expectStatus(await change('/bars', { bars: [newBar()] }), 201).body;
      return send(admin(), 'PATCH', `/bars/${bars[0].bar_id}`, { city: 'Atlantis' });
    }),
  }),
  ...of(400, 'already_revoked', {
    'a key': async () => {
      const path = `/api-keys/${(await w.service.givenPartner()).keyId}/revoke`;
      await change(path, reason);
      return change(path, reason);
    },
  }),
  ...of(403, 'insufficient_scope', {
    'a change by a viewer': () => w.operators.by.viewer.client.post(`${base}/partners`, newPartner()),
  }),
  ...of(403, 'forbidden', {
    'a change that a page of another site sends with the session': async () => {
      const { email, password } = w.operators.by.admin;
      const { headers } = await w.operators.anonymous.post(`${base}/session`, { email, password });
      const cookie = String(headers['set-cookie']).split(';')[0] ?? '';
      return w.operators.anonymous.post(`${base}/partners`, newPartner(), { cookie });
    },
  }),
  ...(
    [
      ['partner_not_found', `/partners/${unknown}/suspend`, reason],
      ['key_not_found', `/api-keys/${unknown}/revoke`, reason],
      ['endpoint_not_found', `/webhook-endpoints/we_${unknown}/disable`, reason],
      ['user_not_found', `/users/gu_${unknown}/suspend`, reason],
      ['redemption_not_found', `/redemptions/red_${unknown}/collect`, { pickup_code: '00000000' }],
    ] as const
  ).flatMap(([code, path, body]) => of(404, code, { 'an unknown one': () => change(path, body) })),
  ...of(404, 'trade_not_found', {
    'an unknown one': () => admin().get(`${base}/trades/trd_${unknown}`),
  }),
  ...of(404, 'wallet_not_found', {
    'a wallet of nobody': () =>
      change(`/partners/${w.own.partner.partnerId}/wallets/${newWallet().address}/revoke`, reason),
  }),
  ...of(409, 'transition_not_allowed', {
    'a redemption that is not ready': async () =>
      change(`/redemptions/${await givenRedemption(w.service, w.own)}/collect`, { pickup_code: '00000000' }),
  }),
  ...of(400, 'bar_required', {
    'a redemption without a bar': blames('bar_serial', async () => {
      const id = await givenRedemption(w.service, w.own, { status: 'preparing', bar: false });
      return change(`/redemptions/${id}/ready`, {});
    }),
  }),
  ...of(400, 'pickup_code_wrong', {
    'another code': blames('pickup_code', async () => {
      const id = await givenRedemption(w.service, w.own, { status: 'ready' });
      const code = wrongCodeFor(await pickupCodeOf(w.service, id));
      const response = await change(`/redemptions/${id}/collect`, { pickup_code: code });
      const { attempts_left: left, ...body } = response.body;
      expect(left).toBe(4);
      return { ...response, body };
    }),
  }),
  ...of(409, 'pickup_code_locked', {
    'a sixth code': async () => {
      const id = await givenRedemption(w.service, w.own, { status: 'ready' });
      const right = await pickupCodeOf(w.service, id);
      const tried = (code: string) => change(`/redemptions/${id}/collect`, { pickup_code: code });
      for (let tries = 0; tries < 5; tries += 1) await tried(wrongCodeFor(right));
      return tried(right);
    },
  }),
  ...of(409, 'bar_not_available', {
    'a bar that nobody has': blames('bar_serial', async () => {
      const id = await givenRedemption(w.service, w.own, { status: 'preparing' });
      return change(`/redemptions/${id}/ready`, { bar_serial: 'none' });
    }),
  }),
  ...of(409, 'already_exists', {
    'a denomination': blames('id', () =>
      change('/denominations', {
        id: tola.id,
        label: 'A bar',
        weight_g: 10,
        country: 'PK',
        city: 'Lahore',
        active: true,
      }),
    ),
  }),
  ...of(403, 'wallet_not_allowed', {
    'a wallet of a partner': blames('wallet_address', () =>
      change('/partners', newPartner({ wallet_address: listed.address })),
    ),
  }),
  ...of(409, 'wallet_already_registered', {
    'a wallet of a partner': blames('wallet_address', () =>
      change('/partners', newPartner({ wallet_address: w.own.partner.wallet.address })),
    ),
  }),
  ...of(409, 'idempotency_conflict', {
    'another body': async () => {
      const key = { 'idempotency-key': newUuid() };
      await change('/partners', newPartner(), key);
      return change('/partners', newPartner({ name: 'Initrode' }), key);
    },
  }),
  ...of(503, 'service_unavailable', {
    'a change on chain without the key of the admin': () =>
      put('/chain/status', { market: 'closed', ...reason }),
  }),
];

interface Table {
  surface: Surface;
  cases: Case[];
  /** Codes of the document that are reached elsewhere: what a node refuses by those of the chain, second factors by their own. */
  elsewhere: string[];
}
const tables: Table[] = [
  {
    surface: partner,
    cases: [...specified, ...partnerAdditions],
    // Those of sessions and members in "portal.test.ts", that of the log in "requests.test.ts".
    elsewhere: [
      'already_exists',
      'forbidden',
      'invalid_invitation',
      'last_owner',
      'request_not_found',
      'second_factor_required',
      'second_factor_wrong',
    ],
  },
  { surface: tradebook, cases: tradebookCases, elsewhere: [] },
  {
    surface: operator,
    cases: operatorCases,
    elsewhere: ['broadcast_failed', 'invalid_challenge', 'second_factor_required', 'second_factor_wrong'],
  },
];

test('the specification has these 24 codes', () => {
  const beyond = [
    'not_found',
    'wallet_not_found',
    'method_not_allowed',
    'payload_too_large',
    'unsupported_media_type',
  ];
  const reached = new Set(specified.map(([, code]) => code).filter((code) => !beyond.includes(code)));
  expect(reached.size).toBe(24);
});

describe.each(tables)('$surface.name', ({ surface, cases, elsewhere }) => {
  test('the published document names these codes, and no other', () => {
    const named = Object.keys(surface.document.components?.examples ?? {});
    const reached = new Set([...cases.map(([, code]) => code), ...elsewhere]);
    // What was not foreseen is tested with the conventions.
    expect(named.filter((code) => code !== 'internal_error').sort()).toEqual([...reached].sort());
  });

  test.each(cases)('%d %s: %s', async (status, code, _of, ask, field) => {
    const response = await ask();
    const { service_user_id: existing, ...shown } = response.body;
    const { reason, docUrl } = takeReason(shown.error?.code ? shown.error : shown);
    expect([response.status, shown]).toEqual([status, surface.failure(code, field)]);
    const page = reason === undefined ? `/errors/${code}` : `/reasons/${reason}`;
    expect(docUrl).toBe(`http://localhost:80${page}`);
    if (alwaysGiveReasons.includes(code)) expect(reasonNames).toContain(reason);
    expect(existing === undefined || code === 'user_already_exists').toBe(true);
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(response.headers['x-request-id']).toEqual(expect.any(String));
  });
});

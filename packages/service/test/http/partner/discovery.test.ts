import { IntegratorStatus, MarketState } from '@karat/program-client';
import { createSolanaRpc } from '@solana/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { viewTransaction } from '../../../src/chain/inspect/transaction-view.js';
import { decodePriceUpdate } from '../../../src/chain/program/price.js';
import { goldOf, tokenAccountOf, usdcOf } from '../../../src/chain/program/token-accounts.js';
import { idTypePatterns } from '../../../src/db/schema.js';
import { newId } from '../../../src/domain/ids.js';
import { addressToBytes } from '../../../src/domain/solana.js';
import { expectStatus, newWallet } from '../../harness.js';
import { type Karat, startKarat } from '../../karat.js';
import { eventually, usualPrice } from '../../karat-chain.js';
import { seedDenominations } from '../../redeeming.js';

let t: Karat;
beforeAll(async () => {
  t = await startKarat();
  await seedDenominations(t.service);
});
afterAll(() => t?.stop());

const get = async (path: string) => expectStatus(await t.partner.client.get(path), 200).body;

describe('GET /v1/me', () => {
  test('GET /v1/me is the partner, its terms on chain, and the key', async () => {
    const { createdAt } = (
      await t.service.ctx.sql`
      select to_char(created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "createdAt"
      from api_keys where id = ${t.partner.keyId}`
    )[0] as { createdAt: string };
    expect(await get('/v1/me')).toEqual({
      partner_id: t.partner.partnerId,
      name: 'Acme Gold',
      status: 'active',
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      key: { key_id: t.partner.keyId, key_name: expect.any(String), created_at: createdAt },
      wallets: [t.partner.wallet.address],
      integrator_address: t.integrator,
      open_fee_bps: 50,
      closed_fee_bps: 100,
      fee_percentage: 0.015,
      limits: {
        requests_per_minute: t.service.ctx.config.keyRateLimitPerMinute,
        min_trade_usdc: null,
        max_trade_usdc: 1_000_000,
      },
    });
  });

  test('a partner that is not on chain has no address and no fees there, and no revoked wallet', async () => {
    const other = await t.service.givenPartner({ walletStatus: 'revoked' });
    expect(expectStatus(await other.client.get('/v1/me'), 200).body).toMatchObject({
      partner_id: other.partnerId,
      wallets: [],
      integrator_address: null,
      open_fee_bps: null,
      closed_fee_bps: null,
    });
  });

  test('a partner that is suspended on chain is suspended', async () => {
    const other = await t.service.givenPartner();
    const onChain = { partnerId: other.partnerId, wallet: other.wallet.address };
    const integrator = await t.chain.addPartner(onChain);
    const status = async () => expectStatus(await other.client.get('/v1/me'), 200).body.status;
    await eventually(async () => expect(await status()).toBe('active'), 10_000);
    await t.chain.changePartner(integrator, onChain, IntegratorStatus.Suspended);
    await eventually(async () => expect(await status()).toBe('suspended'), 10_000);
  });
});

describe('GET /v1/price', () => {
  const publishedMs = () => {
    const { data } = t.chain.node.getAccount(t.chain.settings.priceAccount) ?? {};
    return Number(data && decodePriceUpdate(data)?.publishTimeSeconds) * 1_000;
  };

  test('GET /v1/price is the price that a quote has, with the fee of the caller', async () => {
    const fromMs = t.chain.clock.now();
    const price = await get('/v1/price');
    const toMs = t.chain.clock.now();
    expect(price).toEqual({
      price_per_troy_oz: 4100.12,
      confidence: 0.8,
      as_of: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/),
      age_seconds: expect.any(Number),
      market: 'open',
      fee_bps: 50,
      next_change_at: expect.stringMatching(/Z$/),
    });
    const asOfMs = Date.parse(price.as_of);
    expect(asOfMs).toBeLessThanOrEqual(publishedMs());
    const ageAt = (ms: number) => Math.max(0, Math.floor((ms - asOfMs) / 1_000));
    expect(price.age_seconds).toBeGreaterThanOrEqual(ageAt(fromMs));
    expect(price.age_seconds).toBeLessThanOrEqual(ageAt(toMs));
    const next = Date.parse(price.next_change_at);
    expect(next).toBeGreaterThan(t.chain.clock.now());
  });

  test('GET /v1/price follows the one that is published', async () => {
    const sinceMs = publishedMs();
    await eventually(async () => {
      expect(Date.parse((await get('/v1/price')).as_of)).toBeGreaterThan(sinceMs);
    }, 10_000);
  });

  test('a closed market has its own fee, and its last price even if it does not trade', async () => {
    await t.chain.setStatus({ marketState: MarketState.Closed });
    await eventually(async () => {
      expect(await get('/v1/price')).toMatchObject({
        market: 'closed',
        fee_bps: 100,
        price_per_troy_oz: 4100.12,
      });
    }, 10_000);
    const { maxAgeClosed } = t.chain.settings;
    await t.chain.changeSettings({ maxAgeClosed: 0 });
    try {
      await eventually(async () => expect((await t.buy.quote()).status).toBe(503), 10_000);
      expect(await get('/v1/price')).toMatchObject({ market: 'closed', price_per_troy_oz: 4100.12 });
    } finally {
      await t.chain.changeSettings({ maxAgeClosed });
      await t.chain.setStatus({});
    }
    await eventually(async () => expect(await get('/v1/price')).toMatchObject({ market: 'open' }), 10_000);
  });

  test('a price that is too old for a quote is 503, as the quote is', async () => {
    t.chain.price.freeze();
    try {
      const old = BigInt(Math.floor(t.chain.clock.now() / 1_000) - t.chain.settings.maxAgeOpen - 5);
      t.chain.price.set({ ...usualPrice, publishTimeSeconds: old });
      await eventually(async () => {
        const [price, quote] = [await t.partner.client.get('/v1/price'), await t.buy.quote()];
        expect(price).toMatchObject({ status: 503, body: { error: 'pricing_unavailable' } });
        expect(price.body.message.replace(/\d+ s old/, '')).toBe(quote.body.message.replace(/\d+ s old/, ''));
      }, 10_000);
    } finally {
      t.chain.price.set(usualPrice);
      t.chain.price.thaw();
    }
    await eventually(async () => void (await get('/v1/price')), 10_000);
  });
});

test('GET /v1/network is the network that the node is on, with the addresses of quotes', async () => {
  const genesisHash = await createSolanaRpc(t.chain.node.rpcUrl).getGenesisHash().send();
  expect(await get('/v1/network')).toEqual({
    network: 'localnet',
    genesis_hash: genesisHash,
    program_id: t.service.ctx.chain.programAddress,
    usdc_mint: t.chain.usdcMint,
    gold_mint: t.chain.goldMint,
    service_signers: [t.service.ctx.chain.signer.address],
    decimals: { usdc: 6, gold: 6 },
    explorer_url_template: `https://explorer.solana.com/tx/{signature}?cluster=custom&customUrl=${encodeURIComponent(new URL(t.chain.node.rpcUrl).origin)}`,
  });
});

test('GET /v1/network needs no key, and names who pays for the transactions of quotes', async () => {
  const { body } = expectStatus(await t.service.anonymous.get('/v1/network'), 200);
  const { transaction } = await t.buy.quoted();
  const [feePayer] = viewTransaction(transaction).accounts;
  expect(body.service_signers).toEqual([feePayer]);
});

test('GET /v1/countries lists the active ones with their id types and how much can be picked up', async () => {
  await t.service.ctx.db.transaction((tx) =>
    tx.insert(idTypePatterns).values([
      { country: 'PK', idType: 'passport', pattern: '[A-Z]{2}\\d{7}' },
      { country: 'PK', idType: 'cnic', pattern: '\\d{5}-\\d{7}-\\d', example: '42101-1234567-1' },
      { country: 'FR', idType: 'cni', pattern: '\\d{12}' },
    ]),
  );
  expect(await get('/v1/countries')).toEqual({
    countries: [
      { code: 'AE', name: 'United Arab Emirates', id_types: [], denominations: 1 },
      {
        code: 'PK',
        name: 'Pakistan',
        id_types: [
          { id_type: 'cnic', pattern: '\\d{5}-\\d{7}-\\d', example: '42101-1234567-1' },
          { id_type: 'passport', pattern: '[A-Z]{2}\\d{7}', example: null },
        ],
        denominations: 3,
      },
    ],
  });
});

describe('GET /v1/users/{service_user_id}/balances', () => {
  const path = (id: string) => `/v1/users/${id}/balances`;

  test('GET /v1/users/{service_user_id}/balances is what the wallet holds, and where', async () => {
    const wallet = newWallet();
    const user = await t.service.givenUser(t.partner.partnerId, { wallet });
    const nothing = {
      wallet_address: wallet.address,
      ...{ gold: 0, usdc: 0, sol: 0 },
      token_accounts: { gold: null, usdc: null, owned_by_others: [] },
    };
    expect(await get(path(user.id))).toEqual(nothing);
    t.chain.node.airdrop(wallet.address, 1_234_567_891n);
    await t.chain.node.setTokenBalance(wallet.address, t.chain.usdcMint, 100_250_001n);
    await eventually(
      async () =>
        expect(await get(path(user.id))).toEqual({
          ...nothing,
          sol: 1.234567891,
          usdc: 100.250001,
          token_accounts: {
            gold: null,
            usdc: tokenAccountOf(wallet.address, usdcOf(t.chain)),
            owned_by_others: [],
          },
        }),
      10_000,
    );
    await t.chain.node.setTokenBalance(wallet.address, t.chain.goldMint, 0n);
    const goldAccount = tokenAccountOf(wallet.address, goldOf(t.chain));
    await eventually(
      async () => expect((await get(path(user.id))).token_accounts.gold).toBe(goldAccount),
      10_000,
    );
  });

  test('balances of a token account whose owner was changed are not those of the wallet', async () => {
    const wallet = newWallet();
    const user = await t.service.givenUser(t.partner.partnerId, { wallet });
    const address = await t.chain.node.setTokenBalance(wallet.address, t.chain.usdcMint, 5_000_000n);
    const state = t.chain.node.getAccount(address);
    if (!state) throw new Error('there is no account');
    const data = Uint8Array.from(state.data);
    data.set(addressToBytes(newWallet().address), 32);
    t.chain.node.setAccount(address, { ...state, data });
    await eventually(
      async () =>
        expect(await get(path(user.id))).toMatchObject({
          usdc: 0,
          token_accounts: { gold: null, usdc: null, owned_by_others: ['usdc'] },
        }),
      10_000,
    );
  });

  test("GET /v1/users/{service_user_id}/balances refuses another partner's user, and an unknown one", async () => {
    const other = await t.service.givenPartner();
    const user = await t.service.givenUser(other.partnerId);
    expect(await t.partner.client.get(path(user.id))).toMatchObject({
      status: 403,
      body: { error: 'partner_mismatch' },
    });
    expect(await t.partner.client.get(path(newId('gu')))).toMatchObject({
      status: 404,
      body: { error: 'user_not_found' },
    });
  });

  test('GET /v1/users/{service_user_id}/balances is 503 while the node does not respond', async () => {
    await t.chain.injectFault({
      method: 'getMultipleAccounts',
      mode: 'error',
      times: 50,
      about: t.user.wallet.address,
    });
    try {
      expect(await t.partner.client.get(path(t.user.id))).toMatchObject({
        status: 503,
        body: { error: 'service_unavailable' },
      });
    } finally {
      await t.chain.clearFaults();
    }
  });
});

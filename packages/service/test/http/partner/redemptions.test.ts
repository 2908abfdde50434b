import { readLegacyTransaction } from '@karat/wire';
import { createSolanaRpc, getBase58Decoder, type Signature } from '@solana/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inChange } from '../../../src/actions/change.js';
import { eraseUser } from '../../../src/actions/users/erase-user.js';
import { redemptionComputeUnitLimit } from '../../../src/chain/build/build-redemption.js';
import { commandLine } from '../../../src/domain/audit.js';
import { newId } from '../../../src/domain/ids.js';
import { expectStatus, type GivenPartner } from '../../harness.js';
import { type Karat, startKarat } from '../../karat.js';
import { eventually, finalize, usualPrice } from '../../karat-chain.js';
import { addressesOf, advance, givenRedemption, tola } from '../../redeeming.js';

let r: Karat;
let globex: GivenPartner;

beforeAll(async () => {
  r = await startKarat({ redeems: true, indexes: true });
  globex = await r.service.givenPartner({ name: 'Globex' });
});
afterAll(() => r.stop());

const error = (status: number, code: string, message: string, field?: string) => ({
  status,
  body: { error: code, message: expect.stringContaining(message), ...(field ? { field } : {}) },
});

const figures = {
  spot_price_usd: 4_100.12,
  gold_value_usd: 1_537.545,
  fee_usd: 23.063175,
  total_usd: 1_560.608175,
  tokens_required: '0.380625',
};

describe('a quote', () => {
  test('a quote has the exact cost of the gold, and a transaction that only the user has to sign', async () => {
    const { id, transaction, response } = await r.redemptions.quoted();
    expect(response.body).toEqual({
      redemption_id: expect.stringMatching(/^red_[0-9a-f-]{36}$/),
      quote: { denomination: '1 tola bar', weight_g: 11.6638038, ...figures },
      partially_signed_transaction: expect.any(String),
      expires_at: expect.stringMatching(/^20\d\d-.*Z$/),
      last_valid_block_height: expect.any(Number),
    });
    const lifeMs = Date.parse(response.body.expires_at) - r.chain.clock.now();
    expect(lifeMs).toBeGreaterThan(30_000);
    expect(lifeMs).toBeLessThanOrEqual(60_000);
    const read = readLegacyTransaction(transaction);
    expect(read.signatures).toHaveLength(2);
    expect(addressesOf(transaction).slice(0, 2)).toEqual([r.chain.service.address, r.user.wallet.address]);
    expect(Buffer.from(read.instructions[2]?.data ?? []).toString()).toBe(`karat|1|redeem|${id}|380625`);
  });

  test('a quote is recorded as quoted, with what its landing is known by, and is not visible', async () => {
    const { id, transaction, response } = await r.redemptions.quoted();
    const [own = new Uint8Array()] = readLegacyTransaction(transaction).signatures;
    expect(await r.redemptions.row(id)).toMatchObject({
      status: 'quoted',
      partnerId: r.partner.partnerId,
      userId: r.user.id,
      denominationId: tola.id,
      tokensRequired: 380_625n,
      userWallet: r.user.wallet.address,
      escrowAccount: r.chain.addresses.escrowGold,
      quoteTxSignature: getBase58Decoder().decode(own),
      lastValidBlockHeight: BigInt(response.body.last_valid_block_height),
      txSignature: null,
    });
    expect(await r.redemptions.moves(id)).toEqual([' > quoted by key']);
    expect(await r.redemptions.get(id)).toMatchObject(error(404, 'redemption_not_found', id));
    const { body } = expectStatus(await r.partner.client.get('/v1/redemptions'), 200);
    expect(body.redemptions.map((one: { redemption_id: string }) => one.redemption_id)).not.toContain(id);
  });

  test('a quote takes the city in any case, and every figure from the denomination and the partner', async () => {
    const lahore = { denomination_id: 'pk_g_10', city: 'LAHORE' };
    expect(expectStatus(await r.redemptions.quote(lahore), 201).body.quote).toEqual({
      denomination: '10 g bar',
      weight_g: 10,
      spot_price_usd: 4_100.12,
      gold_value_usd: 1_318.21919,
      fee_usd: 19.773288,
      total_usd: 1_337.992478,
      tokens_required: '0.326330',
    });
  });

  test('a quote needs neither a wallet nor an integrator of the partner', async () => {
    const bare = await r.service.givenPartner({ walletStatus: 'revoked' });
    const user = await r.service.givenUser(bare.partnerId);
    expectStatus(await r.redemptions.quote({ service_user_id: user.id }, bare.client), 201);
  });

  test('a quote is refused while 500 of the partner can still be submitted, and never because of others', async () => {
    const busy = await r.service.givenPartner();
    const user = await r.service.givenUser(busy.partnerId);
    const quote = () => r.redemptions.quote({ service_user_id: user.id }, busy.client);
    expectStatus(await quote(), 201);
    const { sql } = r.service.ctx;
    await sql`
      insert into redemptions
      select (jsonb_populate_record(redemptions, jsonb_build_object(
        'id', gen_random_uuid(), 'quote_tx_signature', '\\x' || repeat(md5(number::text), 4)))).*
      from redemptions, generate_series(1, 498) as number where partner_id = ${busy.partnerId}`;
    expectStatus(await quote(), 201);
    expect(expectStatus(await quote(), 429)).toMatchObject({
      headers: { 'retry-after': '30' },
      body: { error: 'rate_limited' },
    });
    expectStatus(await r.redemptions.quote(), 201);
    await sql`
      update redemptions set last_valid_block_height = last_valid_block_height - 150 where partner_id = ${busy.partnerId}`;
    expectStatus(await quote(), 201);
  });

  test.each([
    [
      'no user',
      { service_user_id: undefined },
      error(400, 'invalid_request', 'is required', 'service_user_id'),
    ],
    [
      'no denomination',
      { denomination_id: undefined },
      error(400, 'invalid_request', 'is required', 'denomination_id'),
    ],
    ['no city', { city: undefined }, error(400, 'invalid_request', 'is required', 'city')],
    ['an empty city', { city: '' }, error(400, 'invalid_request', 'must not be empty', 'city')],
    ['a city that is no text', { city: 7 }, error(400, 'invalid_request', 'must be text', 'city')],
    [
      'an unknown user',
      { service_user_id: newId('gu') },
      error(404, 'user_not_found', 'There is no user gu_'),
    ],
    ['a malformed user', { service_user_id: 'gu_1' }, error(404, 'user_not_found', 'There is no user gu_1')],
    [
      'an unknown denomination',
      { denomination_id: 'pk_none' },
      error(400, 'invalid_denomination', 'no denomination', 'denomination_id'),
    ],
    [
      'an inactive denomination',
      { denomination_id: 'pk_old' },
      error(400, 'invalid_denomination', 'or it is no longer offered', 'denomination_id'),
    ],
    [
      'a denomination that cannot be written',
      { denomination_id: 'a\u0000b' },
      error(400, 'invalid_denomination', 'no denomination', 'denomination_id'),
    ],
    ['another city', { city: 'Lahore' }, error(400, 'invalid_city', 'picked up in Karachi', 'city')],
    ['a city with a blank', { city: 'Karachi ' }, error(400, 'invalid_city', 'picked up in Karachi', 'city')],
  ])('a quote with %s is refused', async (_, body, expected) => {
    expect(await r.redemptions.quote(body)).toMatchObject(expected);
  });

  test('a quote is refused for a user who may not redeem, before anything else about it is looked at', async () => {
    const { partnerId } = r.partner;
    const foreign = await r.service.givenUser(globex.partnerId, { status: 'suspended' });
    const basic = await r.service.givenUser(partnerId, { kycLevel: 'basic' });
    const none = await r.service.givenUser(partnerId, { kyc: false });
    const suspended = await r.service.givenUser(partnerId, { status: 'suspended' });
    const wrong = { denomination_id: 'pk_none', city: 'Paris' };
    const requested = (user: { id: string }) => r.redemptions.quote({ service_user_id: user.id, ...wrong });
    expect(await requested(foreign)).toMatchObject(error(403, 'partner_mismatch', 'another partner'));
    expect(await requested(basic)).toMatchObject(error(400, 'kyc_level_insufficient', 'not full'));
    expect(await requested(none)).toMatchObject(error(400, 'kyc_level_insufficient', 'not full'));
    expect(await requested(suspended)).toMatchObject(error(403, 'user_suspended', 'suspended'));
  });

  test('a quote waits for an erasure of the user under way, and is refused then', async () => {
    const { ctx, givenUser } = r.service;
    const { partnerId } = r.partner;
    const user = await givenUser(partnerId);
    const [row] = await ctx.sql`select partner_user_id from users where 'gu_' || id = ${user.id}`;
    let quoting: ReturnType<typeof r.redemptions.quote> | undefined;
    await inChange(ctx, commandLine, async (change) => {
      await eraseUser(change, { partnerId, partnerUserId: row?.partner_user_id });
      quoting = r.redemptions.quote({ service_user_id: user.id });
      await eventually(async () => {
        const waiting = await ctx.sql`select 1 from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query ~ 'redemptions'`;
        expect(waiting).toHaveLength(1);
      }, 10_000);
    });
    expect(await quoting).toMatchObject(error(400, 'kyc_level_insufficient', 'not full'));
    expect(await ctx.sql`select 1 from redemptions where 'gu_' || user_id = ${user.id}`).toHaveLength(0);
  });

  test('a quote requested twice with one Idempotency-Key is one redemption, with one transaction', async () => {
    const body = { service_user_id: r.user.id, denomination_id: tola.id, city: tola.city };
    const header = { 'idempotency-key': newId('red') };
    const first = expectStatus(await r.partner.client.post('/v1/redemptions', body, header), 201);
    const again = await r.partner.client.post('/v1/redemptions', body, header);
    expect(again).toMatchObject({ status: 201, headers: { 'idempotency-replayed': 'true' } });
    expect(again.text).toBe(first.text);
    const other = { ...body, city: 'KARACHI' };
    expect(await r.partner.client.post('/v1/redemptions', other, header)).toMatchObject({
      status: 409,
      body: { error: 'idempotency_conflict' },
    });
  });

  test('a quote repeated with its Idempotency-Key after it expired is 409 quote_expired, with advice', async () => {
    const body = { service_user_id: r.user.id, denomination_id: tola.id, city: tola.city };
    const header = { 'idempotency-key': newId('red') };
    const repeat = () => r.partner.client.post('/v1/redemptions', body, header);
    const { redemption_id: id, expires_at: expiresAt } = expectStatus(await repeat(), 201).body;
    expect(await repeat()).toMatchObject({ status: 201, body: { redemption_id: id } });
    r.chain.node.warp({ slots: 400 });
    expect(r.chain.clock.now()).toBeGreaterThan(Date.parse(expiresAt));
    for (let at = 0; at < 2; at += 1) {
      const late = await repeat();
      expect(late.headers['idempotency-replayed']).toBeUndefined();
      expect(late).toMatchObject({
        status: 409,
        body: {
          error: 'idempotency_conflict',
          reason: 'quote_expired',
          message: `This Idempotency-Key got the quote of ${id}, whose transaction expired at ${expiresAt}. If it was not sent, request a new quote with a new key; GET /v1/operations/${id} says whether it was.`,
        },
      });
    }
    await r.ready();
  });

  test('a quote is refused while the price is stale, and possible again when it is not', async () => {
    const old = BigInt(r.chain.node.nowUnixSeconds()) - 3_600n;
    r.chain.price.set({ ...usualPrice, publishTimeSeconds: old });
    try {
      await eventually(async () => {
        expect(await r.redemptions.quote()).toMatchObject(error(503, 'pricing_unavailable', 'stale'));
      }, 10_000);
      expect(await r.redemptions.quote({ denomination_id: 'pk_none' })).toMatchObject({ status: 400 });
    } finally {
      r.chain.price.set(usualPrice);
    }
    await eventually(async () => expectStatus(await r.redemptions.quote(), 201), 10_000);
  });

  test('a quote is refused while redemptions are paused, and no other pause stops it', async () => {
    await r.chain.setStatus({ paused: 8 });
    await eventually(async () => {
      expect(await r.redemptions.quote()).toMatchObject(
        error(503, 'service_unavailable', 'Redemptions are paused.'),
      );
    }, 10_000);
    expect(await r.redemptions.quote({ denomination_id: 'pk_none' })).toMatchObject({ status: 400 });
    await r.chain.setStatus({ paused: 0b10111 });
    await eventually(async () => expectStatus(await r.redemptions.quote(), 201), 10_000);
    await r.chain.setStatus({ paused: 0 });
  });
});

describe('a redemption that the user pays', () => {
  test('a redemption that the user pays moves the tokens into escrow and becomes submitted by the indexer alone', async () => {
    const before = await r.redemptions.gold();
    const { id, transaction } = await r.redemptions.quoted();
    const signed = r.signed(transaction);
    const sent = expectStatus(await r.redemptions.submit(id, signed), 200);
    expect(sent.body).toEqual({ redemption_id: id, tx_hash: (await r.redemptions.row(id)).quoteTxSignature });
    const record = await r.redemptions.visible(id);
    expect(record).toEqual({
      redemption_id: id,
      status: 'submitted',
      denomination: '1 tola bar',
      weight_g: 11.6638038,
      city: 'Karachi',
      quote: figures,
      submitted_tx_hash: sent.body.tx_hash,
      cancellation_reason: null,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    });
    const after = await r.redemptions.gold();
    expect(before.user - after.user).toBe(380_625n);
    expect(after.escrow - before.escrow).toBe(380_625n);
    expect(await r.redemptions.moves(id)).toEqual([' > quoted by key', 'quoted > submitted by indexer']);
    const units = (await landed(sent.body.tx_hash))?.meta?.computeUnitsConsumed ?? 0n;
    console.log(`compute units of a redemption: ${units}`);
    expect(units).toBeGreaterThan(0n);
    expect(units).toBeLessThan((BigInt(redemptionComputeUnitLimit) * 2n) / 3n);
    // The same bytes again, after they landed and after their blockhash expired, are the same response.
    expect(await r.redemptions.submit(id, signed)).toMatchObject({ status: 200, body: sent.body });
    r.chain.node.warp({ seconds: 70 });
    expect(await r.redemptions.submit(id, signed)).toMatchObject({ status: 200, body: sent.body });
    expect((await r.redemptions.gold()).escrow).toBe(after.escrow);
    await eventually(async () => expectStatus(await r.redemptions.quote(), 201), 10_000);
  });

  test('a redemption that the user pays keeps its tokens in escrow when it is cancelled', async () => {
    const { id, transaction } = await r.redemptions.quoted();
    expectStatus(await r.redemptions.submit(id, r.signed(transaction)), 200);
    await r.redemptions.visible(id);
    const paid = await r.redemptions.gold();
    expectStatus(await r.partner.client.post(`/v1/redemptions/${id}/cancel`), 200);
    const step = {
      redemptionId: id,
      move: 'cancel',
      physicalGoldCommitted: false,
    } as const;
    await advance(r.service.ctx, step);
    expect((await r.redemptions.get(id)).body.status).toBe('cancelled');
    expect(await r.redemptions.gold()).toEqual(paid);
  });

  test('a redemption that the user pays may be sent straight to a node', async () => {
    const { id, transaction } = await r.redemptions.quoted();
    await r.chain.sendStraight(r.signed(transaction));
    expect(await r.redemptions.visible(id)).toMatchObject({ status: 'submitted' });
  });

  test('a redemption that the user pays and the chain refuses becomes failed, with the transaction and no gold moved', async () => {
    const poor = await r.service.givenUser(r.partner.partnerId);
    await r.chain.node.setTokenBalance(poor.wallet.address, r.chain.goldMint, 380_624n);
    const { id, transaction } = await r.redemptions.quoted({ service_user_id: poor.id });
    const signed = r.signed(transaction, poor.wallet);
    expect(await r.redemptions.submit(id, signed)).toMatchObject(
      error(400, 'broadcast_failed', 'so 0.000001 GOLD are missing'),
    );
    await r.chain.landed(await r.chain.sendStraight(signed));
    await finalize(r.chain, r.service.ctx);
    const record = await r.redemptions.visible(id);
    expect(record).toMatchObject({
      status: 'failed',
      submitted_tx_hash: (await r.redemptions.row(id)).quoteTxSignature,
      reason: 'insufficient_gold',
      program_error_name: 'InsufficientFunds',
      message: expect.stringContaining(`The wallet ${poor.wallet.address} holds 0.380624 GOLD`),
    });
    expect(await r.chain.balance(poor.wallet.address, r.chain.goldMint)).toBe(380_624n);
    expect(await r.redemptions.moves(id)).toEqual([' > quoted by key', 'quoted > failed by indexer']);
    expect(await r.partner.client.post(`/v1/redemptions/${id}/cancel`)).toMatchObject(
      error(400, 'cancellation_not_allowed', 'failed'),
    );
  });

  test('a redemption whose blockhash expired is refused in the words of the node', async () => {
    const { id, transaction } = await r.redemptions.quoted();
    const before = await r.redemptions.gold();
    r.chain.node.warp({ seconds: 61 });
    expect(await r.redemptions.submit(id, r.signed(transaction))).toMatchObject(
      error(400, 'broadcast_failed', 'Blockhash not found'),
    );
    expect(await r.redemptions.gold()).toEqual(before);
    await eventually(async () => expectStatus(await r.redemptions.quote(), 201), 10_000);
  });
});

describe('a submit', () => {
  test.each([
    ['nothing', {}, 'is required'],
    ['no text', { signed_tx: 5 }, 'must be text'],
    ['an empty text', { signed_tx: '' }, 'must be base64'],
    ['base58', { signed_tx: '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJ' }, 'must be base64'],
    ['white space', { signed_tx: 'AAAA AAAA' }, 'must be base64'],
    ['no padding', { signed_tx: 'AAA' }, 'must be base64'],
    ['URL-safe base64', { signed_tx: '-_-_' }, 'must be base64'],
  ])('a submit of %s is an invalid request', async (_, body, message) => {
    const { id } = await r.redemptions.quoted();
    expect(await r.partner.client.post(`/v1/redemptions/${id}/submit`, body)).toMatchObject(
      error(400, 'invalid_request', message, 'signed_tx'),
    );
  });

  test.each([
    ['an unknown id', () => newId('red')],
    ['a malformed id', () => 'red_1'],
    ['another prefix', () => newId('trd')],
  ])('a submit of %s is not found', async (_, id) => {
    const { transaction } = await r.redemptions.quoted();
    expect(await r.redemptions.submit(id(), r.signed(transaction))).toMatchObject(
      error(404, 'redemption_not_found', 'There is no redemption'),
    );
  });

  test('a submit by another partner is refused, and nothing is sent', async () => {
    const { id, transaction } = await r.redemptions.quoted();
    const before = await r.redemptions.gold();
    expect(await r.redemptions.submit(id, r.signed(transaction), globex.client)).toMatchObject(
      error(403, 'partner_mismatch', 'another partner'),
    );
    expect(await r.redemptions.gold()).toEqual(before);
  });

  test('a submit of the transaction of another redemption is refused, naming both', async () => {
    const [one, other] = [await r.redemptions.quoted(), await r.redemptions.quoted()];
    expect(await r.redemptions.submit(one.id, r.signed(other.transaction))).toMatchObject(
      error(400, 'broadcast_failed', `It belongs to ${other.id}, not to ${one.id}.`),
    );
  });

  test('a submit while the node does not respond is not available, and works again later', async () => {
    const { id, transaction } = await r.redemptions.quoted();
    await r.chain.injectFault({ method: 'sendTransaction', mode: 'error', times: 1 });
    expect(await r.redemptions.submit(id, r.signed(transaction))).toMatchObject(
      error(503, 'service_unavailable', 'send the same signed_tx again'),
    );
    expectStatus(await r.redemptions.submit(id, r.signed(transaction)), 200);
    expect(await r.redemptions.visible(id)).toMatchObject({ status: 'submitted' });
  });
});

test('a redemption of another partner is 403 to get and to cancel, quoted or not', async () => {
  const quoted = await givenRedemption(r.service, r, { status: 'quoted', lastValidBlockHeight: 10n ** 12n });
  const submitted = await givenRedemption(r.service, r, { status: 'submitted' });
  for (const id of [quoted, submitted]) {
    const refused = error(403, 'partner_mismatch', 'another partner');
    expect(await r.redemptions.get(id, globex.client)).toMatchObject(refused);
    expect(await globex.client.post(`/v1/redemptions/${id}/cancel`)).toMatchObject(refused);
  }
  expect(await r.redemptions.get(quoted)).toMatchObject(error(404, 'redemption_not_found', quoted));
});

function landed(txHash: string) {
  const options = { commitment: 'confirmed', encoding: 'json', maxSupportedTransactionVersion: 0 } as const;
  return createSolanaRpc(r.chain.node.rpcUrl)
    .getTransaction(txHash as Signature, options)
    .send();
}

/** Straight to the node and without its checks, so that also what fails lands. */

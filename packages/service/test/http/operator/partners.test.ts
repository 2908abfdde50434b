import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { harness, newAddress, newWallet, type Wallet } from '../../harness.js';
import { type Karat, startKarat } from '../../karat.js';
import { eventually } from '../../karat-chain.js';
import { changesOf, type Operators, operatorBase, send, startOperators } from '../../operators.js';

let r: Karat;
let operators: Operators;
beforeAll(async () => {
  r = await startKarat({ redeems: true });
  operators = await startOperators(r.service);
});
afterAll(async () => {
  await operators.close();
  await r.stop();
});

const admin = () => operators.by.admin.client;
const read = (path: string) => operators.by.viewer.client.get(`${operatorBase}${path}`);
const unknownId = '019ca945-0a00-7c3e-9d61-4b8f2a7e5c10';

let partners = 0;
/** A partner that was taken on by an admin, with one wallet. */
async function takenOn(wallet: Wallet = newWallet()) {
  partners += 1;
  const body = { name: `Partner ${partners}`, fee_percentage: 0.015, wallet_address: wallet.address };
  const response = await send(admin(), 'POST', '/partners', body);
  expect(response.status).toBe(201);
  return { id: response.body.partner_id as string, wallet, body: response.body };
}

/** The two steps of making a key; the second one only if the first succeeds. */
async function mint(partner: { id: string; wallet: Wallet }) {
  return r.service.mintKey({ partnerId: partner.id as never, wallet: partner.wallet });
}

describe('taking partners on', () => {
  test('a new partner is active, not on chain, and its wallet makes a key at once', async () => {
    const partner = await takenOn();
    expect(partner.body).toEqual({
      partner_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: `Partner ${partners}`,
      status: 'active',
      fee_percentage: 0.015,
      fee_budget_lamports_per_hour: 500_000_000,
      min_trade_usdc: 0,
      wallets: [
        {
          wallet_address: partner.wallet.address,
          status: 'active',
          created_at: partner.body.created_at,
          revoked_at: null,
        },
      ],
      onchain: null,
      created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      updated_at: partner.body.created_at,
    });
    expect(await read(`/partners/${partner.id}`)).toMatchObject({ status: 200, body: partner.body });
    expect((await mint(partner)).response.status).toBe(201);
    expect(await changesOf(r.service, 'partner', partner.id)).toEqual([
      {
        action: 'partner.create',
        before: null,
        after: {
          name: `Partner ${partners}`,
          status: 'active',
          fee_percentage: '0.015',
          fee_budget_lamports_per_hour: '500000000',
          min_trade_usdc: '0',
          wallets: [partner.wallet.address],
        },
        reason: null,
        operatorId: operators.by.admin.operatorId,
      },
    ]);
  });

  test('a partner without a wallet and with the least or the greatest fee is taken on', async () => {
    for (const fee of [0, 0.5, 0.000001]) {
      const response = await send(admin(), 'POST', '/partners', { name: 'No wallet', fee_percentage: fee });
      expect(response).toMatchObject({ status: 201, body: { wallets: [], fee_percentage: fee } });
      expect((await read(`/partners/${response.body.partner_id}`)).body.fee_percentage).toBe(fee);
    }
  });

  test.each([
    [{ name: '' }, 'invalid_request', 'name', 'must not be empty'],
    [{ name: ' \t' }, 'invalid_request', 'name', 'must not be blank'],
    [{ name: 'x'.repeat(256) }, 'invalid_request', 'name', 'at most 255'],
    [{ name: null }, 'invalid_request', 'name', 'must be text'],
    [{ fee_percentage: 0.5000001 }, 'invalid_request', 'fee_percentage', 'from 0 to 0.5'],
    [{ fee_percentage: 0.500001 }, 'invalid_request', 'fee_percentage', 'from 0 to 0.5'],
    [{ fee_percentage: 0.0000001 }, 'invalid_request', 'fee_percentage', 'at most 6 decimals'],
    [{ fee_percentage: -0.01 }, 'invalid_request', 'fee_percentage', 'from 0 to 0.5'],
    [
      { fee_percentage: '0.015' },
      'invalid_request',
      'fee_percentage',
      'must be a number, such as 0.015, not the text "0.015"',
    ],
    [{ fee_percentage: undefined }, 'invalid_request', 'fee_percentage', 'is required'],
    [{ wallet_address: 'nonsense' }, 'invalid_wallet', 'wallet_address', 'not a valid public key'],
    [{ wallet_address: '' }, 'invalid_request', 'wallet_address', 'must not be empty'],
    [{ status: 'suspended' }, 'invalid_request', 'status', 'is not a known field'],
    [{ partner_id: unknownId }, 'invalid_request', 'partner_id', 'is not a known field'],
    [{ role: 'admin' }, 'invalid_request', 'role', 'is not a known field'],
  ])('a partner with %j is refused', async (part, error, field, words) => {
    const body = { name: 'Acme', fee_percentage: 0.01, ...part };
    expect(await send(admin(), 'POST', '/partners', body)).toMatchObject({
      status: 400,
      body: { error, field, message: expect.stringContaining(words) },
    });
  });

  test('partners cannot use the keys of the service as wallets', async () => {
    const partner = await takenOn();
    for (const address of [r.chain.service.address, r.chain.admin.address, r.chain.guardian.address]) {
      const refusal = { status: 400, body: { error: 'invalid_wallet', field: 'wallet_address' } };
      const body = { name: 'House', fee_percentage: 0, wallet_address: address };
      expect(await send(admin(), 'POST', '/partners', body)).toMatchObject(refusal);
      const path = `/partners/${partner.id}/wallets`;
      expect(await send(admin(), 'POST', path, { wallet_address: address })).toMatchObject(refusal);
    }
  });

  test('a repeated request with an Idempotency-Key takes one partner on', async () => {
    const key = { 'idempotency-key': 'new-partner' };
    const body = { name: 'Once', fee_percentage: 0.01 };
    const first = await send(admin(), 'POST', '/partners', body, key);
    const again = await send(admin(), 'POST', '/partners', body, key);
    expect(again).toMatchObject({ status: 201, headers: { 'idempotency-replayed': 'true' } });
    expect(again.body).toEqual(first.body);
    expect(await send(admin(), 'POST', '/partners', { ...body, name: 'Twice' }, key)).toMatchObject({
      status: 409,
      body: { error: 'idempotency_conflict' },
    });
  });
});

describe('changing partners', () => {
  test('a new fee shows in the next redemption quote', async () => {
    const path = `/partners/${r.partner.partnerId}`;
    const { gold_value_usd: before, fee_usd: feeBefore } = (await r.redemptions.quoted()).response.body.quote;
    expect(feeBefore / before).toBeCloseTo(0.015, 6);
    const created = (await read(path)).body;
    const changed = await send(admin(), 'PATCH', path, { fee_percentage: 0.25 });
    expect(changed).toMatchObject({ status: 200, body: { fee_percentage: 0.25, name: created.name } });
    expect(changed.body.updated_at > created.updated_at).toBe(true);
    const { quote } = (await r.redemptions.quoted()).response.body;
    expect(quote.fee_usd / quote.gold_value_usd).toBeCloseTo(0.25, 6);
    expect(quote.tokens_required).toBe('0.468750');

    // Nothing changes, and nothing is written.
    const same = await send(admin(), 'PATCH', path, { fee_percentage: 0.25, name: created.name });
    expect(same.body).toEqual(changed.body);
    await send(admin(), 'PATCH', path, { fee_percentage: 0.015, name: 'Acme Gold Ltd' });
    const changes = await changesOf(r.service, 'partner', r.partner.partnerId);
    const usual = { status: 'active', fee_budget_lamports_per_hour: '500000000', min_trade_usdc: '0' };
    expect(changes.map(({ before: old, after }) => [old, after])).toEqual([
      [
        { ...usual, name: 'Acme Gold', fee_percentage: '0.015' },
        { ...usual, name: 'Acme Gold', fee_percentage: '0.25' },
      ],
      [
        { ...usual, name: 'Acme Gold', fee_percentage: '0.25' },
        { ...usual, name: 'Acme Gold Ltd', fee_percentage: '0.015' },
      ],
    ]);
  });

  test('terms that are no amounts are refused', async () => {
    const { id } = await takenOn();
    for (const [field, value] of [
      ['fee_budget_lamports_per_hour', -1],
      ['fee_budget_lamports_per_hour', 0.5],
      ['fee_budget_lamports_per_hour', 1_000_000_000_001],
      ['min_trade_usdc', -1],
      ['min_trade_usdc', 0.0000001],
      ['min_trade_usdc', '5'],
    ] as const)
      expect(await send(admin(), 'PATCH', `/partners/${id}`, { [field]: value })).toMatchObject({
        status: 400,
        body: { error: 'invalid_request', field },
      });
  });

  test('nothing but name and terms changes by PATCH', async () => {
    const partner = await takenOn();
    for (const field of ['status', 'wallets', 'partner_id', 'role', 'created_at', 'onchain']) {
      expect(await send(admin(), 'PATCH', `/partners/${partner.id}`, { [field]: 'suspended' })).toMatchObject(
        {
          status: 400,
          body: {
            error: 'invalid_request',
            field,
            message: expect.stringContaining(`${field} is not a known field; known are `),
          },
        },
      );
    }
    expect((await read(`/partners/${partner.id}`)).body).toEqual(partner.body);
  });

  test('concurrent changes of one partner are all kept, one after the other', async () => {
    const { id } = await takenOn();
    const other = (await operators.givenOperator('admin')).client;
    const responses = await Promise.all([
      send(admin(), 'PATCH', `/partners/${id}`, { fee_percentage: 0.1 }),
      send(other, 'PATCH', `/partners/${id}`, { name: 'Renamed' }),
      send(admin(), 'POST', `/partners/${id}/suspend`, { reason: 'Asked to' }),
    ]);
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await read(`/partners/${id}`)).body).toMatchObject({
      name: 'Renamed',
      fee_percentage: 0.1,
      status: 'suspended',
    });
    const changes = (await changesOf(r.service, 'partner', id)).slice(1);
    expect(changes).toHaveLength(3);
    changes.slice(1).forEach(({ before }, i) => {
      expect(before).toEqual(changes[i]?.after);
    });
  });
});

describe('suspending partners', () => {
  test('keys of a suspended partner are refused, none are made, and all is well again after it', async () => {
    const partner = await r.service.givenPartner();
    const [path, list] = [`/partners/${partner.partnerId}`, '/v1/users'];
    const suspended = await send(admin(), 'POST', `${path}/suspend`, { reason: 'Fraud, ticket 4711' });
    expect(suspended).toMatchObject({ status: 200, body: { status: 'suspended', name: 'Acme Gold' } });
    const refusal = { status: 403, body: { error: 'partner_suspended' } };
    expect(await partner.client.get(list)).toMatchObject(refusal);
    expect((await r.service.mintKey(partner)).response).toMatchObject(refusal);

    expect(await send(admin(), 'POST', `${path}/suspend`, { reason: 'Again' })).toMatchObject({
      status: 409,
      body: { error: 'transition_not_allowed', message: 'The partner is already suspended.' },
    });
    expect(await send(admin(), 'POST', `${path}/resume`)).toMatchObject({
      status: 200,
      body: { status: 'active' },
    });
    expect((await partner.client.get(list)).status).toBe(200);
    expect(await send(admin(), 'POST', `${path}/resume`, { reason: 'Again' })).toMatchObject({
      status: 409,
      body: { error: 'transition_not_allowed', message: 'The partner is already active.' },
    });
    const changes = await changesOf(r.service, 'partner', partner.partnerId);
    expect(changes.map(({ action, reason }) => [action, reason])).toEqual([
      ['partner.suspend', 'Fraud, ticket 4711'],
      ['partner.resume', null],
    ]);
  });

  test('exactly one of several concurrent suspensions of a partner happens', async () => {
    const { id } = await takenOn();
    const body = { reason: 'At once' };
    const responses = await Promise.all(
      [1, 2, 3, 4].map(() => send(admin(), 'POST', `/partners/${id}/suspend`, body)),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    expect(await changesOf(r.service, 'partner', id)).toHaveLength(2);
  });

  test.each([
    [undefined, undefined],
    [{}, 'reason'],
    [{ reason: '' }, 'reason'],
    [{ reason: 'x'.repeat(1_001) }, 'reason'],
    [{ reason: 'Fraud', status: 'active' }, 'status'],
  ])('a suspension with %j is refused', async (body, field) => {
    const response = await send(admin(), 'POST', `/partners/${r.partner.partnerId}/suspend`, body);
    expect(response).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    expect(response.body.field).toBe(field);
  });
});

describe('wallets', () => {
  test('a wallet makes keys until it is revoked, and its keys stop working with it', async () => {
    const partner = await takenOn();
    const second = newWallet();
    const path = `/partners/${partner.id}/wallets`;
    const added = await send(admin(), 'POST', path, { wallet_address: second.address });
    expect(added).toMatchObject({ status: 201 });
    expect(added.body).toEqual({
      partner_id: partner.id,
      wallet_address: second.address,
      status: 'active',
      created_at: expect.any(String),
      revoked_at: null,
    });
    const { response: minted } = await mint({ id: partner.id, wallet: second });
    expect(minted.status).toBe(201);
    const anonymous = r.service.anonymous;
    const withKey = { 'x-api-key': minted.body.api_key };
    const challengeBody = { wallet_address: second.address, partner_id: partner.id };
    const challenge = await anonymous.send({
      method: 'POST',
      url: '/v1/auth/challenge',
      remoteAddress: newAddress(),
      payload: challengeBody,
    });

    const revoked = await send(admin(), 'POST', `${path}/${second.address}/revoke`);
    expect(revoked).toMatchObject({
      status: 200,
      body: {
        wallet_address: second.address,
        status: 'revoked',
        revoked_at: expect.any(String),
        revoked_api_keys: [{ key_id: minted.body.key_id, key_name: expect.any(String), surface: 'partner' }],
      },
    });
    const refused = await anonymous.send({
      method: 'POST',
      url: '/v1/auth/challenge',
      remoteAddress: newAddress(),
      payload: challengeBody,
    });
    expect(refused).toMatchObject({ status: 400, body: { error: 'wallet_revoked' } });
    const late = await anonymous.send({
      method: 'POST',
      url: '/v1/auth/api-key',
      remoteAddress: newAddress(),
      payload: {
        challenge_id: challenge.body.challenge_id,
        signature: second.sign(challenge.body.message),
        key_name: 'too late',
      },
    });
    expect(late).toMatchObject({ status: 400, body: { error: 'wallet_revoked' } });
    expect((await anonymous.get('/v1/users', withKey)).status).toBe(401);
    expect((await changesOf(r.service, 'api_key', minted.body.key_id)).slice(-1)).toMatchObject([
      { action: 'api_key.revoke', after: { status: 'revoked' } },
    ]);
    const { response: other } = await mint(partner);
    expect(other.status).toBe(201);
    expect((await anonymous.get('/v1/users', { 'x-api-key': other.body.api_key })).status).toBe(200);

    expect(await send(admin(), 'POST', `${path}/${second.address}/revoke`)).toMatchObject({
      status: 400,
      body: { error: 'already_revoked', message: 'This wallet is already revoked.' },
    });
    const record = (await read(`/partners/${partner.id}`)).body;
    expect(record.wallets.map(({ status }: { status: string }) => status)).toEqual(['active', 'revoked']);
    expect(record.updated_at > partner.body.updated_at).toBe(true);
    const changes = await changesOf(r.service, 'partner', partner.id);
    const active = { wallet_address: second.address, status: 'active' };
    expect(changes.slice(1)).toMatchObject([
      { action: 'partner.add_wallet', before: null, after: active },
      { action: 'partner.revoke_wallet', before: active, after: { ...active, status: 'revoked' } },
    ]);
  });

  test("a wallet is one partner's for ever, revoked or not", async () => {
    const [first, second] = [await takenOn(), await takenOn()];
    const body = { wallet_address: first.wallet.address };
    const refusal = (words: string) => ({
      status: 409,
      body: {
        error: 'wallet_already_registered',
        field: 'wallet_address',
        message: `This wallet already belongs to partner ${first.id}${words}.`,
      },
    });
    const path = (id: string) => `/partners/${id}/wallets`;
    expect(await send(admin(), 'POST', path(second.id), body)).toMatchObject(refusal(''));
    expect(await send(admin(), 'POST', path(first.id), body)).toMatchObject(refusal(''));
    expect(
      await send(admin(), 'POST', '/partners', { name: 'Third', fee_percentage: 0, ...body }),
    ).toMatchObject(refusal(''));
    await send(admin(), 'POST', `${path(first.id)}/${first.wallet.address}/revoke`, { reason: 'Lost' });
    expect(await send(admin(), 'POST', path(first.id), body)).toMatchObject(refusal(', and is revoked'));

    const raced = newWallet().address;
    const responses = await Promise.all(
      [first, second].map(({ id }) => send(admin(), 'POST', path(id), { wallet_address: raced })),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409]);
  });

  test("another partner's wallet cannot be revoked, nor one that is not there", async () => {
    const [first, second] = [await takenOn(), await takenOn()];
    for (const address of [second.wallet.address, newWallet().address, 'nonsense', '%00']) {
      expect(await send(admin(), 'POST', `/partners/${first.id}/wallets/${address}/revoke`)).toMatchObject({
        status: 404,
        body: { error: 'wallet_not_found', message: 'This is not a wallet of this partner.' },
      });
    }
    const [wallet] = (await read(`/partners/${second.id}`)).body.wallets;
    expect(wallet.status).toBe('active');
  });
});

test('an unknown partner is not found, whatever is requested of it', async () => {
  for (const id of [unknownId, 'nonsense', '%00', '%F0%9F%92%A5']) {
    const wallet = newWallet().address;
    const responses = [
      await read(`/partners/${id}`),
      await send(admin(), 'PATCH', `/partners/${id}`, { name: 'Nobody' }),
      await send(admin(), 'POST', `/partners/${id}/suspend`, { reason: 'None' }),
      await send(admin(), 'POST', `/partners/${id}/resume`),
      await send(admin(), 'POST', `/partners/${id}/wallets`, { wallet_address: wallet }),
      await send(admin(), 'POST', `/partners/${id}/wallets/${wallet}/revoke`),
    ];
    for (const response of responses) {
      expect(response).toMatchObject({
        status: 404,
        body: { error: 'partner_not_found', message: 'There is no partner with this id.' },
      });
    }
  }
});

test('only admins change partners', async () => {
  const path = `/partners/${r.partner.partnerId}`;
  const wallet = newWallet().address;
  for (const role of ['viewer', 'fulfilment', 'compliance'] as const) {
    const { client } = operators.by[role];
    for (const response of [
      await send(client, 'POST', '/partners', { name: 'Mine', fee_percentage: 0 }),
      await send(client, 'PATCH', path, { fee_percentage: 0 }),
      await send(client, 'POST', `${path}/suspend`, { reason: 'I may not' }),
      await send(client, 'POST', `${path}/resume`),
      await send(client, 'POST', `${path}/wallets`, { wallet_address: wallet }),
      await send(client, 'POST', `${path}/wallets/${r.partner.wallet.address}/revoke`),
    ]) {
      expect(response).toMatchObject({ status: 403, body: { error: 'insufficient_scope' } });
    }
    expect((await client.get(`${operatorBase}${path}`)).status).toBe(200);
  }
});

test('the list of partners is newest first, filtered, and stable under what is added meanwhile', async () => {
  const ids = [await takenOn(), await takenOn(), await takenOn()].map(({ id }) => id);
  const idsOf = (page: { body: { partners: { partner_id: string }[] } }) =>
    page.body.partners.map(({ partner_id }) => partner_id);
  const first = await read('/partners?limit=2');
  expect(idsOf(first)).toEqual([ids[2], ids[1]]);
  expect(first.body.partners[0]).toEqual((await read(`/partners/${ids[2]}`)).body);
  await takenOn();
  const second = await read(`/partners?limit=2&cursor=${first.body.next_cursor}`);
  expect(idsOf(second)[0]).toBe(ids[0]);
  await send(admin(), 'POST', `/partners/${ids[0]}/suspend`, { reason: 'Listed' });
  expect(idsOf(await read('/partners?status=suspended'))[0]).toBe(ids[0]);
  expect(idsOf(await read('/partners?status=active'))).not.toContain(ids[0]);
  for (const query of ['status=', 'status=gone', 'limit=', 'limit=101', 'cursor=', 'cursor=x']) {
    expect(await read(`/partners?${query}`)).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', field: query.split('=')[0] },
    });
  }
});

describe('a partner as the chain has it', () => {
  test('a partner on chain shows its terms and what its vault holds', async () => {
    const { partnerId, wallet } = await r.service.givenPartner();
    expect((await read(`/partners/${partnerId}`)).body.onchain).toBeNull();
    const integrator = await r.chain.addPartner({ partnerId, wallet: wallet.address });
    const { onchain } = await eventually(async () => {
      const { body } = await read(`/partners/${partnerId}`);
      if (body.onchain === null) throw new Error('not on chain yet');
      return body;
    }, 10_000);
    expect(onchain).toEqual({
      integrator_address: integrator,
      central_vault_address: expect.any(String),
      terms_seq: 1,
      status: 'active',
      wallet_address: wallet.address,
      open_fee_bps: 50,
      closed_fee_bps: 100,
      daily_limit_usdc: 'none',
      daily_volume_usdc: 0,
      proposed_authorities: [],
      update_authority: wallet.address,
      withdrawal_authority: wallet.address,
      executive_authorities: [wallet.address],
      balances: { gold: 0, usdc: 0 },
    });
    const vault = onchain.central_vault_address;
    await r.chain.node.setTokenBalance(vault, r.chain.goldMint, 2_500_001n);
    await r.chain.node.setTokenBalance(vault, r.chain.usdcMint, 1_000_000_000_000n);
    const listed = (await read('/partners')).body.partners;
    const found = listed.find((each: { partner_id: string }) => each.partner_id === partnerId);
    expect(found.onchain.balances).toEqual({ gold: 2.500001, usdc: 1_000_000 });
    expect(listed.filter((each: { onchain: unknown }) => each.onchain !== null)).toHaveLength(2);
  });

  test('a partner is shown without the chain while the node is silent, and can be changed', async () => {
    const silent = await harness();
    const own = await startOperators(silent);
    try {
      const path = `/partners/${silent.main.partnerId}`;
      const found = await own.by.viewer.client.get(`${operatorBase}${path}`);
      expect(found.status).toBe(200);
      expect(found.body).not.toHaveProperty('onchain');
      expect(found.body.onchain_fault).toBe('The Solana node has not responded yet.');
      const [listed] = (await own.by.viewer.client.get(`${operatorBase}/partners`)).body.partners;
      expect(listed).toEqual(found.body);
      const suspended = await send(own.by.admin.client, 'POST', `${path}/suspend`, { reason: 'Fraud' });
      expect(suspended).toMatchObject({ status: 200, body: { status: 'suspended' } });
      expect(suspended.body).not.toHaveProperty('onchain');
    } finally {
      await own.close();
      await silent.close();
    }
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newWallet } from '../../harness.js';
import { type Karat, startKarat } from '../../karat.js';

let t: Karat;
beforeAll(async () => {
  t = await startKarat();
});
afterAll(() => t.stop());

const ignored = (response: { headers: Record<string, unknown> }) => response.headers['karat-ignored'];
const misspelt = (field: string, message: string) => ({
  status: 400,
  body: { error: 'invalid_request', field, message },
});

describe('null for an optional field', () => {
  test('null for an optional field is its absence, as generated clients write it', async () => {
    const nulls = { slippage_bps: null, min_gold_out: null, gold_amount: null };
    const [plain, quoted] = [await t.buy.quote(), await t.buy.quote(nulls)];
    expect([plain.status, quoted.status]).toEqual([200, 200]);
    expect(quoted.body.quote.min_gold_out).toBe(plain.body.quote.min_gold_out);
    expect(ignored(quoted)).toBeUndefined();
    const kyc = {
      ...{ country: 'PK', full_name: 'Ayesha Khan', kyc_provider: 'sumsub', kyc_level: 'full' },
      ...{ kyc_verified_at: '2026-02-27T09:30:00.000Z', kyc_data: null },
    };
    const user = { user_id: 'nulls', wallet_address: newWallet().address, kyc };
    const created = await t.partner.client.post('/v1/users', user);
    expect(created.status).toBe(201);
  });

  test('null for an optional field is the same request as its absence, for an Idempotency-Key', async () => {
    const user = {
      user_id: 'same',
      wallet_address: newWallet().address,
      kyc: {
        ...{ country: 'PK', full_name: 'Ayesha Khan', kyc_provider: 'sumsub', kyc_level: 'full' },
        kyc_verified_at: '2026-02-27T09:30:00.000Z',
      },
    };
    const key = { 'idempotency-key': 'absent' };
    const first = await t.partner.client.post('/v1/users', user, key);
    const again = await t.partner.client.post(
      '/v1/users',
      { ...user, kyc: { ...user.kyc, kyc_data: null } },
      key,
    );
    expect([again.status, again.body]).toEqual([201, first.body]);
  });

  test('null for a required field is refused', async () => {
    const response = await t.partner.client.post('/v1/buy', { service_user_id: null, usdc_amount: 1 });
    expect(response).toMatchObject({ status: 400, body: { field: 'service_user_id' } });
  });
});

describe('a field of a body', () => {
  test.each([
    ['slipage_bps', 'slippage_bps'],
    ['slippagebps', 'slippage_bps'],
    ['Slippage_Bps', 'slippage_bps'],
    ['min_gold', undefined],
    ['usdc_amounts', undefined],
    ['min_gold_uot', 'min_gold_out'],
  ])('a field %s is within two edits of %s, and refused by name', async (name, meant) => {
    const response = await t.buy.quote({ [name]: 50 });
    if (meant === undefined) expect([response.status, ignored(response)]).toEqual([200, name]);
    else {
      const message = `${name} is no field of this request; did you mean ${meant}?`;
      expect(response).toMatchObject(misspelt(name, message));
    }
  });

  test('an unknown field that stands for a required one is named, not the one that is missing', async () => {
    const body = { service_user_id: t.user.id, usdc_ammount: 100 };
    const message = 'usdc_ammount is no field of this request; did you mean usdc_amount?';
    expect(await t.partner.client.post('/v1/buy', body)).toMatchObject(misspelt('usdc_ammount', message));
  });

  test('an unknown field of a body is ignored, and named in the header; nothing unknown, no header', async () => {
    const more = { colour: 'blue', note: { deep: 1 }, 'a,b': 1, 'ü\n': 1 };
    const response = await t.buy.quote(more);
    expect([response.status, ignored(response)]).toEqual([200, 'colour,note,a%2Cb,%C3%BC%0A']);
    expect(ignored(await t.buy.quote())).toBeUndefined();
    const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`unknown_${n}`, n]));
    const long = await t.buy.quote(many);
    expect([long.status, String(ignored(long)).length]).toEqual([200, 1_003]);
  });

  test('a field next to the one that it resembles is ignored; within an object it is named by its path', async () => {
    const kyc = {
      country: 'PK',
      full_name: 'Ayesha Khan',
      kyc_provider: 'sumsub',
      kyc_level: 'full',
      kyc_verified_at: '2026-02-27T09:30:00.000Z',
      kyc_data: { id_types: 'x', anything: 1 },
    };
    const user = { user_id: 'u-1', wallet_address: t.user.wallet.address };
    const post = (body: object) => t.partner.client.post('/v1/users', body);
    const more = { county: 'Punjab', kyc_verified_by: 'Ana' };
    const extra = await post({ ...user, kyc: { ...kyc, ...more } });
    expect([extra.status, ignored(extra)]).toEqual([409, 'kyc.county,kyc.kyc_verified_by']);
    const { country, ...without } = kyc;
    const message = 'kyc.county is no field of this request; did you mean kyc.country?';
    expect(await post({ ...user, kyc: { ...without, county: country } })).toMatchObject(
      misspelt('kyc.county', message),
    );
    const taken = await post({ ...user, kyc: { ...kyc, nickname: 'x' } });
    expect([taken.status, ignored(taken)]).toEqual([409, 'kyc.nickname']);
    expect(ignored(await post({ ...user, kyc }))).toBeUndefined();
  });

  test('a field of fewer than four characters is never taken for another one', async () => {
    const response = await t.partner.client.post('/v1/users', { kyb: {} });
    expect(response).toMatchObject({ status: 400, body: { field: 'user_id' } });
    expect(ignored(response)).toBe('kyb');
  });

  test('an unknown field is no reason to look before the key is known', async () => {
    const response = await t.service.anonymous.post('/v1/buy', { slipage_bps: 1 });
    expect(response).toMatchObject({ status: 401, body: { error: 'unauthorized' } });
  });

  test('a field of a request that takes no body is ignored', async () => {
    const response = await t.partner.client.post(`/v1/partner/api-keys/${t.partner.partnerId}/revoke`, {
      a: 1,
    });
    expect([response.status, ignored(response)]).toEqual([404, 'a']);
  });
});

describe('a parameter of a query', () => {
  test('a list never ignores a parameter: one that is unknown is refused with those that the list takes', async () => {
    const get = (path: string) => t.partner.client.get(path);
    const typo = 'limits is no parameter of this request; did you mean limit?';
    expect(await get('/v1/trades?limits=5')).toMatchObject(misspelt('limits', typo));
    const known = 'service_user_id, user_id, side, status, created_from, created_to, cursor, limit';
    for (const name of ['page', 'offset', 'colour']) {
      const message = `${name} is no parameter of this request; it takes ${known}.`;
      expect(await get(`/v1/trades?limit=5&${name}=2`)).toMatchObject(misspelt(name, message));
    }
    const none = 'city is no parameter of this request; it takes none.';
    expect(await get('/v1/countries?city=Karachi')).toMatchObject(misspelt('city', none));
  });

  test('a request for one object ignores parameters, and names them in the header', async () => {
    const one = await t.partner.client.get('/v1/trades/trd_1?limit=5&x=1');
    expect([one.status, ignored(one)]).toEqual([404, 'limit,x']);
  });
});

test('the tradebook API does the same, in its envelope', async () => {
  const book = await startKarat();
  const treasury = await book.given.treasury();
  const estimate = (body: object) => treasury.executive.post('/api/trading/estimate/buy', body);
  const message = 'goldAmmount is no field of this request; did you mean goldAmount?';
  expect(await estimate({ goldAmmount: 1 })).toMatchObject({
    status: 400,
    body: { success: false, error: { code: 'invalid_request', field: 'goldAmmount', message } },
  });
  const response = await estimate({ goldAmount: 1, reference: 'x' });
  expect([response.status, ignored(response)]).toEqual([200, 'reference']);
  await book.stop();
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Karat, startKarat } from '../karat.js';

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

describe('a field of a body', () => {
  test.each([
    ['slipage_bps', 'slippage_bps'],
    ['slippagebps', 'slippage_bps'],
    ['Slippage_Bps', 'slippage_bps'],
    ['min_gold', undefined],
    ['min_gold_uot', 'min_gold_out'],
    ['usdc_amount_', 'usdc_amount'],
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

  test('a field within an object is named by its path; what is free holds anything', async () => {
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
    const typo = await post({ ...user, kyc: { ...kyc, ful_name: 'x' } });
    const message = 'kyc.ful_name is no field of this request; did you mean kyc.full_name?';
    expect(typo).toMatchObject(misspelt('kyc.ful_name', message));
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
  test('a parameter of a query is refused when it is misspelt, and ignored by name otherwise', async () => {
    const get = (query: string) => t.partner.client.get(`/v1/trades?${query}`);
    const message = 'limits is no parameter of this request; did you mean limit?';
    expect(await get('limits=5')).toMatchObject(misspelt('limits', message));
    const response = await get('limit=5&colour=blue&x=1');
    expect([response.status, ignored(response)]).toEqual([200, 'colour,x']);
    const one = await t.partner.client.get(`/v1/trades/trd_1?limit=5`);
    expect([one.status, ignored(one)]).toEqual([404, 'limit']);
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

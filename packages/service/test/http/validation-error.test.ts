import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Harness, harness } from '../harness.js';
import { type Operators, operatorBase, startOperators } from '../operators.js';
import { userBody } from './surfaces/world.js';

/** What callers read when a request violates its schema: what was sent, and what is expected. */

let h: Harness;
let operators: Operators;
beforeAll(async () => {
  h = await harness();
  operators = await startOperators(h);
});
afterAll(async () => {
  await operators?.close();
  await h?.close();
});

const quote = (body: object) => () => h.main.client.post('/v1/buy', { service_user_id: 'gu_x', ...body });
const user = (overrides: object, kyc?: object) => () =>
  h.main.client.post('/v1/users', userBody(overrides, kyc));
const get = (path: string) => () => h.main.client.get(path);
const partners = (body: object) => () => operators.by.admin.client.post(`${operatorBase}/partners`, body);

test.each([
  [quote({ usdc_amount: '100' }), 'usdc_amount must be a number, such as 100, not the text "100".'],
  [quote({ usdc_amount: true }), 'usdc_amount must be a number, such as 100, not true.'],
  [
    quote({ usdc_amount: 'x'.repeat(50) }),
    `usdc_amount must be a number, such as 100, not the text "${'x'.repeat(40)}…".`,
  ],
  [
    quote({ usdc_amount: 1, slippage_bps: 10_001 }),
    'slippage_bps must be a whole number from 0 to 10000, such as 50, not 10001.',
  ],
  [
    quote({ usdc_amount: 1, slippage_bps: 0.5 }),
    'slippage_bps must be a whole number from 0 to 10000, such as 50, not 0.5.',
  ],
  [user({ user_id: 5 }), 'user_id must be text, such as "customer-1042", not a number.'],
  [user({ user_id: '' }), 'user_id must not be empty; an example is "customer-1042".'],
  [user({}, { full_name: ' \u00a0' }), 'kyc.full_name must not be blank; an example is "Ayesha Khan".'],
  [
    user({}, { full_name: 'a\u001bb' }),
    'kyc.full_name contains the character U+001B, which is not allowed; an example is "Ayesha Khan".',
  ],
  [user({ user_id: '👑'.repeat(256) }), 'user_id must have at most 255 characters, not 256.'],
  [user({ user_id: undefined }), 'user_id is required: text, such as "customer-1042".'],
  [user({ kyc: ['PK'] }), 'kyc must be an object, not a list.'],
  [user({}, { country: 92 }), 'kyc.country must be text, such as "PK", not a number.'],
  [() => h.main.client.post('/v1/users', '[]'), 'The body must be a JSON object, not a list.'],
  [get('/v1/trades?side=BUY'), 'side must be one of buy, sell, not the text "BUY".'],
  [get('/v1/trades?limit=1&limit=2'), 'limit must be given only once.'],
  [
    partners({ name: 'Acme', fee_percentage: 0, wallets: [] }),
    'wallets is not a known field; known are name, fee_percentage, wallet_address.',
  ],
  [
    partners({ name: 'Acme', fee_percentage: 0, ['w'.repeat(50_000)]: [] }),
    `${'w'.repeat(200)} is not a known field; known are name, fee_percentage, wallet_address.`,
  ],
])('validation: case %# reports what was sent and what is expected', async (send, message) => {
  const response = await send();
  expect([response.status, response.body.message]).toEqual([400, message]);
});

test('validation: no value of a field that takes text is repeated, which may be a secret', async () => {
  const secret = 731_846;
  const { client } = operators.by.admin;
  const responses = [
    await client.post(`${operatorBase}/session`, { email: 'ops@karat.test', password: secret }),
    await client.post(`${operatorBase}/me/totp/confirm`, { totp_code: `${secret} ` }),
    await user({}, { kyc_data: `${secret}` })(),
  ];
  for (const { status, text } of responses) {
    expect(status, text).toBe(400);
    expect(text).not.toContain(String(secret));
  }
});

test.each([
  [user({ wallet_address: Buffer.alloc(32, 7).toString('base64') }), 'it is base64'],
  [user({ wallet_address: 'ab'.repeat(32) }), 'it is hexadecimal'],
  [user({ wallet_address: 'x' }), 'it is not base58 of 32 bytes'],
  [user({}, { kyc_verified_at: '0026-03-01T12:00:00Z' }), 'its year is 0026, before 1583'],
  [
    user({}, { kyc_verified_at: '2999-03-01T12:00:00Z' }),
    'must not be in the future: it is 2999-03-01T12:00:00.000Z',
  ],
  [user({}, { kyc_verified_at: '2026-03-01T12:00:00' }), 'it has no offset'],
  [user({}, { kyc_verified_at: '1772366400' }), 'it is Unix time'],
  [user({}, { kyc_verified_at: '2025-02-30T12:00:00Z' }), 'there is no such day or time'],
  [
    () => h.anonymous.post('/v1/auth/api-key', { challenge_id: 'ch_x', signature: 'AB=', key_name: 'k' }),
    'signature must be base64',
  ],
])('validation: case %# of a text in another form names the cause', async (send, cause) => {
  const { status, body } = await send();
  expect([status, body.message]).toEqual([400, expect.stringContaining(cause)]);
});

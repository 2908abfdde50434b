import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { redacted, redactMessage, redactRequest, redactResponse } from '../../src/domain/redaction.js';
import { cutBody, maxLoggedBodyBytes } from '../../src/domain/request-log.js';

const user = 'gu_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10';
const trade = 'trd_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10';
const wallet = '4YsDqq79zg6479MpoGXTrxKAs4rXppYLKR45qjDbWv6H';
const request = (body: unknown) => redactRequest(body, new Set());
const response = (body: unknown) => redactResponse(body, new Set());

test('redaction: a request for a quote is shown as it is', () => {
  const body = { service_user_id: user, usdc_amount: 100.5, slippage_bps: 50, min_gold_out: 0.024 };
  expect(request(body)).toEqual(body);
});

test('redaction: the KYC record, texts of people, transactions and signatures are hidden under their names', () => {
  expect(
    request({
      user_id: 'customer-1042',
      wallet_address: wallet,
      kyc: { full_name: 'Ayesha Khan', kyc_data: { id_number: '42101-1234567-1' } },
      signed_tx: 'AwAAAA==',
      signature: 'Zo4ryw6SAGXuWlwk',
      key_name: 'production',
      url: 'https://user:password@example.com/hook?token=1',
      city: 'Karachi',
    }),
  ).toEqual({
    user_id: redacted,
    wallet_address: wallet,
    kyc: redacted,
    signed_tx: redacted,
    signature: redacted,
    key_name: redacted,
    url: redacted,
    city: redacted,
  });
  expect(
    response({
      endpoint_id: user,
      secret: 'whsec_aaaa',
      api_key: 'service_partner_0',
      pickup_code: '04711338',
    }),
  ).toEqual({ endpoint_id: user, secret: redacted, api_key: redacted, pickup_code: redacted });
});

test.each([
  ['another letter case', { KYC: { full_name: 'Ayesha' }, Signature: 'abc', USDC_AMOUNT: '1234' }],
  ['camelCase', { signedTransaction: 'AwAA', fullName: 'Ayesha', apiKey: 'k' }],
  ['a known field with a value of another form', { usdc_amount: '12345678', service_user_id: 'Ayesha' }],
  ['a known field with an object', { service_user_id: { $: 'Ayesha' }, usdc_amount: { a: 'Ayesha' } }],
  ['a list at the top', [{ kyc: 'Ayesha' }, 'Ayesha', ['Ayesha']]],
  ['a text at the top', 'Ayesha'],
  ['lists within lists', { types: [['Ayesha'], { x: 'Ayesha' }], add: [['Ayesha']] }],
  ['an unknown object with known fields', { wrapped: { service_user_id: 'Ayesha', note: 'Ayesha' } }],
  ['the name of a field', { 'Ayesha Khan': 1, constructor: 'Ayesha', toString: 'Ayesha' }],
])('redaction: %s hides what it holds', (_name, body) => {
  for (const shown of [request(body), response(body)])
    expect(JSON.stringify(shown)).not.toMatch(/Ayesha|1234|AwAA|"k"|abc/);
});

test('redaction: a misspelt name is shown, and its value is not', () => {
  expect(request({ usdc_amuont: 100, hunter2hunter2: 1 })).toEqual({
    usdc_amuont: redacted,
    [redacted]: redacted,
  });
});

test('redaction: an error is shown with its message, without the host of its page', () => {
  const error = {
    error: 'limit_exceeded',
    message: 'The user may move 1000 USDC in 24 hours and moved 990; this moves up to 20.',
    reason: 'limit_exceeded',
    doc_url: 'https://api.example.com/reasons/limit_exceeded',
    details: { limit: 'user_daily_usdc', amount: 1000, available_at: '2026-03-01T12:00:00.000Z' },
  };
  expect(response(error)).toEqual({ ...error, doc_url: '/reasons/limit_exceeded' });
  const message = `trade ${trade} of ${wallet} is not a trade; known are service_user_id, usdc_amount.`;
  expect(redactMessage(message, new Set())).toBe(message);
});

test('redaction: a message quotes nothing that is hidden of its request, whole or cut', () => {
  const long = 'correct horse battery staple and a long tail behind it';
  const hidden = new Set<string>();
  redactRequest(
    { usdc_amount: 'hunter2 "quoted"', gold_amount: long, 'my secret name': 1, pin: 482910 },
    hidden,
  );
  const quoted = `usdc_amount must be a number, not the text ${JSON.stringify('hunter2 "quoted"')}, or "${long.slice(0, 40)}…"; my secret name is not a known field; not 482910.`;
  expect(redactMessage(quoted, hidden)).toBe(
    `usdc_amount must be a number, not the text "${redacted}", or "${redacted}…"; ${redacted} is not a known field; not ${redacted}.`,
  );
  expect(redactMessage(`The key ${'0a'.repeat(32)} is unknown.`, new Set())).toBe(
    `The key ${redacted} is unknown.`,
  );
});

test('redaction: a message quotes no part of an address that is hidden', () => {
  const hidden = new Set<string>();
  redactRequest({ url: 'https://anna:secret-word@hooks.internal.example/path/of/tenant?token=abc' }, hidden);
  const message = 'url hooks.internal.example is private: anna, secret-word, /path/of/tenant, ?token=abc';
  expect(redactMessage(message, hidden)).toBe(
    `url ${redacted} is private: ${redacted}, ${redacted}, ${redacted}, ${redacted}`,
  );
});

test('redaction: the largest body of unknown names takes less than a fifth of a second', () => {
  const names = (from: number) =>
    Object.fromEntries(Array.from({ length: 1_200 }, (_, at) => [`usdc_amoun${from + at}`, `value ${at}`]));
  const body = { ...names(0), kyc: names(1_200) };
  expect(JSON.stringify(body).length).toBeGreaterThan(64 * 1024);
  const begun = process.cpuUsage();
  const hidden = new Set<string>();
  redactRequest(body, hidden);
  redactMessage('usdc_amount must be a number.'.repeat(20), hidden);
  const { user: micros } = process.cpuUsage(begun);
  expect(micros / 1_000).toBeLessThan(200);
});

test('a body that is too long is cut between two characters', () => {
  for (const character of ['a', 'é', '金', '🪙']) {
    const cut = cutBody(character.repeat(maxLoggedBodyBytes + 1));
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(maxLoggedBodyBytes);
    expect(Buffer.byteLength(cut)).toBeGreaterThan(maxLoggedBodyBytes - 8);
    expect(cut.replaceAll(character, '')).toBe('…');
    const whole = character.repeat(maxLoggedBodyBytes / Buffer.byteLength(character));
    expect(cutBody(whole)).toBe(whole);
  }
});

/** What must never be seen: of the forms that Karat's secrets have, and passwords. */
const secrets = fc.constantFrom(
  () => `service_partner_${randomBytes(32).toString('hex')}`,
  () => `karat_operator_${randomBytes(32).toString('hex')}`,
  () => `whsec_${randomBytes(24).toString('base64')}`,
  () => randomBytes(64).toString('base64'),
  () => String(10_000_000 + (randomBytes(4).readUInt32LE(0) % 89_999_999)),
  () => `a password of ${randomBytes(6).toString('hex')}`,
  () => randomBytes(8).toString('base64url'),
  () => `${randomBytes(3).toString('hex')}-${randomBytes(3).toString('hex')}`,
);
const knownNames = [
  ...[
    'service_user_id',
    'usdc_amount',
    'kyc',
    'types',
    'status',
    'message',
    'field',
    'quote',
    'data',
    'error',
  ],
  ...['details', 'url', 'signed_tx', 'secret', 'goldAmount', 'KYC', 'reason_', 'add', 'from', 'trade_id'],
];

/** A body with a secret in any place: under any name, as a name, deep in lists and objects, next to anything. */
const bodies = secrets.chain((make) => {
  const secret = make();
  const planted = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom<unknown>(
        secret,
        `before ${secret} behind`,
        secret.toUpperCase(),
        7,
        null,
        true,
        'text',
      ),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(
        fc.oneof(fc.constantFrom(...knownNames, secret), fc.string({ maxLength: 12 })),
        tie('value'),
        {
          maxKeys: 5,
        },
      ),
    ),
  })).value;
  return fc.tuple(fc.constant(secret), planted);
});

test('redaction: no secret that is planted anywhere in a body survives, nor does it in the report about the body', () => {
  fc.assert(
    fc.property(bodies, fc.string({ maxLength: 30 }), ([secret, body], text) => {
      const hidden = new Set<string>();
      const shown = JSON.stringify(redactRequest({ body: secret, ...{ more: body } }, hidden));
      const message = `${text} ${secret} ${JSON.stringify(secret.slice(0, 40))}… ${text}`;
      const answered = JSON.stringify(
        redactResponse({ error: 'invalid_request', message, field: secret }, hidden),
      );
      const echoed = JSON.stringify(redactResponse(body, hidden));
      const whole = JSON.stringify(redactRequest(body, hidden));
      for (const stored of [shown, answered, whole]) {
        expect(stored).not.toContain(secret);
        expect(stored).not.toContain(secret.toUpperCase());
      }
      expect(echoed).not.toContain(secret);
    }),
    { numRuns: 2_000 },
  );
});

test('redaction: of the values of a request nothing is shown but identifiers, addresses, amounts, moments and known words', () => {
  const form =
    /^(?:\[redacted\]|(?:[a-z]{2,3}_)?[0-9a-f-]{36}|[1-9A-HJ-NP-Za-km-z]{32,44}|\d{4}-\d\d-\d\dT.*|GOLD|USDC|active|disabled|[a-z_]+\.[a-z_]+)$/i;
  fc.assert(
    fc.property(fc.anything({ maxDepth: 4 }), fc.constantFrom(...knownNames), (value, name) => {
      const stack: unknown[] = [redactRequest({ [name]: value }, new Set())];
      for (let part = stack.pop(); part !== undefined; part = stack.pop()) {
        if (typeof part === 'string') expect(part).toMatch(form);
        else if (typeof part === 'object' && part !== null) stack.push(...Object.values(part));
      }
    }),
    { numRuns: 1_000 },
  );
});

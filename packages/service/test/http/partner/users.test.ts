import { randomBytes } from 'node:crypto';
import { type Address, getProgramDerivedAddress } from '@solana/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { idTypePatterns } from '../../../src/db/schema.js';
import { cpuMsOf } from '../../cpu-time.js';
import { expectStatus, type Harness, harness, newWallet } from '../../harness.js';

let h: Harness;
beforeAll(async () => {
  h = await harness();
  await h.ctx.db.transaction((tx) =>
    tx.insert(idTypePatterns).values([
      { country: 'PK', idType: 'cnic', pattern: '[0-9]{5}-[0-9]{7}-[0-9]', example: '42101-1234567-1' },
      { country: 'PK', idType: 'evil', pattern: '(a+)+b' },
    ]),
  );
});
afterAll(() => h.close());

type Body = ReturnType<typeof newUser>;

function newUser(kyc: Record<string, unknown> = {}, rest: Record<string, unknown> = {}) {
  const fullName = `Ayesha Planted ${randomBytes(5).toString('hex')}`;
  const idNumber = `42101-${String(randomBytes(4).readUInt32BE()).padStart(10, '0').slice(-7)}-1`;
  h.secrets.add(fullName).add(idNumber);
  return {
    user_id: `user-${randomBytes(5).toString('hex')}`,
    wallet_address: newWallet().address as string,
    ...rest,
    kyc: {
      country: 'PK',
      full_name: fullName,
      kyc_provider: 'sumsub',
      kyc_level: 'full',
      kyc_verified_at: '2025-03-01T12:00:00+05:00',
      kyc_data: { id_type: 'cnic', id_number: idNumber } as Record<string, unknown>,
      ...kyc,
    },
  };
}

const create = (body: unknown) => h.partner.post('/v1/users', body);

describe('POST /v1/users', () => {
  test.each([
    ['turns the direction around', 'Ayesha \u202enahK'],
    ['isolates a direction', '\u2066Ayesha\u2069 Khan'],
    ['marks a direction', 'Ayesha\u200f Khan'],
    ['has no width', 'Aye\u200bsha Khan'],
    ['joins words', 'Aye\u2060sha Khan'],
    ['is a byte order mark', '\ufeffAyesha Khan'],
    ['joins letters that need none', 'Aye\u200dsha Khan'],
    ['fills', 'Ayesha\u3164 Khan'],
  ])('a name with a character that %s is refused', async (_, fullName) => {
    expect(await create(newUser({ full_name: fullName }))).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', field: 'kyc.full_name' },
    });
  });

  test.each(['\u0dc1\u0dca\u200d\u0dbb\u0dd3 Lanka', '\u0639\u0644\u06cc\u200c\u0631\u0636\u0627'])(
    'the name %s, whose script needs a joiner, is taken',
    async (fullName) => {
      expect((await create(newUser({ full_name: fullName }))).status).toBe(201);
    },
  );

  test('POST /v1/users registers a user, who can then be read with the KYC record', async () => {
    const body = newUser({
      kyc_data: { id_type: 'passport', id_number: 'X 1', note: ['ü👑\n', 1.5, null, true, {}] },
    });
    const response = await create(body);
    expect(response.status).toBe(201);
    expect(response.body).toEqual({
      service_user_id: expect.stringMatching(
        /^gu_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/,
      ),
      user_id: body.user_id,
      wallet_address: body.wallet_address,
      created_at: new Date(h.clock.now()).toISOString(),
    });
    const read = await h.partner.get(`/v1/users/${response.body.service_user_id}`);
    expect(read.status).toBe(200);
    expect(read.headers['cache-control']).toBe('no-store');
    expect(read.body).toEqual({
      ...response.body,
      status: 'active',
      kyc: { ...body.kyc, kyc_verified_at: '2025-03-01T07:00:00.000Z' },
    });
  });

  test('GET /v1/users has the country and level of a KYC record, and nothing else of it', async () => {
    const { body } = await create(newUser());
    const { users } = (await h.partner.get(`/v1/users?user_id=${body.user_id}`)).body;
    expect(users).toEqual([{ ...body, status: 'active', country: 'PK', kyc_level: 'full' }]);
    const byId = await h.partner.get(`/v1/users?service_user_id=${body.service_user_id}`);
    expect(byId.body.users).toEqual(users);
  });

  test('kyc_data may be absent, and is then absent in the response', async () => {
    const { kyc, ...rest } = newUser();
    const { kyc_data: _, ...required } = kyc;
    const { body } = await create({ ...rest, kyc: required });
    const read = await h.partner.get(`/v1/users/${body.service_user_id}`);
    expect(Object.keys(read.body.kyc)).not.toContain('kyc_data');
  });

  test('labels are kept as they are, up to their longest, counted in characters', async () => {
    const longest = '👑'.repeat(254);
    const body = newUser({ full_name: ` ${longest}` }, { user_id: `${longest}é` });
    h.secrets.add(longest);
    const response = await create(body);
    expect(response.status).toBe(201);
    const read = await h.partner.get(`/v1/users/${response.body.service_user_id}`);
    expect(read.body).toMatchObject({
      user_id: body.user_id,
      kyc: { full_name: body.kyc.full_name },
    });
  });

  test.each([
    ['blanks at both ends', ' Sum  Sub '],
    ['10,000 characters of two code units', '👑'.repeat(10_000)],
    ['lines and control characters', 'a\r\nb\tc\u001b\u0085\u2028'],
    ['nothing', ''],
    ['blanks alone', ' \u00a0 '],
    ['NUL', 'a\u0000b'],
    ['half of a surrogate pair', 'a\ud800b'],
    ['quotes, backslashes and markup', `"\\u0000'; <b>&amp;`],
    ['e with an accent in two ways', 'é e\u0301'],
  ])('kyc_provider is stored verbatim: %s', async (_, kyc_provider) => {
    const { service_user_id } = (await create(newUser({ kyc_provider }))).body;
    const read = await h.partner.get(`/v1/users/${service_user_id}`);
    expect(read.body.kyc.kyc_provider).toBe(kyc_provider);
  });

  test.each([
    ['a blank', ' '],
    ['tabs and line ends', 'a\tb\r\nc'],
    ['a control character', '\u001b\u0085'],
  ])('user_id is the partner’s own, any text: %s', async (_, text) => {
    const user_id = `${text}${randomBytes(5).toString('hex')}`;
    const { service_user_id } = expectStatus(await create(newUser({}, { user_id })), 201).body;
    expect((await h.partner.get(`/v1/users/${service_user_id}`)).body.user_id).toBe(user_id);
    const found = await h.partner.get(`/v1/users?user_id=${encodeURIComponent(user_id)}`);
    expect(found.body.users).toMatchObject([{ service_user_id }]);
  });

  test.each(['', 'a\u0000b', '\udfff'])('user_id %j is refused', async (user_id) => {
    expect(await create(newUser({}, { user_id }))).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', field: 'user_id' },
    });
  });

  test('unknown members are ignored', async () => {
    const response = await create({ ...newUser({ colour: 'red' }), extra: { a: 1 } });
    expect(response.status).toBe(201);
  });

  test.each(['DE', 'FR', 'fr', 'PAK', 'ZZ'])('country %s is not one of the active ones', async (country) => {
    expect(await create(newUser({ country }))).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', field: 'kyc.country' },
    });
  });

  test.each(['basic', 'FULL', 'full '])('kyc_level %j is not enough', async (kyc_level) => {
    expect(await create(newUser({ kyc_level }))).toMatchObject({
      status: 400,
      body: { error: 'kyc_level_insufficient' },
    });
  });

  // Each is 07:00 UTC on 1 March 2025, with what it has beyond whole minutes.
  test.each([
    ['2025-03-01T12:00:00+05:00', '00.000'],
    ['2025-03-01T12:00:00+0500', '00.000'],
    ['2025-03-01T12:00:00+05', '00.000'],
    ['2025-03-01T12:00+05:00', '00.000'],
    ['2025-03-01T12+05', '00.000'],
    ['20250301T120000+0500', '00.000'],
    ['20250301T1200+0500', '00.000'],
    ['20250301T12+05', '00.000'],
    ['20250301T070000Z', '00.000'],
    ['2025-060T07:00:00Z', '00.000'],
    ['2025060T070000Z', '00.000'],
    ['2025-W09-6T07:00:00Z', '00.000'],
    ['2025W096T070000Z', '00.000'],
    ['2025-02-28T19:30:00-11:30', '00.000'],
    ['2025-02-28T19:30:00−1130', '00.000'],
    ['2025-02-28T24:00:00-07:00', '00.000'],
    ['2025-03-01T07:00:05.123456789Z', '05.123'],
    ['2025-03-01T07:00:05,5Z', '05.500'],
    ['20250301T070005,29+0000', '05.290'],
    ['2025-03-01T07:00.5Z', '30.000'],
    ['2025-03-01T06,99Z', '-24'],
  ])('kyc_verified_at %s is a timestamp', async (kyc_verified_at, beyond) => {
    const { service_user_id } = expectStatus(await create(newUser({ kyc_verified_at })), 201).body;
    const { kyc } = (await h.partner.get(`/v1/users/${service_user_id}`)).body;
    const at = beyond === '-24' ? '2025-03-01T06:59:24.000Z' : `2025-03-01T07:00:${beyond}Z`;
    expect(kyc.kyc_verified_at).toBe(at);
  });

  test.each([
    ['2020-W53-7T00:00:00Z', '2021-01-03T00:00:00.000Z'],
    ['2024-366T00:00:00Z', '2024-12-31T00:00:00.000Z'],
    ['1583-01-01T00:00:00Z', '1583-01-01T00:00:00.000Z'],
    ['1583-W01-1T00:00:00+05:00', '1583-01-02T19:00:00.000Z'],
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
    ['2017-01-01T04:59:60.5+05:00', '2017-01-01T00:00:00.500Z'],
  ])('kyc_verified_at %s is at the edge of a year', async (kyc_verified_at, at) => {
    const { service_user_id } = expectStatus(await create(newUser({ kyc_verified_at })), 201).body;
    expect((await h.partner.get(`/v1/users/${service_user_id}`)).body.kyc.kyc_verified_at).toBe(at);
  });

  test.each([
    '2025-03-01',
    '2025-03-01T12:00:00',
    '2025-02-30T12:00:00Z',
    '2025-13-01T12:00:00Z',
    '2025-00-01T12:00:00Z',
    '2025-03-00T12:00:00Z',
    '2025-0301T12:00:00Z',
    '2025-03-01T24:00:01Z',
    '2025-03-01T25:00:00Z',
    '2025-03-01T12:60:00Z',
    '2025-03-01T12:00:60Z',
    '2025-03-01T12:0000Z',
    '2025-03-01T12:00:00+24:00',
    '2025-03-01T12:00:00+05:60',
    '2025-03-01T12:00:00+5',
    '2025-03-01T12:00:00.Z',
    '2025-03-01 12:00:00Z',
    '2025-03-01T12:00:00Z ',
    '2025-366T12:00:00Z',
    '2025-000T12:00:00Z',
    '2025-W53-1T12:00:00Z',
    '2025-W00-1T12:00:00Z',
    '2025-W09-8T12:00:00Z',
    '0000-01-01T00:00:00Z',
    '1582-12-31T23:59:59Z',
    '+012025-03-01T12:00:00Z',
    '1740830400',
    'yesterday',
    '',
  ])('kyc_verified_at %s is no timestamp', async (kyc_verified_at) => {
    expect(await create(newUser({ kyc_verified_at }))).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', field: 'kyc.kyc_verified_at' },
    });
  });

  test('kyc_verified_at may be five minutes ahead, not more', async () => {
    const at = (ms: number) => new Date(h.clock.now() + ms).toISOString();
    expect((await create(newUser({ kyc_verified_at: at(300_000) }))).status).toBe(201);
    expect(await create(newUser({ kyc_verified_at: at(300_001) }))).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', field: 'kyc.kyc_verified_at' },
    });
  });

  test('a wallet off the curve, too short or too long is no wallet', async () => {
    const [pda] = await getProgramDerivedAddress({
      programAddress: '11111111111111111111111111111111' as Address,
      seeds: ['x'],
    });
    const wallet = newWallet().address;
    for (const wallet_address of [
      pda,
      wallet.slice(0, 40),
      // A byte more, in front: one letter more at the end may still be 32 bytes, and those a wallet.
      `1${wallet}`,
      `0${wallet.slice(1)}`,
      ` ${wallet}`,
    ]) {
      expect(await create({ ...newUser(), wallet_address })).toMatchObject({
        status: 400,
        body: { error: 'invalid_wallet', field: 'wallet_address' },
      });
    }
  });

  test('id_number has to match what is registered for its country and type, as a whole', async () => {
    const withId = (id_type: unknown, id_number: unknown) =>
      create(newUser({ kyc_data: { id_type, id_number } }));
    expect((await withId('cnic', '42101-1234567-1')).status).toBe(201);
    for (const bad of [
      'x42101-1234567-1',
      '42101-1234567-12',
      '42101-1234567-1\n',
      '',
      42101,
      null,
      ['42101-1234567-1'],
    ]) {
      expect(await withId('cnic', bad)).toMatchObject({
        status: 400,
        body: { error: 'invalid_request', field: 'kyc.kyc_data.id_number' },
      });
    }
    for (const [idType, idNumber] of [
      ['passport', 'anything'],
      [17, 'anything'],
    ]) {
      expect((await withId(idType, idNumber)).status).toBe(201);
    }
    expect((await create(newUser({ kyc_data: { id_type: 'cnic' } }))).status).toBe(201);
    expect(
      (await create(newUser({ country: 'AE', kyc_data: { id_type: 'cnic', id_number: 'x' } }))).status,
    ).toBe(201);
  });

  test('id_type and country are compared without case, and the country is kept in capitals', async () => {
    const withId = (id_type: string, id_number: string) =>
      create(newUser({ country: 'pk', kyc_data: { id_type, id_number } }));
    expect((await withId('CNIC', 'x')).body.field).toBe('kyc.kyc_data.id_number');
    const { body } = await withId('CNIC', '42101-1234567-1');
    const read = await h.partner.get(`/v1/users/${body.service_user_id}`);
    expect(read.body.kyc).toMatchObject({ country: 'PK', kyc_data: { id_type: 'CNIC' } });
  });

  test('no pattern can hang the service', async () => {
    const ms = await cpuMsOf(async () => {
      const response = await create(
        newUser({ kyc_data: { id_type: 'evil', id_number: 'a'.repeat(20_000) } }),
      );
      expect(response.status).toBe(400);
    });
    // An engine that backtracks would not come to an end at all.
    expect(ms).toBeLessThan(5_000);
  });

  test.each([
    ['NUL in a text', { a: { b: ['x\u0000'] } }],
    ['NUL in a key', { a: { 'x\u0000': 1 } }],
    ['half of a surrogate pair', { a: '\udfff' }],
    ['60,000 letters', { a: 'x'.repeat(60_000) }],
  ])('kyc_data is stored as it came: %s', async (_name, kyc_data) => {
    const { service_user_id } = (await create(newUser({ kyc_data }))).body;
    const read = await h.partner.get(`/v1/users/${service_user_id}`);
    expect(read.body.kyc.kyc_data).toEqual(kyc_data);
  });

  test('kyc_data with a number that would not survive is refused', async () => {
    const text = JSON.stringify(newUser({ kyc_data: { a: '@' } })).replace('"@"', '1e309');
    expect(await create(text)).toMatchObject({ status: 400, body: { field: 'kyc.kyc_data.a' } });
  });
});

describe('a user that exists', () => {
  let existing: Body;
  let id: string;
  beforeAll(async () => {
    existing = newUser();
    id = (await create(existing)).body.service_user_id;
  });

  test('the same user_id again is 409 and names the user', async () => {
    const response = await create({ ...newUser(), user_id: existing.user_id });
    expect(response).toMatchObject({
      status: 409,
      body: { error: 'user_already_exists', field: 'user_id', service_user_id: id },
    });
  });

  test('the same wallet again is 409 and names the user', async () => {
    const response = await create({ ...newUser(), wallet_address: existing.wallet_address });
    expect(response).toMatchObject({
      status: 409,
      body: { error: 'user_already_exists', field: 'wallet_address', service_user_id: id },
    });
  });

  test('another partner learns nothing of the owner of a wallet, and may use the same user_id', async () => {
    const other = await h.givenPartner();
    const response = await other.client.post('/v1/users', {
      ...newUser(),
      wallet_address: existing.wallet_address,
    });
    expect(response).toMatchObject({ status: 409, body: { error: 'user_already_exists' } });
    expect(response.body.service_user_id).toBeUndefined();
    expect((await other.client.post('/v1/users', { ...newUser(), user_id: existing.user_id })).status).toBe(
      201,
    );
  });

  test('one registration raced by 20 requests registers one user', async () => {
    const body = newUser();
    const responses = await Promise.all(Array.from({ length: 20 }, () => create(body)));
    const created = responses.filter((response) => response.status === 201);
    expect(created).toHaveLength(1);
    const others = responses.filter((response) => response.status === 409);
    expect(others).toHaveLength(19);
    for (const response of others)
      expect(response.body.service_user_id).toBe(created[0]?.body.service_user_id);
  });

  test("another partner's user is 403, an unknown one 404", async () => {
    const other = await h.givenPartner();
    expect(await other.client.get(`/v1/users/${id}`)).toMatchObject({
      status: 403,
      body: { error: 'partner_mismatch' },
    });
    for (const unknown of ['gu_01890000-0000-7000-8000-000000000000', 'nonsense', `${id}%00`]) {
      expect(await h.partner.get(`/v1/users/${unknown}`)).toMatchObject({
        status: 404,
        body: { error: 'user_not_found' },
      });
    }
  });

  test('kyc is omitted where there is none', async () => {
    const user = await h.givenUser(h.main.partnerId, { kyc: false, status: 'suspended' });
    const read = await h.partner.get(`/v1/users/${user.id}`);
    expect(read.body).toEqual({
      service_user_id: user.id,
      user_id: user.partnerUserId,
      wallet_address: user.wallet.address,
      status: 'suspended',
      created_at: new Date(h.clock.now()).toISOString(),
    });
  });
});

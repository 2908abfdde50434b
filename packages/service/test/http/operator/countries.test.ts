import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyAuditLog } from '../../../src/actions/audit.js';
import { matchesIdPattern } from '../../../src/domain/id-pattern.js';
import { cpuMsOf } from '../../cpu-time.js';
import { type Harness, harness, newWallet } from '../../harness.js';
import { changesOf, type Operators, operatorBase, send, startOperators } from '../../operators.js';

let h: Harness;
let operators: Operators;
beforeAll(async () => {
  h = await harness();
  operators = await startOperators(h);
});
afterAll(async () => {
  await operators.close();
  await h.close();
});

const admin = () => operators.by.admin.client;
const list = (path: string) => operators.by.viewer.client.get(`${operatorBase}${path}`);

let users = 0;
/** Registers a user of a country, with an identity document's number if one is given. */
function register(country: string, idNumber?: string, idType = 'cnic') {
  users += 1;
  return h.partner.post('/v1/users', {
    user_id: `resident-${users}`,
    wallet_address: newWallet().address,
    kyc: {
      country,
      full_name: 'Ayesha Khan',
      kyc_provider: 'sumsub',
      kyc_level: 'full',
      kyc_verified_at: '2025-03-01T12:00:00Z',
      ...(idNumber === undefined ? {} : { kyc_data: { id_type: idType, id_number: idNumber } }),
    },
  });
}

test('a country is made, changed and closed, and its residents can be registered while it is active', async () => {
  expect(await register('TR')).toMatchObject({ status: 400, body: { field: 'kyc.country' } });
  const made = await send(admin(), 'PUT', '/countries/tr', { name: 'Turkey', active: true });
  expect(made).toMatchObject({ status: 200, body: { code: 'TR', name: 'Turkey', active: true } });
  expect(await register('TR')).toMatchObject({ status: 201 });

  await send(admin(), 'PUT', '/countries/TR', { name: 'Türkiye', active: true });
  const closed = await send(admin(), 'PUT', '/countries/TR', { name: 'Türkiye', active: false });
  expect(closed.body).toEqual({ code: 'TR', name: 'Türkiye', active: false });
  expect(await register('TR')).toMatchObject({
    status: 400,
    body: { error: 'invalid_request', field: 'kyc.country' },
  });

  // What is so already is no change.
  await send(admin(), 'PUT', '/countries/TR', { name: 'Türkiye', active: false });
  const { operatorId } = operators.by.admin;
  const [first, second, third] = [
    { code: 'TR', name: 'Turkey', active: true },
    { code: 'TR', name: 'Türkiye', active: true },
    { code: 'TR', name: 'Türkiye', active: false },
  ];
  expect(await changesOf(h, 'country', 'TR')).toEqual([
    { action: 'country.create', before: null, after: first, reason: null, operatorId },
    { action: 'country.change', before: first, after: second, reason: null, operatorId },
    { action: 'country.change', before: second, after: third, reason: null, operatorId },
  ]);
});

test.each([
  ['/countries/TUR', { name: 'Turkey', active: true }, 'code', 'alpha-2'],
  ['/countries/T1', { name: 'Turkey', active: true }, 'code', 'alpha-2'],
  ['/countries/US', { name: '', active: true }, 'name', 'must not be empty'],
  ['/countries/US', { name: ' ', active: true }, 'name', 'must not be blank'],
  ['/countries/US', { name: 'x'.repeat(101), active: true }, 'name', 'at most 100 characters'],
  ['/countries/US', { name: 'United States', active: 'true' }, 'active', 'must be true or false'],
  ['/countries/US', { name: 'United States' }, 'active', 'is required'],
  ['/countries/US', { name: 'United States', active: true, code: 'UK' }, 'code', 'not a known field'],
  ['/countries/US', { name: 'United States', active: true, role: 'admin' }, 'role', 'not a known field'],
  ['/countries/PK/id-types/x', { pattern: '(?=a)' }, 'pattern', 'invalid or unsupported Perl syntax'],
  ['/countries/PK/id-types/x', { pattern: '(a)\\1' }, 'pattern', 'invalid escape sequence'],
  ['/countries/PK/id-types/x', { pattern: '[a' }, 'pattern', 'missing closing ]'],
  ['/countries/PK/id-types/x', { pattern: 'a{1001}' }, 'pattern', 'invalid repeat count'],
  ['/countries/PK/id-types/x', { pattern: '(?:.?){999}' }, 'pattern', 'too large'],
  ['/countries/PK/id-types/x', { pattern: 'a'.repeat(501) }, 'pattern', 'at most 500 characters'],
  [`/countries/PK/id-types/${'x'.repeat(65)}`, { pattern: 'a' }, 'id_type', 'at most 64 characters'],
  ['/countries/PK/id-types/%00', { pattern: 'a' }, 'id_type', 'not allowed'],
])('PUT %s with %j is refused', async (path, body, field, words) => {
  expect(await send(admin(), 'PUT', path, body)).toMatchObject({
    status: 400,
    body: { error: 'invalid_request', field, message: expect.stringContaining(words) },
  });
});

test('only admins change countries and id types', async () => {
  for (const role of ['viewer', 'fulfilment', 'compliance'] as const) {
    const { client } = operators.by[role];
    for (const response of [
      await send(client, 'PUT', '/countries/US', { name: 'United States', active: true }),
      await send(client, 'PUT', '/countries/PK/id-types/cnic', { pattern: 'a' }),
      await send(client, 'DELETE', '/countries/PK/id-types/cnic'),
    ]) {
      expect(response).toMatchObject({ status: 403, body: { error: 'insufficient_scope' } });
    }
  }
});

test('a pattern is enforced from its registration to its removal', async () => {
  const pattern = '[0-9]{5}-[0-9]{7}-[0-9]|none';
  const example = '42101-1234567-1';
  const bad = await send(admin(), 'PUT', '/countries/pk/id-types/cnic', { pattern, example: '42101' });
  expect(bad).toMatchObject({ status: 400, body: { error: 'invalid_request', field: 'example' } });
  const put = await send(admin(), 'PUT', '/countries/pk/id-types/cnic', { pattern, example });
  expect(put).toMatchObject({ status: 200, body: { country: 'PK', id_type: 'cnic', pattern, example } });
  expect(await register('PK', '42101-1234567-1')).toMatchObject({ status: 201 });
  // The whole value has to match, whichever branch does.
  for (const wrong of ['42101-1234567-12', 'x42101-1234567-1', 'none!', '42101-1234567-1\n']) {
    expect(await register('PK', wrong)).toMatchObject({
      status: 400,
      body: {
        error: 'invalid_request',
        field: 'kyc.kyc_data.id_number',
        message: `kyc.kyc_data.id_number does not have the format of a cnic of PK, such as ${example}.`,
      },
    });
  }
  expect(await register('AE', 'anything')).toMatchObject({ status: 201 });

  await send(admin(), 'PUT', '/countries/PK/id-types/cnic', { pattern: '[A-Z]{2}' });
  expect(await register('PK', '42101-1234567-1')).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('it must match [A-Z]{2}.') },
  });
  const gone = await send(admin(), 'DELETE', '/countries/PK/id-types/cnic');
  expect(gone).toMatchObject({ status: 200, body: { id_type: 'cnic', pattern: '[A-Z]{2}' } });
  expect(await register('PK', '42101-1234567-1')).toMatchObject({ status: 201 });
  expect(await send(admin(), 'DELETE', '/countries/PK/id-types/cnic')).toMatchObject({
    status: 404,
    body: { error: 'not_found', message: 'There is no such id type for PK.' },
  });
  const changes = await changesOf(h, 'id_type', 'PK/cnic');
  expect(changes.map(({ action, before, after }) => [action, before?.pattern, after?.pattern])).toEqual([
    ['id_type.create', undefined, pattern],
    ['id_type.change', pattern, '[A-Z]{2}'],
    ['id_type.delete', '[A-Z]{2}', undefined],
  ]);
});

test('a pattern is put only where what it is to replace is as the admin saw it', async () => {
  const path = '/countries/AE/id-types/emirates_id';
  const put = (pattern: string, expected: object) => send(admin(), 'PUT', path, { pattern, expected });
  const changed = {
    status: 409,
    body: {
      error: 'transition_not_allowed',
      field: 'expected',
      message: expect.stringContaining('check it'),
    },
  };
  expect(await put('a+', { pattern: 'a' })).toMatchObject(changed);
  expect(await put('a+', {})).toMatchObject({ status: 200 });
  expect(await put('a*', {})).toMatchObject(changed);
  expect(await put('a*', { pattern: 'a' })).toMatchObject(changed);
  expect(await put('a*', { pattern: 'a+', example: 'a' })).toMatchObject(changed);
  expect(await put('a*', { pattern: 'a+' })).toMatchObject({ status: 200, body: { pattern: 'a*' } });
  // A repetition finds what it wants.
  expect(await put('a*', { pattern: 'a+' })).toMatchObject({ status: 200, body: { pattern: 'a*' } });
  expect(await changesOf(h, 'id_type', 'AE/emirates_id')).toMatchObject([
    { action: 'id_type.create' },
    { action: 'id_type.change' },
  ]);
  expect((await send(admin(), 'DELETE', path)).status).toBe(200);
});

test('patterns that would hang other engines take linear time', async () => {
  // A tenth of a second on an idle machine; engines that try again and again take years.
  const limitMs = 4_000;
  for (const pattern of ['(a+)+$', '(a|aa)+', '(.*a){20}', '(x+x+)+y']) {
    const ms = await cpuMsOf(() => expect(matchesIdPattern(pattern, `${'a'.repeat(100_000)}!`)).toBe(false));
    expect(ms).toBeLessThan(limitMs);
    const put = await send(admin(), 'PUT', '/countries/PK/id-types/evil', { pattern });
    expect(put.status).toBe(200);
  }
  const ms = await cpuMsOf(async () =>
    expect(await register('PK', `${'x'.repeat(30_000)}!`, 'evil')).toMatchObject({ status: 400 }),
  );
  expect(ms).toBeLessThan(limitMs);
});

test('id types of an unknown country are not found', async () => {
  for (const code of ['ZZ', 'nowhere', '%00']) {
    for (const response of [
      await list(`/countries/${code}/id-types`),
      await send(admin(), 'PUT', `/countries/${code}/id-types/cnic`, { pattern: 'a' }),
      await send(admin(), 'DELETE', `/countries/${code}/id-types/cnic`),
    ]) {
      expect(response).toMatchObject({
        status: 404,
        body: { error: 'not_found', message: 'There is no country with this code.' },
      });
    }
  }
});

test('pages hold every country once, whatever is added meanwhile', async () => {
  const codes: string[] = [];
  let cursor = '';
  for (;;) {
    const page = await list(`/countries?limit=2${cursor}`);
    codes.push(...page.body.countries.map((country: { code: string }) => country.code));
    if (codes.length === 2) {
      await send(admin(), 'PUT', '/countries/AA', { name: 'In front', active: false });
      await send(admin(), 'PUT', '/countries/ZA', { name: 'South Africa', active: false });
    }
    if (page.body.next_cursor === null) break;
    cursor = `&cursor=${page.body.next_cursor}`;
  }
  expect(codes).toEqual([...codes].sort());
  expect(new Set(codes).size).toBe(codes.length);
  expect(codes).toEqual(expect.arrayContaining(['AE', 'FR', 'PK', 'ZA']));

  await send(admin(), 'PUT', '/countries/AE/id-types/b', { pattern: 'b' });
  await send(admin(), 'PUT', '/countries/AE/id-types/a%2Fc', { pattern: 'a' });
  const first = await list('/countries/ae/id-types?limit=1');
  expect(first.body.id_types).toEqual([{ country: 'AE', id_type: 'a/c', pattern: 'a', example: null }]);
  const second = await list(`/countries/ae/id-types?limit=1&cursor=${first.body.next_cursor}`);
  expect(second.body).toEqual({
    id_types: [{ country: 'AE', id_type: 'b', pattern: 'b', example: null }],
    next_cursor: null,
  });
});

test.each(['limit=', 'limit=0', 'limit=101', 'limit=x', 'cursor=', 'cursor=!', 'cursor=Zm9v'])(
  'a list of countries with %s is refused',
  async (query) => {
    const field = query.split('=')[0];
    const refusal = { status: 400, body: { error: 'invalid_request', field } };
    expect(await list(`/countries?${query}`)).toMatchObject(refusal);
  },
);

test('concurrent admins make the same country once, and the log has all that they did', async () => {
  const responses = await Promise.all(
    [1, 2, 3, 4, 5].map((n) => send(admin(), 'PUT', '/countries/QA', { name: `Qatar ${n}`, active: true })),
  );
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  const changes = await changesOf(h, 'country', 'QA');
  expect(changes.map(({ action }) => action)).toEqual(['country.create', ...Array(4).fill('country.change')]);
  changes.slice(1).forEach(({ before }, i) => {
    expect(before).toEqual(changes[i]?.after);
  });
  expect(await verifyAuditLog(h.ctx.db)).toMatchObject({ ok: true });
});

test('a repeated request with an Idempotency-Key changes nothing again', async () => {
  const key = { 'idempotency-key': 'make-oman' };
  const body = { name: 'Oman', active: true };
  const first = await send(admin(), 'PUT', '/countries/OM', body, key);
  await send(admin(), 'PUT', '/countries/OM', { name: 'Oman', active: false });
  const again = await send(admin(), 'PUT', '/countries/OM', body, key);
  expect(again).toMatchObject({ status: 200, body: first.body, headers: { 'idempotency-replayed': 'true' } });
  expect(await changesOf(h, 'country', 'OM')).toHaveLength(2);
});

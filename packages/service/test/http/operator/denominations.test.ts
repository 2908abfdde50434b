import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Harness, harness } from '../../harness.js';
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
const list = (query = '') => operators.by.viewer.client.get(`${operatorBase}/denominations${query}`);
const tola = {
  id: 'pk_tola_1',
  label: '1 tola bar',
  weight_g: 11.6638038,
  country: 'PK',
  city: 'Karachi',
  active: true,
};
const offered = async (country: string) =>
  (await h.partner.get(`/v1/denominations?country=${country}`)).body.denominations;

test('a denomination is offered, changed and taken back', async () => {
  const created = await send(admin(), 'POST', '/denominations', { ...tola, country: 'pk' });
  const at = new Date(h.clock.now()).toISOString();
  const record = { ...tola, weight_troy_oz: 0.375, created_at: at, updated_at: at };
  expect(created).toMatchObject({ status: 201 });
  expect(created.body).toEqual(record);
  expect(await offered('PK')).toMatchObject([{ id: 'pk_tola_1', weight_g: 11.6638038, city: 'Karachi' }]);

  h.clock.advance(1_000);
  const later = new Date(h.clock.now()).toISOString();
  const moved = await send(admin(), 'PATCH', '/denominations/pk_tola_1', { city: 'LAHORE', label: 'A tola' });
  expect(moved.body).toEqual({ ...record, city: 'LAHORE', label: 'A tola', updated_at: later });
  expect(await offered('PK&city=lahore')).toMatchObject([{ label: 'A tola', city: 'LAHORE' }]);
  expect(await offered('PK&city=karachi')).toEqual([]);

  const gone = await send(admin(), 'PATCH', '/denominations/pk_tola_1', { active: false });
  expect(gone.body).toMatchObject({ active: false, label: 'A tola' });
  expect(await offered('PK')).toEqual([]);
  const user = await h.givenUser(h.main.partnerId);
  const body = { service_user_id: user.id, denomination_id: 'pk_tola_1', city: 'Lahore' };
  expect(await h.partner.post('/v1/redemptions', body)).toMatchObject({
    status: 400,
    body: { error: 'invalid_denomination' },
  });

  // What is so already is no change, and does not even move `updated_at`.
  h.clock.advance(1_000);
  const same = await send(admin(), 'PATCH', '/denominations/pk_tola_1', { active: false, city: 'LAHORE' });
  expect(same.body).toEqual(gone.body);
  const { operatorId } = operators.by.admin;
  const audited = { ...tola, weight_g: '11.6638038' };
  const second = { ...audited, city: 'LAHORE', label: 'A tola' };
  const third = { ...second, active: false };
  expect(await changesOf(h, 'denomination', 'pk_tola_1')).toEqual([
    { action: 'denomination.create', before: null, after: audited, reason: null, operatorId },
    { action: 'denomination.change', before: audited, after: second, reason: null, operatorId },
    { action: 'denomination.change', before: second, after: third, reason: null, operatorId },
  ]);
});

test('an id that is taken is refused, and exactly one of many concurrent requests for one gets it', async () => {
  const body = { ...tola, id: 'ae_g_10', label: '10 g bar', weight_g: 10, country: 'AE', city: 'Dubai' };
  const responses = await Promise.all([1, 2, 3].map(() => send(admin(), 'POST', '/denominations', body)));
  expect(responses.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  expect(await send(admin(), 'POST', '/denominations', body)).toMatchObject({
    status: 409,
    body: { error: 'already_exists', field: 'id', message: 'The denomination ae_g_10 already exists.' },
  });
  expect(await changesOf(h, 'denomination', 'ae_g_10')).toHaveLength(1);
});

test.each([
  [{ weight_g: 0.0009 }, 'weight_g', 'from 0.001 to 1000000'],
  [{ weight_g: 1_000_000.1 }, 'weight_g', 'from 0.001 to 1000000'],
  [{ weight_g: 1.00000001 }, 'weight_g', 'at most 7 decimals'],
  [{ weight_g: 1e-7 }, 'weight_g', 'from 0.001'],
  [{ weight_g: -1 }, 'weight_g', 'from 0.001'],
  [{ weight_g: '10' }, 'weight_g', 'must be a number'],
  [{ id: 'PK_1' }, 'id', 'must be lower-case letters, digits and underscores'],
  [{ id: '' }, 'id', 'must not be empty'],
  [{ id: 'x'.repeat(65) }, 'id', 'at most 64'],
  [{ id: 'x\n' }, 'id', 'must be lower-case letters, digits and underscores'],
  [{ country: 'ZZ' }, 'country', 'is not a country of the service'],
  [{ country: 'Pakistan' }, 'country', 'is not a country of the service'],
  [{ country: '\0' }, 'country', 'is not a country of the service'],
  [{ city: ' ' }, 'city', 'must not be blank'],
  [{ label: 'a\0b' }, 'label', 'not allowed'],
  [{ label: 'x'.repeat(256) }, 'label', 'at most 255'],
  [{ label: '1 kg bar', weight_g: 0.01 }, 'label', 'label says "1 kg", but the piece weighs 0.01 g.'],
  [{ label: '1 oz bar' }, 'label', 'label says "1 oz", but the piece weighs 11.6638038 g.'],
  [{ label: '1\u2060kg', weight_g: 0.01 }, 'label', 'invisible characters, such as U+2060'],
  [{ label: '\u202egk 1', weight_g: 0.01 }, 'label', 'invisible characters, such as U+202E'],
  [{ label: '1\u200ckg', weight_g: 0.01 }, 'label', 'but the piece weighs 0.01 g.'],
  [{ active: 1 }, 'active', 'must be true or false'],
  [{ city_key: 'x' }, 'city_key', 'is not a known field'],
  [{ created_at: '2020-01-01T00:00:00Z' }, 'created_at', 'is not a known field'],
])('a new denomination with %j is refused', async (part, field, words) => {
  expect(await send(admin(), 'POST', '/denominations', { ...tola, id: 'new', ...part })).toMatchObject({
    status: 400,
    body: { error: 'invalid_request', field, message: expect.stringContaining(words) },
  });
});

test('ids and weights never change', async () => {
  for (const field of ['id', 'weight_g', 'weight_troy_oz', 'updated_at']) {
    expect(await send(admin(), 'PATCH', '/denominations/ae_g_10', { [field]: 10 })).toMatchObject({
      status: 400,
      body: {
        error: 'invalid_request',
        field,
        message: expect.stringContaining(`${field} is not a known field; known are `),
      },
    });
  }
  expect(await send(admin(), 'PATCH', '/denominations/ae_g_10', { label: '1 kg bar' })).toMatchObject({
    status: 400,
    body: {
      error: 'invalid_request',
      field: 'label',
      message: 'label says "1 kg", but the piece weighs 10 g.',
    },
  });
  for (const id of ['unknown', 'AE_G_10', '%00']) {
    expect(await send(admin(), 'PATCH', `/denominations/${id}`, { active: false })).toMatchObject({
      status: 404,
      body: { error: 'not_found', message: 'There is no denomination with this id.' },
    });
  }
});

test('concurrent changes of a denomination keep what the other changed', async () => {
  await send(admin(), 'POST', '/denominations', { ...tola, id: 'raced' });
  const other = await operators.givenOperator('admin');
  const responses = await Promise.all([
    send(admin(), 'PATCH', '/denominations/raced', { label: 'New label' }),
    send(other.client, 'PATCH', '/denominations/raced', { city: 'Multan' }),
    send(admin(), 'PATCH', '/denominations/raced', { active: false }),
  ]);
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
  const changes = await changesOf(h, 'denomination', 'raced');
  expect(changes).toHaveLength(4);
  changes.slice(1).forEach(({ before }, i) => {
    expect(before).toEqual(changes[i]?.after);
  });
  expect(changes.at(-1)?.after).toMatchObject({ label: 'New label', city: 'Multan', active: false });
});

test('only admins change denominations, and everyone sees them', async () => {
  for (const role of ['viewer', 'fulfilment', 'compliance'] as const) {
    const { client } = operators.by[role];
    const refusal = { status: 403, body: { error: 'insufficient_scope' } };
    expect(await send(client, 'POST', '/denominations', { ...tola, id: 'mine' })).toMatchObject(refusal);
    expect(await send(client, 'PATCH', '/denominations/raced', { active: true })).toMatchObject(refusal);
    expect(await client.get(`${operatorBase}/denominations`)).toMatchObject({ status: 200 });
  }
});

test('the list of denominations is filtered, newest first, and stable under what is added meanwhile', async () => {
  for (let n = 0; n < 4; n += 1) {
    h.clock.advance(1);
    await send(admin(), 'POST', '/denominations', { ...tola, id: `paged_${n}`, city: 'Quetta' });
  }
  const first = await list('?city=QUETTA&country=pk&limit=3');
  expect(first.body.denominations.map(({ id }: { id: string }) => id)).toEqual([
    'paged_3',
    'paged_2',
    'paged_1',
  ]);
  h.clock.advance(1);
  await send(admin(), 'POST', '/denominations', { ...tola, id: 'paged_4', city: 'Quetta' });
  const second = await list(`?city=QUETTA&country=pk&limit=3&cursor=${first.body.next_cursor}`);
  expect(second.body).toMatchObject({ denominations: [{ id: 'paged_0' }], next_cursor: null });
  const inactive = await list('?active=false');
  expect(inactive.body.denominations.map(({ id }: { id: string }) => id)).toEqual(['raced', 'pk_tola_1']);
  for (const query of ['?country=ZZ', '?city=Atlantis', '?country=%00', '?city=%00']) {
    expect((await list(query)).body).toEqual({ denominations: [], next_cursor: null });
  }
  for (const query of ['active=', 'active=yes', 'limit=0', 'limit=', 'cursor=', 'cursor=x']) {
    expect(await list(`?${query}`)).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', field: query.split('=')[0] },
    });
  }
});

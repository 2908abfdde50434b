import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId, newUuid } from '../../../src/domain/ids.js';
import { expectStatus, newWallet } from '../../harness.js';
import { type Karat, startKarat } from '../../karat.js';
import { changesOf, type Operators, operatorBase, send, startOperators } from '../../operators.js';
import { seedDenominations, tola } from '../../redeeming.js';

let t: Karat;
let operators: Operators;
beforeAll(async () => {
  t = await startKarat();
  operators = await startOperators(t.service);
  await seedDenominations(t.service);
});
afterAll(async () => {
  await operators?.close();
  await t?.stop();
});

type Role = keyof Operators['by'];
const read = (path: string, role: Role = 'viewer') => operators.by[role].client.get(`${operatorBase}${path}`);
const press = (id: string, step: string, body?: unknown, role: Role = 'compliance') =>
  send(operators.by[role].client, 'POST', `/users/${id}/${step}`, body);
const quotes = async () => {
  const { id: service_user_id } = t.user;
  const body = { service_user_id, denomination_id: tola.id, city: tola.city };
  return [
    await t.buy.quote(),
    await t.sell.quote(),
    await t.partner.client.post('/v1/redemptions', body),
  ] as const;
};
/** Letters that stand in no id, hash or wallet by chance: I and O are no digits of base58, the others none of hex. */
const secretNumber = 'ILHRIO-7654321-9';

describe('a suspension', () => {
  test('a suspension refuses every quote at once, and is taken back', async () => {
    for (const response of await quotes()) expect([200, 201]).toContain(response.status);
    t.service.clock.advance(1_000);
    const reason = '<b>Sanctions list</b>, case 17';
    const suspended = await press(t.user.id, 'suspend', { reason });
    expect(suspended).toMatchObject({
      status: 200,
      body: { service_user_id: t.user.id, partner_id: t.partner.partnerId, status: 'suspended' },
    });
    expect(suspended.body.updated_at > suspended.body.created_at).toBe(true);
    for (const response of await quotes()) {
      expect(response).toMatchObject({ status: 403, body: { error: 'user_suspended' } });
    }
    expect((await t.partner.client.get(`/v1/users/${t.user.id}`)).body.status).toBe('suspended');
    expect(await press(t.user.id, 'suspend', { reason: 'Again' })).toMatchObject({
      status: 409,
      body: { error: 'transition_not_allowed', message: 'The user is already suspended.' },
    });

    expect(await press(t.user.id, 'resume')).toMatchObject({ status: 200, body: { status: 'active' } });
    for (const response of await quotes()) expect([200, 201]).toContain(response.status);
    expect(await press(t.user.id, 'resume', { reason: 'Again' })).toMatchObject({
      status: 409,
      body: { error: 'transition_not_allowed', message: 'The user is already active.' },
    });
    const { operatorId } = operators.by.compliance;
    const [active, stopped] = [{ status: 'active' }, { status: 'suspended' }];
    expect(await changesOf(t.service, 'user', t.user.id)).toEqual([
      { action: 'user.suspend', before: active, after: stopped, reason, operatorId },
      { action: 'user.resume', before: stopped, after: active, reason: null, operatorId },
    ]);
  });

  test('a suspension by many concurrent requests is one', async () => {
    const user = await t.service.givenUser(t.partner.partnerId);
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        press(user.id, 'suspend', { reason: `Try ${at}` }, at % 2 ? 'admin' : 'compliance'),
      ),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
    expect(await changesOf(t.service, 'user', user.id)).toHaveLength(1);
  });
});

describe('the KYC level', () => {
  test('a KYC level that lapsed refuses every quote, and one that is restored allows them again', async () => {
    const reason = 'Document expired';
    const lapsed = await press(t.user.id, 'kyc-level', { kyc_level: 'lapsed', reason });
    expect(lapsed).toMatchObject({
      status: 200,
      body: { service_user_id: t.user.id, kyc_level: 'lapsed', status: 'active' },
    });
    for (const response of await quotes()) {
      expect(response).toMatchObject({ status: 400, body: { error: 'kyc_level_insufficient' } });
    }
    expect((await t.partner.client.get(`/v1/users/${t.user.id}`)).body.kyc.kyc_level).toBe('lapsed');
    expect(await press(t.user.id, 'kyc-level', { kyc_level: 'lapsed', reason })).toMatchObject({
      status: 409,
      body: { error: 'transition_not_allowed', message: 'The KYC level of the user is already lapsed.' },
    });
    expectStatus(await press(t.user.id, 'kyc-level', { kyc_level: 'full', reason: 'New document' }), 200);
    for (const response of await quotes()) expect([200, 201]).toContain(response.status);
    const changes = (await changesOf(t.service, 'user', t.user.id)).filter(
      ({ action }) => action === 'user.kyc_level',
    );
    expect(changes).toMatchObject([
      { before: { kyc_level: 'full' }, after: { kyc_level: 'lapsed' }, reason },
      { before: { kyc_level: 'lapsed' }, after: { kyc_level: 'full' }, reason: 'New document' },
    ]);
  });

  test.each(['Full', 'full ', 'Ayesha Khan', 'x'.repeat(33), 'ｆull', 'a\nb', '', '42101-7654321-9'])(
    'the KYC level is a plain word: %j is refused',
    async (kyc_level) => {
      expect(await press(t.user.id, 'kyc-level', { kyc_level, reason: 'x' })).toMatchObject({
        status: 400,
        body: { error: 'invalid_request', field: 'kyc_level' },
      });
    },
  );

  test('the KYC level of a user who has no KYC record cannot be set', async () => {
    const bare = await t.service.givenUser(t.partner.partnerId, { kyc: false });
    expect(await press(bare.id, 'kyc-level', { kyc_level: 'full', reason: 'x' })).toMatchObject({
      status: 409,
      body: { error: 'transition_not_allowed', message: 'The user has no KYC record.' },
    });
    expect(await changesOf(t.service, 'user', bare.id)).toEqual([]);
  });
});

describe('the KYC record', () => {
  const looks = async (id: string) =>
    (await changesOf(t.service, 'user', id)).filter(({ action }) => action === 'user.read_kyc');

  async function givenPerson() {
    const wallet = newWallet();
    const full_name = `Zubaida Noor ${newUuid()}`;
    t.service.secrets.add(full_name);
    t.service.secrets.add(secretNumber);
    const kyc = {
      country: 'PK',
      full_name,
      kyc_provider: 'sumsub',
      kyc_level: 'full',
      kyc_verified_at: '2025-03-01T12:00:00.000Z',
      kyc_data: { id_type: 'passport', id_number: secretNumber },
    };
    const body = { user_id: newUuid(), wallet_address: wallet.address, kyc };
    const made = expectStatus(await t.partner.client.post('/v1/users', body), 201);
    return { id: made.body.service_user_id as string, kyc };
  }

  test('the KYC record is shown to compliance and admins alone, and each look is an entry of the audit log', async () => {
    const { id, kyc } = await givenPerson();
    for (const role of ['viewer', 'fulfilment'] as const) {
      const response = expectStatus(await read(`/users/${id}`, role), 200);
      expect(response.body).not.toHaveProperty('kyc');
      expect(response.text).not.toMatch(/Zubaida|ILHRIO|sumsub|passport/);
    }
    expect(await looks(id)).toEqual([]);
    for (const [count, role] of (['compliance', 'admin', 'compliance'] as const).entries()) {
      const response = expectStatus(await read(`/users/${id}`, role), 200);
      expect(response.body.kyc).toEqual(kyc);
      expect(await looks(id)).toHaveLength(count + 1);
    }
    const { compliance, admin } = operators.by;
    expect(await looks(id)).toEqual(
      [compliance, admin, compliance].map(({ operatorId }) => ({
        action: 'user.read_kyc',
        before: null,
        after: null,
        reason: null,
        operatorId,
      })),
    );
  });

  test('the KYC record is in no list, no log, no response to a change, and no column of the audit log', async () => {
    const { id } = await givenPerson();
    await read(`/users/${id}`, 'admin');
    const responses = [
      await read('/users', 'admin'),
      await press(id, 'suspend', { reason: 'x' }),
      await press(id, 'resume'),
      await press(id, 'kyc-level', { kyc_level: 'lapsed', reason: 'x' }),
      await read('/audit', 'admin'),
    ];
    for (const response of responses) {
      expectStatus(response, 200);
      expect(response.text).not.toMatch(/Zubaida|ILHRIO|sumsub|passport/);
    }
    const rows = await t.service.ctx.db.execute(
      sql`select 1 from audit_log where audit_log::text ~ 'Zubaida|ILHRIO|sumsub|passport'`,
    );
    expect(rows).toHaveLength(0);
    const kept = await t.service.ctx.db.execute(
      sql`select 1 from idempotency_keys where response ~ 'Zubaida|ILHRIO|sumsub|passport'`,
    );
    expect(kept).toHaveLength(0);
    expect(t.service.logLines.filter((line) => /Zubaida|ILHRIO/.test(line))).toEqual([]);
  });

  test('the KYC record is not shown when the look cannot be recorded', async () => {
    const { id } = await givenPerson();
    const { db } = t.service.ctx;
    await db.execute(
      sql`alter table audit_log add constraint no_looks check (action <> 'user.read_kyc') not valid`,
    );
    try {
      const response = await read(`/users/${id}`, 'compliance');
      expect(response).toMatchObject({ status: 500, body: { error: 'internal_error' } });
      expect(response.text).not.toMatch(/Zubaida|ILHRIO/);
    } finally {
      await db.execute(sql`alter table audit_log drop constraint no_looks`);
    }
  });

  test('the KYC record has no place in any address', () => {
    const named = operators.routes.flatMap(({ url, schema }) => {
      const { params, querystring } = (schema ?? {}) as Record<string, { properties?: object } | undefined>;
      const names = [...Object.keys(params?.properties ?? {}), ...Object.keys(querystring?.properties ?? {})];
      return [url, ...names].filter((name) =>
        /full.?name|id.?number|kyc_(data|provider|verified)/i.test(name),
      );
    });
    expect(named).toEqual([]);
  });

  test('the KYC record of a user who has none is no look', async () => {
    const bare = await t.service.givenUser(t.partner.partnerId, { kyc: false });
    const response = expectStatus(await read(`/users/${bare.id}`, 'compliance'), 200);
    expect(response.body).not.toHaveProperty('kyc');
    expect(await looks(bare.id)).toEqual([]);
  });
});

describe('the list of users', () => {
  test('the list of users is of all partners, newest first, filtered, and stable under what is added meanwhile', async () => {
    const { service } = t;
    const globex = await service.givenPartner({ name: 'Globex' });
    const ids: string[] = [];
    for (let at = 0; at < 5; at += 1) {
      service.clock.advance(1);
      ids.unshift((await service.givenUser(globex.partnerId)).id);
    }
    const mine = `partner_id=${globex.partnerId}`;
    const idsOf = (body: { users: { service_user_id: string }[] }) =>
      body.users.map(({ service_user_id }) => service_user_id);
    expect(idsOf((await read('/users?limit=5')).body)).toEqual(ids);
    expect(
      idsOf((await read(`/users?${mine.toUpperCase().replace('PARTNER_ID', 'partner_id')}`)).body),
    ).toEqual(ids);

    const seen: string[] = [];
    let cursor = '';
    do {
      const page = expectStatus(await read(`/users?${mine}&limit=2${cursor}`), 200);
      seen.push(...idsOf(page.body));
      service.clock.advance(1);
      await service.givenUser(globex.partnerId);
      cursor = page.body.next_cursor === null ? '' : `&cursor=${page.body.next_cursor}`;
    } while (cursor !== '');
    expect(seen).toEqual(ids);

    const [newest] = ids as [string];
    await press(newest, 'suspend', { reason: 'x' });
    expect(idsOf((await read(`/users?${mine}&status=suspended`)).body)).toEqual([newest]);
    const { wallet_address: wallet } = (await read(`/users/${newest}`)).body;
    expect(idsOf((await read(`/users?wallet_address=${wallet}`)).body)).toEqual([newest]);
    expect(idsOf((await read(`/users?wallet_address=${wallet}&status=active`)).body)).toEqual([]);
  });

  test.each([
    'partner_id=x',
    `partner_id=${newUuid()}`,
    'partner_id=',
    'wallet_address=x',
    'wallet_address=%00',
    'wallet_address=%ED%A0%80',
  ])('the list of users with %s is empty', async (query) => {
    expect(await read(`/users?${query}`)).toMatchObject({
      status: 200,
      body: { users: [], next_cursor: null },
    });
  });
});

test('an unknown user is not found, whatever is requested', async () => {
  for (const id of [newId('gu'), newUuid(), 'gu_x', newId('red'), '%00', 'x'.repeat(5_000)]) {
    for (const response of [
      await read(`/users/${id}`, 'compliance'),
      await press(id, 'suspend', { reason: 'x' }),
      await press(id, 'resume'),
      await press(id, 'kyc-level', { kyc_level: 'full', reason: 'x' }),
    ]) {
      expect(response).toMatchObject({ status: 404, body: { error: 'user_not_found' } });
    }
  }
});

test('a repeated request with an Idempotency-Key has the first response and changes nothing again', async () => {
  const user = await t.service.givenUser(t.partner.partnerId);
  const repeat = (step: string, body: object, key: string) =>
    send(operators.by.admin.client, 'POST', `/users/${user.id}/${step}`, body, { 'idempotency-key': key });
  for (const [step, body] of [
    ['suspend', { reason: 'x' }],
    ['resume', { reason: 'x' }],
    ['kyc-level', { kyc_level: 'lapsed', reason: 'x' }],
  ] as const) {
    const first = expectStatus(await repeat(step, body, `key-${step}`), 200);
    const again = await repeat(step, body, `key-${step}`);
    expect(again).toMatchObject({ status: 200, headers: { 'idempotency-replayed': 'true' } });
    expect(again.body).toEqual(first.body);
    expect(await repeat(step, { ...body, reason: 'y' }, `key-${step}`)).toMatchObject({
      status: 409,
      body: { error: 'idempotency_conflict' },
    });
  }
  expect(await changesOf(t.service, 'user', user.id)).toHaveLength(3);
});

import { randomBytes } from 'node:crypto';
import { chmodSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rotateKycKey } from '../src/actions/users/rotate-kyc-key.js';
import { ConfigError } from '../src/config.js';
import { findKycKeys } from '../src/db/kyc-keys.js';
import { deleteUnusedKycKeys, insertUserKyc } from '../src/db/users.js';
import type { UserId } from '../src/domain/ids.js';
import { type Deliverer, startDeliverer } from '../src/events/delivery/deliverer.js';
import { KycSeal } from '../src/kyc/kyc-seal.js';
import { openKeyWrappers } from '../src/kyc/open-key-wrappers.js';
import { callKarat } from './cli/run-karat.js';
import { expectStatus, type GivenPartner, type Harness, harness, newWallet } from './harness.js';
import { eventually } from './karat-chain.js';
import { kycKeyFile, testKycKey } from './kyc-key.js';
import { changesOf, type Operators, operatorBase, send, startOperators } from './operators.js';
import { givenRedemption, seedDenominations } from './redeeming.js';
import { type Receiver, startReceiver } from './webhooks.js';

let h: Harness;
let operators: Operators;
let deliverer: Deliverer;
/** Sends back what it is sent. */
let mirror: Receiver;
beforeAll(async () => {
  h = await harness({ config: { webhooksAllowLocal: true } });
  operators = await startOperators(h);
  deliverer = startDeliverer(h.ctx);
  mirror = await startReceiver((response, { text }) => void response.writeHead(200).end(text));
  await seedDenominations(h);
});
afterAll(async () => {
  await deliverer.stop();
  await mirror.close();
  await operators.close();
  await h.close();
});

/** A person whose texts stand nowhere by chance. */
function newPerson() {
  const mark = randomBytes(8).toString('hex');
  const name = `Zubaida Noor ${mark}`;
  const number = `ILHRIO-${mark}-9`;
  const provider = `prover-${mark}`;
  for (const text of [name, number, provider]) h.secrets.add(text);
  const kyc = {
    country: 'PK',
    full_name: name,
    kyc_provider: provider,
    kyc_level: 'full',
    kyc_verified_at: '2025-03-01T12:00:00.000Z',
    kyc_data: { id_type: 'passport', id_number: number, birth_date: `born ${mark}`, more: [{ mark }] },
  };
  return { mark, kyc, wallet: newWallet(), userId: `user-${randomBytes(5).toString('hex')}` };
}

async function register(partner: GivenPartner = h.main, headers: Record<string, string> = {}) {
  const person = newPerson();
  const body = { user_id: person.userId, wallet_address: person.wallet.address, kyc: person.kyc };
  const made = expectStatus(await partner.client.post('/v1/users', body, headers), 201);
  return { ...person, id: made.body.service_user_id as UserId, body };
}

/** Every row of every table, and of each binary value what it is as text. */
async function everything(): Promise<string> {
  const { sql } = h.ctx;
  const tables = await sql<{ name: string }[]>`
    select quote_ident(relname) as name from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace`;
  const parts: string[] = [];
  for (const { name } of tables) {
    const rows = await sql.unsafe(`select t::text as row from ${name} t`);
    for (const { row } of rows) {
      parts.push(row);
      for (const [, hex = ''] of row.matchAll(/\\\\?x((?:[0-9a-f]{2})+)/g)) {
        const bytes = Buffer.from(hex, 'hex');
        parts.push(bytes.toString('latin1'), bytes.toString('utf16le'), bytes.toString('base64'));
      }
    }
  }
  return parts.join('\n');
}

/** Returns as soon as somebody waits for a row that another transaction has. */
const waitsForALock = () =>
  eventually(async () => {
    const waiting = await h.ctx.sql`select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    expect(waiting).toHaveLength(1);
  }, 10_000);

const read = (id: string, partner = h.main) => partner.client.get(`/v1/users/${id}`);
const look = (id: string) => operators.by.compliance.client.get(`${operatorBase}/users/${id}`);
const eventsOf = async (id: string, partner = h.main) =>
  expectStatus(await partner.client.get(`/v1/events?object_id=${id}`), 200).body.events;
const erase = (userId: string, partnerId: string = h.main.partnerId, ...more: string[]) =>
  callKarat(['users', 'erase', '--partner-id', partnerId, '--user-id', userId, ...more], {
    DATABASE_URL: h.databaseUrl,
  });

async function endpointTo({ url }: Receiver, partner: GivenPartner) {
  const { body } = expectStatus(await partner.client.post('/v1/webhook-endpoints', { url }), 201);
  h.secrets.add(body.secret);
  return async () =>
    expectStatus(await partner.client.get(`/v1/webhook-endpoints/${body.endpoint_id}/deliveries`), 200).body
      .deliveries;
}

describe('KYC data at rest', () => {
  test('KYC data at rest is nowhere readable in the database, and everywhere in the responses as before', async () => {
    const partner = await h.givenPartner();
    const deliveries = await endpointTo(mirror, partner);
    const key = { 'idempotency-key': randomBytes(8).toString('hex') };
    const person = await register(partner, key);
    const { id, kyc, body } = person;
    const again = await partner.client.post('/v1/users', body, key);
    expect(again).toMatchObject({ status: 201, headers: { 'idempotency-replayed': 'true' } });
    const other = { ...body, kyc: { ...kyc, full_name: `${kyc.full_name}a` } };
    expect(await partner.client.post('/v1/users', other, key)).toMatchObject({
      status: 409,
      body: { error: 'idempotency_conflict' },
    });
    const press = (step: string, more: object) =>
      send(operators.by.compliance.client, 'POST', `/users/${id}/${step}`, { reason: 'r', ...more });
    expectStatus(await press('suspend', {}), 200);
    expectStatus(await press('resume', {}), 200);
    expectStatus(await press('kyc-level', { kyc_level: 'expired' }), 200);

    expect((await read(id, partner)).body.kyc).toEqual({ ...kyc, kyc_level: 'expired' });
    expect((await look(id)).body.kyc).toEqual({ ...kyc, kyc_level: 'expired' });
    const user = { id, wallet: person.wallet };
    const redemption = await givenRedemption(h, { partner, user }, { status: 'ready' });
    const redemptions = `${operatorBase}/redemptions/${redemption}`;
    const customer = {
      full_name: kyc.full_name,
      id_type: 'passport',
      id_number_masked: `****${person.mark.slice(-2)}-9`,
    };
    const { client } = operators.by.admin;
    expect((await client.get(redemptions)).body.customer).toMatchObject(customer);
    expect((await client.get(`${redemptions}/receipt`)).body.customer).toMatchObject(customer);
    const revealed = await client.post(`${redemptions}/reveal-identity`, { reason: 'r' });
    expect(revealed.body).toEqual({
      id_type: 'passport',
      id_number: kyc.kyc_data.id_number,
      kyc_data: kyc.kyc_data,
    });

    const events = await eventsOf(id, partner);
    expect(events.map(({ data }: { data: { object: object } }) => data.object)).toMatchObject([
      { status: 'active', kyc },
      { status: 'suspended', kyc },
      { status: 'active', kyc },
      { status: 'active', kyc: { ...kyc, kyc_level: 'expired' } },
    ]);
    await eventually(async () => {
      const made = await deliveries();
      expect(made.map(({ status }: { status: string }) => status)).toEqual(Array(4).fill('delivered'));
      for (const { attempts } of made) {
        expect(attempts[0].response_body).toBe('Not kept: the event has KYC data.');
      }
    }, 10_000);
    const sent = mirror.received.filter(({ text }) => text.includes(id)).map((one) => one.body);
    expect(sent).toHaveLength(4);
    expect(sent).toEqual(expect.arrayContaining(events));

    const stored = await everything();
    expect(stored).toContain(person.userId);
    for (const text of [person.mark, 'Zubaida', 'ILHRIO', kyc.kyc_provider]) {
      expect(stored).not.toContain(text);
      expect(stored).not.toContain(Buffer.from(text).toString('hex'));
    }
  });

  test('the response to an event is kept unless the event has KYC data, whatever the response is', async () => {
    const partner = await h.givenPartner();
    const receiver = await startReceiver((response) => void response.writeHead(200).end('taken, thanks'));
    const deliveries = await endpointTo(receiver, partner);
    const kept = async () =>
      Object.fromEntries(
        (await deliveries()).map(
          ({ type, attempts }: { type: string; attempts: [{ response_body: string }] }) => [
            type,
            attempts[0]?.response_body,
          ],
        ),
      );
    const { userId } = await register(partner);
    const bodyOfFirst = async () => {
      const { body } = await partner.client.get('/v1/webhook-endpoints');
      const path = `/v1/webhook-endpoints/${body.webhook_endpoints[0].endpoint_id}/deliveries`;
      return (await partner.client.get(`${path}/${(await deliveries())[0].delivery_id}`)).body.body;
    };
    const created = { 'user.created': 'Not kept: the event has KYC data.' };
    await eventually(async () => expect(await kept()).toEqual(created), 10_000);
    expect(await bodyOfFirst()).toContain('"kyc":"[redacted]"');
    expect(await erase(userId, partner.partnerId)).toMatchObject({ code: 0 });
    await eventually(
      async () => expect(await kept()).toEqual({ ...created, 'user.suspended': 'taken, thanks' }),
      10_000,
    );
    await receiver.close();
  });

  test('a row that was put in the place of another, or changed, is refused', async () => {
    const { sql } = h.ctx;
    const [one, other] = [await register(), await register()];
    await sql`update user_kyc set identity = theirs.identity from user_kyc theirs
      where user_kyc.user_id = ${one.id} and theirs.user_id = ${other.id}`;
    await sql`update user_kyc set identity = set_byte(identity, 20, 255 - get_byte(identity, 20)) where user_id = ${other.id}`;
    for (const { id } of [one, other]) {
      expect((await read(id)).status).toBe(500);
      expect((await look(id)).status).toBe(500);
    }
    expect(h.logLines.some((line) => line.includes('its row was changed'))).toBe(true);
  });

  test('a record that cannot be read holds up no event of the partner', async () => {
    const partner = await h.givenPartner();
    const deliveries = await endpointTo(mirror, partner);
    const damaged = await register(partner);
    await h.ctx.sql`update user_kyc set identity = '' where user_id = ${damaged.id}`;
    expectStatus(
      await send(operators.by.compliance.client, 'POST', `/users/${damaged.id}/suspend`, { reason: 'r' }),
      200,
    );
    const other = await register(partner);
    const [, suspended] = await eventsOf(damaged.id, partner);
    expect(suspended.data.object).toMatchObject({ status: 'suspended', kyc: { kyc_level: 'full' } });
    expect(Object.keys(suspended.data.object.kyc)).toEqual(['kyc_level']);
    expect((await eventsOf(other.id, partner))[0].data.object.kyc).toEqual(other.kyc);
    await eventually(async () => {
      const made = await deliveries();
      expect(made.map(({ status }: { status: string }) => status)).toEqual(Array(3).fill('delivered'));
    }, 10_000);
    expect(mirror.received.map(({ body }) => body)).toContainEqual(suspended);
    expect(await h.ctx.metrics.text()).toMatch(/^karat_kyc_unreadable_total [1-9]/m);
    expect(h.logLines.some((line) => line.includes('an event is shown without the KYC record'))).toBe(true);
  });

  test('quotes decrypt nothing', async () => {
    const user = await h.givenUser(h.main.partnerId, { kycLevel: 'basic' });
    const body = { service_user_id: user.id, usdc_amount: 10 };
    await h.ctx.sql`update user_kyc set identity = '' where user_id = ${user.id}`;
    expect((await h.partner.post('/v1/buy', body)).body.error).toBe('kyc_level_insufficient');
    await h.ctx.sql`update user_kyc set kyc_level = 'full' where user_id = ${user.id}`;
    // There is no node here.
    expect((await h.partner.post('/v1/buy', body)).body.error).not.toBe('internal_error');
  });
});

describe('the keys', () => {
  const sealOf = async (kycKeyUrl: string | undefined, otherKycKeyUrl?: string) =>
    new KycSeal(await openKeyWrappers({ kycKeyUrl, otherKycKeyUrl }));
  const newKeyFile = () => kycKeyFile(randomBytes(32).toString('hex'));

  test.each([
    ['hex', testKycKey],
    ['base64', Buffer.from(testKycKey, 'hex').toString('base64')],
  ])('a file holds 32 bytes as %s', async (_form, text) => {
    const { id } = await register();
    await expect((await sealOf(kycKeyFile(text))).requireKeys(h.ctx.db)).resolves.toBeUndefined();
    expect((await read(id)).status).toBe(200);
  });

  test.each(['', 'ab'.repeat(31), 'ab'.repeat(33), `${'ab'.repeat(31)}xy`, 'a passphrase of a person'])(
    'a file with %j is refused',
    async (text) => {
      await expect(sealOf(kycKeyFile(text))).rejects.toThrow(
        /^KARAT_KYC_KEY names .* which does not hold 32 random bytes as 64 hex digits or base64$/,
      );
    },
  );

  test('a file that others may read, one that is not there and another scheme are refused', async () => {
    const open = newKeyFile();
    chmodSync(open, 0o644);
    await expect(sealOf(open)).rejects.toThrow(`run chmod 600 ${open}`);
    await expect(sealOf('/nowhere/at/all')).rejects.toThrow('which cannot be read');
    await expect(sealOf('https://keys.test/kyc')).rejects.toThrow(
      'is none of file:, pkcs11: and keychain:vault',
    );
  });

  test('a process with another key does not start, and reports which one it needs', async () => {
    await register();
    const wrong = (await sealOf(newKeyFile())).requireKeys(h.ctx.db);
    await expect(wrong).rejects.toThrow(ConfigError);
    await expect(wrong).rejects.toThrow(/^KARAT_KYC_KEY is not the key file:[0-9a-f]{16}, with which/);
    await expect((await sealOf(undefined)).requireKeys(h.ctx.db)).rejects.toThrow('KARAT_KYC_KEY is not set');
  });

  test('20 first registrations at once make one data key', async () => {
    const fresh = await harness();
    try {
      await Promise.all(Array.from({ length: 20 }, () => fresh.givenUser(fresh.main.partnerId)));
      expect(await findKycKeys(fresh.ctx.db)).toHaveLength(1);
    } finally {
      await fresh.close();
    }
  });

  test('the keys are replaced while users are registered and read, and what was broken off is continued', async () => {
    const fresh = await harness();
    const { db } = fresh.ctx;
    try {
      const partner = fresh.main.partnerId;
      const users = [];
      for (let count = 0; count < 450; count += 1) users.push(await fresh.givenUser(partner));
      const namesBefore = await namesOf(fresh);
      const newFile = newKeyFile();
      const both = { ...fresh.ctx, kyc: await sealOf(newFile, kycKeyFile()) };
      const [oldKey] = await findKycKeys(db);

      // Broken off when the new data key was there, and nothing else.
      const key = await db.transaction((tx) => both.kyc.makeKey(tx));
      expect(oldKey?.id).toBe(1);
      expect(await db.transaction((tx) => deleteUnusedKycKeys(tx, key.id))).toBe(1);

      // A process that knows both keys registers and reads users meanwhile.
      fresh.ctx.kyc = both.kyc;
      let ended = false;
      const serving = (async () => {
        const made: string[] = [];
        while (!ended) {
          made.push((await fresh.givenUser(partner)).id);
          const some = users[made.length % users.length];
          if (some) expect((await fresh.partner.get(`/v1/users/${some.id}`)).status).toBe(200);
        }
        return made;
      })();
      const run = await callKarat(['kyc', 'rotate'], {
        DATABASE_URL: fresh.databaseUrl,
        KARAT_KYC_KEY: newFile,
        KARAT_OTHER_KYC_KEY: kycKeyFile(),
      }).finally(() => {
        ended = true;
      });
      const made = await serving;
      expect(run).toMatchObject({ code: 0, stderr: '' });
      expect(JSON.parse(run.stdout)).toMatchObject({ key_id: key.id, resumed: true });
      expect(JSON.parse(run.stdout).records).toBeGreaterThanOrEqual(450);
      expect(made.length).toBeGreaterThan(0);

      const keys = await findKycKeys(db);
      expect(keys.map(({ id }) => id)).toEqual([key.id]);
      const alone = await sealOf(newFile);
      await alone.requireKeys(db);
      const namesAfter = await namesOf({ ...fresh, ctx: { ...fresh.ctx, kyc: alone } });
      expect([...namesAfter].filter(([id]) => namesBefore.has(id))).toEqual([...namesBefore]);
      expect(namesAfter.size).toBe(450 + made.length);
      const audit = await changesOf(fresh, 'kyc_key', String(key.id));
      expect(audit).toMatchObject([{ action: 'kyc.rotate', operatorId: null }]);

      const next = await rotateKycKey({ ...fresh.ctx, kyc: alone });
      expect(next).toMatchObject({ keyId: key.id + 1, resumed: false, records: 450 + made.length });
    } finally {
      await fresh.close();
    }
  }, 60_000);

  async function namesOf({ ctx }: Pick<Harness, 'ctx'>): Promise<Map<string, string>> {
    const { findKycOf } = await import('../src/db/users.js');
    const ids = await ctx.sql<{ id: string }[]>`select 'gu_' || user_id as id from user_kyc order by user_id`;
    const found = await findKycOf(ctx.db, ids.map(({ id }) => id) as UserId[]);
    const names = new Map<string, string>();
    for (const { id } of ids) {
      const kyc = found.get(id as UserId);
      if (kyc) names.set(id, (await ctx.kyc.open(kyc)).fullName);
    }
    return names;
  }

  test('the keys are replaced around records that cannot be read, which are named and keep their data keys', async () => {
    const fresh = await harness();
    const { db, sql } = fresh.ctx;
    try {
      const users = [];
      for (let count = 0; count < 4; count += 1) users.push(await fresh.givenUser(fresh.main.partnerId));
      const [spoiled, ...others] = users.map(({ id }) => id).toSorted();
      if (!spoiled) throw new Error('no user');
      const spoil = () =>
        sql`update user_kyc set identity = set_byte(identity, 20, 255 - get_byte(identity, 20)) where user_id = ${spoiled}`;
      await spoil();
      const rotated = async () => {
        const env = { DATABASE_URL: fresh.databaseUrl, KARAT_KYC_KEY: kycKeyFile() };
        const { code, stdout } = await callKarat(['kyc', 'rotate'], env);
        const keys = (await findKycKeys(db)).map(({ id }) => id);
        return { code, printed: JSON.parse(stdout), keys };
      };
      const left = { code: 1, printed: { records: 3, resumed: false, unreadable: [spoiled] } };
      expect(await rotated()).toMatchObject({ ...left, keys: [2, 1] });
      for (const id of others) expect((await fresh.partner.get(`/v1/users/${id}`)).status).toBe(200);
      // Once more is another rotation: there was nothing left of the one before that could be done.
      expect(await rotated()).toMatchObject({ ...left, keys: [3, 1] });
      // Twice is as it was.
      await spoil();
      const rest = { records: 1, resumed: true, unreadable: [] };
      expect(await rotated()).toMatchObject({ code: 0, printed: rest, keys: [3] });
      expect((await fresh.partner.get(`/v1/users/${spoiled}`)).status).toBe(200);
      const audit = await changesOf(fresh, 'kyc_key', '2');
      expect(audit).toMatchObject([{ action: 'kyc.rotate', after: { records: 3, unreadable: 1 } }]);
    } finally {
      await fresh.close();
    }
  });

  test('a data key that a registration is about to use is not deleted', async () => {
    const fresh = await harness();
    const { db, kyc } = fresh.ctx;
    try {
      const { id } = await fresh.givenUser(fresh.main.partnerId);
      const bare = await fresh.givenUser(fresh.main.partnerId, { kyc: false });
      let rotated: Promise<unknown> | undefined;
      await db.transaction(async (tx) => {
        const record = await kyc.seal(
          tx,
          { id: bare.id, partnerId: fresh.main.partnerId },
          {
            country: 'PK',
            fullName: 'Late One',
            kycProvider: '',
            kycLevel: 'full',
            kycVerifiedAt: new Date(),
            kycData: null,
          },
        );
        rotated = rotateKycKey(fresh.ctx);
        // It waits for this transaction with all but this record done.
        await eventually(async () => {
          const [waiting] = await fresh.ctx.sql`
            select count(*)::int as count from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`;
          expect(waiting?.count).toBe(1);
        }, 10_000);
        await insertUserKyc(tx, record);
      });
      expect(await rotated).toMatchObject({ keyId: 2, records: 2 });
      expect(await findKycKeys(db)).toHaveLength(1);
      for (const user of [id, bare.id])
        expect((await fresh.partner.get(`/v1/users/${user}`)).status).toBe(200);
    } finally {
      await fresh.close();
    }
  });
});

describe('an erasure', () => {
  test('an erasure takes the KYC data of a user away, from events and deliveries too, and leaves the records', async () => {
    const partner = await h.givenPartner();
    const deliveries = await endpointTo(mirror, partner);
    const person = await register(partner);
    const user = { id: person.id, wallet: person.wallet };
    const redemption = await givenRedemption(h, { partner, user }, { status: 'collected' });
    const before = (await read(person.id, partner)).body;
    await eventually(async () => expect((await deliveries())[0]?.status).toBe('delivered'), 10_000);

    const run = await erase(person.userId, partner.partnerId, '--reason', 'Request 17');
    expect(run).toMatchObject({ code: 0, stderr: '' });
    const printed = {
      at: expect.stringMatching(/^20\d\d-.*Z$/),
      partner_id: partner.partnerId,
      user_id: person.userId,
      service_user_id: person.id,
    };
    expect(JSON.parse(run.stdout)).toEqual({ ...printed, erased_now: true });

    const { kyc: _, ...rest } = before;
    expect((await read(person.id, partner)).body).toEqual({ ...rest, status: 'suspended' });
    expect(expectStatus(await look(person.id), 200).body).not.toHaveProperty('kyc');
    expectStatus(await partner.client.get(`/v1/redemptions/${redemption}`), 200);
    const { body } = await operators.by.admin.client.get(`${operatorBase}/redemptions/${redemption}`);
    expect(body.customer).toEqual({
      user_id: person.userId,
      full_name: null,
      country: null,
      id_type: null,
      id_number_masked: null,
    });
    const events = await eventsOf(person.id, partner);
    expect(events.map(({ type }: { type: string }) => type)).toEqual(['user.created', 'user.suspended']);
    // An address may spell anything.
    const shown = JSON.stringify(events).replaceAll(rest.wallet_address, '');
    expect(shown).not.toMatch(/kyc|Zubaida/);
    const stored = await everything();
    expect(stored).not.toContain(person.mark);
    expect(await h.ctx.sql`select 1 from user_kyc where user_id = ${person.id}`).toHaveLength(0);
    expect(await changesOf(h, 'user', person.id)).toMatchObject([
      {
        action: 'user.erase',
        before: { status: 'active' },
        after: { status: 'suspended' },
        reason: 'Request 17',
        operatorId: null,
      },
    ]);

    // Once more changes nothing, and the user does not trade again.
    const again = await erase(person.userId, partner.partnerId);
    expect(JSON.parse(again.stdout)).toEqual({ ...printed, erased_now: false });
    expect(await changesOf(h, 'user', person.id)).toHaveLength(1);
    const { compliance } = operators.by;
    expect(await send(compliance.client, 'POST', `/users/${person.id}/resume`)).toMatchObject({
      status: 409,
      body: { error: 'transition_not_allowed', message: 'The user has no KYC record.' },
    });
    const quote = { service_user_id: person.id, usdc_amount: 10 };
    expect((await partner.client.post('/v1/buy', quote)).body.error).toBe('kyc_level_insufficient');
    const level = { kyc_level: 'full', reason: 'r' };
    expect(await send(compliance.client, 'POST', `/users/${person.id}/kyc-level`, level)).toMatchObject({
      status: 409,
      body: { error: 'transition_not_allowed' },
    });
    expect(await partner.client.post('/v1/users', person.body)).toMatchObject({
      status: 409,
      body: { error: 'user_already_exists' },
    });
  });

  test.each(['quoted', 'submitted', 'preparing', 'ready', 'cancellation_requested'] as const)(
    'an erasure is refused while a redemption is %s',
    async (status) => {
      const person = await register();
      const owner = { partner: h.main, user: { id: person.id, wallet: person.wallet } };
      const redemption = await givenRedemption(h, owner, { status });
      expect(await erase(person.userId)).toMatchObject({
        code: 1,
        stdout: '',
        stderr: `transition_not_allowed: The user has redemptions that have not ended: ${redemption} is ${status}.\n`,
      });
      expect((await read(person.id)).body.kyc).toEqual(person.kyc);
    },
  );

  test('an erasure waits for a redemption that is about to be quoted, and is refused then', async () => {
    const person = await register();
    const owner = { partner: h.main, user: { id: person.id, wallet: person.wallet } };
    let run: ReturnType<typeof erase> | undefined;
    const redemption = await givenRedemption(h, owner, {
      status: 'quoted',
      beforeCommit: async () => {
        run = erase(person.userId);
        await waitsForALock();
      },
    });
    expect(await run).toMatchObject({ code: 1, stderr: expect.stringContaining(`${redemption} is quoted`) });
    expect((await read(person.id)).body.kyc).toEqual(person.kyc);
  });

  test('an erasure names what is wrong: no such user, another partner’s, no partner', async () => {
    const { userId } = await register();
    const other = await h.givenPartner();
    for (const run of [await erase('nobody'), await erase(userId, other.partnerId)]) {
      expect(run).toMatchObject({ code: 1, stderr: 'user_not_found: The partner has no such user.\n' });
    }
    expect(await erase(userId, 'x')).toMatchObject({
      code: 2,
      stderr: '--partner-id must be the id of a partner, not "x"\n',
    });
  });
});

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rotateKycKey } from '../../../src/actions/users/rotate-kyc-key.js';
import { lockKycBefore, updateIdentity } from '../../../src/db/users.js';
import type { UserId } from '../../../src/domain/ids.js';
import type { OperatorRole } from '../../../src/domain/operator.js';
import { callKarat } from '../../cli/run-karat.js';
import { expectStatus, type Harness, harness, newWallet } from '../../harness.js';
import { changesOf, type Operators, operatorBase, send, startOperators } from '../../operators.js';
import { givenRedemption, seedDenominations } from '../../redeeming.js';

let h: Harness;
let operators: Operators;
beforeAll(async () => {
  h = await harness();
  operators = await startOperators(h);
  await seedDenominations(h);
});
afterAll(async () => {
  await operators.close();
  await h.close();
});

const reason = 'Stands at the counter without the code';
const search = (body: object, role: OperatorRole = 'compliance') =>
  send(operators.by[role].client, 'POST', '/users/search', { reason, ...body });
async function found(body: object): Promise<string[]> {
  const { users } = expectStatus(await search(body), 200).body;
  return users.map((user: { service_user_id: string }) => user.service_user_id);
}

/** A word that stands in no other name; `h.secrets` may be in no line of the log. */
function newWord(): string {
  const word = `Zubaida${randomBytes(6).toString('hex')}`;
  h.secrets.add(word);
  h.secrets.add(word.toUpperCase());
  return word;
}

async function register(fullName: string, kycData?: Record<string, unknown>, { client } = h.main) {
  const wallet = newWallet();
  const userId = `customer-${randomBytes(5).toString('hex')}`;
  const kyc = {
    country: 'PK',
    full_name: fullName,
    kyc_provider: 'by hand',
    kyc_level: 'full',
    kyc_verified_at: '2025-03-01T12:00:00Z',
    ...(kycData && { kyc_data: kycData }),
  };
  const body = { user_id: userId, wallet_address: wallet.address, kyc };
  const made = expectStatus(await client.post('/v1/users', body), 201);
  h.clock.advance(1);
  return { id: made.body.service_user_id as UserId, userId, wallet };
}

const termsOf = async (id: string): Promise<string[]> => {
  const [row] = await h.ctx.sql`select search_terms::text[] as terms from user_kyc where user_id = ${id}`;
  return row?.terms;
};

test('a search of customers finds them by words of the name, the whole number of a document, or both', async () => {
  const [one, other] = [newWord(), newWord()];
  const number = `ILHRIO-${randomBytes(6).toString('hex')}-9`;
  const ayesha = await register(`${one} Nūr ${other}`, { id_type: 'passport', id_number: number });
  const second = await register(one);

  expect(await found({ full_name: one })).toEqual([second.id, ayesha.id]);
  expect(await found({ full_name: `${other.toUpperCase()},  nur` })).toEqual([ayesha.id]);
  expect(await found({ id_number: number.replaceAll('-', ' ').toLowerCase() })).toEqual([ayesha.id]);
  expect(await found({ full_name: other, id_number: number })).toEqual([ayesha.id]);
  expect(await found({ full_name: one.slice(0, -1) })).toEqual([]);
  expect(await found({ full_name: `${one} Somebody` })).toEqual([]);
  expect(await found({ id_number: number.slice(0, -1) })).toEqual([]);
  expect(await found({ full_name: number })).toEqual([]);
  expect(await found({ full_name: other, id_number: 'X1' })).toEqual([]);

  const response = await search({ id_number: number });
  expect(response.headers['cache-control']).toBe('no-store');
  expect(response.body).toEqual({
    users: [
      {
        service_user_id: ayesha.id,
        partner_id: h.main.partnerId,
        user_id: ayesha.userId,
        wallet_address: ayesha.wallet.address,
        status: 'active',
        created_at: expect.any(String),
        updated_at: expect.any(String),
        full_name: `${one} Nūr ${other}`,
        country: 'PK',
        id_type: 'passport',
        id_number_masked: `****${number.slice(-4)}`,
      },
    ],
    has_more: false,
  });
  const redemption = await givenRedemption(h, { partner: h.main, user: ayesha });
  const list = await operators.by.compliance.client.get(
    `${operatorBase}/redemptions?service_user_id=${ayesha.id}`,
  );
  expect(list.body.redemptions).toMatchObject([{ redemption_id: redemption }]);
});

test('a search of customers finds those of all partners, whose equal names have no equal entries', async () => {
  const [word, number] = [newWord(), randomBytes(6).toString('hex')];
  const partners = [h.main, await h.givenPartner(), await h.givenPartner()];
  const ids: UserId[] = [];
  for (const partner of partners) ids.push((await register(word, { id_number: number }, partner)).id);
  const entries = (await Promise.all(ids.map(termsOf))).flat();
  expect(entries).toHaveLength(6);
  expect(new Set(entries).size).toBe(6);
  expect(await found({ full_name: word })).toEqual([...ids].reverse());
  expect(await found({ full_name: word, id_number: number })).toEqual([...ids].reverse());
  // Within a partner, equal words are found by equal entries.
  const again = await register(word, { id_number: number });
  expect(await termsOf(again.id)).toEqual(await termsOf(ids[0] as UserId));
});

test('a search of customers shows 20 at most, the newest, and reports that there are more', async () => {
  const word = newWord();
  const ids: string[] = [];
  for (let count = 0; count < 21; count += 1) ids.unshift((await register(word)).id);
  const { body } = expectStatus(await search({ full_name: word }), 200);
  expect(body.users.map((user: { service_user_id: string }) => user.service_user_id)).toEqual(
    ids.slice(0, 20),
  );
  expect(body.has_more).toBe(true);
});

test.each([
  [{}, 'full_name', 'Send full_name, id_number or both.'],
  [{ full_name: ' - ' }, 'full_name', 'full_name must have a letter or a digit.'],
  [{ full_name: 'Khan', id_number: '--' }, 'id_number', 'id_number must have a letter or a digit.'],
])('a search of customers for %j is refused', async (body, field, message) => {
  expect(await search(body)).toMatchObject({
    status: 400,
    body: { error: 'invalid_request', field, message },
  });
});

test('a search of customers is in the audit log each time, with who was found and nothing of the text', async () => {
  const word = newWord();
  const number = `ILHRIO-${randomBytes(6).toString('hex')}`;
  const { id } = await register(`${word} Noor`, { id_type: 'passport', id_number: number });
  const before = await changesOf(h, 'user', 'search');
  expect(await found({ full_name: word })).toEqual([id]);
  expect(await found({ full_name: word, id_number: number })).toEqual([id]);
  expect(await found({ id_number: `${number}0` })).toEqual([]);

  const { operatorId } = operators.by.compliance;
  const looked = { action: 'user.search_kyc', before: null, reason, operatorId };
  expect((await changesOf(h, 'user', 'search')).slice(before.length)).toEqual([
    { ...looked, after: { by: ['full_name'], found: 1 } },
    { ...looked, after: { by: ['full_name', 'id_number'], found: 1 } },
    { ...looked, after: { by: ['id_number'], found: 0 } },
  ]);
  const shown = { action: 'user.read_kyc', before: null, after: null, reason: null, operatorId };
  expect(await changesOf(h, 'user', id)).toEqual([shown, shown]);

  const stored = await h.ctx.sql`select row_to_json(t)::text as row from audit_log t`;
  const terms = await termsOf(id);
  expect(terms).toHaveLength(3);
  for (const { row } of stored) {
    for (const text of [word, word.toUpperCase(), number, ...terms.map((term) => term.replace('\\x', ''))])
      expect(row).not.toContain(text);
  }
  for (const [role, seen] of [
    ['viewer', { before: null, after: null, reason: null }],
    ['compliance', { after: { by: ['id_number'], found: 0 }, reason }],
  ] as const) {
    const { body } = await operators.by[role].client.get(
      `${operatorBase}/audit?action=user.search_kyc&limit=1`,
    );
    expect(body.entries).toMatchObject([{ action: 'user.search_kyc', operator_id: operatorId, ...seen }]);
  }
});

test('a search of customers finds one whose record was changed, and so the others', async () => {
  const word = newWord();
  const [damaged, whole] = [await register(word), await register(word)];
  await h.ctx.sql`update user_kyc set identity = '' where user_id = ${damaged.id}`;
  const { users } = expectStatus(await search({ full_name: word }), 200).body;
  expect(users).toMatchObject([
    { service_user_id: whole.id, full_name: word, country: 'PK' },
    { service_user_id: damaged.id, full_name: null, country: null },
  ]);
  await h.ctx.sql`delete from user_kyc where user_id = ${damaged.id}`;
});

test('a search of customers finds no erased customer, of whom nothing is left to search', async () => {
  const word = newWord();
  const { id, userId } = await register(word);
  const run = await callKarat(['users', 'erase', '--partner-id', h.main.partnerId, '--user-id', userId], {
    DATABASE_URL: h.databaseUrl,
  });
  expect(run).toMatchObject({ code: 0 });
  expect(await found({ full_name: word })).toEqual([]);
  expect(await termsOf(id)).toBeUndefined();
});

describe('a search of customers while the data key is replaced', () => {
  test('a search of customers finds records of both keys, and of the new one afterwards', async () => {
    const word = newWord();
    const { db, kyc } = h.ctx;
    const ids = [await register(word), await register(word)].map(({ id }) => id).sort();
    const before = await termsOf(ids[0] ?? '');
    const key = await db.transaction((tx) => kyc.makeKey(tx));
    // One of the two is encrypted again; then it is broken off.
    await db.transaction(async (tx) => {
      const records = await lockKycBefore(tx, key.id, { after: undefined, limit: 1_000 });
      const record = records.find(({ userId }) => userId === ids[0]);
      if (!record) throw new Error('the record is not there');
      const user = { id: record.userId, partnerId: record.partnerId };
      await updateIdentity(tx, await kyc.sealWith(key, user, await kyc.open(record)));
    });
    expect((await found({ full_name: word })).sort()).toEqual(ids);
    const halfway = await termsOf(ids[0] ?? '');
    expect(halfway).not.toEqual(before);
    expect(await termsOf(ids[1] ?? '')).toEqual(before);

    expect(await rotateKycKey(h.ctx)).toMatchObject({ keyId: key.id, resumed: true });
    expect((await found({ full_name: word })).sort()).toEqual(ids);
    expect(await termsOf(ids[1] ?? '')).toEqual(halfway);
  });
});

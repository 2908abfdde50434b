import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Claim, claimIdempotencyKey } from '../../../src/actions/claim-idempotency-key.js';
import {
  completeIdempotencyKey,
  releaseIdempotencyKey,
} from '../../../src/actions/complete-idempotency-key.js';
import { sweepExpired } from '../../../src/actions/sweep-expired.js';
import { drizzleOn } from '../../../src/db/client.js';
import { requestHash } from '../../../src/domain/request-hash.js';
import { type ApiResponse, type Client, type Harness, harness, newWallet } from '../../harness.js';
import { type Operators, startOperators } from '../../operators.js';
import { operator, partner, type Surface } from './surfaces.js';
import { userBody } from './world.js';

/** How long a key is good for, and what is the same request, over a clock that stands still. */

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

const hourMs = 3_600_000;
const newKey = () => randomBytes(12).toString('hex');

const newUser = () => userBody({}, { kyc_data: { b: 1, a: [{ d: 1, c: 2 }] } });

interface Sample {
  surface: Surface;
  /** A route that makes what there can be only one of. */
  path: string;
  client(): Client;
  /** Whose keys they are. */
  ownerId(): string;
  another(): Promise<Client>;
  newBody(): Record<string, unknown>;
  /** A field that may have another value, and one that the request is refused for. */
  other: object;
  refused: [object, string][];
  /** What the same body gets once its key is forgotten. */
  taken: string;
}

const samples: Sample[] = [
  {
    surface: partner,
    path: '/v1/users',
    client: () => h.partner,
    ownerId: () => h.main.partnerId,
    another: async () => (await h.givenPartner()).client,
    newBody: newUser,
    other: { kyc: { ...newUser().kyc, kyc_data: { a: [] } } },
    refused: [
      [{ user_id: '' }, 'invalid_request'],
      [{ wallet_address: 'x' }, 'invalid_wallet'],
    ],
    taken: 'user_already_exists',
  },
  {
    surface: operator,
    path: '/operator/v1/partners',
    client: () => operators.by.admin.client,
    ownerId: () => operators.by.admin.operatorId,
    another: async () => (await operators.givenOperator('admin')).client,
    newBody: () => ({ name: 'Initech', fee_percentage: 0.01, wallet_address: newWallet().address }),
    other: { name: 'Initrode' },
    refused: [
      [{ name: '' }, 'invalid_request'],
      [{ wallet_address: 'x' }, 'invalid_wallet'],
    ],
    taken: 'wallet_already_registered',
  },
];

describe.each(samples)('$surface.name', ({ surface, path, client, newBody, ...sample }) => {
  const create = (body: object, key: string, by = client()) =>
    by.post(path, body, { 'idempotency-key': key });
  const codeOf = (response: ApiResponse) => surface.refusalOf(response)?.code;
  const conflict = [409, surface.failure('idempotency_conflict')];

  test('a repeated request gets the first response, and reports that', async () => {
    const [body, key] = [newBody(), newKey()];
    const first = await create(body, key);
    expect(first.status).toBe(201);
    expect(first.headers['idempotency-replayed']).toBeUndefined();
    h.clock.advance(1_000);
    const again = await create(body, key);
    expect(again).toMatchObject({ status: 201, headers: { 'idempotency-replayed': 'true' } });
    expect(again.body).toEqual(first.body);
    expect(again.headers['content-type']).toBe(first.headers['content-type']);
    expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
  });

  test('the order of members makes no other request', async () => {
    const [body, key] = [newBody(), newKey()];
    const first = await create(body, key);
    expect((await create(turned(body) as object, key)).body).toEqual(first.body);
  });

  test('another body with the same key is 409', async () => {
    const [body, key] = [newBody(), newKey()];
    await create(body, key);
    const extra = surface === partner ? [{ ...body, extra: 1 }] : [];
    for (const other of [newBody(), ...extra, { ...body, ...sample.other }]) {
      const response = await create(other, key);
      expect([response.status, response.body]).toEqual(conflict);
    }
  });

  test('twins that race get one response, or a conflict', async () => {
    const [body, key] = [newBody(), newKey()];
    const responses = await Promise.all(Array.from({ length: 20 }, () => create(body, key)));
    const fresh = responses.filter(
      (a) => a.status === 201 && a.headers['idempotency-replayed'] === undefined,
    );
    expect(fresh).toHaveLength(1);
    for (const response of responses) {
      if (response.status === 201) expect(response.body).toEqual(fresh[0]?.body);
      else expect([response.status, response.body]).toEqual(conflict);
    }
    expect((await create(body, key)).body).toEqual(fresh[0]?.body);
  });

  test('malformed and failed requests use no key up', async () => {
    const [body, key] = [newBody(), newKey()];
    for (const [part, code] of sample.refused) {
      expect(codeOf(await create({ ...body, ...part }, key))).toBe(code);
    }
    expect((await create(body, key)).status).toBe(201);
  });

  test('keys are apart by their owner', async () => {
    const key = newKey();
    for (const by of [client(), await sample.another()]) {
      expect((await create(newBody(), key, by)).status).toBe(201);
    }
  });

  test('responses are kept for 24 hours', async () => {
    const [body, key] = [newBody(), newKey()];
    const first = await create(body, key);
    h.clock.advance(24 * hourMs - 1);
    await sweepExpired(h.ctx, AbortSignal.any([]));
    expect((await create(body, key)).body).toEqual(first.body);
    h.clock.advance(1);
    const late = await create(body, key);
    expect([late.status, codeOf(late)]).toEqual([409, sample.taken]);
    h.clock.advance(1);
    await sweepExpired(h.ctx, AbortSignal.any([]));
    const rows = await h.ctx.db.execute(sql`select 1 from idempotency_keys where key = ${key}`);
    expect(rows).toHaveLength(0);
  });

  test('the claim of a process that died lapses after 30 s', async () => {
    const [body, key] = [newBody(), newKey()];
    const ownerId = sample.ownerId() as never;
    await claimIdempotencyKey(h.ctx, { ownerId, route: `POST ${path}`, key }, requestHash([{}, body]));
    const early = await create(body, key);
    expect([early.status, early.body]).toEqual(conflict);
    h.clock.advance(30_000);
    expect((await create(body, key)).status).toBe(201);
  });

  test('a key of more than 255 characters is 400, an empty one is none', async () => {
    expect((await create(newBody(), 'k'.repeat(255))).status).toBe(201);
    const refused = await create(newBody(), 'k'.repeat(256));
    expect([refused.status, refused.body]).toEqual([
      400,
      surface.failure('invalid_request', 'Idempotency-Key'),
    ]);
    expect((await create(newBody(), '')).status).toBe(201);
    expect((await create(newBody(), '')).status).toBe(201);
  });
});

/** The same value, with the members of every object in the opposite order. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, inner]) => [name, turned(inner)]);
  return Object.fromEntries(members.reverse());
}

describe('a repetition while its first request is in progress', () => {
  /** Repeats a request, ends the first one once the repetition has found it in progress, and returns what that gets. */
  async function repeated(end: (claim: Claim) => Promise<unknown>) {
    const scope = { ownerId: h.main.partnerId, route: 'POST /v1/users', key: newKey() };
    const first = await claimIdempotencyKey(h.ctx, scope, requestHash({}));
    if (!('claim' in first)) throw new Error('not claimed');
    let found = () => {};
    const isFound = new Promise<void>((resolve) => {
      found = resolve;
    });
    const logQuery = (text: string) => {
      if (/^select .*idempotency_keys/.test(text)) found();
    };
    const watched = { ...h.ctx, db: drizzleOn(h.ctx.pool, { logQuery }) };
    const second = claimIdempotencyKey(watched, scope, requestHash({}));
    await isFound;
    await end(first.claim);
    return second;
  }

  test('a repetition waits for its first request, and gets its response', async () => {
    const response = { status: 201, response: '{"made":"once"}' };
    const settle = (claim: Claim) =>
      h.ctx.db.transaction((tx) => completeIdempotencyKey(tx, claim, response));
    expect(await repeated(settle)).toEqual(response);
  });

  test('a repetition waits for no lock while another process completes its first request', async () => {
    const scope = { ownerId: h.main.partnerId, route: 'POST /v1/users', key: newKey() };
    const first = await claimIdempotencyKey(h.ctx, scope, requestHash({}));
    if (!('claim' in first)) throw new Error('not claimed');
    const response = { status: 201, response: '{"made":"once"}' };
    const { second, locked } = await h.ctx.db.transaction(async (tx) => {
      await completeIdempotencyKey(tx, first.claim, response);
      const second = claimIdempotencyKey(h.ctx, scope, requestHash({}));
      let locked = 0;
      for (let looks = 0; looks < 30; looks += 1) {
        const waiting = await h.ctx.sql`select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`;
        locked = Math.max(locked, waiting.length);
        await wait(20);
      }
      return { second: { later: second }, locked };
    });
    expect([await second.later, locked]).toEqual([response, 0]);
  });

  test('a repetition waits for its first request, and takes its place when it came to nothing', async () => {
    expect(await repeated((claim) => releaseIdempotencyKey(h.ctx, claim))).toHaveProperty('claim');
  });
});

test('keys are apart by route, and of one route by path', async () => {
  const key = { 'idempotency-key': newKey() };
  const { client, keyId, ...other } = await h.givenPartner();
  expect((await client.post('/v1/users', newUser(), key)).status).toBe(201);
  const spare = await h.mintKey({ ...other });
  const revoke = (id: string) => client.post(`/v1/partner/api-keys/${id}/revoke`, undefined, key);
  expect((await revoke(spare.response.body.key_id)).status).toBe(200);
  expect(await revoke(keyId)).toMatchObject({ status: 409, body: { error: 'idempotency_conflict' } });
});

test('a repeated revocation has the response of the first one', async () => {
  const given = await h.givenPartner();
  const { response: minted } = await h.mintKey(given);
  const path = `/v1/partner/api-keys/${minted.body.key_id}/revoke`;
  const key = { 'idempotency-key': newKey() };
  const first = await given.client.post(path, undefined, key);
  expect(await given.client.post(path, undefined, key)).toMatchObject({ status: 200, body: first.body });
  expect((await given.client.post(path)).body.error).toBe('already_revoked');
});

test('the header is ignored elsewhere: no raw key is ever stored', async () => {
  const given = await h.givenPartner();
  const headers = { 'idempotency-key': newKey() };
  const desired = { wallet_address: given.wallet.address, partner_id: given.partnerId };
  const [a, b] = [
    await h.anonymous.post('/v1/auth/challenge', desired, headers),
    await h.anonymous.post('/v1/auth/challenge', desired, headers),
  ];
  expect(a.body.challenge_id).not.toBe(b.body.challenge_id);
  const signature = given.wallet.sign(a.body.message);
  const mint = { challenge_id: a.body.challenge_id, signature, key_name: 'k' };
  const minted = await h.anonymous.post('/v1/auth/api-key', mint, headers);
  h.secrets.add(minted.body.api_key);
  expect(minted.status).toBe(201);
  expect((await h.anonymous.post('/v1/auth/api-key', mint, headers)).body.error).toBe('invalid_challenge');
  const stored = JSON.stringify(await h.ctx.db.execute(sql`select * from idempotency_keys`));
  expect(stored).not.toContain(minted.body.api_key);
});

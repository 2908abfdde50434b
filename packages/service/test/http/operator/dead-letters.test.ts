import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  type DeadLetterReason,
  deadLetters,
  findRequestedRetries,
} from '../../../src/db/indexing/dead-letters.js';
import { newUuid, type Uuid } from '../../../src/domain/ids.js';
import { type Harness, harness } from '../../harness.js';
import { addressNamed, signatureNamed } from '../../named-keys.js';
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
beforeEach(() => h.ctx.sql`truncate dead_letters`);

const admin = () => operators.by.admin.client;
const list = (query = '') => operators.by.viewer.client.get(`${operatorBase}/dead-letters${query}`);
const idsOf = (deadLetterRows: { dead_letter_id: string }[]) =>
  deadLetterRows.map((deadLetter) => deadLetter.dead_letter_id);

async function givenDeadLetter(
  reason: DeadLetterReason = 'unknown_user',
  changes: Partial<typeof deadLetters.$inferInsert> = {},
): Promise<Uuid> {
  h.clock.advance(1_000);
  const id = newUuid();
  const row = { id, signature: signatureNamed(id), slot: 7n, reason, detail: { wallet: '<b>x</b>' } };
  await h.ctx.db.insert(deadLetters).values({ ...row, createdAt: new Date(h.clock.now()), ...changes });
  return id;
}

test('dead letters are listed, newest first, with their details; filters and pages', async () => {
  const one = await givenDeadLetter();
  const two = await givenDeadLetter('vanished', { resolvedAt: new Date(h.clock.now()) });
  const three = await givenDeadLetter('reconciliation_difference', { signature: addressNamed('an account') });
  const all = await list();
  expect(idsOf(all.body.dead_letters)).toEqual([three, two, one]);
  expect(all.body.dead_letters[2]).toEqual({
    dead_letter_id: one,
    signature: signatureNamed(one),
    slot: 7,
    reason: 'unknown_user',
    detail: { wallet: '<b>x</b>' },
    created_at: new Date(h.clock.now() - 2_000).toISOString(),
    resolved_at: null,
    resolution: null,
    retry_requested_at: null,
    retried_at: null,
  });
  const idsBy = async (query: string) => idsOf((await list(query)).body.dead_letters);
  expect(await idsBy('?open=true')).toEqual([three, one]);
  expect(await idsBy('?open=false')).toEqual([two]);
  expect(await idsBy('?reason=vanished')).toEqual([two]);
  expect(await idsBy(`?signature=${addressNamed('an account')}&open=true`)).toEqual([three]);
  for (const query of ['?reason=nothing', '?reason=%00', '?signature=%00']) {
    expect((await list(query)).body).toEqual({ dead_letters: [], next_cursor: null });
  }
  const first = await list('?limit=2');
  expect(idsOf(first.body.dead_letters)).toEqual([three, two]);
  await givenDeadLetter();
  const second = await list(`?limit=2&cursor=${first.body.next_cursor}`);
  expect(second.body).toMatchObject({ dead_letters: [{ dead_letter_id: one }], next_cursor: null });
  for (const query of ['open=', 'open=yes', 'limit=0', 'cursor=x']) {
    expect(await list(`?${query}`)).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', field: query.split('=')[0] },
    });
  }
});

test('a retry of a dead letter is requested once, however often and by whom it is triggered', async () => {
  const id = await givenDeadLetter();
  const responses = await Promise.all(
    [1, 2, 3].map(() => send(admin(), 'POST', `/dead-letters/${id}/retry`)),
  );
  const at = new Date(h.clock.now()).toISOString();
  for (const response of responses) {
    expect(response).toMatchObject({
      status: 202,
      body: { dead_letter_id: id, retry_requested_at: at, resolved_at: null },
    });
  }
  expect(await findRequestedRetries(h.ctx.db, 10)).toMatchObject([{ id, signature: signatureNamed(id) }]);
  const { operatorId } = operators.by.admin;
  expect((await changesOf(h, 'dead_letter', id))[0]).toEqual({
    action: 'dead_letter.retry',
    before: {
      signature: signatureNamed(id),
      reason: 'unknown_user',
      resolved_at: null,
      resolution: null,
      retry_requested_at: null,
    },
    after: expect.objectContaining({ retry_requested_at: at }),
    reason: null,
    operatorId,
  });
});

test('a dead letter about an account cannot be retried: there is no transaction to read', async () => {
  const id = await givenDeadLetter('undecodable', { signature: addressNamed('an integrator') });
  expect(await send(admin(), 'POST', `/dead-letters/${id}/retry`)).toMatchObject({
    status: 409,
    body: {
      error: 'transition_not_allowed',
      message: 'This dead letter is about an account, so there is no transaction to read again.',
    },
  });
  expect(await findRequestedRetries(h.ctx.db, 10)).toEqual([]);
});

test('a difference of the books cannot be retried, nor a resolved dead letter', async () => {
  const difference = await givenDeadLetter('reconciliation_difference');
  expect(await send(admin(), 'POST', `/dead-letters/${difference}/retry`)).toMatchObject({
    status: 409,
    body: { error: 'transition_not_allowed', message: expect.stringContaining('Every comparison') },
  });
  const settled = await givenDeadLetter('undecodable', { resolvedAt: new Date(h.clock.now()) });
  for (const step of ['retry', 'resolve']) {
    const body = step === 'resolve' ? { reason: 'x' } : undefined;
    expect(await send(admin(), 'POST', `/dead-letters/${settled}/${step}`, body)).toMatchObject({
      status: 409,
      body: { error: 'transition_not_allowed', message: 'The dead letter is already resolved.' },
    });
    for (const id of [newUuid(), 'nonsense', '%00']) {
      expect(await send(admin(), 'POST', `/dead-letters/${id}/${step}`, body)).toMatchObject({
        status: 404,
        body: { error: 'not_found', message: 'There is no such dead letter.' },
      });
    }
    expect(await changesOf(h, 'dead_letter', settled)).toEqual([]);
  }
});

test('a dead letter that a person resolved stays resolved, with the reason; one of two concurrent resolutions succeeds', async () => {
  const id = await givenDeadLetter('reconciliation_difference');
  const words = ['Top-up of the treasury, ticket 4711', 'Another word'];
  const responses = await Promise.all(
    words.map((reason) => send(admin(), 'POST', `/dead-letters/${id}/resolve`, { reason })),
  );
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 409]);
  const won = responses.find(({ status }) => status === 200)?.body;
  const at = new Date(h.clock.now()).toISOString();
  expect(won).toMatchObject({ dead_letter_id: id, resolved_at: at, resolution: expect.any(String) });
  expect(words).toContain(won.resolution);
  expect((await list('?open=true')).body.dead_letters).toEqual([]);
  expect(await changesOf(h, 'dead_letter', id)).toMatchObject([
    {
      action: 'dead_letter.resolve',
      before: { resolved_at: null },
      after: { resolved_at: at, resolution: won.resolution },
      reason: won.resolution,
    },
  ]);
});

test('several dead letters are resolved at once, each with its entry in the audit log, or none of them', async () => {
  const ids = [
    await givenDeadLetter(),
    await givenDeadLetter('escrow_unmatched'),
    await givenDeadLetter('undecodable'),
  ];
  const reason = 'Dust of one sender, kept';
  const resolve = (dead_letter_ids: unknown) =>
    send(admin(), 'POST', '/dead-letters/resolve', { dead_letter_ids, reason });
  const gone = await givenDeadLetter('vanished');
  const settled = await givenDeadLetter('undecodable', { resolvedAt: new Date(h.clock.now()) });
  for (const [id, status, error, message] of [
    [newUuid(), 404, 'not_found', 'There is no such dead letter.'],
    ['nonsense', 404, 'not_found', 'There is no such dead letter.'],
    [settled, 409, 'transition_not_allowed', 'The dead letter is already resolved.'],
    [
      gone,
      409,
      'transition_not_allowed',
      `The dead letter ${gone} has the reason vanished: resolve it on its own.`,
    ],
  ] as const) {
    expect(await resolve([...ids, id])).toMatchObject({ status, body: { error, message } });
  }
  expect(idsOf((await list('?open=true')).body.dead_letters)).toEqual([gone, ...ids.toReversed()]);

  const responses = await Promise.all([resolve(ids), resolve(ids.toReversed())]);
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 409]);
  const at = new Date(h.clock.now()).toISOString();
  const won = responses.find(({ status }) => status === 200)?.body.dead_letters;
  expect(idsOf(won).toSorted()).toEqual(ids.toSorted());
  for (const deadLetter of won) expect(deadLetter).toMatchObject({ resolved_at: at, resolution: reason });
  for (const id of ids) {
    expect(await changesOf(h, 'dead_letter', id)).toMatchObject([
      { action: 'dead_letter.resolve', after: { resolved_at: at, resolution: reason }, reason },
    ]);
  }
  expect(idsOf((await list('?open=true')).body.dead_letters)).toEqual([gone]);
});

test.each([
  [{ reason: 'x' }, 'dead_letter_ids'],
  [{ reason: 'x', dead_letter_ids: [] }, 'dead_letter_ids'],
  [{ reason: 'x', dead_letter_ids: ['a', 'a'] }, 'dead_letter_ids'],
  [{ reason: 'x', dead_letter_ids: Array.from({ length: 101 }, newUuid) }, 'dead_letter_ids'],
  [{ reason: 'x', dead_letter_ids: [7] }, 'dead_letter_ids.0'],
  [{ dead_letter_ids: [newUuid()] }, 'reason'],
])('resolving several dead letters by %j is refused', async (body, field) => {
  expect(await send(admin(), 'POST', '/dead-letters/resolve', body)).toMatchObject({
    status: 400,
    body: { error: 'invalid_request', field },
  });
});

test.each([
  [{}, 'reason'],
  [{ reason: '' }, 'reason'],
  [{ reason: ' ' }, 'reason'],
  [{ reason: 'x'.repeat(1_001) }, 'reason'],
  [{ reason: 'a\0b' }, 'reason'],
  [{ reason: 7 }, 'reason'],
  [{ reason: 'x', resolved_at: '2020-01-01T00:00:00Z' }, 'resolved_at'],
  [{ reason: 'x', resolution: 'y' }, 'resolution'],
])('resolving a dead letter by %j is refused', async (body, field) => {
  const id = await givenDeadLetter();
  expect(await send(admin(), 'POST', `/dead-letters/${id}/resolve`, body)).toMatchObject({
    status: 400,
    body: { error: 'invalid_request', field },
  });
  expect((await list('?open=true')).body.dead_letters).toHaveLength(1);
});

test('only admins retry and resolve dead letters', async () => {
  const id = await givenDeadLetter();
  for (const role of ['viewer', 'fulfilment', 'compliance'] as const) {
    const { client } = operators.by[role];
    expect(await client.get(`${operatorBase}/dead-letters`)).toMatchObject({ status: 200 });
    for (const step of ['retry', 'resolve']) {
      expect(await send(client, 'POST', `/dead-letters/${id}/${step}`, { reason: 'x' })).toMatchObject({
        status: 403,
        body: { error: 'insufficient_scope' },
      });
    }
  }
  expect(await changesOf(h, 'dead_letter', id)).toEqual([]);
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findHistory, findRedemption } from '../../../src/db/redemptions/redemptions.js';
import { newId, type RedemptionId } from '../../../src/domain/ids.js';
import {
  type RedemptionStatus,
  redemptionStatuses,
  visibleRedemptionStatuses,
} from '../../../src/domain/redemption.js';
import { type EscrowNode, startEscrowNode } from '../../escrow-node.js';
import { expectStatus, type GivenPartner, type Harness, harness } from '../../harness.js';
import { advance, givenRedemption, seedDenominations } from '../../redeeming.js';

let node: EscrowNode;
let h: Harness;
let globex: GivenPartner;
type User = Awaited<ReturnType<Harness['givenUser']>>;
let user: User;

beforeAll(async () => {
  node = await startEscrowNode();
  h = await harness({ config: node.config });
  await seedDenominations(h);
  globex = await h.givenPartner({ name: 'Globex' });
  user = await h.givenUser(h.main.partnerId);
});
afterAll(async () => {
  await h.close();
  await node.stop();
});

const error = (status: number, code: string, message: string, field?: string) => ({
  status,
  body: { error: code, message: expect.stringContaining(message), ...(field ? { field } : {}) },
});
const given = (status: RedemptionStatus) => givenRedemption(h, { partner: h.main, user }, { status });
const cancel = (id: string, body?: unknown, client = h.partner) =>
  client.post(`/v1/redemptions/${id}/cancel`, body);
const idsOf = (body: { redemptions: { redemption_id: string }[] }) =>
  body.redemptions.map(({ redemption_id: id }) => id);

describe('a cancellation', () => {
  test('a cancellation of a submitted redemption is recorded with its reason, which the single record alone shows', async () => {
    const id = await given('submitted');
    h.clock.advance(1_000);
    const reason = 'Customer moved to Lahore,\n“for good” — 😀';
    expect(await cancel(id, { reason })).toMatchObject({
      status: 200,
      body: { redemption_id: id, status: 'cancellation_requested' },
    });
    const { body } = expectStatus(await h.partner.get(`/v1/redemptions/${id}`), 200);
    expect(body).toMatchObject({ status: 'cancellation_requested', cancellation_reason: reason });
    expect(body.updated_at).toBe(new Date(h.clock.now()).toISOString());
    expect(body.created_at).toBe(new Date(h.clock.now() - 1_000).toISOString());
    const list = expectStatus(await h.partner.get('/v1/redemptions?status=cancellation_requested'), 200);
    expect(idsOf(list.body)).toContain(id);
    for (const entry of list.body.redemptions) expect(entry).not.toHaveProperty('cancellation_reason');
    expect((await findHistory(h.ctx.db, id)).at(-1)).toEqual({
      at: new Date(h.clock.now()),
      from: 'submitted',
      to: 'cancellation_requested',
      actor: `key:${h.main.keyId}`,
      actorName: expect.any(String),
      note: reason,
    });
  });

  test.each([
    ['no body', undefined],
    ['an empty body', {}],
    ['the body null', 'null'],
  ])('a cancellation with %s has no reason', async (_, body) => {
    const id = await given('submitted');
    expectStatus(await cancel(id, body), 200);
    const record = expectStatus(await h.partner.get(`/v1/redemptions/${id}`), 200).body;
    expect(record).toMatchObject({ status: 'cancellation_requested', cancellation_reason: null });
  });

  test.each(redemptionStatuses.filter((status) => status !== 'submitted'))(
    'a cancellation in state %s is refused, naming it, and changes nothing',
    async (status) => {
      const id = await given(status);
      const expected = visibleRedemptionStatuses.includes(status as never)
        ? error(400, 'cancellation_not_allowed', status)
        : error(404, 'redemption_not_found', id);
      expect(await cancel(id, { reason: 'late' })).toMatchObject(expected);
      expect(await findRedemption(h.ctx.db, id)).toMatchObject({ status, cancellationReason: null });
    },
  );

  test.each([
    ['of 1,001 characters', 'x'.repeat(1_001), 'at most 1000 characters'],
    ['that is no text', 5, 'must be text'],
    ['that cannot be stored', 'a\u0000b', 'not allowed'],
    ['with half a character', 'a\ud800b', 'not allowed'],
  ])('a cancellation with a reason %s is refused', async (_, reason, message) => {
    const id = await given('submitted');
    expect(await cancel(id, { reason })).toMatchObject(error(400, 'invalid_request', message, 'reason'));
    expect(await findRedemption(h.ctx.db, id)).toMatchObject({ status: 'submitted' });
  });

  test('a cancellation with a reason of 1,000 characters is taken', async () => {
    const id = await given('submitted');
    expectStatus(await cancel(id, { reason: '😀'.repeat(1_000) }), 200);
  });

  test('a cancellation of an unknown redemption, or another partner’s, is refused', async () => {
    const id = await given('submitted');
    expect(await cancel(id, {}, globex.client)).toMatchObject(
      error(403, 'partner_mismatch', 'another partner'),
    );
    for (const unknown of [newId('red'), 'red_1', newId('trd'), 'x'.repeat(300)]) {
      expect(await cancel(unknown)).toMatchObject(error(404, 'redemption_not_found', 'no redemption'));
    }
    expect(await findRedemption(h.ctx.db, id)).toMatchObject({ status: 'submitted' });
  });

  test('exactly one of 50 cancellations and 50 operators’ moves succeeds, and the others are refused by it', async () => {
    const id = await given('submitted');
    const prepare = () =>
      advance(h.ctx, { redemptionId: id, move: 'prepare' }).then(
        () => 'preparing',
        (thrown) => thrown.code as string,
      );
    const requestCancellation = () => cancel(id).then(({ body }) => body.error ?? body.status);
    /** On a busy machine some of a hundred wait too long for a connection, and try again as clients do. */
    const outcomeOf = async (move: () => Promise<string>): Promise<string> => {
      const outcome = await move();
      return outcome === 'service_unavailable' ? outcomeOf(move) : outcome;
    };
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, (_, index) => outcomeOf(index % 2 === 0 ? requestCancellation : prepare)),
    );
    const winner = outcomes.filter((one) => one === 'preparing' || one === 'cancellation_requested');
    expect(winner).toHaveLength(1);
    expect(outcomes.filter((one) => one === 'cancellation_not_allowed').length).toBeGreaterThanOrEqual(49);
    expect(outcomes.filter((one) => one === 'transition_not_allowed').length).toBeGreaterThanOrEqual(49);
    expect(await findRedemption(h.ctx.db, id)).toMatchObject({ status: winner[0] });
    expect((await findHistory(h.ctx.db, id)).map(({ to }) => to)).toEqual(['quoted', 'submitted', winner[0]]);
  });
});

describe('the list', () => {
  /** A partner of its own with redemptions a second apart, newest last. */
  async function givenList(count: number) {
    const partner = await h.givenPartner();
    const owner = { partner, user: await h.givenUser(partner.partnerId) };
    const ids: RedemptionId[] = [];
    for (let index = 0; index < count; index += 1) {
      ids.push(await givenRedemption(h, owner, { at: new Date(h.clock.now() + index * 1_000) }));
    }
    return { partner, owner, ids, list: (query = '') => partner.client.get(`/v1/redemptions${query}`) };
  }

  test('the list shows every state that callers may see, newest first, and never quoted or lapsed', async () => {
    const { owner, list } = await givenList(0);
    const ids: RedemptionId[] = [];
    for (const [index, status] of redemptionStatuses.entries()) {
      ids.push(await givenRedemption(h, owner, { status, at: new Date(h.clock.now() + index) }));
    }
    const { body } = expectStatus(await list(), 200);
    expect(body.next_cursor).toBeNull();
    expect(body.redemptions.map(({ status }: { status: string }) => status)).toEqual(
      [...visibleRedemptionStatuses].reverse(),
    );
    expect(idsOf(body)).toEqual(ids.slice(1, -1).reverse());
    for (const status of visibleRedemptionStatuses) {
      const one = expectStatus(await list(`?status=${status}`), 200).body;
      expect(one.redemptions).toEqual([expect.objectContaining({ status })]);
    }
  });

  test.each(['quoted', 'lapsed', 'Submitted', '', 'unknown'])('refuses the status “%s”', async (status) => {
    expect(await h.partner.get(`/v1/redemptions?status=${status}`)).toMatchObject(
      error(400, 'invalid_request', 'must be one of submitted', 'status'),
    );
  });

  test.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=', 'limit'],
    ['limit=ten', 'limit'],
    ['cursor=', 'cursor'],
    ['cursor=nonsense', 'cursor'],
    ['city=a&city=b', 'city'],
  ])('the list refuses %s', async (query, field) => {
    expect(await h.partner.get(`/v1/redemptions?${query}`)).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', field },
    });
  });

  test('filters by user, by city in any case, and by both', async () => {
    const { partner, owner, list } = await givenList(0);
    const other = { partner, user: await h.givenUser(partner.partnerId) };
    const karachi = await givenRedemption(h, owner);
    const lahore = await givenRedemption(h, owner, { city: 'Lahore' });
    const others = await givenRedemption(h, other, { city: 'Lahore' });
    const requested = async (query: string) => idsOf(expectStatus(await list(query), 200).body).sort();
    expect(await requested(`?service_user_id=${owner.user.id}`)).toEqual([karachi, lahore].sort());
    expect(await requested('?city=lAHORE')).toEqual([lahore, others].sort());
    expect(await requested(`?city=Lahore&service_user_id=${other.user.id}`)).toEqual([others]);
    expect(await requested(`?city=Karachi&service_user_id=${other.user.id}`)).toEqual([]);
  });

  test('the list is empty for users and cities that are unknown, malformed, unwritable or another partner’s', async () => {
    await givenRedemption(h, { partner: h.main, user });
    const stranger = await h.givenUser(globex.partnerId);
    await givenRedemption(h, { partner: globex, user: stranger });
    for (const query of [
      `service_user_id=${newId('gu')}`,
      `service_user_id=${stranger.id}`,
      'service_user_id=gu_1',
      'service_user_id=',
      'service_user_id=%00',
      'city=Paris',
      'city=',
      'city=%00',
    ]) {
      expect(await h.partner.get(`/v1/redemptions?${query}`)).toMatchObject({
        status: 200,
        body: { redemptions: [], next_cursor: null },
      });
    }
  });

  test('the list never shows what is another partner’s', async () => {
    const { ids, list } = await givenList(2);
    const foreign = await givenRedemption(h, { partner: globex, user: await h.givenUser(globex.partnerId) });
    expect(idsOf(expectStatus(await list(), 200).body)).toEqual([...ids].reverse());
    const { body } = expectStatus(await globex.client.get('/v1/redemptions'), 200);
    expect(idsOf(body)).toContain(foreign);
    for (const id of ids) expect(idsOf(body)).not.toContain(id);
  });

  test('pages through everything once while others are added, also those of one moment', async () => {
    const { owner, ids, list } = await givenList(7);
    const at = new Date(h.clock.now() + 3_000);
    for (let index = 0; index < 5; index += 1) ids.push(await givenRedemption(h, owner, { at }));
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: { redemptions: { redemption_id: string }[]; next_cursor: string | null } = expectStatus(
        await list(`?limit=2${cursor && `&cursor=${cursor}`}`),
        200,
      ).body;
      seen.push(...idsOf(page));
      cursor = page.next_cursor;
      await givenRedemption(h, owner, { at: new Date(h.clock.now() + 60_000) });
    }
    expect(seen).toHaveLength(ids.length);
    expect([...seen].sort()).toEqual([...ids].sort());
  });

  test('the list refuses a cursor of another list', async () => {
    const { list } = await givenList(0);
    const cursor = Buffer.from(`${h.clock.now()}.${newId('gu')}`).toString('base64url');
    expect(await list(`?cursor=${cursor}`)).toMatchObject(error(400, 'invalid_request', 'cursor', 'cursor'));
  });
});

describe('the denominations', () => {
  const list = (query: string) => h.partner.get(`/v1/denominations${query}`);

  test('the denominations of a country are the active ones, lightest first, in any case of the country', async () => {
    const none = { availability: 'on_order' };
    const expected = [
      { id: 'pk_g_10', label: '10 g bar', weight_g: 10, weight_troy_oz: 0.321507, city: 'Lahore' },
      { id: 'pk_tola_1', label: '1 tola bar', weight_g: 11.6638038, weight_troy_oz: 0.375, city: 'Karachi' },
      { id: 'pk_oz_1', label: '1 oz bar', weight_g: 31.1034768, weight_troy_oz: 1, city: 'Karachi' },
    ].map((one) => ({ ...one, ...none }));
    for (const country of ['PK', 'pk', 'Pk']) {
      const { body } = expectStatus(await list(`?country=${country}`), 200);
      expect(body).toEqual({ denominations: expected });
    }
  });

  test('the denominations of a city are only those, in any case', async () => {
    const { body } = expectStatus(await list('?country=PK&city=KARACHI'), 200);
    expect(body.denominations.map(({ id }: { id: string }) => id)).toEqual(['pk_tola_1', 'pk_oz_1']);
  });

  test.each([
    '?country=SA',
    '?country=PAK',
    '?country=%00',
    '?country=PK&city=Dubai',
    '?country=PK&city=',
    '?country=PK&city=%00',
  ])('the denominations of %s are none', async (query) => {
    expect(await list(query)).toMatchObject({ status: 200, body: { denominations: [] } });
  });

  test.each([
    ['', 'country is required: text, such as "PK".'],
    ['?country=', 'country must not be empty; an example is "PK".'],
    ['?city=Karachi', 'country is required: text, such as "PK".'],
  ])('the denominations need a country: “%s” is refused', async (query, message) => {
    expect(await list(query)).toMatchObject(error(400, 'invalid_request', message, 'country'));
  });
});

test('every route requires a key first', async () => {
  const id = await given('submitted');
  const requested = [
    h.anonymous.get('/v1/denominations'),
    h.anonymous.get('/v1/redemptions?limit=0'),
    h.anonymous.get(`/v1/redemptions/${id}`),
    h.anonymous.post('/v1/redemptions', {}),
    h.anonymous.post(`/v1/redemptions/${id}/submit`, {}),
    h.anonymous.post(`/v1/redemptions/${id}/cancel`),
  ];
  for (const response of await Promise.all(requested)) expect(response).toMatchObject({ status: 401 });
  expect(await findRedemption(h.ctx.db, id)).toMatchObject({ status: 'submitted' });
});

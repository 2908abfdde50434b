import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sweepExpired } from '../../../src/actions/sweep-expired.js';
import { insertDenomination } from '../../../src/db/catalogue/denominations.js';
import { findHistory, findRedemption, moveRedemption } from '../../../src/db/redemptions/redemptions.js';
import { newId, type RedemptionId, uuidOf } from '../../../src/domain/ids.js';
import type { RedemptionStatus } from '../../../src/domain/redemption.js';
import { type Harness, harness } from '../../harness.js';
import { givenRedemption, seedDenominations, tola } from '../../redeeming.js';

let h: Harness;
let owner: Parameters<typeof givenRedemption>[1];

beforeAll(async () => {
  h = await harness();
  await seedDenominations(h);
  owner = { partner: h.main, user: await h.givenUser(h.main.partnerId) };
});
afterAll(() => h.close());

const at = new Date('2025-01-01T00:00:00.000Z');
const move = (id: RedemptionId, from: RedemptionStatus, to: RedemptionStatus) =>
  h.ctx.db.transaction((tx) => moveRedemption(tx, id, { from, to, at, actor: 'operator:7', note: 'a note' }));

/** The constraint that refuses a statement. */
async function refusedBy(statement: ReturnType<typeof sql>): Promise<string> {
  try {
    await h.ctx.db.transaction((tx) => tx.execute(statement));
  } catch (error) {
    return String(
      (error as { cause?: { constraint_name?: string; message?: string } }).cause?.constraint_name,
    );
  }
  return 'nothing';
}

describe('moveRedemption', () => {
  test('moveRedemption moves from the state named, and writes the move into the history with it', async () => {
    const id = await givenRedemption(h, owner);
    expect(await move(id, 'submitted', 'preparing')).toBe(true);
    expect(await findRedemption(h.ctx.db, id)).toMatchObject({ status: 'preparing', updatedAt: at });
    expect((await findHistory(h.ctx.db, id)).at(-1)).toEqual({
      at,
      from: 'submitted',
      to: 'preparing',
      actor: 'operator:7',
      actorName: null,
      note: 'a note',
    });
  });

  test('moveRedemption moves nothing and writes nothing when the redemption is elsewhere', async () => {
    const id = await givenRedemption(h, owner, { status: 'ready' });
    expect(await move(id, 'submitted', 'preparing')).toBe(false);
    expect(await move(newId('red'), 'submitted', 'preparing')).toBe(false);
    expect(await findRedemption(h.ctx.db, id)).toMatchObject({ status: 'ready' });
    expect(await findHistory(h.ctx.db, id)).toHaveLength(4);
  });

  test('the database numbers moves, whatever the clocks of processes', async () => {
    const id = await givenRedemption(h, owner);
    const numbered = sql`insert into redemption_history (id, redemption_id, at, from_status, to_status, actor)
      values (1, ${uuidOf(id)}, now(), 'submitted', 'preparing', 'indexer')`;
    await expect(h.ctx.db.execute(numbered)).rejects.toMatchObject({
      cause: { message: expect.stringContaining('non-DEFAULT value into column "id"') },
    });
  });

  test('moveRedemption: exactly one of many concurrent moves succeeds', async () => {
    const id = await givenRedemption(h, owner);
    const moved = await Promise.all(Array.from({ length: 30 }, () => move(id, 'submitted', 'preparing')));
    expect(moved.filter(Boolean)).toHaveLength(1);
  });

  test('moveRedemption leaves no trace when its transaction is rolled back', async () => {
    const id = await givenRedemption(h, owner);
    await expect(
      h.ctx.db.transaction(async (tx) => {
        await moveRedemption(tx, id, {
          from: 'submitted',
          to: 'preparing',
          at,
          actor: 'indexer',
          note: null,
        });
        throw new Error('on purpose');
      }),
    ).rejects.toThrow('on purpose');
    expect(await findRedemption(h.ctx.db, id)).toMatchObject({ status: 'submitted' });
    expect(await findHistory(h.ctx.db, id)).toHaveLength(2);
  });
});

describe('the database refuses a redemption', () => {
  const statuses = ['quoted', 'submitted', 'failed', 'cancelled', 'lapsed'] as const;
  const ids = {} as Record<(typeof statuses)[number], RedemptionId>;
  beforeAll(async () => {
    for (const status of statuses)
      ids[status] = await givenRedemption(h, owner, { status, finalized: false });
  });

  test.each<[string, (typeof statuses)[number], string, string]>([
    [
      'that landed without a transaction',
      'submitted',
      'tx_signature = null, slot = null',
      'redemptions_landed',
    ],
    ['with a transaction and no slot', 'submitted', 'slot = null', 'redemptions_landed'],
    ['that is quoted and landed', 'quoted', "tx_signature = sha512('x'), slot = 1", 'redemptions_landed'],
    ['that lapsed and landed', 'lapsed', "tx_signature = sha512('y'), slot = 1", 'redemptions_landed'],
    ['that is paid and cannot be reclaimed', 'submitted', 'reclaimable_at = null', 'redemptions_reclaimable'],
    ['that is quoted and can be reclaimed', 'quoted', 'reclaimable_at = now()', 'redemptions_reclaimable'],
    ['that failed and can be reclaimed', 'failed', 'reclaimable_at = now()', 'redemptions_reclaimable'],
    ['that failed for no reason', 'failed', 'failure_reason = null', 'redemptions_failure'],
    ['that did not fail and says why', 'submitted', "failure_reason = 'x'", 'redemptions_failure'],
    [
      'with a reason to cancel that nobody cancels',
      'submitted',
      "cancellation_reason = 'x'",
      'redemptions_cancellation',
    ],
    [
      'with a reason that is too long',
      'cancelled',
      "cancellation_reason = repeat('x', 1001)",
      'redemptions_cancellation',
    ],
    ['that costs nothing', 'quoted', 'tokens_required = 0', 'redemptions_amounts'],
    ['with a total that is not the sum', 'quoted', 'total_usd = total_usd + 1', 'redemptions_amounts'],
    ['with a negative fee', 'quoted', 'fee_usd = -1, total_usd = gold_value_usd - 1', 'redemptions_amounts'],
    ['without a price', 'quoted', 'spot_price_usd = 0', 'redemptions_amounts'],
    ['without a weight', 'quoted', 'weight_g = 0', 'redemptions_weight'],
    ['of no partner', 'quoted', 'partner_id = gen_random_uuid()', 'redemptions_partner_id_partners_id_fk'],
    ['of no user', 'quoted', 'user_id = gen_random_uuid()', 'redemptions_user_id_users_id_fk'],
    [
      'of no denomination',
      'quoted',
      "denomination_id = 'none'",
      'redemptions_denomination_id_denominations_id_fk',
    ],
  ])('the database refuses a redemption %s', async (_, status, change, constraint) => {
    expect(
      await refusedBy(sql`update redemptions set ${sql.raw(change)} where id = ${uuidOf(ids[status])}`),
    ).toBe(constraint);
  });

  test('the database refuses a redemption paid by a transaction that has paid another', async () => {
    const [one, other] = [await givenRedemption(h, owner), await givenRedemption(h, owner)];
    const statement = sql`update redemptions set tx_signature =
      (select tx_signature from redemptions where id = ${uuidOf(one)}) where id = ${uuidOf(other)}`;
    expect(await refusedBy(statement)).toBe('redemptions_tx_signature');
  });
});

describe('the database refuses a history entry', () => {
  test.each([
    ['of a state entered before', "'quoted', 'submitted', 'indexer', null", 'redemption_history_once'],
    ['that comes from nowhere', "null, 'ready', 'indexer', null", 'redemption_history_start'],
    ['of nobody', "'preparing', 'ready', 'somebody', null", 'redemption_history_actor'],
    [
      'with a long note',
      "'preparing', 'ready', 'indexer', repeat('x', 1001)",
      'redemption_history_note_length',
    ],
  ])('the database refuses a history entry %s', async (_, values, constraint) => {
    const id = await givenRedemption(h, owner);
    const statement = sql`insert into redemption_history (redemption_id, at, from_status, to_status, actor, note)
      values (${uuidOf(id)}, now(), ${sql.raw(values)})`;
    expect(await refusedBy(statement)).toBe(constraint);
  });
});

test.each([
  ['weight_g = 0.0009', 'denominations_weight_range'],
  ['weight_g = 1000001', 'denominations_weight_range'],
  ["label = ''", 'denominations_label_length'],
  ["country = 'XX'", 'denominations_country_countries_code_fk'],
  ["id = 'Big Bar'", 'denominations_id'],
])('the database refuses a denomination with %s', async (change, constraint) => {
  const statement = sql`update denominations set ${sql.raw(change)} where id = 'pk_old'`;
  expect(await refusedBy(statement)).toBe(constraint);
});

test('a denomination is written once', async () => {
  const again = { ...tola, label: 'Another' };
  expect(await h.ctx.db.transaction((tx) => insertDenomination(tx, again, at))).toBe(false);
});

describe('quotes that lapsed 7 days ago', () => {
  const dayMs = 86_400_000;
  const never = new AbortController().signal;
  const ago = (ms: number) => new Date(h.clock.now() - ms);
  const remove = () => sweepExpired(h.ctx, never);
  const left = async (...ids: RedemptionId[]) =>
    (await Promise.all(ids.map((id) => findRedemption(h.ctx.db, id)))).map((row) => row !== undefined);

  test('quotes that lapsed 7 days ago are deleted with their history, and nothing else is', async () => {
    const old = await givenRedemption(h, owner, { status: 'lapsed', at: ago(7 * dayMs + 1) });
    const young = await givenRedemption(h, owner, { status: 'lapsed', at: ago(7 * dayMs) });
    const others = await Promise.all(
      (['quoted', 'submitted', 'failed', 'cancelled', 'collected'] as const).map((status) =>
        givenRedemption(h, owner, { status, at: ago(30 * dayMs) }),
      ),
    );
    await remove();
    expect(await left(old, young, ...others)).toEqual([false, true, true, true, true, true, true]);
    expect(await findHistory(h.ctx.db, old)).toEqual([]);
    expect(await findHistory(h.ctx.db, young)).toHaveLength(2);
    h.clock.advance(1);
    await remove();
    expect(await left(young)).toEqual([false]);
  });

  test('quotes that lapsed 7 days ago are deleted in batches, by an index, by any number of processes', async () => {
    const model = await givenRedemption(h, owner, { status: 'lapsed', at: ago(8 * dayMs) });
    await h.ctx.sql`insert into redemptions select (jsonb_populate_record(r, jsonb_build_object(
      'id', gen_random_uuid(), 'quote_tx_signature', sha512(n::text::bytea)))).*
      from redemptions r, generate_series(1, 3500) n where r.id = ${model}`;
    await Promise.all([remove(), remove(), remove()]);
    expect(
      await h.ctx.sql`select id from redemptions where status = 'lapsed' and updated_at < ${ago(7 * dayMs)}`,
    ).toEqual([]);
    const plan = await h.ctx.db.transaction(async (tx) => {
      await tx.execute(sql`set local enable_seqscan = off`);
      return tx.execute(sql`explain select from redemptions where status = 'lapsed' and updated_at < now()`);
    });
    expect(JSON.stringify(plan)).toContain('redemptions_lapsed');
    const stopped = AbortSignal.abort(new Error('stopped'));
    await expect(sweepExpired(h.ctx, stopped)).rejects.toThrow('stopped');
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Db, drizzleOn } from '../../src/db/client.js';
import { findDeadLetters } from '../../src/db/indexing/dead-letters.js';
import { findOrders } from '../../src/db/orders/orders.js';
import type { PageOf } from '../../src/db/page.js';
import { findRedemptions } from '../../src/db/redemptions/redemptions.js';
import { findTrades } from '../../src/db/trades/trades.js';
import { findUsers } from '../../src/db/users.js';
import { newId, newUuid, type RedemptionId, type UserId, type Uuid } from '../../src/domain/ids.js';
import { type Harness, harness } from '../harness.js';
import { givenRedemption, seedDenominations, tola } from '../redeeming.js';

/** Rows of each table; nearly all of them of one partner and one user, and alike. */
const rows = 20_000;
/** Rows that have one time, as those of a batch have. */
const sameTime = 40;
const limit = 50;

let h: Harness;
/** A partner and a user with nearly everything, and a partner and a user with nothing. */
let busy: { partnerId: Uuid; userId: UserId };
let idle: { partnerId: Uuid; userId: UserId };
/** Keeps the statements that go through `db`. */
let db: Db;
const statements: { text: string; values: unknown[] }[] = [];

beforeAll(async () => {
  h = await harness({ logLevel: 'error' });
  await seedDenominations(h);
  const [one, other] = [h.main, await h.givenPartner()];
  const [user, stranger] = [await h.givenUser(one.partnerId), await h.givenUser(other.partnerId)];
  busy = { partnerId: one.partnerId, userId: user.id };
  idle = { partnerId: other.partnerId, userId: stranger.id };
  db = drizzleOn(h.ctx.pool, { logQuery: (text, values) => statements.push({ text, values }) });
  const { sql } = h.ctx;
  const at = sql`to_timestamp(1700000000 + n / ${sameTime}::int)`;
  await sql`
    insert into trades (id, partner_id, user_id, side, status, usdc_amount, gold_amount, price_per_troy_oz, fee_bps, fee_usdc,
      tx_signature, slot, event_seq, created_at, updated_at)
    select gen_random_uuid(), ${busy.partnerId}, ${busy.userId}, 'buy', 'confirmed', 100, 1, 4100, 50, 1,
      sha512(n::text::bytea), n, n, ${at}, ${at} from generate_series(1, ${rows}::int) n`;
  await sql`
    insert into orders (id, kind, status, partner_id, signer, integrator, gold_amount, usdc_limit, created_at, updated_at)
    select gen_random_uuid(), 'purchase', 'expired', ${busy.partnerId}, sha256('signer'), sha256('integrator'), 1, 1, ${at}, ${at}
    from generate_series(1, ${rows}::int) n`;
  await sql`
    insert into dead_letters (id, signature, slot, reason, detail, created_at, resolved_at)
    select gen_random_uuid(), sha512(n::text::bytea), n, 'undecodable', '{}', ${at}, ${at}
    from generate_series(1, ${rows}::int) n`;
  await sql`
    insert into users (id, partner_id, partner_user_id, wallet_address, created_at, updated_at)
    select gen_random_uuid(), ${busy.partnerId}, n, sha256(n::text::bytea), ${at}, ${at}
    from generate_series(1, ${rows}::int) n`;
  const model: RedemptionId = await givenRedemption(h, { partner: one, user }, { status: 'submitted' });
  await sql`
    insert into redemptions select (jsonb_populate_record(r, jsonb_build_object('id', gen_random_uuid(),
      'quote_tx_signature', sha512(n::text::bytea), 'tx_signature', sha512((n || ' ')::bytea), 'created_at', ${at}))).*
    from redemptions r, generate_series(1, ${rows}::int) n where r.id = ${model}`;
  await sql`analyze`;
}, 120_000);
afterAll(() => h.close());

interface PlanNode {
  'Node Type': string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

/** Returns how many rows a plan reads of tables and indexes, wherever it ends. */
function rowsRead(node: PlanNode): number {
  const below = (node.Plans ?? []).map(rowsRead).reduce((sum, count) => sum + count, 0);
  if (!node['Node Type'].endsWith('Scan') || node['Node Type'] === 'Subquery Scan') return below;
  return below + (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
}

/** Returns the most rows that any statement reads which `list` makes. */
async function mostRead(list: () => Promise<unknown[]>): Promise<number> {
  statements.length = 0;
  await list();
  const made = [...statements];
  expect(made.length).toBeGreaterThan(0);
  const read = made.map(async ({ text, values }) => {
    const explain = { text: `explain (analyze, format json) ${text}` };
    const [row] = (await h.ctx.pool.query(explain, values)) as { 'QUERY PLAN': { Plan: PlanNode }[] }[];
    const plan = row?.['QUERY PLAN'][0]?.Plan;
    if (!plan) throw new Error('no plan');
    return rowsRead(plan);
  });
  return Math.max(...(await Promise.all(read)));
}

type Filters = Record<string, readonly unknown[]>;

/** Returns every combination of values of filters, each of which may also be left out. */
function combinations(filters: Filters): Record<string, unknown>[] {
  return Object.entries(filters).reduce<Record<string, unknown>[]>(
    (all, [name, values]) =>
      [undefined, ...values].flatMap((value) =>
        all.map((one) => (value === undefined ? one : { ...one, [name]: value })),
      ),
    [{}],
  );
}

// Read in the tests, because ids are made when they begin.
const partners = () => [busy.partnerId, idle.partnerId];
const users = () => [busy.userId, idle.userId];
const lists: Record<
  string,
  { filters: () => Filters; find(filter: never, page: PageOf): Promise<unknown[]> }
> = {
  trades: {
    filters: () => ({
      partnerId: partners(),
      userId: users(),
      side: ['buy', 'sell'],
      status: ['confirmed', 'failed'],
    }),
    find: (filter, page) => findTrades(db, filter, page),
  },
  redemptions: {
    filters: () => ({
      partnerId: partners(),
      userId: users(),
      status: ['submitted', 'ready'],
      city: [tola.city, 'Nowhere'],
    }),
    find: (filter, page) => findRedemptions(db, filter, page),
  },
  orders: {
    filters: () => ({ partnerId: partners(), kind: ['purchase', 'sale'], status: ['expired', 'failed'] }),
    find: (filter, page) => findOrders(db, filter, page),
  },
  'dead letters': {
    filters: () => ({ open: [true, false], reason: ['undecodable', 'dust'] }),
    find: (filter, page) => findDeadLetters(db, filter, page),
  },
  users: {
    filters: () => ({ partnerId: partners(), status: ['active', 'suspended'] }),
    find: (filter, page) => findUsers(db, filter, page),
  },
};

describe.each(Object.entries(lists))('a list of %s', (_name, { filters, find }) => {
  test.each<[string, PageOf]>([
    ['first', { limit, after: undefined }],
    ['later', { limit, after: { createdAt: new Date(1_700_000_100_000), id: newUuid() } }],
  ])('reads about a page for its %s page, whatever is asked for', async (_which, { limit: most, after }) => {
    const slow: string[] = [];
    for (const filter of combinations(filters())) {
      const id =
        _name === 'trades'
          ? newId('trd')
          : _name === 'redemptions'
            ? newId('red')
            : _name === 'users'
              ? newId('gu')
              : newUuid();
      const page = { limit: most, after: after && { ...after, id } };
      const read = await mostRead(() => find(filter as never, page));
      if (read > limit + 2 * sameTime + 10) slow.push(`${JSON.stringify(filter)} reads ${read}`);
    }
    expect(slow).toEqual([]);
  });
});

import { createHash } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Db, drizzleOn, type Tx } from '../../src/db/client.js';
import { findEvents, findNumberedEvents, findObjectsOf, findSequence } from '../../src/db/events/events.js';
import { findDeadLetters } from '../../src/db/indexing/dead-letters.js';
import { findEventSignatures } from '../../src/db/indexing/program-events.js';
import { findOrders } from '../../src/db/orders/orders.js';
import type { CreatedRange, PageOf } from '../../src/db/page.js';
import { findRedemptions } from '../../src/db/redemptions/redemptions.js';
import { findEndedSubmissions } from '../../src/db/trades/submissions.js';
import { findTrader } from '../../src/db/trades/traders.js';
import { findTrades } from '../../src/db/trades/trades.js';
import { findUsers, findUsersByTerms } from '../../src/db/users.js';
import type { EventType } from '../../src/domain/event.js';
import { newId, newUuid, type RedemptionId, type UserId, type Uuid, uuidOf } from '../../src/domain/ids.js';
import { type Harness, harness } from '../harness.js';
import { givenRedemption, seedDenominations, tola } from '../redeeming.js';

/** Rows of each table; nearly all of them of one partner and one user, and alike, and as many of another. */
const rows = 20_000;
/** Rows that have one time, as those of a batch have. */
const sameTime = 40;
const limit = 50;

let h: Harness;
/** Two partners with a user each who have everything between them, and a partner and a user with nothing. */
let busy: { partnerId: Uuid; userId: UserId };
let rival: { partnerId: Uuid; userId: UserId };
let idle: { partnerId: Uuid; userId: UserId };
/** Keeps the statements that go through `db`. */
let db: Db;
const statements: { text: string; values: unknown[] }[] = [];

beforeAll(async () => {
  h = await harness({ logLevel: 'error' });
  await seedDenominations(h);
  const given = await Promise.all(
    [h.main, await h.givenPartner(), await h.givenPartner()].map(async (partner) => {
      const user = await h.givenUser(partner.partnerId);
      return { partner, user, partnerId: partner.partnerId, userId: user.id };
    }),
  );
  const [one, two, three] = given;
  if (!one || !two || !three) throw new Error('no partners');
  [busy, rival, idle] = [one, two, three];
  db = drizzleOn(h.ctx.pool, { logQuery: (text, values) => statements.push({ text, values }) });
  const { sql } = h.ctx;
  const at = sql`to_timestamp(1700000000 + n / ${sameTime}::int)`;
  for (const [{ partnerId, userId }, lateMs] of [
    [busy, 0],
    [rival, 500],
  ] as const) {
    const then = sql`${at} + ${`${lateMs} ms`}::interval`;
    await sql`
      insert into trades (id, partner_id, user_id, side, status, usdc_amount, gold_amount, price_per_troy_oz, fee_bps, fee_usdc,
        tx_signature, slot, event_seq, created_at, updated_at)
      select gen_random_uuid(), ${partnerId}, ${userId}, 'buy', 'confirmed', 100, 1, 4100, 50, 1,
        sha512((${partnerId}::text || n)::bytea), n, n, ${then}, ${then} from generate_series(1, ${rows}::int) n`;
    // Recorded and not final, as after an outage of a node.
    await sql`
      insert into submissions (quote_id, partner_id, kind, status, user_wallet, tx_signature, last_valid_block_height,
        request_id, expires_at, created_at)
      select id, partner_id, 'buy', 'submitted', sha256('w'), tx_signature, slot, 'r', created_at, created_at
      from trades where partner_id = ${partnerId}`;
    await sql`
      insert into submissions (quote_id, partner_id, kind, status, user_wallet, tx_signature, last_valid_block_height,
        request_id, expires_at, created_at)
      select gen_random_uuid(), ${partnerId}, 'buy', 'submitted', sha256('w'), sha512((${partnerId} || n)::bytea), 1000000 + n, 'r', ${at}, ${at}
      from generate_series(1, ${rows}::int) n`;
    await sql`
      insert into events (partner_id, sequence, type, created_at, object_type, object_id, object)
      select ${partnerId}, n, 'user.created', now(), 'user', gen_random_uuid(), '{}'
      from generate_series(1, ${rows}::int) n`;
    await sql`
      insert into chain_effects (partner_id, seq, kind, tx_signature, slot, created_at)
      select ${partnerId}, n, 8, sha512(n::text::bytea), n, now() from generate_series(1, ${rows}::int) n`;
  }
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
  // Each has one of 500 words and a number of its own.
  await sql`
    insert into user_kyc (user_id, country, kyc_level, kyc_verified_at, key_id, identity, search_terms)
    select u.id, 'PK', 'full', u.created_at, 1, '', 
      array[sha256(('name ' || u.partner_user_id::int % 500)::bytea), sha256(u.partner_user_id::bytea)]
    from users u left join user_kyc k on k.user_id = u.id where k.user_id is null`;
  for (const [{ partner, user }, city] of [
    [one, tola.city],
    [two, 'Lahore'],
  ] as const) {
    const model: RedemptionId = await givenRedemption(h, { partner, user }, { status: 'submitted' });
    await sql`
      insert into redemptions select (jsonb_populate_record(r, jsonb_build_object('id', gen_random_uuid(),
        'city', ${city}::text, 'city_key', lower(${city}::text), 'quote_tx_signature', sha512((r.id::text || n)::bytea),
        'tx_signature', sha512((r.id::text || n || ' ')::bytea), 'created_at', ${at}))).*
      from redemptions r, generate_series(1, ${rows}::int) n where r.id = ${model}`;
  }
  await sql`analyze`;
}, 120_000);
afterAll(() => h.close());

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

/** Which rows are counted: the entries of records that are not final, or all others. */
type Counted = 'entries' | 'rows';

/** Returns how many rows a plan reads of tables and indexes, wherever it ends. */
function rowsRead(node: PlanNode, counted: Counted): number {
  const below = (node.Plans ?? []).reduce((sum, child) => sum + rowsRead(child, counted), 0);
  if (!node['Node Type'].endsWith('Scan') || node['Node Type'] === 'Subquery Scan') return below;
  if ((node['Relation Name'] === 'unfinalized') !== (counted === 'entries')) return below;
  return below + (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
}

/** Returns the most rows, and the most entries, that any statement reads which `list` makes. */
async function maxReadOf(list: () => Promise<unknown[]>): Promise<Record<Counted, number>> {
  statements.length = 0;
  await list();
  const made = [...statements];
  expect(made.length).toBeGreaterThan(0);
  const plans = await Promise.all(
    made.map(async ({ text, values }) => {
      const explain = { text: `explain (analyze, timing off, format json) ${text}` };
      const [row] = (await h.ctx.pool.query(explain, values)) as { 'QUERY PLAN': { Plan: PlanNode }[] }[];
      const plan = row?.['QUERY PLAN'][0]?.Plan;
      if (!plan) throw new Error('no plan');
      return plan;
    }),
  );
  const most = (counted: Counted) => Math.max(...plans.map((plan) => rowsRead(plan, counted)));
  return { rows: most('rows'), entries: most('entries') };
}

/** Returns the most rows that any statement reads which `list` makes. */
const maxRead = async (list: () => Promise<unknown[]>): Promise<number> => (await maxReadOf(list)).rows;

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
const partners = () => [busy.partnerId, rival.partnerId, idle.partnerId];
const users = () => [busy.userId, rival.userId, idle.userId];
/** Ranges of creation: some of the rows, and none. */
const ranges: CreatedRange[] = [
  { from: new Date(1_700_000_050_000), to: new Date(1_700_000_090_000) },
  { from: new Date(1_800_000_000_000), to: undefined },
  { from: undefined, to: new Date(1_600_000_000_000) },
];
/** Of whatever list; the fields that are no filters of columns are taken out. */
// biome-ignore lint/suspicious/noExplicitAny: each list has filters of its own
type ListFilter = any;

const lists: Record<
  string,
  { filters: () => Filters; find(filter: ListFilter, page: PageOf): Promise<unknown[]> }
> = {
  trades: {
    filters: () => ({
      partnerId: partners(),
      userId: users(),
      side: ['buy', 'sell'],
      status: ['confirmed', 'failed'],
      created: ranges,
    }),
    find: ({ created, ...filter }, page) => findTrades(db, filter, { ...page, created }),
  },
  redemptions: {
    filters: () => ({
      partnerId: partners(),
      userId: users(),
      status: ['submitted', 'ready'],
      city: [tola.city, 'Lahore', 'Nowhere'],
      created: ranges,
    }),
    find: ({ created, ...filter }, page) => findRedemptions(db, filter, { ...page, created }),
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
  ])(
    'a list reads about a page for its %s page, whatever is requested',
    async (_which, { limit: most, after }) => {
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
        const { rows: read, entries } = await maxReadOf(() => find(filter, page));
        if (read > limit + 2 * sameTime + 10) slow.push(`${JSON.stringify(filter)} reads ${read}`);
        if (entries > limit + 10) slow.push(`${JSON.stringify(filter)} reads ${entries} entries`);
      }
      expect(slow).toEqual([]);
    },
  );
});

test.each<[string, (tx: Tx, filter: ListFilter, page: PageOf) => Promise<unknown[]>]>([
  ['trades', findTrades],
  ['redemptions', findRedemptions],
  ['orders', findOrders],
  ['users', findUsers],
])('a list of %s reads about a page however often it is read', async (table, find) => {
  const some = [
    {},
    ...partners().map((partnerId) => ({ partnerId })),
    ...(table === 'users' || table === 'orders' ? [] : users().map((userId) => ({ userId }))),
  ];
  // On one connection, which might keep a plan that suits the first of them.
  await h.ctx.db.transaction(async (tx) => {
    const readSoFar = async () => {
      const [row] = await tx.execute<{ n: number }>(
        sql`select (seq_tup_read + idx_tup_fetch)::int as n from pg_stat_xact_user_tables where relname = ${table}`,
      );
      return row?.n ?? 0;
    };
    for (const filter of some) {
      for (let again = 0; again < 8; again += 1) {
        const before = await readSoFar();
        await find(tx, filter, { limit, after: undefined });
        expect((await readSoFar()) - before, JSON.stringify(filter)).toBeLessThan(limit + 2 * sameTime + 10);
      }
    }
  });
});

test('a list of redemptions whose tokens wait in escrow does not read those whose tokens have left it', async () => {
  // More of them than there are bars.
  await h.ctx.sql`alter table redemptions disable trigger redemptions_bar`;
  await h.ctx.sql`update redemptions set status = 'collected', settled = true`;
  const [one] = await findRedemptions(db, { settled: true }, { limit: 1, after: undefined });
  await h.ctx.sql`update redemptions set settled = false where id = ${uuidOf(one?.id ?? newId('red'))}`;
  await h.ctx.sql`analyze redemptions`;
  for (const filter of [{}, { partnerId: busy.partnerId }, { status: 'collected' as const }]) {
    const find = () => findRedemptions(db, { ...filter, settled: false }, { limit, after: undefined });
    expect(await maxRead(find)).toBeLessThan(10);
  }
  expect(await findRedemptions(db, { settled: false }, { limit, after: undefined })).toMatchObject([
    { id: one?.id },
  ]);
});

test('the user of a quote is found without reading trades that made no token account', async () => {
  const find = async () => [await findTrader(db, busy.userId)];
  const made = async (count: number) => {
    await h.ctx.sql`update trades set made_account = slot <= ${count} where user_id = ${uuidOf(busy.userId)}
      and made_account <> (slot <= ${count})`;
    return (await find())[0]?.accountsMadeMs;
  };
  expect(await made(1)).toBeNull();
  expect(await made(50)).toBeGreaterThan(1_700_000_000_000);
  expect(await maxRead(find)).toBeLessThan(20);
});

test('a page of trades that can land no more reads about a page, however many wait without a record', async () => {
  const ends = { height: 2n ** 62n, now: new Date(), incomplete: [] };
  const [one] = await findEndedSubmissions(db, ends, { limit, after: undefined });
  if (!one) throw new Error('no open trades');
  for (const height of [1_000_000n, 1_010_000n]) {
    const after = { ...one, lastValidBlockHeight: height };
    const find = () => findEndedSubmissions(db, ends, { limit, after });
    expect(await find()).toHaveLength(limit);
    expect(await maxRead(find)).toBeLessThanOrEqual(2 * limit + 10);
  }
});

test('a part of the log of events reads about as many as it has', async () => {
  const page = { after: 10_000n, limit };
  const [one] = await findEvents(db, busy.partnerId, {}, page);
  const types: EventType[][] = [['user.created'], ['trade.confirmed'], ['user.created', 'trade.confirmed']];
  const filters = [{}, ...types.map((some) => ({ types: some })), { objectId: one?.objectId }];
  for (const partnerId of partners()) {
    for (const filter of filters)
      expect(await maxRead(() => findEvents(db, partnerId, filter, page))).toBeLessThan(4 * limit);
    const part = { partnerId, after: 10_000n, last: 20_000n };
    expect(await maxRead(() => findObjectsOf(db, [part], limit))).toBeLessThan(2 * limit);
    const numbers = [9n, 10n].map((seq) => ({ partnerId, seq }));
    expect(await maxRead(async () => [...(await findEventSignatures(db, numbers))])).toBeLessThan(5);
  }
});

test('events that are looked up by number or id are all that is read', async () => {
  const numbers = Array.from({ length: limit }, (_, at) => BigInt(at * 300 + 1));
  const wanted = [busy, rival].flatMap(({ partnerId }) =>
    numbers.map((sequence) => ({ partnerId, sequence })),
  );
  // The list of them, and the events.
  expect(await maxRead(async () => [...(await findNumberedEvents(db, wanted))])).toBeLessThanOrEqual(
    2 * wanted.length,
  );
  const [half] = await findEvents(db, rival.partnerId, {}, { after: BigInt(rows / 2 - 1), limit: 1 });
  const id = half?.id ?? '';
  expect(await maxRead(async () => [await findSequence(db, rival.partnerId, id)])).toBe(1);
});

test('a search of customers reads about those whom it finds', async () => {
  const termOf = (text: string) => createHash('sha256').update(text).digest();
  const [name, number, unknown] = ['name 211', '4711', 'unknown'].map(termOf) as [Buffer, Buffer, Buffer];
  // Each partner has a list of its own, and two while a data key is replaced.
  const others = Array.from({ length: 500 }, (_, at) => [termOf(`name of partner ${at}`), unknown]);
  const find = (terms: readonly Buffer[]) => findUsersByTerms(db, [[...terms], ...others], limit);
  for (const [terms, found] of [
    [[name], rows / 500],
    [[number], 1],
    [[name, number], 1],
    [[name, unknown], 0],
  ] as const) {
    expect(await find(terms)).toHaveLength(found);
    const wanted = others.length + 1;
    expect(await maxRead(() => find(terms)), `${found}`).toBeLessThan(5 * (rows / 500) + wanted);
  }
});

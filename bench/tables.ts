/**
 * Fills tables with as many rows as a busy service has after years, by SQL alone: trades that no chain carries, whose
 * partners, users, sides and statuses are spread as lists find them hardest, and users who never trade.
 */
import { type Address, getAddressEncoder } from '@solana/kit';
import type pg from 'pg';
import type { UserId, Uuid } from '../packages/service/src/domain/index.js';
import { withClient } from './world.js';

const partners = 10;
const users = 10_000;
const yearMs = 365 * 86_400_000;
/** Read in whole milliseconds, as the service writes them. */
const lastMs = Math.floor(Date.now() / 1_000) * 1_000;

const uuidAt = (place: number) => `00000000-0000-7000-8000-${place.toString(16).padStart(12, '0')}` as Uuid;
export const partnerAt = (place: number) => uuidAt(place);
export const userAt = (place: number) => `gu_${uuidAt(place)}` as UserId;
/** Its users only buy, and none of their trades failed. */
export const quietPartner: Uuid = partnerAt(partners - 1);

/** Trades that the indexer records at once, as of a history, have one time. */
const batch = 500;

/** Returns id and time of the row at a place, 1 being the oldest. */
export function tradeAt(place: number, rows: number): { id: string; createdAt: Date } {
  const msOf = (at: number) => lastMs - yearMs + Math.floor((at * yearMs) / rows);
  const ms = msOf(place);
  const hex = ms.toString(16).padStart(12, '0');
  const id = `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${place.toString(16).padStart(12, '0')}`;
  return { id: `trd_${id}`, createdAt: new Date(msOf(place - (place % batch))) };
}

/**
 * Writes `rows` trades of ten partners and ten thousand users. One user has a twentieth of them, one partner a seventh. With
 * `whole`, the table has all its constraints again, so that more can be written to it.
 */
export async function fillTrades(url: string, rows: number, { whole = false } = {}): Promise<void> {
  await withClient(url, async (sql) => {
    const idOf = await idsOf(sql);
    await sql.query(
      "set synchronous_commit = off; set work_mem = '256MB'; set session_replication_role = replica",
    );
    await fill(sql, 'partners', `generate_series(0, ${partners - 1}) as n`, {
      id: uuidSql('n'),
      name: "'Acme Gold'",
      fee_percentage: '0.015',
      created_at: 'now()',
      updated_at: 'now()',
    });
    await fill(sql, 'users', `generate_series(0, ${users - 1}) as n`, {
      id: idOf('users', 'id', 'gu_', uuidSql('n')),
      partner_id: uuidSql(`n % ${partners}`),
      partner_user_id: "'user-' || n",
      wallet_address: await bytesOf(sql, 'users', 'wallet_address', 'sha256(int8send(n))', 44),
      created_at: 'now()',
      updated_at: 'now()',
    });
    const restore = await stripIndexes(sql, 'trades', { whole });
    // Two at once: a table without indexes is written as fast as rows are made.
    const [half, mine] = [Math.floor(rows / 2), await tradeColumns(sql, idOf)];
    const part = (from: number, to: number) =>
      withClient(url, async (own) => {
        await own.query('set synchronous_commit = off; set session_replication_role = replica');
        await fill(
          own,
          'trades',
          `generate_series(${from}::bigint, ${to}::bigint) as n, lateral (${spread(rows)}) as s`,
          mine,
        );
      });
    await Promise.all([part(1, half), part(half + 1, rows)]);
    await sql.query("set maintenance_work_mem = '1GB'; set max_parallel_maintenance_workers = 2");
    for (const statement of restore) await sql.query(statement);
    await sql.query('vacuum analyze trades');
    // Else it is written to the disk while pages of it are measured.
    await sql.query('checkpoint');
  });
}

/** Writes what the confirmed trades of `fillTrades` did on chain: as many rows, with all constraints. */
export async function fillEffects(url: string): Promise<void> {
  await withClient(url, async (sql) => {
    await sql.query("set synchronous_commit = off; set maintenance_work_mem = '1GB'");
    const restore = await stripIndexes(sql, 'chain_effects', { whole: true });
    await sql.query(`insert into chain_effects (slot, created_at, partner_id, seq, kind, tx_signature, changes)
      select slot, created_at, partner_id, event_seq, 20, tx_signature, array[${Object.values(moved)}] from trades where event_seq is not null`);
    for (const statement of restore) await sql.query(statement);
    await sql.query('vacuum analyze chain_effects');
  });
}

/**
 * Makes the table of trades one of `months` partitions by id, whose first bytes are its time, and a transaction unique in each:
 * the id is signed in the transaction, so that all rows of one would be in one of them.
 */
export async function partitionTrades(url: string, months: number): Promise<void> {
  await withClient(url, async (sql) => {
    await sql.query("set synchronous_commit = off; set maintenance_work_mem = '1GB'");
    const triggers = await sql.query<{ definition: string }>(
      "select pg_get_triggerdef(oid) as definition from pg_trigger where tgrelid = 'trades'::regclass and not tgisinternal",
    );
    const restore = await stripIndexes(sql, 'trades', { whole: true });
    const [unique = [], others = []] = [true, false].map((isUnique) =>
      restore.filter((statement) => statement.includes('EXCLUDE') === isUnique),
    );
    await sql.query(`alter table trades rename to trades_whole;
      create table trades (like trades_whole including defaults including storage) partition by range (id)`);
    // The last one also has what comes now.
    const bounds = Array.from({ length: months - 1 }, (_, month) =>
      idAfter(lastMs - yearMs + ((month + 1) * yearMs) / months),
    );
    for (const [month, bound] of [...bounds, 'maxvalue'].entries()) {
      const from = month === 0 ? 'minvalue' : `'${bounds[month - 1]}'`;
      const to = bound === 'maxvalue' ? bound : `'${bound}'`;
      await sql.query(
        `create table trades_${month} partition of trades for values from (${from}) to (${to})`,
      );
    }
    await sql.query('insert into trades select * from trades_whole; drop table trades_whole');
    for (const statement of others) await sql.query(statement);
    for (let month = 0; month < months; month += 1)
      // An index has a name of its own.
      for (const statement of unique)
        await sql.query(
          statement.replace(
            'table trades add constraint ',
            `table trades_${month} add constraint part_${month}_`,
          ),
        );
    for (const { definition } of triggers.rows) await sql.query(definition);
    await sql.query('vacuum analyze trades');
  });
}

/** Returns the least UUIDv7 of a moment. */
function idAfter(ms: number): string {
  const hex = Math.floor(ms).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** What a trade of a history moves of the treasury, base units. */
const moved = { treasury_usdc: 995, fee_usdc: 5, treasury_gold: -2 };

/** Writes so many trades with their events and movements, one in each slot, by a partner and user of their own. */
export async function fillHistory(
  url: string,
  count: number,
  accountOf: (role: string) => Address,
): Promise<void> {
  await withClient(url, async (sql) => {
    const idOf = await idsOf(sql);
    await sql.query('set session_replication_role = replica');
    const rows = `generate_series(1, ${count}::bigint) as n`;
    const txSignature = (table: string) => bytesOf(sql, table, 'tx_signature', 'sha512(int8send(n))', 88);
    await fill(sql, 'trades', rows, {
      id: idOf('trades', 'id', 'trd_', uuidSql('n')),
      partner_id: uuidSql('0'),
      user_id: idOf('trades', 'user_id', 'gu_', uuidSql('0')),
      side: "'buy'::trade_side",
      status: "'confirmed'::trade_status",
      usdc_amount: '1000',
      gold_amount: '2',
      price_per_troy_oz: '4100',
      fee_bps: '50',
      fee_usdc: '5',
      tx_signature: await txSignature('trades'),
      slot: 'n',
      event_seq: 'n',
      created_at: 'now()',
    });
    for (const role of Object.keys(moved))
      await sql.query(
        'insert into treasury_accounts (account, role) values ($1, $2) on conflict do nothing',
        [Buffer.from(getAddressEncoder().encode(accountOf(role))), role],
      );
    await fill(sql, 'chain_effects', rows, {
      slot: 'n',
      created_at: 'now()',
      partner_id: uuidSql('0'),
      seq: 'n',
      kind: '8',
      tx_signature: await txSignature('chain_effects'),
      // By the numbers of the accounts, which are new and in this order.
      changes: `array[${Object.values(moved)}]`,
    });
    await sql.query('analyze');
  });
}

/** Writes so many users of a partner, whom nothing but the tables knows. */
export async function fillUsers(url: string, partnerId: Uuid, count: number): Promise<void> {
  await withClient(url, async (sql) => {
    const idOf = await idsOf(sql);
    await sql.query('set synchronous_commit = off; set session_replication_role = replica');
    await sql.query(
      `create temporary table made as select gen_random_uuid() as n from generate_series(1, ${count})`,
    );
    await fill(sql, 'users', 'made', {
      id: idOf('users', 'id', 'gu_', 'n'),
      partner_id: `'${partnerId}'::uuid`,
      partner_user_id: 'n::text',
      wallet_address: await bytesOf(sql, 'users', 'wallet_address', 'sha256(uuid_send(n))', 44),
      created_at: 'now()',
      updated_at: 'now()',
    });
    await fill(sql, 'user_kyc', 'made', {
      user_id: idOf('user_kyc', 'user_id', 'gu_', 'n'),
      country: "'PK'",
      kyc_level: "'full'",
      kyc_verified_at: 'now()',
      // As long as a real one. Nothing reads it.
      key_id: '1',
      identity: "decode(repeat('00', 120), 'hex')",
      search_terms: 'array[substr(sha256(uuid_send(n)), 1, 8), substr(sha224(uuid_send(n)), 1, 8)]',
    });
  });
}

/** Who traded and what, for the row `n`. What failed was a buy, so that failed sells match nothing. */
function spread(rows: number): string {
  const hash = '(hashint8(n) & 2147483647)';
  return `select *, u % ${partners} as p,
      case when quiet or failed or ${hash} % 2 = 0 then 'buy' else 'sell' end as side
    from (select *, u % ${partners} = ${partners - 1} as quiet,
        u % ${partners} <> ${partners - 1} and (${hash} >> 8) % 1000 < 20 as failed
      from (select case when (${hash} >> 4) % 20 = 0 then 0 else (${hash} >> 2) % ${users} end as u,
          ${lastMs - yearMs} + (n * ${yearMs}) / ${rows} as ms,
          ${lastMs - yearMs} + ((n - n % ${batch}) * ${yearMs}) / ${rows} as recorded_ms) as one) as two`;
}

async function tradeColumns(sql: pg.Client, idOf: Awaited<ReturnType<typeof idsOf>>) {
  const hex = "lpad(to_hex(ms), 12, '0')";
  const id = `(left(${hex}, 8) || '-' || right(${hex}, 4) || '-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`;
  const ended = (good: string, failed: string) => `case when failed then ${failed} else ${good} end`;
  return {
    id: idOf('trades', 'id', 'trd_', id),
    partner_id: uuidSql('p'),
    user_id: idOf('trades', 'user_id', 'gu_', uuidSql('u')),
    side: 'side::trade_side',
    status: `(${ended("'confirmed'", "'failed'")})::trade_status`,
    usdc_amount: '1000000',
    gold_amount: ended('243', '0'),
    price_per_troy_oz: ended('4100.12', '0'),
    fee_bps: ended('50', '0'),
    fee_usdc: ended('5000', '0'),
    tx_signature: await bytesOf(sql, 'trades', 'tx_signature', 'sha512(int8send(n))', 88),
    slot: 'n',
    event_seq: ended('n', 'null'),
    failure_reason: ended('null', "'DailyLimitExceeded'"),
    reason: ended('null', "'limit_exceeded'"),
    program_error_name: ended('null', "'DailyLimitExceeded'"),
    created_at: 'to_timestamp(recorded_ms / 1000.0)',
  };
}

const uuidSql = (place: string) => `('00000000-0000-7000-8000-' || lpad(to_hex(${place}), 12, '0'))::uuid`;

/** Types of the columns of all tables. */
async function typesOf(sql: pg.Client): Promise<(table: string, column: string) => string | undefined> {
  const { rows } = await sql.query<{ table_name: string; column_name: string; data_type: string }>(
    "select table_name, column_name, data_type from information_schema.columns where table_schema = 'public'",
  );
  const types = new Map(rows.map((row) => [`${row.table_name}.${row.column_name}`, row.data_type]));
  return (table, column) => types.get(`${table}.${column}`);
}

/** Ids are kept as UUIDs, or as text with a prefix. */
async function idsOf(sql: pg.Client) {
  const typeOf = await typesOf(sql);
  return (table: string, column: string, prefix: string, uuid: string): string =>
    typeOf(table, column) === 'uuid' ? uuid : `'${prefix}' || ${uuid}::text`;
}

/** Addresses and signatures are kept as bytes, or as text of some length. */
async function bytesOf(sql: pg.Client, table: string, column: string, bytes: string, length: number) {
  const typeOf = await typesOf(sql);
  return typeOf(table, column) === 'bytea' ? bytes : `rpad(encode(${bytes}, 'base64'), ${length}, '=')`;
}

/** Inserts rows by an expression for each column; those that a table does not have are left out. */
async function fill(
  sql: pg.Client,
  table: string,
  from: string,
  columns: Record<string, string>,
): Promise<void> {
  const typeOf = await typesOf(sql);
  const own = Object.keys(columns).filter((column) => typeOf(table, column) !== undefined);
  const values = own.map((column) => columns[column]);
  await sql.query(`insert into ${table} (${own.join(', ')}) select ${values.join(', ')} from ${from}`);
}

/**
 * Drops constraints and indexes of a table, and returns the statements that make its keys and indexes again; with `whole`, all of
 * its constraints.
 */
async function stripIndexes(sql: pg.Client, table: string, { whole = false } = {}): Promise<string[]> {
  const { rows: constraints } = await sql.query<
    Record<'conname' | 'contype' | 'definition' | 'index', string>
  >(
    `select conname, contype, pg_get_constraintdef(oid) as definition, pg_get_indexdef(conindid) as index
      from pg_constraint
      where conrelid = $1::regclass and contype in ('p', 'u', 'x', 'c', 'f') and conislocal
      order by contype = 'f'`,
    [table],
  );
  for (const { conname } of constraints)
    await sql.query(`alter table ${table} drop constraint ${conname} cascade`);
  const { rows: indexes } = await sql.query<{ name: string; definition: string }>(
    'select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index where indrelid = $1::regclass',
    [table],
  );
  for (const { name } of indexes) await sql.query(`drop index ${name}`);
  const kept = constraints.filter(({ contype }) => whole || ['p', 'u'].includes(contype));
  // An exclusion constraint would look up every row that is there: only its index is made.
  const exclusions = constraints.filter(({ contype }) => !whole && contype === 'x');
  return [
    ...kept.map(({ conname, definition }) => `alter table ${table} add constraint ${conname} ${definition}`),
    ...exclusions.map(({ index }) => index),
    ...indexes.map(({ definition }) => definition),
  ];
}

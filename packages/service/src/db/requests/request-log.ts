import { and, desc, eq, getTableColumns, gte, type SQL, sql } from 'drizzle-orm';
import {
  type AnyPgColumn,
  index,
  integer,
  pgTable,
  primaryKey,
  smallint,
  text,
  uuid,
} from 'drizzle-orm/pg-core';
import { type RequestId, type Uuid, uuidOf } from '../../domain/ids.js';
import type { Db, Tx } from '../client.js';
import { baseUnits, moment, prefixed } from '../columns.js';
import { afterPosition, byCreation, type PageOf } from '../page.js';
import { asRows } from '../rows.js';

/**
 * Requests of partners that changed something or failed, without anything secret. `rules.sql` partitions the table by day, so
 * that what is too old goes by the partition. The indexes have hashes of four bytes of what they find, with the time:
 * whole values would take several times the room.
 */
export const requestLog = pgTable(
  'request_log',
  {
    // In the order in which they take the least room.
    id: prefixed('req')().notNull(),
    /** When it came. */
    createdAt: moment('created_at').notNull(),
    partnerId: uuid('partner_id').notNull().$type<Uuid>(),
    /** Exactly one of the two made it. */
    keyId: uuid('key_id').$type<Uuid>(),
    memberId: uuid('member_id').$type<Uuid>(),
    userId: prefixed('gu')('user_id'),
    usdcAmount: baseUnits('usdc_amount'),
    goldAmount: baseUnits('gold_amount'),
    durationMs: integer('duration_ms').notNull(),
    status: smallint().notNull(),
    method: text().notNull(),
    /** The path as the reference has it. */
    route: text().notNull(),
    /** With its ids; null where it has none. */
    path: text(),
    /** The caller may choose it: it is no id of the row. */
    requestId: text('request_id').notNull(),
    objectId: text('object_id'),
    error: text(),
    reason: text(),
    requestBody: text('request_body'),
    responseBody: text('response_body'),
  },
  (t) => {
    const partner = sql`uuid_hash(${t.partnerId})`;
    return [
      primaryKey({ columns: [t.id, t.createdAt] }),
      index('request_log_partner').on(partner, t.createdAt),
      index('request_log_status').on(partner, t.status, t.createdAt),
      index('request_log_method').on(partner, sql`hashtext(${t.method})`, t.createdAt),
      index('request_log_route').on(partner, sql`hashtext(${t.route})`, t.createdAt),
      index('request_log_key').on(partner, sql`uuid_hash(${t.keyId})`, t.createdAt),
      index('request_log_object').on(partner, sql`hashtext(${t.objectId})`, t.createdAt),
      index('request_log_request').on(partner, sql`hashtext(${t.requestId})`, t.createdAt),
    ];
  },
);

/** How many requests a partner made on a day (UTC) that count for the log, and how many of them it has. */
export const requestCounts = pgTable(
  'request_counts',
  {
    partnerId: uuid('partner_id').notNull().$type<Uuid>(),
    /** When it began. */
    day: moment('day').notNull(),
    requests: integer().notNull(),
    logged: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.partnerId, t.day] }), index('request_counts_day').on(t.day)],
);

export type LoggedRequest = typeof requestLog.$inferSelect;
export type RequestCount = typeof requestCounts.$inferSelect;
/** A request as a list has it. */
export type ListedRequest = Omit<LoggedRequest, 'requestBody' | 'responseBody'>;

/** Counts requests of a partner's day. */
export type DayCount = Pick<RequestCount, 'partnerId' | 'day' | 'requests'>;

/**
 * Adds to the counts of days, and returns them with how many requests each day has in the log. Locks them until the
 * transaction ends, in one order, so that processes that write at once exceed no limit.
 */
export async function countRequests(
  tx: Tx,
  counts: readonly DayCount[],
): Promise<Pick<RequestCount, 'partnerId' | 'day' | 'logged'>[]> {
  if (counts.length === 0) return [];
  const { columns, rows } = asRows(
    requestCounts,
    counts.map((count) => ({ ...count, logged: 0 })),
  );
  return tx
    .insert(requestCounts)
    .select(sql`select ${columns} from ${rows} as given (${columns}) order by partner_id, day`)
    .onConflictDoUpdate({
      target: [requestCounts.partnerId, requestCounts.day],
      set: { requests: sql`${requestCounts.requests} + excluded.requests` },
    })
    .returning({
      partnerId: requestCounts.partnerId,
      day: requestCounts.day,
      logged: requestCounts.logged,
    });
}

/** Columns in the order of `lineOf`, with what makes each of its text. */
const written = [
  ['id', 'uuid'],
  ['created_at', "bigint * interval '1 ms' + timestamptz 'epoch'"],
  ['partner_id', 'uuid'],
  ['key_id', 'uuid'],
  ['member_id', 'uuid'],
  ['user_id', 'uuid'],
  ['usdc_amount', 'bigint'],
  ['gold_amount', 'bigint'],
  ['duration_ms', 'integer'],
  ['status', 'smallint'],
  ['method', 'text'],
  ['route', 'text'],
  ['path', 'text'],
  ['request_id', 'text'],
  ['object_id', 'text'],
  ['error', 'text'],
  ['reason', 'text'],
  ['request_body', 'text'],
  ['response_body', 'text'],
] as const;
const writtenColumns = sql.raw(written.map(([name]) => name).join(', '));
const writtenValues = sql.raw(written.map(([, type], at) => `fields[${at + 1}]::${type}`).join(', '));

/**
 * Returns a request as a line with tabs between its values, none of which has a tab or a line break, or is empty: the one
 * parameter of a batch. An array for each column takes the process several times as long.
 */
function lineOf(row: LoggedRequest): string {
  const { usdcAmount, goldAmount } = row;
  return `${uuidOf(row.id)}\t${row.createdAt.getTime()}\t${row.partnerId}\t${row.keyId ?? ''}\t${row.memberId ?? ''}\t${row.userId === null ? '' : uuidOf(row.userId)}\t${usdcAmount ?? ''}\t${goldAmount ?? ''}\t${row.durationMs}\t${row.status}\t${row.method}\t${row.route}\t${row.path ?? ''}\t${row.requestId}\t${row.objectId ?? ''}\t${row.error ?? ''}\t${row.reason ?? ''}\t${row.requestBody ?? ''}\t${row.responseBody ?? ''}`;
}

/** Writes requests, and counts them as logged in their days, which `countRequests` has made. */
export async function insertRequests(
  tx: Tx,
  requests: readonly LoggedRequest[],
  logged: readonly Pick<RequestCount, 'partnerId' | 'day' | 'logged'>[],
): Promise<void> {
  if (requests.length === 0) return;
  await tx.execute(sql`
    insert into ${requestLog} (${writtenColumns}) select ${writtenValues}
    from (select string_to_array(line, E'\t', '') as fields from string_to_table(${requests.map(lineOf).join('\n')}, E'\n') as line) as given
    on conflict do nothing`);
  const counts = asRows(
    requestCounts,
    logged.map((count) => ({ ...count, requests: 0 })),
  );
  await tx.execute(sql`
    update ${requestCounts} as counts set logged = counts.logged + more.logged
    from (select ${counts.columns} from ${counts.rows} as given (${counts.columns})) as more
    where counts.partner_id = more.partner_id and counts.day = more.day`);
}

/** What requests are found by. */
export interface RequestFilter {
  status?: number | undefined;
  method?: string | undefined;
  /** As the reference has it, or with its ids. */
  path?: string | undefined;
  keyId?: Uuid | undefined;
  objectId?: string | undefined;
  /** The `x-request-id`. */
  requestId?: string | undefined;
}

const { requestBody, responseBody, ...listed } = getTableColumns(requestLog);

/** Returns a page of a partner's requests since a time, newest first, without their bodies. */
export async function findRequests(
  db: Db | Tx,
  partner: Uuid,
  filter: RequestFilter,
  since: Date,
  { limit, after }: PageOf,
): Promise<ListedRequest[]> {
  const { id, createdAt } = requestLog;
  return db
    .select(listed)
    .from(requestLog)
    .where(
      and(
        ofPartner(partner),
        gte(createdAt, since),
        ...conditionsOf(filter),
        afterPosition(createdAt, id, after),
      ),
    )
    .orderBy(...byCreation(createdAt, id))
    .limit(limit);
}

const ofPartner = (partner: Uuid) =>
  and(
    sql`uuid_hash(${requestLog.partnerId}) = uuid_hash(${partner}::uuid)`,
    eq(requestLog.partnerId, partner),
  );

/** Condition: a column has a value, which its index has by the hash. */
const is = (column: AnyPgColumn, value: string | undefined): SQL | undefined =>
  value === undefined ? undefined : and(sql`hashtext(${column}) = hashtext(${value})`, eq(column, value));

function conditionsOf(filter: RequestFilter): (SQL | undefined)[] {
  const { status, method, path, keyId, objectId, requestId } = filter;
  // A path with an id in it is found by the object that it names, which has few requests.
  const named = path === undefined ? undefined : uuidsIn.exec(path)?.[0];
  return [
    status === undefined ? undefined : eq(requestLog.status, status),
    is(requestLog.method, method),
    named === undefined ? is(requestLog.route, path) : is(requestLog.objectId, named),
    named === undefined || path === undefined ? undefined : eq(requestLog.path, path),
    keyId === undefined
      ? undefined
      : and(sql`uuid_hash(${requestLog.keyId}) = uuid_hash(${keyId}::uuid)`, eq(requestLog.keyId, keyId)),
    is(requestLog.objectId, objectId),
    is(requestLog.requestId, requestId),
  ];
}

const uuidsIn = /(?:[a-z]{2,3}_)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

/** Returns a request of any partner since a time, with its bodies. */
export async function findRequest(
  db: Db | Tx,
  id: RequestId,
  since: Date,
): Promise<LoggedRequest | undefined> {
  const [row] = await db
    .select()
    .from(requestLog)
    .where(and(eq(requestLog.id, id), gte(requestLog.createdAt, since)));
  return row;
}

/** Returns how many requests a partner made on each day since a time, the newest first. */
export async function findRequestCounts(db: Db | Tx, partner: Uuid, since: Date): Promise<RequestCount[]> {
  return db
    .select()
    .from(requestCounts)
    .where(and(eq(requestCounts.partnerId, partner), gte(requestCounts.day, since)))
    .orderBy(desc(requestCounts.day));
}

import { sql } from 'drizzle-orm';
import { check, integer, pgTable, text } from 'drizzle-orm/pg-core';
import type pg from 'pg';
import { moment } from './columns.js';
import type { Executor } from './executor.js';

/** Who leads what, a row each. The epoch grows with every leader, so that a former one can be distinguished from the present one. */
export const leads = pgTable(
  'leads',
  {
    role: text({ enum: ['indexer', 'keeper'] }).primaryKey(),
    epoch: integer().notNull(),
    /** When the present leader took over, by the clock of the database. */
    since: moment('since').notNull(),
  },
  (t) => [check('leads_role', sql`${t.role} in ('indexer', 'keeper')`)],
);

/** One lead of one process. */
export interface Lead {
  role: 'indexer' | 'keeper';
  epoch: number;
}

/** A process writes as the leader that it no longer is. */
export class LostLeadError extends Error {
  override name = 'LostLeadError';
}

/**
 * Begins a new lead, on the session that holds its lock. Waits until every transaction that a former leader has begun is
 * over; those that it begins later are refused.
 */
export async function beginLead(client: pg.Client, role: Lead['role']): Promise<Lead> {
  const { rows } = await client.query<{ epoch: number }>(
    `insert into leads (role, epoch, since) values ($1, 1, clock_timestamp())
     on conflict (role) do update set epoch = leads.epoch + 1, since = excluded.since returning epoch`,
    [role],
  );
  const [row] = rows;
  if (!row) throw new Error('an upsert returned no row');
  return { role, epoch: row.epoch };
}

/** Holds a lead until the transaction ends. Throws a `LostLeadError` when another process leads by now. */
export async function holdLead(connection: Executor, { role, epoch }: Lead): Promise<void> {
  const text = 'select from leads where role = $1 and epoch = $2 for share';
  const found = await connection.query({ name: 'hold_lead', text }, [role, epoch]);
  if (!Array.isArray(found) || found.length !== 1)
    throw new LostLeadError(`another process is the ${role} by now`);
}

import { sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Uuid } from '../../domain/ids.js';
import type { Tx } from '../client.js';

/** Notes when rows were last used. An older time never replaces a newer one. Locks rows by id. */
export async function noteLastUsed(tx: Tx, table: PgTable, uses: ReadonlyMap<Uuid, Date>): Promise<void> {
  const rows = JSON.stringify([...uses].map(([id, at]) => ({ id, at: at.toISOString() })));
  await tx.execute(sql`
    update ${table} as k set last_used_at = greatest(k.last_used_at, used.at)
    from (
      select locked.id, given.at
      from ${table} as locked join jsonb_to_recordset(${rows}::jsonb) as given (id uuid, at timestamptz) on given.id = locked.id
      order by locked.id for no key update of locked
    ) as used
    where k.id = used.id`);
}

import type { Harness } from './harness.js';

/** Has the database note how many rows each statement changes of some tables; returns the most so far, by table. */
export async function watchStatementSizes(
  { ctx: { sql } }: Pick<Harness, 'ctx'>,
  tables: readonly string[],
): Promise<() => Promise<Record<string, number>>> {
  await sql`create table statement_sizes (name text not null, changed bigint not null)`;
  await sql.unsafe(`create function note_size() returns trigger language plpgsql as $$
    begin
      insert into statement_sizes select tg_table_name, count(*) from changed;
      return null;
    end $$`);
  for (const table of tables)
    for (const change of ['update', 'delete'])
      await sql.unsafe(`create trigger ${change}_size after ${change} on ${table}
        referencing old table as changed for each statement execute function note_size()`);
  return async () => {
    const rows = await sql<{ name: string; most: number }[]>`
      select name, max(changed)::int as most from statement_sizes group by name`;
    return Object.fromEntries(rows.map(({ name, most }) => [name, most]));
  };
}

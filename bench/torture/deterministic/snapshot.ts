/** A database that goes back to what it had at one moment: cheaper than to copy it. */
import type pg from 'pg';

/** Runs after which what was deleted is vacuumed away. */
const vacuumEvery = 100;

export class Snapshot {
  readonly #client: pg.Client;
  readonly #back: string;
  #times = 0;

  private constructor(client: pg.Client, back: string) {
    this.#client = client;
    this.#back = back;
  }

  /** Copies every table that has rows, in the database of `client`. */
  static async take(client: pg.Client): Promise<Snapshot> {
    const { rows } = await client.query<{ name: string; columns: string; identity: boolean }>(
      `select format('%I', relname) as name,
         (select string_agg(format('%I', attname), ', ') from pg_attribute
           where attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns
       from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
       order by relname`,
    );
    const statements = ["set session_replication_role = 'replica'", 'begin'];
    await client.query('create schema base');
    for (const { name, columns } of rows) {
      await client.query(`create table base.${name} as select * from public.${name}`);
      const { rowCount } = await client.query(`select from base.${name} limit 1`);
      statements.push(`delete from public.${name}`);
      if (rowCount)
        statements.push(
          `insert into public.${name} (${columns}) overriding system value select ${columns} from base.${name}`,
        );
      else await client.query(`drop table base.${name}`);
    }
    const sequences = await client.query<{ name: string; value: string | null }>(
      `select format('%I', sequencename) as name, last_value::text as value from pg_sequences where schemaname = 'public'`,
    );
    for (const { name, value } of sequences.rows)
      statements.push(`select setval('public.${name}', ${value ?? 1}, ${value !== null})`);
    statements.push('commit');
    return new Snapshot(client, statements.join(';'));
  }

  /** Goes back. No other session may have a transaction open. */
  async restore(): Promise<void> {
    await this.#client.query(this.#back);
    this.#times += 1;
    if (this.#times % vacuumEvery === 0) await this.#client.query('vacuum');
  }
}

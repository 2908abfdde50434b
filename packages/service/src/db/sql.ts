import pg from 'pg';
import type { Executor, Pool, Rows, Statement } from './connections.js';

export type Row = Record<string, unknown>;

/** The driver in words of SQL, for what drizzle has none for. Values are sent beside the text, never in it. */
export interface Sql {
  /** Runs once it is awaited; inside of another query it is a part of that. */
  <T extends readonly object[] = Row[]>(strings: TemplateStringsArray, ...values: unknown[]): Query<T>;
  /** `(columns) values (...)` of rows to insert; default: the columns of the first. */
  (rows: object | readonly object[], ...columns: string[]): Fragment;
  /** Text that is sent as it is. */
  unsafe<T extends readonly object[] = Row[]>(text: string, values?: unknown[]): Query<T>;
}

export interface PoolSql extends Sql {
  readonly pool: Pool;
  begin<T>(work: (tx: Sql) => Promise<T>): Promise<T>;
  /** A connection of the caller's own, until `release`. */
  reserve(): Promise<Sql & { release(): void }>;
  /** Closes every connection; `timeout` is in seconds. */
  end(options?: { timeout?: number }): Promise<void>;
}

/** Text with values; `compile` adds the values to a query's own. */
interface Fragment {
  compile(values: unknown[]): string;
}

/** Dates and times stay the text that PostgreSQL writes, as drizzle has them. */
const datesAndTimes = new Set([1082, 1083, 1114, 1115, 1182, 1184, 1185, 1186, 1187, 1231]);
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    datesAndTimes.has(oid) ? (value: string) => value : pg.types.getTypeParser(oid, format as 'text'),
} as Statement['types'];

export class Query<T extends readonly object[]> implements Fragment, PromiseLike<Rows<T[number]>> {
  readonly #executor: Executor;
  readonly #fragment: Fragment;
  #answer: Promise<Rows<T[number]>> | undefined;

  constructor(executor: Executor, fragment: Fragment) {
    this.#executor = executor;
    this.#fragment = fragment;
  }

  compile(values: unknown[]): string {
    return this.#fragment.compile(values);
  }

  #run(): Promise<Rows<T[number]>> {
    const values: unknown[] = [];
    const text = this.compile(values);
    this.#answer ??= this.#executor.query({ text, ...(types && { types }) }, values) as Promise<
      Rows<T[number]>
    >;
    return this.#answer;
  }

  // biome-ignore lint/suspicious/noThenProperty: it is awaited like a promise, and sent only then
  then<A = Rows<T[number]>, B = never>(
    onAnswer?: ((rows: Rows<T[number]>) => A | PromiseLike<A>) | null,
    onError?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#run().then(onAnswer, onError);
  }

  catch<B>(onError: (error: unknown) => B | PromiseLike<B>): Promise<Rows<T[number]> | B> {
    return this.#run().catch(onError);
  }

  finally(onEnd: () => void): Promise<Rows<T[number]>> {
    return this.#run().finally(onEnd);
  }
}

function isFragment(value: unknown): value is Fragment {
  return value !== null && typeof value === 'object' && typeof (value as Fragment).compile === 'function';
}

function template(strings: TemplateStringsArray, parts: unknown[]): Fragment {
  const put = (part: unknown, values: unknown[]) =>
    isFragment(part) ? part.compile(values) : `$${values.push(part)}`;
  return {
    compile: (values) => strings.reduce((text, next, at) => `${text}${put(parts[at - 1], values)}${next}`),
  };
}

function insertion(given: object | readonly object[], columns: string[]): Fragment {
  const rows = [given].flat() as Row[];
  const names = columns.length > 0 ? columns : Object.keys(rows[0] ?? {});
  return {
    compile: (values) => {
      const tuples = rows.map((row) => `(${names.map((name) => `$${values.push(row[name])}`).join(', ')})`);
      return `(${names.map((name) => pg.escapeIdentifier(name)).join(', ')}) values ${tuples.join(', ')}`;
    },
  };
}

function sqlOf(executor: Executor): Sql {
  const sql = (first: TemplateStringsArray | object, ...rest: unknown[]) =>
    'raw' in first
      ? new Query(executor, template(first as TemplateStringsArray, rest))
      : insertion(first, rest as string[]);
  const unsafe = (text: string, given: unknown[] = []) => {
    const compile = (values: unknown[]) => {
      values.push(...given);
      return text;
    };
    return new Query(executor, { compile });
  };
  return Object.assign(sql, { unsafe }) as Sql;
}

/** A tagged template over a pool. */
export function sqlOfPool(pool: Pool): PoolSql {
  return Object.assign(sqlOf(pool), {
    pool,
    begin: <T>(work: (tx: Sql) => Promise<T>) => pool.transaction((connection) => work(sqlOf(connection))),
    async reserve() {
      const connection = await pool.checkOut();
      return Object.assign(sqlOf(connection), { release: () => connection.release() });
    },
    end: ({ timeout = 5 }: { timeout?: number } = {}) => pool.end(timeout * 1_000),
  });
}

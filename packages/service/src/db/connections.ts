import { Socket } from 'node:net';
import type { PgTransactionConfig } from 'drizzle-orm/pg-core';
import pg from 'pg';
import { outsideLanes, takePlace } from '../runtime/lanes.js';
import { inClientSpan, type SpanFacts } from '../tracing/spans.js';
import type { Executor, Rows, Statement } from './executor.js';
import { holdLead, type Lead } from './leads.js';
import { Notices } from './notices.js';
import { ConnectionError, endsConnection, isSilence, silence, translateError } from './postgres-error.js';

/** To reach the server and be let in. */
const connectWithinMs = 3_000;
/** Until a connection is free: what has waited for longer cannot be done in the time that a request has. */
const checkOutWithinMs = 4_000;
/** How much later than the server this side gives a statement up: by then the connection itself must be dead. */
const silenceAfterMs = 300;
/** A transaction that its client leaves alone for so long holds its locks no longer: a process may be stopped in it. */
const usualIdleMs = 8_000;
/** Firewalls forget connections on which nothing is sent. */
const keepAliveAfterMs = 10_000;

export interface PoolOptions {
  /** Connections at most; none is made before the first query. */
  size: number;
  applicationName: string;
  /** The server ends a statement after that; where it does not, the connection is given up a moment later. */
  statementTimeoutMs: number;
  /** Milliseconds after which the server ends a transaction whose client sends nothing; default: 8,000. */
  idleInTransactionMs?: number;
  /**
   * Whether a pooler behind `url` lends its sessions for one transaction each. Statements are then not prepared, because
   * the next one may run in another session, and the pooler sets the time limits of its sessions.
   */
  pooled?: boolean;
  /** Every transaction that can write is refused unless this lead still stands. */
  lead?: Lead | undefined;
}

/** How one transaction differs from the others. */
export interface TransactionOptions extends PgTransactionConfig {
  /** How long each of its statements may take; default: as in the rest of the pool. Those of a lead only read then. */
  statementTimeoutMs?: number | undefined;
}

/**
 * Connections to PostgreSQL. Each lives once: one whose server ended its session, that fell silent, or that broke in any
 * other way, takes no further query and is replaced by a new one.
 */
export class Pool implements Executor {
  readonly #pool: pg.Pool;
  readonly #lead: Lead | undefined;
  readonly #pooled: boolean;
  readonly #statementTimeoutMs: number;
  readonly #clients = new Set<DriverClient>();
  readonly #busy = new Set<DriverClient>();
  /** Those who wait for a connection, by how they are rejected. */
  readonly #waiting = new Set<(error: Error) => void>();
  readonly #notices = new Notices(async (statement, values) =>
    this.#query(await this.#checkOut(), statement, values),
  );
  #ending: Promise<void> | undefined;

  constructor(url: string, options: PoolOptions) {
    const { size, applicationName, statementTimeoutMs, idleInTransactionMs = usualIdleMs, lead } = options;
    const { pooled = false } = options;
    this.#lead = lead;
    this.#pooled = pooled;
    this.#statementTimeoutMs = statementTimeoutMs;
    this.#pool = new pg.Pool({
      connectionString: url,
      // The pool passes its options to the constructor, which its type leaves out.
      Client: DriverClient as unknown as new () => pg.ClientBase,
      max: size,
      connectionTimeoutMillis: checkOutWithinMs,
      idleTimeoutMillis: 60_000,
      maxLifetimeSeconds: 3_600,
      application_name: applicationName,
      // A pooler refuses connections with parameters that it does not know.
      ...(!pooled && {
        statement_timeout: statementTimeoutMs,
        idle_in_transaction_session_timeout: idleInTransactionMs,
      }),
    });
    // The pool drops an idle connection that broke. One in use fails the query of its user.
    this.#pool.on('error', () => {});
    this.#pool.on('connect', (client) => {
      this.#clients.add(driverOf(client));
    });
    this.#pool.on('acquire', (client) => this.#busy.add(driverOf(client)));
    this.#pool.on('release', (_error, client) => this.#busy.delete(driverOf(client)));
    this.#pool.on('remove', (client) => this.#clients.delete(driverOf(client)));
  }

  /** Returns how many connections are open, idle ones included, how many of them are idle, and how many callers wait for one. */
  state() {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { open: totalCount, idle: idleCount, waiting: waitingCount };
  }

  async query(statement: Statement, values: unknown[]): Promise<unknown> {
    return this.#query(await this.checkOut(), statement, values);
  }

  async #query(connection: Connection, statement: Statement, values: unknown[]): Promise<unknown> {
    try {
      return await connection.query(statement, values);
    } finally {
      connection.release();
    }
  }

  /**
   * Returns a connection for the caller alone until `release`. Waits while all are in use, and before that for a place in the
   * lane in hand. Rejects with the lane's refusal, too.
   */
  async checkOut(): Promise<Connection> {
    const leave = await takePlace();
    try {
      return await this.#checkOut(leave);
    } catch (error) {
      leave();
      throw error;
    }
  }

  #checkOut(onRelease?: () => void): Promise<Connection> {
    return new Promise((resolve, reject) => {
      this.#waiting.add(reject);
      this.#connect().then(
        (client) => {
          if (this.#waiting.delete(reject)) resolve(this.#lend(client, onRelease));
          else client.release(true);
        },
        (error: unknown) => {
          this.#waiting.delete(reject);
          reject(translateError(error));
        },
      );
    });
  }

  #lend(client: pg.PoolClient, onRelease: (() => void) | undefined): Connection {
    return new Connection(client, {
      pooled: this.#pooled,
      statementTimeoutMs: this.#statementTimeoutMs,
      onSilence: () => this.#cutIdle(),
      onRelease,
    });
  }

  async #connect(): Promise<pg.PoolClient> {
    for (;;) {
      const client = await this.#pool.connect();
      if (!driverOf(client).isCut) return client;
      // The pool learns only a moment later that its connection is gone.
      client.release(true);
    }
  }

  /** Where one connection fell silent, the others are not tried one by one. Those in use find out for themselves. */
  #cutIdle(): void {
    for (const client of this.#clients) if (!this.#busy.has(client)) client.cut();
  }

  /** Notifies those who listen on a channel of what is committed, within some milliseconds. No statement waits for it. */
  notify(channel: string, payloads: Iterable<string>): void {
    this.#notices.send(channel, payloads);
  }

  /** Runs `work` between `begin` and `commit` on one connection, or rolls it back when `work` or one of its queries fails. */
  async transaction<T>(
    work: (connection: Connection) => Promise<T>,
    options: TransactionOptions = {},
  ): Promise<T> {
    const { accessMode, statementTimeoutMs } = options;
    const connection = await this.checkOut();
    try {
      await connection.query({ text: beginText(options) }, []);
      if (this.#lead && accessMode !== 'read only') {
        // The server runs a statement to its end although the process is stopped, and the next leader waits for it.
        if (statementTimeoutMs !== undefined)
          throw new TypeError('a transaction that may take long and write would hold up the next leader');
        await holdLead(connection, this.#lead);
      }
      if (statementTimeoutMs !== undefined) await connection.allowStatements(statementTimeoutMs);
      // Awaited in there, because a query begins only when it is awaited.
      const result = await outsideLanes(async () => await work(connection));
      await connection.commit();
      for (const { channel, payloads } of connection.notices) this.notify(channel, payloads);
      return result;
    } catch (error) {
      await connection.rollBack();
      throw error;
    } finally {
      connection.release();
    }
  }

  /** Closes every connection; those in use get `graceMs` to finish. Waiters for one are rejected. */
  end(graceMs: number): Promise<void> {
    this.#ending ??= this.#end(graceMs);
    return this.#ending;
  }

  async #end(graceMs: number): Promise<void> {
    const ended = this.#pool.end();
    for (const notify of this.#waiting) notify(new ConnectionError('CONNECTION_ENDED'));
    this.#waiting.clear();
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, graceMs);
    });
    await Promise.race([ended, patience]);
    clearTimeout(timer);
    for (const client of this.#clients) client.cut();
  }
}

function beginText({ isolationLevel, accessMode, deferrable }: TransactionOptions): string {
  const modes = [
    isolationLevel && `isolation level ${isolationLevel}`,
    accessMode,
    deferrable === undefined ? undefined : deferrable ? 'deferrable' : 'not deferrable',
  ].filter((mode) => mode !== undefined);
  return modes.length === 0 ? 'begin' : `begin ${modes.join(', ')}`;
}

/** The driver's connection, which can be ended whatever it is doing. */
export class DriverClient extends pg.Client {
  readonly #socket: Socket;

  constructor(config: pg.ClientConfig) {
    const socket = new Socket();
    // Given here and not to the pool, which counts its own from when a query begins to wait its turn.
    super({
      ...config,
      connectionTimeoutMillis: connectWithinMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveAfterMs,
      stream: () => socket,
    });
    this.#socket = socket;
    // A query under way is rejected by that; without a listener the process would end.
    this.on('error', () => {});
  }

  cut(): void {
    this.#socket.destroy();
  }

  get isCut(): boolean {
    return this.#socket.destroyed;
  }

  /** Takes leave of the server, but does not wait for it beyond `graceMs`. */
  async endWithin(graceMs: number): Promise<void> {
    const timer = setTimeout(() => this.cut(), graceMs);
    await this.end().catch(() => {});
    clearTimeout(timer);
  }
}

/** Returns a connection of the pool as what it is: the pool makes no others. */
function driverOf(client: unknown): DriverClient {
  if (client instanceof DriverClient) return client;
  throw new TypeError('a connection that the pool did not make');
}

/** One connection, lent out. Its queries run one after the other; after `release` it refuses every further one. */
export class Connection implements Executor {
  readonly #client: pg.PoolClient;
  readonly #onSilence: () => void;
  readonly #onRelease: (() => void) | undefined;
  readonly #pooled: boolean;
  /** What is to be notified once the transaction is committed. */
  readonly notices: { channel: string; payloads: string[] }[] = [];
  #turn: Promise<unknown> = Promise.resolve();
  #over = false;
  #broken = false;
  /** The first query that failed. */
  #failure: unknown;
  #respondWithinMs: number;

  /** `onSilence` is called when the server does not respond in time, `onRelease` once. The rest: see `PoolOptions`. */
  constructor(
    client: pg.PoolClient,
    {
      pooled,
      statementTimeoutMs,
      onSilence,
      onRelease,
    }: {
      pooled: boolean;
      statementTimeoutMs: number;
      onSilence: () => void;
      onRelease: (() => void) | undefined;
    },
  ) {
    this.#client = client;
    this.#onSilence = onSilence;
    this.#onRelease = onRelease;
    this.#pooled = pooled;
    this.#respondWithinMs = statementTimeoutMs + silenceAfterMs;
  }

  /** Lets every further statement of the transaction in hand take `statementTimeoutMs`. */
  async allowStatements(statementTimeoutMs: number): Promise<void> {
    this.#respondWithinMs = statementTimeoutMs + silenceAfterMs;
    const text = "select set_config('statement_timeout', $1, true)";
    await this.query({ text }, [String(statementTimeoutMs)]);
  }

  query(statement: Statement, values: unknown[]): Promise<unknown> {
    const response = this.#turn.then(() => this.#ask(statement, values));
    this.#turn = response.catch(() => {});
    return response;
  }

  async #ask(statement: Statement, values: unknown[]): Promise<unknown> {
    // Work that goes on after its transaction has ended must not write outside of it.
    if (this.#over) throw new ConnectionError('CONNECTION_ENDED');
    return this.#send(statement, values);
  }

  async #send(statement: Statement, values: unknown[]): Promise<unknown> {
    if (values.includes(undefined)) throw new TypeError('a value of the query is undefined');
    // What the server still sends for the previous query would be taken for the result of this one.
    if (this.#broken) throw new ConnectionError('CONNECTION_CLOSED', this.#failure);
    try {
      const named = this.#pooled ? { ...statement, name: undefined } : statement;
      const response = await inClientSpan(
        () => spanOf(statement),
        () => this.#call({ ...named, values }),
      );
      // Several statements without values have one result each.
      const result = Array.isArray(response) ? (response.at(-1) as pg.QueryResult) : response;
      return statement.rowMode === 'array' ? result : rowsOf(result);
    } catch (error) {
      const translated = translateError(error);
      this.#failure ??= translated;
      this.#broken ||= endsConnection(translated);
      if (isSilence(translated)) this.#onSilence();
      throw translated;
    }
  }

  /**
   * Has the driver send a query. With a promise or a time limit of its own it gives the query another callback than it was made
   * with, and then most of what queries return outlives the young generation, at 20 ms for each of its collections under load.
   * When the time is up, what has arrived by then is still read: a process that was busy or stopped would otherwise take its own
   * pause for the server's.
   */
  #call(query: pg.QueryConfig): Promise<pg.QueryResult | pg.QueryResult[]> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => setImmediate(() => reject(silence())), this.#respondWithinMs);
      this.#client.query(query, (error: Error | null, result) => {
        clearTimeout(timer);
        if (error) reject(error);
        else resolve(result);
      });
    });
  }

  /** Rejects with the failure of a query that was passed over: the server has rolled everything back by then. */
  async commit(): Promise<void> {
    await this.#turn;
    this.#over = true;
    const { command } = await this.#commit();
    if (command !== 'COMMIT') throw this.#failure ?? new Error('the transaction was rolled back');
  }

  async #commit(): Promise<{ command: string }> {
    return (await this.#send({ text: 'commit', rowMode: 'array' }, [])) as pg.QueryResult;
  }

  /** Rejects never: a connection that cannot roll back is given up, and the server rolls back as it ends. */
  async rollBack(): Promise<void> {
    this.#over = true;
    await this.#turn;
    if (!this.#broken) await this.#send({ text: 'rollback' }, []).catch(() => {});
  }

  /** Gives the connection back, or ends it when it can do nothing more or is not done. */
  release(): void {
    this.#over = true;
    this.#client.release(this.#broken || this.#client.getTransactionStatus() !== 'I');
    this.#onRelease?.();
  }
}

/** The beginning of a statement is enough to know it; one that writes a batch has thousands of placeholders. */
const shownText = 500;

/** Returns how a statement is shown in a trace: without its values, named after its first word, such as `select`. */
function spanOf({ text }: Statement): SpanFacts {
  const name = /^\s*(\w+)/.exec(text)?.[1] ?? 'query';
  return {
    name,
    attributes: { 'db.system.name': 'postgresql', 'db.query.text': text.slice(0, shownText) },
  };
}

function rowsOf({ rows, rowCount }: pg.QueryResult): Rows<unknown> {
  return Object.defineProperty(rows, 'count', { value: rowCount ?? 0 }) as Rows<unknown>;
}

import type pg from 'pg';
import { DriverClient } from './connections.js';
import { translateError } from './postgres-error.js';

/** One connection of its own, for locks that live as long as a session does. */
export interface DatabaseSession {
  client: pg.Client;
  /** Aborts when the connection is gone; the session does not come back. */
  ended: AbortSignal;
  /** Ends the connection, without waiting for a server that does not respond. */
  close(): Promise<void>;
}

export interface SessionOptions {
  applicationName: string;
  /** Of every statement, here and on the server; default: none. */
  statementTimeoutMs?: number;
}

/** Connects to `url`. Rejects with a `PostgresError` or a `ConnectionError`, after 3 s at the latest. */
export async function openSession(url: string, options: SessionOptions): Promise<DatabaseSession> {
  const ended = new AbortController();
  const { applicationName, statementTimeoutMs = 0 } = options;
  const client = new DriverClient({
    connectionString: url,
    application_name: applicationName,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs,
  });
  client.on('end', () => ended.abort());
  await client.connect().catch((error: unknown) => {
    client.cut();
    throw translateError(error);
  });
  return { client, ended: ended.signal, close: () => client.endWithin(1_000) };
}

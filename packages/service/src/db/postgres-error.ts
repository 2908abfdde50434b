import pg from 'pg';

/** An error that the server reports about a query, or about the session that it ran in. */
export class PostgresError extends Error {
  override name = 'PostgresError';
  readonly code: string;
  readonly constraint_name: string | undefined;
  readonly table_name: string | undefined;

  constructor({ message, code, constraint, table }: pg.DatabaseError) {
    super(message);
    this.code = code ?? 'XX000';
    this.constraint_name = constraint;
    this.table_name = table;
  }
}

/** A query failed because its connection is gone, or none could be made. */
export class ConnectionError extends Error {
  override name = 'ConnectionError';
  readonly code: string;

  constructor(code: string, cause?: unknown) {
    super(`no connection to the database: ${code}`, { cause });
    this.code = code;
  }
}

/** The server did not respond to a query, not even to end it when its own time limit was over. */
const silent = 'CONNECTION_SILENT';

/** Returns the error of a query to which nothing came in time. */
export function silence(cause?: unknown): ConnectionError {
  return new ConnectionError(silent, cause);
}

export function isSilence(error: unknown): boolean {
  return error instanceof ConnectionError && error.code === silent;
}

/** The driver's words for connections that are no more, or out of step: it gives those errors no code. */
const lostConnection =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|Cannot use a pool after|Received unexpected )/;

/**
 * Returns the driver's error as one of ours. What it has thrown for another reason, a value that it cannot send, stays
 * as it is.
 */
export function translateError(error: unknown): unknown {
  if (error instanceof pg.DatabaseError) return new PostgresError(error);
  if (!(error instanceof Error)) return error;
  const { message } = error;
  const code = 'code' in error ? error.code : undefined;
  if (typeof code === 'string' && /^(E(?!RR_)[A-Z_]+|ERR_(STREAM|SOCKET)_[A-Z_]+)$/.test(code))
    return new ConnectionError(code, error);
  if (message === 'timeout expired') return new ConnectionError('CONNECT_TIMEOUT', error);
  if (message === 'timeout exceeded when trying to connect')
    return new ConnectionError('POOL_TIMEOUT', error);
  if (message === 'Query read timeout') return silence(error);
  if (lostConnection.test(message)) return new ConnectionError('CONNECTION_CLOSED', error);
  return error;
}

/** SQLSTATEs with which the server ends a session: shutdown, crash, dropped database, idle for too long. */
const endedSession = /^(57P0[1-5]|25P0[34]|08...)$/;

/**
 * Returns whether a connection can do nothing more after that error. In doubt it cannot: a new one costs a few
 * milliseconds.
 */
export function endsConnection(error: unknown): boolean {
  return !(error instanceof PostgresError) || endedSession.test(error.code);
}

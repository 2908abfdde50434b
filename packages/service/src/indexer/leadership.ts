import postgres from 'postgres';
import { advisoryLocks } from '../db/locks.js';
import { inTime, pause } from './time.js';

/** A proof of life that takes longer than this, or than two elections, is none. */
const proofWithinMs = 2_000;

/** A right that one process holds at a time, such as the right to index. */
export interface Leadership {
  /** Aborts when the right is lost or given back. */
  signal: AbortSignal;
  release(): Promise<void>;
}

export interface CampaignOptions {
  databaseUrl: string;
  /** What is led. */
  lock: 'indexer' | 'keeper';
  /** Between two tries, and between two proofs of still holding the lock. */
  electionMs: number;
  signal: AbortSignal;
  /** Told after every try: what is wrong with the database, or undefined when someone else leads. */
  onWait(error: unknown): void;
}

/**
 * Waits until this process is the leader: it holds an advisory lock of PostgreSQL on a session of its own, which the
 * server gives free the moment that session ends, however the process ended. Rejects only when `signal` aborts. Session
 * locks need a direct connection or a pooler in session mode.
 */
export async function campaign(options: CampaignOptions): Promise<Leadership> {
  for (;;) {
    options.signal.throwIfAborted();
    const session = openSession(options);
    try {
      return await stand(session, options);
    } catch (error) {
      await session.close();
      options.signal.throwIfAborted();
      options.onWait(error);
      await pause(options.electionMs, options.signal);
    }
  }
}

interface Session {
  sql: postgres.Sql;
  /** Aborts when the session's connection is gone. */
  ended: AbortController;
  close(): Promise<void>;
}

function openSession({ databaseUrl, lock, electionMs }: CampaignOptions): Session {
  const ended = new AbortController();
  const sql = postgres(databaseUrl, {
    max: 1,
    // The session is the lock: nothing may end it but us.
    idle_timeout: 0,
    max_lifetime: null,
    connect_timeout: 3,
    // Its query for array types has nobody to take its error when a connection breaks.
    fetch_types: false,
    onnotice: () => {},
    onclose: () => ended.abort(),
    connection: {
      application_name: `karat-${lock}`,
      statement_timeout: Math.max(proofWithinMs, 2 * electionMs),
      // A leader whose machine vanished without a word must not keep the lock: the server probes the connection.
      tcp_keepalives_idle: 1,
      tcp_keepalives_interval: 1,
      tcp_keepalives_count: 2,
    },
  });
  return { sql, ended, close: () => sql.end({ timeout: 0 }).catch(() => {}) };
}

/** Tries until the lock is ours. Rejects when the session breaks. */
async function stand(session: Session, options: CampaignOptions): Promise<Leadership> {
  const { lock, electionMs, signal } = options;
  for (;;) {
    const [answer] = await inTime(
      session.sql<{ won: boolean; pid: number }[]>`
        select pg_try_advisory_lock(${advisoryLocks[lock]}::bigint) as won, pg_backend_pid() as pid`,
      5_000,
    );
    if (session.ended.signal.aborted) throw new Error('the session ended');
    signal.throwIfAborted();
    if (answer?.won) return lead(session, answer.pid, options);
    options.onWait(undefined);
    await pause(electionMs, signal);
    signal.throwIfAborted();
  }
}

/** Holds the lock and proves it again and again: on the same session, which is the only proof there is. */
function lead(session: Session, pid: number, { electionMs, signal }: CampaignOptions): Leadership {
  const lost = new AbortController();
  const over = AbortSignal.any([lost.signal, session.ended.signal, signal]);
  const watch = async () => {
    while (!over.aborted) {
      await pause(electionMs, over);
      if (over.aborted) break;
      const [answer] = await inTime(
        session.sql<{ pid: number }[]>`select pg_backend_pid() as pid`,
        Math.max(proofWithinMs, 2 * electionMs),
      );
      if (answer?.pid !== pid) break;
    }
  };
  const watching = watch()
    .catch(() => {})
    .then(() => lost.abort())
    .then(() => session.close());
  return {
    signal: over,
    release: () => {
      lost.abort();
      return watching;
    },
  };
}

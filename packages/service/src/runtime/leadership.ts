import { beginLead, type Lead } from '../db/leads.js';
import { advisoryLocks } from '../db/locks.js';
import { type DatabaseSession, openSession as openDatabaseSession } from '../db/session.js';
import { inTime, pause } from './time.js';

/**
 * Longest wait for a proof of life, unless two elections take longer. A busy process may block for almost as long, and
 * sees no response meanwhile. What a former leader writes is kept out by the epoch of its lead, not by this limit.
 */
const proofWithinMs = 4_000;
/** A session that sends nothing for so long, or for three elections, ends with its lock: its process was stopped. */
const expiresAfterMs = 6_000;

/** A right that one process holds at a time, such as the right to index. */
export interface Leadership {
  /** Aborts when the right is lost or given back. */
  signal: AbortSignal;
  /** What the database knows this lead by: see `openLeadDatabase`. */
  lead: Lead;
  release(): Promise<void>;
}

export interface CampaignOptions {
  databaseUrl: string;
  lock: Lead['role'];
  /** Between two tries, and between two proofs of still holding the lock. */
  electionMs: number;
  signal: AbortSignal;
  /** Called after every try with what is wrong with the database, or undefined when another process leads. */
  onWait(error: unknown): void;
}

/**
 * Waits until this process is the leader: it holds an advisory lock of PostgreSQL on a session of its own, which the
 * server releases the moment that session ends, however the process ended. The session expires when it sends nothing for
 * some seconds, so a process that is stopped loses the lead too. When it wakes up it may go on for a moment before it
 * learns that: what it writes then is refused by the epoch of its lead. Rejects only when `signal` aborts. `databaseUrl`
 * must lead to sessions of one's own: see `sessionUrlOf`.
 */
export async function campaign(options: CampaignOptions): Promise<Leadership> {
  for (;;) {
    options.signal.throwIfAborted();
    let session: DatabaseSession | undefined;
    try {
      session = await openSession(options);
      return await stand(session, options);
    } catch (error) {
      await session?.close();
      options.signal.throwIfAborted();
      options.onWait(error);
      await pause(options.electionMs, options.signal);
    }
  }
}

/**
 * Runs `lead` whenever this process leads, again and again until the signal aborts. What `lead` throws is passed to
 * `fell`, and another try follows after a pause. Never rejects.
 */
export async function leadAgainAndAgain(
  options: CampaignOptions & { fell(error: unknown): void },
  lead: (leadership: Leadership) => Promise<void>,
): Promise<void> {
  const { signal, electionMs } = options;
  while (!signal.aborted) {
    try {
      await lead(await campaign(options));
    } catch (error) {
      if (!signal.aborted) options.fell(error);
      await pause(electionMs, signal);
    }
  }
}

async function openSession({ databaseUrl, lock, electionMs }: CampaignOptions): Promise<DatabaseSession> {
  const session = await openDatabaseSession(databaseUrl, {
    applicationName: `karat-${lock}`,
    statementTimeoutMs: Math.max(proofWithinMs, 2 * electionMs),
  });
  try {
    // A leader whose machine vanished must not keep the lock: the server probes the connection. One that was stopped
    // responds to such probes, by its kernel, but sends nothing.
    await inTime(
      session.client.query(
        `set tcp_keepalives_idle = 1; set tcp_keepalives_interval = 1; set tcp_keepalives_count = 2;
         set idle_session_timeout = ${Math.max(expiresAfterMs, 3 * electionMs)}`,
      ),
      proofWithinMs,
    );
    return session;
  } catch (error) {
    await session.close();
    throw error;
  }
}

/** Tries until the lock is ours. Rejects when the session breaks. */
async function stand(session: DatabaseSession, options: CampaignOptions): Promise<Leadership> {
  const { lock, electionMs, signal } = options;
  for (;;) {
    const { rows } = await inTime(
      session.client.query<{ won: boolean; pid: number }>(
        'select pg_try_advisory_lock($1::bigint) as won, pg_backend_pid() as pid',
        [advisoryLocks[lock]],
      ),
      5_000,
    );
    const [response] = rows;
    if (session.ended.aborted) throw new Error('the session ended');
    signal.throwIfAborted();
    if (response?.won) return lead(session, response.pid, await beginLead(session.client, lock), options);
    options.onWait(undefined);
    await pause(electionMs, signal);
    signal.throwIfAborted();
  }
}

/** Holds the lock and proves it again and again: on the same session, which is the only proof there is. */
function lead(
  session: DatabaseSession,
  pid: number,
  lead: Lead,
  { electionMs, signal }: CampaignOptions,
): Leadership {
  const lost = new AbortController();
  const over = AbortSignal.any([lost.signal, session.ended, signal]);
  const watch = async () => {
    while (!over.aborted) {
      await pause(electionMs, over);
      if (over.aborted) break;
      const { rows } = await inTime(
        session.client.query<{ pid: number }>('select pg_backend_pid() as pid'),
        Math.max(proofWithinMs, 2 * electionMs),
      );
      if (rows[0]?.pid !== pid) break;
    }
  };
  const watching = watch()
    .catch(() => {})
    .then(() => lost.abort())
    .then(() => session.close());
  return {
    signal: over,
    lead,
    release: () => {
      lost.abort();
      return watching;
    },
  };
}

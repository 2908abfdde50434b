import { type SessionConfig, sessionUrlOf } from '../config.js';
import { openSession } from '../db/session.js';
import { pause } from '../runtime/time.js';

/** A session on which nothing comes may be gone: it is probed this often. */
const proveEveryMs = 10_000;
const proveWithinMs = 4_000;

/** After a lost session, another one is opened after so long, and after ever longer. */
export const reconnecting = { intervalMs: 500, longestMs: 5_000 };

export interface Listening {
  config: SessionConfig;
  /** As PostgreSQL shows the session. */
  applicationName: string;
  /** Called once notifications come from now on. Nothing notifies of earlier commits. */
  onLive(): void;
  /** What is called with the payload of each notification, by the name of its channel. */
  channels: Readonly<Record<string, (payload: string) => void>>;
}

/**
 * Listens to the notifications of channels of PostgreSQL, on a connection of its own, until `signal` aborts. Rejects when
 * the connection is lost.
 */
export async function listen(
  { config, applicationName, onLive, channels }: Listening,
  signal: AbortSignal,
): Promise<void> {
  const options = { applicationName, statementTimeoutMs: proveWithinMs };
  const session = await openSession(sessionUrlOf(config), options);
  const names = Object.keys(channels);
  const over = AbortSignal.any([signal, session.ended]);
  try {
    session.client.on('notification', ({ channel, payload = '' }) => channels[channel]?.(payload));
    await session.client.query(names.map((name) => `listen ${name}`).join(';'));
    onLive();
    while (!over.aborted) {
      await pause(proveEveryMs, over);
      if (!over.aborted) await session.client.query('select');
    }
  } finally {
    await session.close();
  }
  if (!signal.aborted) throw new Error(`the session that listens to ${names.join()} has ended`);
}

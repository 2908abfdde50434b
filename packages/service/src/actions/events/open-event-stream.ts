import type { Context } from '../../context.js';
import { deleteEventStream, insertEventStream, renewEventStreams } from '../../db/events/event-streams.js';
import { newUuid, type Uuid } from '../../domain/ids.js';

/** Streams that a key may have open at once, over all processes. */
export const streamsOfAKey = 5;

/** Notes that a key opens a stream of events, and returns its id; undefined when the key has as many as it may. */
export async function openEventStream(ctx: Context, keyId: Uuid): Promise<Uuid | undefined> {
  const id = newUuid();
  const opened = await ctx.db.transaction((tx) => insertEventStream(tx, { id, keyId }, streamsOfAKey));
  return opened ? id : undefined;
}

/** Notes that streams are still open, and returns those whose key is still good. */
export async function renewOpenStreams(ctx: Context, ids: readonly Uuid[]): Promise<Set<Uuid>> {
  if (ids.length === 0) return new Set();
  return ctx.db.transaction((tx) => renewEventStreams(tx, ids));
}

export async function closeEventStream(ctx: Context, id: Uuid): Promise<void> {
  await ctx.db.transaction((tx) => deleteEventStream(tx, id));
}

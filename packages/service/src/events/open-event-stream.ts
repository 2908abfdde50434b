import type { Context } from '../context.js';
import {
  deleteEventStream,
  insertEventStream,
  lockOpenStreams,
  renewEventStreams,
} from '../db/events/event-streams.js';
import { newUuid, type Uuid } from '../domain/ids.js';
import type { Principal } from '../domain/principal.js';

/** Streams that a key may have open at once, over all processes. */
export const streamsOfAKey = 5;
/** Streams that all keys of a partner may have open at once, likewise. */
export const streamsOfAPartner = 50;

/** Notes that a key opens a stream of events, and returns its id, or whose limit is reached. */
export async function openEventStream(
  ctx: Context,
  { partnerId, keyId }: Pick<Principal, 'partnerId' | 'keyId'>,
): Promise<{ id: Uuid } | { limitOf: 'key' | 'partner' }> {
  return ctx.db.transaction(async (tx) => {
    const open = await lockOpenStreams(tx, partnerId);
    if (open.length >= streamsOfAPartner) return { limitOf: 'partner' };
    if (open.filter((stream) => stream.keyId === keyId).length >= streamsOfAKey) return { limitOf: 'key' };
    const id = newUuid();
    await insertEventStream(tx, { id, keyId });
    return { id };
  });
}

/** Notes that streams are still open, and returns those whose key is still good. */
export async function renewOpenStreams(ctx: Context, ids: readonly Uuid[]): Promise<Set<Uuid>> {
  if (ids.length === 0) return new Set();
  return ctx.db.transaction((tx) => renewEventStreams(tx, ids));
}

export async function closeEventStream(ctx: Context, id: Uuid): Promise<void> {
  await ctx.db.transaction((tx) => deleteEventStream(tx, id));
}

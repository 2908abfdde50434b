import type { Context } from '../../context.js';
import {
  deleteOperatorStream,
  insertOperatorStream,
  type OperatorCredential,
  renewOperatorStreams,
} from '../../db/operators/operator-streams.js';
import { newUuid, type Uuid } from '../../domain/ids.js';
import { sessionTimes } from '../people/sign-in.js';

/** Streams that an operator may have open at once, over all processes. */
export const streamsOfAnOperator = 20;

/** Notes that an operator opens a stream of changes, and returns its id; undefined when there are as many as there may be. */
export async function openOperatorStream(
  ctx: Context,
  owner: { operatorId: Uuid } & OperatorCredential,
): Promise<Uuid | undefined> {
  const id = newUuid();
  const opened = await ctx.db.transaction((tx) =>
    insertOperatorStream(tx, { id, ...owner }, streamsOfAnOperator),
  );
  return opened ? id : undefined;
}

/** Notes that streams are still open, and returns those whose session or token is still good. */
export async function renewOpenOperatorStreams(ctx: Context, ids: readonly Uuid[]): Promise<Set<Uuid>> {
  if (ids.length === 0) return new Set();
  return ctx.db.transaction((tx) => renewOperatorStreams(tx, ids, sessionTimes(ctx)));
}

export async function closeOperatorStream(ctx: Context, id: Uuid): Promise<void> {
  await ctx.db.transaction((tx) => deleteOperatorStream(tx, id));
}

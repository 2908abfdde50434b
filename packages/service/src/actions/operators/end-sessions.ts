import type { Context } from '../../context.js';
import { lockOperator } from '../../db/operators/operators.js';
import { countOpenSessions, endSessionById, endSessionsOf } from '../../db/people/sessions.js';
import { asUuid, type Uuid } from '../../domain/ids.js';
import { AppError } from '../../errors.js';
import { recordChange } from '../audit.js';
import type { ChangeTx } from '../change.js';
import { sessionTimes } from '../people/sign-in.js';
import { operatorNotFound } from './change-operator.js';

/** Ends an open session, of `operatorId` if that is given. Throws `not_found`. */
export async function endSession(
  ctx: Context,
  { tx, by, at }: ChangeTx,
  input: { sessionId: string; operatorId?: Uuid; reason?: string | undefined },
): Promise<void> {
  const { operatorId, reason } = input;
  const id = asUuid(input.sessionId);
  const session = id && (await endSessionById(tx, { id, personId: operatorId }, sessionTimes(ctx)));
  if (!session) throw new AppError('not_found', 'There is no open session with this id.');
  const { createdAt, address } = session;
  const before = { session_id: session.id, created_at: createdAt.toISOString(), address };
  const change = { action: 'operator.end_session' as const, objectId: session.personId };
  await recordChange(tx, by, { ...change, before, reason }, at);
}

/**
 * Ends the open sessions of an operator, but the one of `except`, and what was begun to sign in; how many. Throws
 * `not_found` for an unknown operator.
 */
export async function endSessions(
  ctx: Context,
  { tx, by, at }: ChangeTx,
  input: { operatorId: string; except?: Uint8Array | undefined; reason?: string | undefined },
): Promise<number> {
  const { except, reason } = input;
  const id = asUuid(input.operatorId);
  // A sign-in that is under way is waited for.
  const operator = id && (await lockOperator(tx, id));
  if (!operator) throw operatorNotFound();
  const sessions = await countOpenSessions(tx, operator.id, sessionTimes(ctx), except);
  await endSessionsOf(tx, operator.id, at, except);
  if (sessions === 0) return 0;
  const change = { action: 'operator.end_sessions' as const, objectId: operator.id };
  await recordChange(tx, by, { ...change, before: { sessions }, after: { sessions: 0 }, reason }, at);
  return sessions;
}

import type { Context } from '../../context.js';
import type { Tx } from '../../db/client.js';
import { findUser, lockUser, type User } from '../../db/users.js';
import type { ChangedBy } from '../../domain/audit.js';
import { asUserId } from '../../domain/ids.js';
import type { Kyc } from '../../domain/kyc.js';
import { mayOperator, type Operator } from '../../domain/operator.js';
import { AppError } from '../../errors.js';
import { recordChange } from '../audit.js';

/** A user as an operator may see it. */
export interface SeenUser {
  user: User;
  /** Undefined without a record, and for callers who may not read it. */
  kyc: Kyc | undefined;
}

/**
 * Reads a user of any partner, with the KYC record for operators who may read that. Every such look is an entry of the
 * audit log, written before anything is shown; it has who looked at whom, and nothing of the record. Throws
 * `user_not_found`.
 */
export async function readUser(
  ctx: Context,
  operator: Operator,
  by: ChangedBy,
  text: string,
): Promise<SeenUser> {
  const id = asUserId(text);
  if (!id) throw userNotFound();
  return ctx.db.transaction(async (tx) => {
    const found = await findUser(tx, id);
    if (!found) throw userNotFound();
    const { user, kyc } = found;
    if (!kyc || !mayOperator(operator.role, 'read_kyc')) return { user, kyc: undefined };
    const look = { action: 'user.read_kyc' as const, objectId: id };
    await recordChange(tx, by, look, new Date(ctx.clock.now()));
    return { user, kyc: await ctx.kyc.open(kyc) };
  });
}

/** Returns the user of an id, whom only this transaction changes until it ends. Throws `user_not_found`. */
export async function getUserForChange(tx: Tx, text: string): Promise<User> {
  const id = asUserId(text);
  const user = id && (await lockUser(tx, id));
  if (!user) throw userNotFound();
  return user;
}

function userNotFound(): AppError {
  return new AppError('user_not_found', 'There is no such user.');
}

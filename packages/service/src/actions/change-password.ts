import type { Context } from '../context.js';
import { endSessionsOf } from '../db/operator-sessions.js';
import { findOperator, updatePassword } from '../db/operators.js';
import type { ChangedBy } from '../domain/audit.js';
import type { Operator } from '../domain/operator.js';
import { invalidField } from '../errors.js';
import { recordChange } from './audit.js';
import { readPassword } from './create-operator.js';
import { hashPassword, isPassword } from './passwords.js';

/**
 * Sets an operator's own password, so that nobody who made the account knows it any longer, and ends all of the
 * operator's sessions. Throws `invalid_request` with the field for a wrong current password, also one that was changed
 * meanwhile, and for a new one that is too short or too long.
 */
export async function changePassword(
  ctx: Context,
  by: ChangedBy,
  { operatorId }: Operator,
  { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
): Promise<void> {
  const password = readPassword(newPassword, 'new_password');
  const found = await findOperator(ctx.db, operatorId);
  if (!found || !(await isPassword(found.passwordHash, currentPassword))) throw wrongPassword();
  const passwordHash = await hashPassword(password);
  const at = new Date(ctx.clock.now());
  await ctx.db.transaction(async (tx) => {
    const change = { hashBefore: found.passwordHash, passwordHash, at };
    if (!(await updatePassword(tx, operatorId, change))) throw wrongPassword();
    await endSessionsOf(tx, operatorId, at);
    const facts = { action: 'operator.password', objectType: 'operator', objectId: operatorId };
    await recordChange(tx, by, { ...facts, before: null, after: null }, at);
  });
}

function wrongPassword() {
  return invalidField('current_password', 'current_password is not your password.');
}

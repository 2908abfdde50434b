import type { Context } from '../../context.js';
import { lockPendingApprovalsOf } from '../../db/approvals/approvals.js';
import type { Tx } from '../../db/client.js';
import { endSessionsOf } from '../../db/operators/operator-sessions.js';
import { revokeTokensOf } from '../../db/operators/operator-tokens.js';
import {
  findOperator,
  findOperatorByEmail,
  forgetOpeners,
  lockOperator,
  type OperatorRow,
  updatePassword,
} from '../../db/operators/operators.js';
import type { ChangedBy } from '../../domain/audit.js';
import type { Uuid } from '../../domain/ids.js';
import type { Operator } from '../../domain/operator.js';
import { AppError, invalidField } from '../../errors.js';
import { expireApprovals } from '../approvals/end-approvals.js';
import { recordChange } from '../audit.js';
import { readPassword } from './create-operator.js';
import { type Attempt, forgiveAttempt, forgiveSignIn } from './limit-sign-in.js';
import { hashPassword, isPassword } from './passwords.js';
import { signInChange } from './sign-in.js';

/**
 * Sets an operator's own password, so that the creator of the account no longer knows it, and ends all of the
 * operator's sessions. Writes a wrong current password to the audit log with the caller's address. Throws
 * `invalid_request` with the field for a wrong current password, also one that was changed meanwhile, and for a new one
 * that is too short or too long.
 */
export async function changePassword(
  ctx: Context,
  by: ChangedBy,
  { operatorId }: Operator,
  input: { currentPassword: string; newPassword: string; attempt: Attempt },
): Promise<void> {
  const { attempt } = input;
  const password = readPassword(input.newPassword, 'new_password');
  const found = await requirePassword(ctx, by, operatorId, input);
  const passwordHash = await hashPassword(password);
  const at = new Date(ctx.clock.now());
  await ctx.db.transaction(async (tx) => {
    const change = { hashBefore: found.passwordHash, passwordHash, at };
    if (!(await updatePassword(tx, operatorId, change))) throw wrongPassword();
    await forgiveSignIn(tx, operatorId, attempt, at);
    await endSessionsOf(tx, operatorId, at);
    await recordChange(tx, by, passwordChange(operatorId), at);
  });
}

/**
 * Checks the password of an operator who is signed in, and takes the attempt back. Throws `invalid_request` with the field for
 * a wrong one, which is written to the audit log with the caller's address.
 */
export async function confirmWithPassword(
  ctx: Context,
  by: ChangedBy,
  { operatorId }: Operator,
  input: { currentPassword: string; attempt: Attempt },
): Promise<void> {
  await requirePassword(ctx, by, operatorId, input);
  await ctx.db.transaction((tx) => forgiveAttempt(tx, input.attempt));
}

async function requirePassword(
  ctx: Context,
  by: ChangedBy,
  operatorId: Uuid,
  { currentPassword, attempt }: { currentPassword: string; attempt: Attempt },
): Promise<OperatorRow> {
  const found = await findOperator(ctx.db, operatorId);
  if (found && (await isPassword(found.passwordHash, currentPassword))) return found;
  const change = signInChange('operator.password_failed', operatorId, attempt.address);
  await ctx.db.transaction((tx) => recordChange(tx, by, change, new Date(ctx.clock.now())));
  throw wrongPassword();
}

/**
 * Sets a password that was forgotten, for a caller that need not know the old one: the command line. Ends all sessions of the
 * operator; a disabled account stays disabled. From then on, no one who opened the account knows its password; tokens and
 * requests that may be theirs end, those of an account that was opened on the command line stay. Throws `not_found` for an
 * unknown email, `invalid_request` for a password that is too short or too long.
 */
export async function resetPassword(
  ctx: Pick<Context, 'db' | 'clock'>,
  by: ChangedBy,
  input: { email: string; password: string },
): Promise<OperatorRow> {
  const passwordHash = await hashPassword(readPassword(input.password));
  const at = new Date(ctx.clock.now());
  return ctx.db.transaction(async (tx) => {
    const known = await findOperatorByEmail(tx, input.email);
    const found = known && (await lockOperator(tx, known.id));
    if (!found) throw new AppError('not_found', `There is no operator ${input.email}.`);
    await updatePassword(tx, found.id, { hashBefore: found.passwordHash, passwordHash, at });
    await endSessionsOf(tx, found.id, at);
    if (found.openedBy.length > 0) await endWhatOpenersHold(tx, by, found.id, at);
    await recordChange(tx, by, passwordChange(found.id), at);
    return found;
  });
}

const ofOpener = 'The operator who opened this account may have requested this.';

/** Ends what those who opened an account may have made while they knew its password. */
async function endWhatOpenersHold(tx: Tx, by: ChangedBy, operatorId: Uuid, at: Date): Promise<void> {
  await forgetOpeners(tx, operatorId);
  await revokeTokensOf(tx, operatorId, at);
  const pending = await lockPendingApprovalsOf(tx, operatorId, at);
  await expireApprovals(tx, by, { ended: pending, reason: ofOpener }, at);
}

function passwordChange(operatorId: Uuid) {
  return { action: 'operator.password' as const, objectId: operatorId };
}

function wrongPassword() {
  return invalidField('current_password', 'current_password is not your password.');
}

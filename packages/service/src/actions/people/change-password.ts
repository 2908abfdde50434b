import type { Context } from '../../context.js';
import { findPerson, type PersonRow, updatePassword } from '../../db/people/people.js';
import { endSessionsOf } from '../../db/people/sessions.js';
import { actionOf, type ChangedBy } from '../../domain/audit.js';
import type { Person } from '../../domain/person.js';
import { AppError, invalidField } from '../../errors.js';
import { recordChange } from '../audit.js';
import { type Attempt, forgiveAttempt, forgiveSignIn } from './limit-sign-in.js';
import { hashPassword, isPassword, readPassword } from './passwords.js';
import { signInChange } from './sign-in.js';

/**
 * Sets a person's own password, so that the creator of the account no longer knows it, and ends all of the
 * person's sessions. Writes a wrong current password to the audit log with the caller's address. Throws
 * `invalid_request` with the field for a wrong current password, also one that was changed meanwhile, and for a new one
 * that is too short or too long.
 */
export async function changePassword(
  ctx: Context,
  by: ChangedBy,
  person: Person,
  input: { currentPassword: string; newPassword: string; attempt: Attempt },
): Promise<void> {
  const { attempt } = input;
  const { kind, personId } = person;
  const password = readPassword(input.newPassword, 'new_password');
  const found = await requirePassword(ctx, by, person, input);
  const passwordHash = await hashPassword(password);
  const at = new Date(ctx.clock.now());
  await ctx.db.transaction(async (tx) => {
    const change = { hashBefore: found.passwordHash, passwordHash, at };
    if (!(await updatePassword(tx, personId, change))) throw wrongPassword();
    await forgiveSignIn(tx, personId, attempt, at);
    await endSessionsOf(tx, personId, at);
    await recordChange(tx, by, { action: actionOf(kind, 'password'), objectId: personId }, at);
  });
}

/**
 * Checks the password of a person who is signed in, and takes the attempt back. Throws `invalid_request` with the field for
 * a wrong one, which is written to the audit log with the caller's address.
 */
export async function confirmWithPassword(
  ctx: Context,
  by: ChangedBy,
  person: Person,
  input: { currentPassword: string; attempt: Attempt },
): Promise<void> {
  await requirePassword(ctx, by, person, input);
  await ctx.db.transaction((tx) => forgiveAttempt(tx, input.attempt));
}

async function requirePassword(
  ctx: Context,
  by: ChangedBy,
  { kind, personId }: Person,
  { currentPassword, attempt }: { currentPassword: string; attempt: Attempt },
): Promise<PersonRow & { passwordHash: string }> {
  const found = await findPerson(ctx.db, kind, personId);
  const passwordHash = found?.passwordHash;
  if (found && !passwordHash)
    throw new AppError('forbidden', 'Your account has no password: you sign in at the identity provider.');
  if (found && passwordHash && (await isPassword(passwordHash, currentPassword)))
    return { ...found, passwordHash };
  const change = signInChange(actionOf(kind, 'password_failed'), personId, attempt.address);
  await ctx.db.transaction((tx) => recordChange(tx, by, change, new Date(ctx.clock.now())));
  throw wrongPassword();
}

function wrongPassword() {
  return invalidField('current_password', 'current_password is not your password.');
}

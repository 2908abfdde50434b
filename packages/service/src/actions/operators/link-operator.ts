import type { Context } from '../../context.js';
import { findOperatorByEmail, lockOperator, type OperatorRow } from '../../db/operators/operators.js';
import { findPersonByIdentity, replaceSignIn } from '../../db/people/people.js';
import { endSessionsOf } from '../../db/people/sessions.js';
import type { ChangedBy } from '../../domain/audit.js';
import { AppError } from '../../errors.js';
import { recordChange } from '../audit.js';
import { endWhatOpenersHold } from './reset-password.js';

/**
 * Has an operator sign in at an identity provider from now on: the password no longer opens the account, all sessions end, and
 * so does what may be of those who opened it. Throws `not_found` for an unknown email, `already_exists` when the identity is
 * another operator's.
 */
export async function linkOperator(
  ctx: Pick<Context, 'db' | 'clock'>,
  by: ChangedBy,
  { email, issuer, subject }: { email: string; issuer: string; subject: string },
): Promise<OperatorRow> {
  const at = new Date(ctx.clock.now());
  return ctx.db.transaction(async (tx) => {
    const known = await findOperatorByEmail(tx, email);
    const found = known && (await lockOperator(tx, known.id));
    if (!found) throw new AppError('not_found', `There is no operator ${email}.`);
    const owner = await findPersonByIdentity(tx, { issuer, subject });
    if (owner && owner.id !== found.id) {
      throw new AppError('already_exists', `This identity is that of ${owner.email}.`);
    }
    await replaceSignIn(tx, found.id, { issuer, subject, at });
    await endSessionsOf(tx, found.id, at);
    if (found.openedBy.length > 0) await endWhatOpenersHold(tx, by, found.id, at);
    const before = { issuer: found.issuer, subject: found.subject };
    const change = { action: 'operator.link' as const, objectId: found.id, before };
    await recordChange(tx, by, { ...change, after: { issuer, subject } }, at);
    return { ...found, issuer, subject };
  });
}

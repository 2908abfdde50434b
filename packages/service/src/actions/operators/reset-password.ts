import type { Context } from '../../context.js';
import { lockPendingApprovalsOf } from '../../db/approvals/approvals.js';
import type { Tx } from '../../db/client.js';
import { revokeTokensOf } from '../../db/operators/operator-tokens.js';
import {
  findOperatorByEmail,
  forgetOpeners,
  lockOperator,
  type OperatorRow,
} from '../../db/operators/operators.js';
import { updatePassword } from '../../db/people/people.js';
import { endSessionsOf } from '../../db/people/sessions.js';
import type { ChangedBy } from '../../domain/audit.js';
import type { Uuid } from '../../domain/ids.js';
import { AppError } from '../../errors.js';
import { expireApprovals } from '../approvals/end-approvals.js';
import { recordChange } from '../audit.js';
import { hashPassword, readPassword } from '../people/passwords.js';

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
    await recordChange(tx, by, { action: 'operator.password', objectId: found.id }, at);
    return found;
  });
}

const ofOpener = 'The operator who opened this account may have requested this.';

/** Ends what those who opened an account may have made while they knew its password. */
export async function endWhatOpenersHold(tx: Tx, by: ChangedBy, operatorId: Uuid, at: Date): Promise<void> {
  await forgetOpeners(tx, operatorId);
  await revokeTokensOf(tx, operatorId, at);
  const pending = await lockPendingApprovalsOf(tx, operatorId, at);
  await expireApprovals(tx, by, { ended: pending, reason: ofOpener }, at);
}

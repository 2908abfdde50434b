import type { Context } from '../../context.js';
import { movesValue, type OperatorRole } from '../../domain/operator.js';
import { AppError } from '../../errors.js';
import { type Requester, requireConfirmation } from './confirm.js';

/**
 * Throws `forbidden` for a role that takes part in approvals while these take two people: an admin who opens the account
 * of the second one, raises one that he opened, or opens one again whose password he knows, would be both. The command
 * line, which needs the database, gives them. One admin alone confirms such an account: throws `second_factor_required`.
 */
export async function requireRoleToGive(ctx: Context, by: Requester, role: OperatorRole): Promise<void> {
  if (!movesValue(role)) return;
  if (ctx.config.approvals < 2) return requireConfirmation(ctx, by);
  const message = `While moving value takes two operators, the role ${role} must be given on the command line: karat operator create, role or enable.`;
  throw new AppError('forbidden', message);
}

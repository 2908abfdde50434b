import type { Context } from '../../context.js';
import { movesValue } from '../../domain/approval.js';
import type { OperatorRole } from '../../domain/operator.js';
import { AppError } from '../../errors.js';
import { type Requester, requireConfirmation } from '../people/confirm.js';

/**
 * Throws `forbidden` for a new account with a role that takes part in approvals while these take two people: it could never
 * approve what the admin who opens it requests, because the admin knows its password (see `areTwoPeople`, which also covers
 * viewers whose role was changed later). The command line, which needs the database, opens such accounts. Where one person
 * is enough, that admin confirms the account: throws `second_factor_required`.
 */
export async function requireRoleToGive(ctx: Context, by: Requester, role: OperatorRole): Promise<void> {
  if (!movesValue(role)) return;
  if (ctx.config.approvals < 2) return requireConfirmation(ctx, by);
  const message = `While moving value takes two operators, the role ${role} must be given on the command line: karat operator create, role or enable.`;
  throw new AppError('forbidden', message);
}

import type { Context } from '../context.js';
import { mayOperator, type OperatorRole } from '../domain/operator.js';
import { AppError } from '../errors.js';

/**
 * Throws `forbidden` for a role that takes part in approvals while these take two people: an admin who opens the account
 * of the second one, or raises one that he opened, would be both. The command line, which needs the database, gives them.
 */
export function requireRoleToGive(ctx: Pick<Context, 'config'>, role: OperatorRole | undefined): void {
  if (ctx.config.approvals < 2 || role === undefined) return;
  if (!mayOperator(role, 'fulfil') && !mayOperator(role, 'administer')) return;
  const message = `While it takes two people to move value, the role ${role} is given on the command line: karat operator create, or karat operator role.`;
  throw new AppError('forbidden', message);
}

import type { Context } from '../context.js';
import type { ChangedBy } from '../domain/audit.js';
import { mayOperator, type OperatorRole } from '../domain/operator.js';
import { AppError } from '../errors.js';

/** Where nobody says how many people it takes, it takes two; the command line is not asked. */
export type RoleGiver = Partial<Pick<Context, 'config'>>;

/**
 * Throws `forbidden` for a role that takes part in approvals while these take two people: an admin who opens the account
 * of the second one, raises one that he opened, or opens one again whose password he knows, would be both. The command
 * line, which needs the database, gives them.
 */
export function requireRoleToGive(ctx: RoleGiver, by: ChangedBy, role: OperatorRole): void {
  if (by.operatorId === null || (ctx.config?.approvals ?? 2) < 2) return;
  if (!mayOperator(role, 'fulfil') && !mayOperator(role, 'administer')) return;
  const message = `While it takes two people to move value, the role ${role} is given on the command line: karat operator create, role or enable.`;
  throw new AppError('forbidden', message);
}

import type { Context } from '../context.js';
import { type User, updateUserStatus } from '../db/users.js';
import type { ChangedBy } from '../domain/audit.js';
import { AppError } from '../errors.js';
import { recordChange } from './audit.js';
import { getUserForChange } from './read-user.js';
import { type Settle, settleNothing } from './settle-idempotency-key.js';

export interface UserStep {
  /** As it came. */
  userId: string;
  reason?: string | undefined;
}

/**
 * Suspends a user: from now on quotes and submits get `user_suspended`. Throws `user_not_found`, or `transition_not_allowed`
 * for one who is suspended already.
 */
export async function suspendUser(
  ctx: Context,
  by: ChangedBy,
  step: UserStep & { reason: string },
  settle: Settle<User> = settleNothing,
): Promise<User> {
  return moveUser(ctx, by, { ...step, to: 'suspended' }, settle);
}

/** Takes a suspension back. Throws `user_not_found`, or `transition_not_allowed` for a user who is active. */
export async function resumeUser(
  ctx: Context,
  by: ChangedBy,
  step: UserStep,
  settle: Settle<User> = settleNothing,
): Promise<User> {
  return moveUser(ctx, by, { ...step, to: 'active' }, settle);
}

const action = { suspended: 'user.suspend', active: 'user.resume' } as const;

async function moveUser(
  ctx: Context,
  by: ChangedBy,
  { userId, reason, to }: UserStep & { to: User['status'] },
  settle: Settle<User>,
): Promise<User> {
  const at = new Date(ctx.clock.now());
  return ctx.db.transaction(async (tx) => {
    const found = await getUserForChange(tx, userId);
    if (found.status === to) throw new AppError('transition_not_allowed', `The user is ${to} already.`);
    await updateUserStatus(tx, found.id, to, at);
    const moved = { ...found, status: to, updatedAt: at };
    const change = {
      action: action[to],
      objectType: 'user',
      objectId: found.id,
      before: { status: found.status },
      after: { status: to },
      reason,
    };
    await recordChange(tx, by, change, at);
    await settle(tx, moved);
    return moved;
  });
}

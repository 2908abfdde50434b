import type { Context } from '../context.js';
import { findOperatorToken, markTokenRevoked, type OperatorToken } from '../db/operator-tokens.js';
import type { ChangedBy } from '../domain/audit.js';
import { asUuid } from '../domain/ids.js';
import { AppError } from '../errors.js';
import { recordChange } from './audit.js';
import { type Settle, settleNothing } from './settle-idempotency-key.js';

/**
 * Revokes a bearer token of an operator, at once and for good. Throws `not_found`, or `already_revoked` for one that is.
 */
export async function revokeOperatorToken(
  ctx: Pick<Context, 'db' | 'clock'>,
  by: ChangedBy,
  input: { tokenId: string; reason?: string | undefined },
  settle: Settle<OperatorToken> = settleNothing,
): Promise<OperatorToken> {
  const tokenId = asUuid(input.tokenId);
  if (!tokenId) throw tokenNotFound();
  const at = new Date(ctx.clock.now());
  return ctx.db.transaction(async (tx) => {
    const token = await markTokenRevoked(tx, tokenId, at);
    if (!token) {
      if (!(await findOperatorToken(tx, tokenId))) throw tokenNotFound();
      throw new AppError('already_revoked', 'This token is revoked already.');
    }
    const facts = { operator_id: token.operatorId, name: token.name };
    const change = {
      action: 'operator_token.revoke',
      objectType: 'operator_token',
      objectId: tokenId,
      before: { ...facts, status: 'active' },
      after: { ...facts, status: 'revoked' },
      reason: input.reason,
    };
    await recordChange(tx, by, change, at);
    await settle(tx, token);
    return token;
  });
}

function tokenNotFound(): AppError {
  return new AppError('not_found', 'There is no token with this id.');
}

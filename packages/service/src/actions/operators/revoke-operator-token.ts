import {
  findOperatorToken,
  markTokenRevoked,
  type OperatorToken,
} from '../../db/operators/operator-tokens.js';
import { asUuid } from '../../domain/ids.js';
import { AppError } from '../../errors.js';
import { recordChange } from '../audit.js';
import type { ChangeTx } from '../change.js';

/**
 * Revokes a bearer token of an operator, at once and for good. Throws `not_found`, or `already_revoked` for one that is.
 */
export async function revokeOperatorToken(
  { tx, by, at }: ChangeTx,
  { tokenId: text, reason }: { tokenId: string; reason?: string | undefined },
): Promise<OperatorToken> {
  const tokenId = asUuid(text);
  const token = tokenId && (await markTokenRevoked(tx, tokenId, at));
  if (!token) {
    if (tokenId && (await findOperatorToken(tx, tokenId))) {
      throw new AppError('already_revoked', 'This token is already revoked.');
    }
    throw new AppError('not_found', 'There is no token with this id.');
  }
  const facts = { operator_id: token.operatorId, name: token.name };
  const change = {
    action: 'operator_token.revoke' as const,
    objectId: token.id,
    before: { ...facts, status: 'active' },
    after: { ...facts, status: 'revoked' },
    reason,
  };
  await recordChange(tx, by, change, at);
  return token;
}

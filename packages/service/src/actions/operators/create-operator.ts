import type { Context } from '../../context.js';
import { insertOperatorToken } from '../../db/operators/operator-tokens.js';
import { findOperatorByEmail, insertOperator } from '../../db/operators/operators.js';
import type { ChangedBy } from '../../domain/audit.js';
import { newUuid } from '../../domain/ids.js';
import type { Operator } from '../../domain/operator.js';
import { maxTokenDays, newOperatorToken } from '../../domain/operator-token.js';
import { hashSecret } from '../../domain/session.js';
import { AppError, invalidField, notAllowed } from '../../errors.js';
import { recordChange } from '../audit.js';
import { hashPassword, readPassword } from '../people/passwords.js';
import { readEmail, readPersonName } from '../people/read-account.js';

type Parts = Pick<Context, 'db' | 'clock'>;

export type NewOperator = Omit<Operator, 'kind' | 'personId'> & { password: string };
type Account = Pick<Operator, 'email' | 'name' | 'role'>;

/**
 * Opens an account for an operator. Throws `invalid_request` with the field for an email, name or password that cannot be
 * one, and `already_exists` when the email has an account.
 */
export async function createOperator(ctx: Parts, by: ChangedBy, input: NewOperator): Promise<Operator> {
  const account = readAccount(input);
  const openedBy = [...input.openedBy];
  const passwordHash = await hashPassword(readPassword(input.password));
  const personId = newUuid();
  const at = new Date(ctx.clock.now());
  await ctx.db.transaction(async (tx) => {
    const row = { id: personId, ...account, openedBy, passwordHash, createdAt: at, updatedAt: at };
    if (!(await insertOperator(tx, row))) {
      throw new AppError('already_exists', `The operator ${account.email} already exists.`);
    }
    await recordChange(tx, by, { action: 'operator.create', objectId: personId, after: account }, at);
  });
  return { kind: 'operator', personId, ...account, openedBy };
}

const readAccount = ({ email, name, role }: NewOperator): Account => ({
  email: readEmail(email),
  name: readPersonName(name),
  role,
});

const dayMs = 24 * 60 * 60_000;
const defaultTokenDays = 90;

/**
 * Makes a bearer token for the operator of an email, which is never shown again, and which expires after `days` (1 to
 * 365, default 90). Throws `not_found` for an unknown one, `invalid_request` for a name that is not 1 to 100 characters
 * long and for other days.
 */
export async function createOperatorToken(
  ctx: Parts,
  by: ChangedBy,
  input: { email: string; name: string; days?: number | undefined },
  token = newOperatorToken(),
) {
  const { email, name, days = defaultTokenDays } = input;
  if (!Number.isInteger(days) || days < 1 || days > maxTokenDays) {
    throw invalidField('days', `days must be a whole number from 1 to ${maxTokenDays}.`);
  }
  if (name.trim() === '' || [...name].length > 100) {
    throw invalidField('name', 'name must have 1 to 100 characters.');
  }
  const tokenId = newUuid();
  const at = new Date(ctx.clock.now());
  const expiresAt = new Date(at.getTime() + days * dayMs);
  await ctx.db.transaction(async (tx) => {
    const operator = await findOperatorByEmail(tx, email);
    if (!operator) throw new AppError('not_found', `There is no operator ${email}.`);
    if (operator.status !== 'active') {
      throw notAllowed(`The operator ${email} is disabled.`);
    }
    const row = { id: tokenId, operatorId: operator.id, name, hash: hashSecret(token) };
    await insertOperatorToken(tx, { ...row, createdAt: at, expiresAt });
    const change = { action: 'operator_token.create' as const, objectId: tokenId };
    const after = { operator_id: operator.id, name, expires_at: expiresAt.toISOString() };
    await recordChange(tx, by, { ...change, after }, at);
  });
  return { tokenId, token, expiresAt };
}

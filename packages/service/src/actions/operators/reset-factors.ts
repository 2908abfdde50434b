import type { Tx } from '../../db/client.js';
import type { OperatorRow } from '../../db/operators/operators.js';
import { deletePasskeysOf } from '../../db/people/passkeys.js';
import { deleteRecoveryCodesOf } from '../../db/people/recovery-codes.js';
import { endSessionsOf } from '../../db/people/sessions.js';
import { deleteTotpOf } from '../../db/people/totps.js';
import { notAllowed } from '../../errors.js';
import { recordChange } from '../audit.js';
import type { ChangeTx } from '../change.js';
import { findFactors, hasFactor } from '../people/second-factor.js';
import { lockForChange } from './change-operator.js';

export interface FactorReset {
  /** As it came. */
  operatorId: string;
  reason?: string | undefined;
}

/**
 * Removes every second factor of an account and ends its sessions: the password alone opens the next one. Throws
 * `not_found`, or `transition_not_allowed` for an account without a second factor.
 */
export async function resetFactors(
  { tx, by, at }: ChangeTx,
  { operatorId, reason }: FactorReset,
): Promise<OperatorRow> {
  const { found } = await lockForChange(tx, operatorId);
  const before = await describeReset(tx, found);
  await deletePasskeysOf(tx, found.id);
  await deleteTotpOf(tx, found.id);
  await deleteRecoveryCodesOf(tx, found.id);
  await endSessionsOf(tx, found.id, at);
  const change = { action: 'operator.reset_second_factor' as const, objectId: found.id, reason };
  await recordChange(tx, by, { ...change, before, after: { passkeys: 0, totp: false } }, at);
  return found;
}

/** Returns what a reset removes. Throws `transition_not_allowed` when there is nothing. */
export async function describeReset(
  tx: Tx,
  { id }: OperatorRow,
): Promise<{ passkeys: number; totp: boolean }> {
  const factors = await findFactors(tx, id);
  if (!hasFactor(factors)) throw notAllowed('The operator has no second factor.');
  return { passkeys: factors.passkeys.length, totp: factors.totp !== undefined };
}

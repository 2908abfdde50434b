import type { StatementId } from '../../domain/ids.js';
import type { Db } from '../client.js';
import type { VisibleRedemption } from '../redemptions/redemptions.js';
import { findStatementsAround } from '../reserves/statements.js';
import { type Bar, findBarOf } from './bars.js';

/** A bar that a customer collected, and the statements of the reserves that prove where it was. */
export interface CollectedBar extends Pick<Bar, 'refiner' | 'serial' | 'fineness' | 'weightG'> {
  /** The last statement that lists it; undefined when none was made meanwhile. */
  heldIn: StatementId | undefined;
  /** The first statement after it had left; undefined before that. */
  leftIn: StatementId | undefined;
}

/** Returns the bar that was handed over for a redemption; undefined while none was. */
export async function findCollectedBar(
  db: Db,
  { id, status }: Pick<VisibleRedemption, 'id' | 'status'>,
): Promise<CollectedBar | undefined> {
  const bar = status === 'collected' ? await findBarOf(db, id) : undefined;
  if (bar?.status !== 'handed_over') return undefined;
  const statements = await findStatementsAround(db, { since: bar.createdAt, until: bar.updatedAt });
  return { ...bar, ...statements };
}

import type { Context } from '../context.js';
import type { Tx } from '../db/client.js';
import type { ChangedBy } from '../domain/audit.js';
import { type Settle, settleNothing } from './settle-idempotency-key.js';

/** A database transaction in which somebody changes something; everything in it is of the same moment. */
export interface ChangeTx {
  tx: Tx;
  by: ChangedBy;
  at: Date;
}

/** Makes a change in a transaction of its own, and keeps the response of its request by `settle`. */
export async function inChange<T>(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  by: ChangedBy,
  make: (change: ChangeTx) => Promise<T>,
  settle: Settle<T> = settleNothing,
): Promise<T> {
  const at = new Date(clock.now());
  return db.transaction(async (tx) => {
    const made = await make({ tx, by, at });
    await settle(tx, made);
    return made;
  });
}

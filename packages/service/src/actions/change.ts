import type { Context } from '../context.js';
import type { Tx } from '../db/client.js';
import type { ChangedBy } from '../domain/audit.js';

/** A database transaction in which a person changes something; everything in it is of the same moment. */
export interface ChangeTx {
  tx: Tx;
  by: ChangedBy;
  at: Date;
}

/** Makes a change in a transaction of its own. */
export async function inChange<T>(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  by: ChangedBy,
  make: (change: ChangeTx) => Promise<T>,
): Promise<T> {
  const at = new Date(clock.now());
  return db.transaction((tx) => make({ tx, by, at }));
}

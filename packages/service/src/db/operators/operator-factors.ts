import { and, count, inArray, isNotNull, min } from 'drizzle-orm';
import type { Uuid } from '../../domain/ids.js';
import type { Db, Tx } from '../client.js';
import { operatorPasskeys } from './operator-passkeys.js';
import { operatorTotps } from './operator-totps.js';

/** The second factors that an operator has, and since when the first of them. */
export interface FactorSummary {
  passkeys: number;
  totp: boolean;
  since: Date;
}

/** Returns the second factors of those of the operators who have any. */
export async function findFactorSummaries(
  db: Db | Tx,
  operatorIds: Uuid[],
): Promise<Map<Uuid, FactorSummary>> {
  const { operatorId, createdAt } = operatorPasskeys;
  const passkeys = await db
    .select({ operatorId, passkeys: count(), since: min(createdAt) })
    .from(operatorPasskeys)
    .where(inArray(operatorId, operatorIds))
    .groupBy(operatorId);
  const { operatorId: owner, confirmedAt } = operatorTotps;
  const totps = await db
    .select({ operatorId: owner, since: confirmedAt })
    .from(operatorTotps)
    .where(and(inArray(owner, operatorIds), isNotNull(confirmedAt)));
  const found = new Map<Uuid, FactorSummary>();
  for (const { operatorId, passkeys: number, since } of passkeys) {
    if (since) found.set(operatorId, { passkeys: number, totp: false, since });
  }
  for (const { operatorId, since: confirmed } of totps) {
    if (!confirmed) continue;
    const { passkeys: number, since } = found.get(operatorId) ?? { passkeys: 0, since: confirmed };
    const first = since < confirmed ? since : confirmed;
    found.set(operatorId, { passkeys: number, totp: true, since: first });
  }
  return found;
}

import { and, count, inArray, isNotNull, min } from 'drizzle-orm';
import type { Uuid } from '../../domain/ids.js';
import type { Db, Tx } from '../client.js';
import { passkeys } from './passkeys.js';
import { totps } from './totps.js';

/** The second factors that a person has, and since when the first of them. */
export interface FactorSummary {
  passkeys: number;
  totp: boolean;
  since: Date;
}

/** Returns the second factors of those of the operators who have any. */
export async function findFactorSummaries(db: Db | Tx, personIds: Uuid[]): Promise<Map<Uuid, FactorSummary>> {
  const { personId, createdAt } = passkeys;
  const counted = await db
    .select({ personId, number: count(), since: min(createdAt) })
    .from(passkeys)
    .where(inArray(personId, personIds))
    .groupBy(personId);
  const { personId: owner, confirmedAt } = totps;
  const confirmedTotps = await db
    .select({ personId: owner, since: confirmedAt })
    .from(totps)
    .where(and(inArray(owner, personIds), isNotNull(confirmedAt)));
  const found = new Map<Uuid, FactorSummary>();
  for (const { personId, number, since } of counted) {
    if (since) found.set(personId, { passkeys: number, totp: false, since });
  }
  for (const { personId, since: confirmed } of confirmedTotps) {
    if (!confirmed) continue;
    const { passkeys: number, since } = found.get(personId) ?? { passkeys: 0, since: confirmed };
    const first = since < confirmed ? since : confirmed;
    found.set(personId, { passkeys: number, totp: true, since: first });
  }
  return found;
}

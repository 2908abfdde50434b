import { eq, inArray } from 'drizzle-orm';
import type { RedemptionId } from '../../domain/ids.js';
import type { Db, Tx } from '../client.js';
import { people } from '../people/people.js';
import { users } from '../users.js';
import { redemptions } from './redemptions.js';

/** What people know a redemption by, apart from its ids. None of it is KYC data. */
export interface RedemptionNames {
  /** The partner's own id of the user. */
  partnerUserId: string;
  /** Name of the operator who sees to it; null for none. */
  assigneeName: string | null;
}

/** Returns the names of redemptions by their ids. */
export async function findRedemptionNames(
  db: Db | Tx,
  ids: RedemptionId[],
): Promise<Map<RedemptionId, RedemptionNames>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .select({ id: redemptions.id, partnerUserId: users.partnerUserId, assigneeName: people.name })
    .from(redemptions)
    .innerJoin(users, eq(users.id, redemptions.userId))
    .leftJoin(people, eq(people.id, redemptions.assigneeId))
    .where(inArray(redemptions.id, ids));
  return new Map(rows.map(({ id, ...names }) => [id, names]));
}

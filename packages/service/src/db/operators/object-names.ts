import { inArray, type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import { asRedemptionId, asUserId, asUuid } from '../../domain/ids.js';
import { bars } from '../bars/bars.js';
import type { Db, Tx } from '../client.js';
import { partners } from '../partners/partners.js';
import { people } from '../people/people.js';
import { redemptions } from '../redemptions/redemptions.js';
import { users } from '../users.js';
import type { AuditRow } from './audit-log.js';

type AuditedObject = Pick<AuditRow, 'objectType' | 'objectId'>;

interface Named {
  id: AnyPgColumn;
  name: AnyPgColumn | SQL<string>;
  asId(text: string): string | undefined;
}

/** What people know objects of a type by. A user is known by the partner's own id, since the name is KYC data. */
const named: Record<string, Named> = {
  bar: { id: bars.id, name: bars.serial, asId: asUuid },
  member: { id: people.id, name: people.name, asId: asUuid },
  operator: { id: people.id, name: people.name, asId: asUuid },
  partner: { id: partners.id, name: partners.name, asId: asUuid },
  redemption: {
    id: redemptions.id,
    name: sql<string>`${redemptions.denomination} || ', ' || ${redemptions.city}`,
    asId: asRedemptionId,
  },
  user: { id: users.id, name: users.partnerUserId, asId: asUserId },
};

/** Returns what finds the name of an object among those given; it returns null for one that has none or is gone. */
export async function findObjectNames(
  db: Db | Tx,
  objects: readonly AuditedObject[],
): Promise<(object: AuditedObject) => string | null> {
  const ofTypes = await Promise.all(
    Object.entries(named).map(
      async ([type, of]) => [type, await namesOf(db, of, idsOf(type, of, objects))] as const,
    ),
  );
  const names = new Map<string, Map<unknown, string>>(ofTypes);
  return ({ objectType, objectId }) => names.get(objectType)?.get(objectId) ?? null;
}

function idsOf(type: string, { asId }: Named, objects: readonly AuditedObject[]) {
  const ids = objects.flatMap(({ objectType, objectId }) =>
    objectType === type ? (asId(objectId) ?? []) : [],
  );
  return [...new Set(ids)];
}

async function namesOf(db: Db | Tx, of: Named, ids: string[]): Promise<Map<unknown, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .select({ id: of.id, name: sql<string>`${of.name}` })
    .from(of.id.table)
    .where(inArray(of.id, ids));
  return new Map(rows.map(({ id, name }) => [id, name]));
}

import { and, asc, desc, eq, gt, inArray, isNotNull, lte, ne, not, type SQL, sql, sum } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { RedemptionId } from '../../domain/ids.js';
import { toInteger } from '../../domain/integer.js';
import { proposalLifeSeconds } from '../../domain/proposal.js';
import { operatorTransactions } from '../approvals/operator-transactions.js';
import type { Db, Tx } from '../client.js';
import { redemptions } from './redemptions.js';

/** A burn that is announced on chain. */
export interface Burn {
  announcedAt: Date;
  /** From then on it can be done. */
  dueAt: Date;
}

/** Burns whose time was over at `now` are void by the program: they can no longer be done, and stand in the way of no reclaim. */
function lastDueAt(now: Date): Date {
  return new Date(now.getTime() - toInteger(proposalLifeSeconds) * 1_000);
}

const changed = and(eq(operatorTransactions.status, 'confirmed'), isNotNull(operatorTransactions.eventSeq));

/** Returns the burns of some redemptions that are announced and can still be done. */
export async function findBurns(
  db: Db | Tx,
  ids: readonly RedemptionId[],
  now: Date,
): Promise<Map<RedemptionId, Burn>> {
  const announced = await findAnnouncements(db, ids);
  return new Map([...announced].filter(([, burn]) => !isVoid(burn, now)));
}

/** Returns whether an announced burn can no longer be done. */
export const isVoid = ({ dueAt }: Burn, now: Date): boolean => dueAt <= lastDueAt(now);

/**
 * Returns the burns of some redemptions that are announced, void or not: by the last event of each, whatever the order in which
 * events were recorded.
 */
async function findAnnouncements(
  db: Db | Tx,
  ids: readonly RedemptionId[],
): Promise<Map<RedemptionId, Burn>> {
  if (ids.length === 0) return new Map();
  const { redemptionId, eventSeq, burnDueAt: dueAt, createdAt: announcedAt } = operatorTransactions;
  const last = await db
    .selectDistinctOn([redemptionId], { redemptionId, announcedAt, dueAt })
    .from(operatorTransactions)
    .where(and(changed, inArray(redemptionId, [...ids])))
    .orderBy(redemptionId, desc(eventSeq));
  return new Map(
    last.flatMap(({ redemptionId: id, announcedAt, dueAt }) =>
      id && dueAt ? [[id, { announcedAt, dueAt }]] : [],
    ),
  );
}

/** Returns the burn of a redemption, as `findBurns` does. */
export async function findBurn(db: Db | Tx, id: RedemptionId, now: Date): Promise<Burn | undefined> {
  return (await findBurns(db, [id], now)).get(id);
}

/** Returns the announcement of a burn, also a void one: until it is cancelled, the program refunds nothing. */
export async function findAnnouncement(db: Db | Tx, id: RedemptionId): Promise<Burn | undefined> {
  return (await findAnnouncements(db, [id])).get(id);
}

/** Condition, of announcements: another one, or a cancellation, came later. */
function isSuperseded(db: Db | Tx): SQL {
  const later = alias(operatorTransactions, 'later');
  const superseding = db
    .select({ one: sql`1` })
    .from(later)
    .where(
      and(
        eq(later.redemptionId, operatorTransactions.redemptionId),
        eq(later.status, 'confirmed'),
        gt(later.eventSeq, operatorTransactions.eventSeq),
      ),
    );
  return sql`exists ${superseding}`;
}

/** Condition, of redemptions: its burn is announced, and can still be done. */
export function isBurnAnnounced(db: Db | Tx, now: Date): SQL {
  const announced = db
    .select({ one: sql`1` })
    .from(operatorTransactions)
    .where(
      and(
        changed,
        eq(operatorTransactions.redemptionId, redemptions.id),
        gt(operatorTransactions.burnDueAt, lastDueAt(now)),
        not(isSuperseded(db)),
      ),
    );
  return sql`exists ${announced}`;
}

interface DueBurn {
  redemptionId: RedemptionId;
  dueAt: Date;
}

/** Returns redemptions whose gold was handed out and whose burn is due at `now` and not under way, those that are due for longest first. */
export async function findDueBurns(
  db: Db | Tx,
  { now, limit }: { now: Date; limit: number },
): Promise<DueBurn[]> {
  const isDue = and(lte(operatorTransactions.burnDueAt, now), eq(redemptions.status, 'collected'));
  return findAnnounced(db, { now, limit, which: isDue });
}

/** Returns redemptions whose burn is announced although their gold was not handed out, due or not, soonest first. */
export async function findUncollectedBurns(
  db: Db | Tx,
  { now, limit }: { now: Date; limit: number },
): Promise<DueBurn[]> {
  return findAnnounced(db, { now, limit, which: ne(redemptions.status, 'collected') });
}

async function findAnnounced(
  db: Db | Tx,
  { now, limit, which }: { now: Date; limit: number; which: SQL | undefined },
): Promise<DueBurn[]> {
  const found = await db
    .select({ redemptionId: redemptions.id, dueAt: operatorTransactions.burnDueAt })
    .from(operatorTransactions)
    .innerJoin(redemptions, eq(redemptions.id, operatorTransactions.redemptionId))
    .where(
      and(
        changed,
        gt(operatorTransactions.burnDueAt, lastDueAt(now)),
        not(redemptions.settled),
        which,
        not(isSuperseded(db)),
      ),
    )
    .orderBy(asc(operatorTransactions.burnDueAt), asc(operatorTransactions.id))
    .limit(limit);
  return found.flatMap(({ redemptionId, dueAt }) => (dueAt ? [{ redemptionId, dueAt }] : []));
}

/** Returns how much GOLD was burned up to the end of a slot by the records, base units. */
export async function findBurnedTotal(db: Db | Tx, slot: bigint): Promise<bigint> {
  const { kind, status, amount, slot: landedIn } = operatorTransactions;
  const [row] = await db
    .select({ burned: sum(amount) })
    .from(operatorTransactions)
    .where(and(eq(kind, 'burn'), eq(status, 'confirmed'), lte(landedIn, slot)));
  return BigInt(row?.burned ?? 0);
}

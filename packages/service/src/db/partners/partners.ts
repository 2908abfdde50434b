import { eq, min, sql } from 'drizzle-orm';
import { check, numeric, pgEnum, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import type { Uuid } from '../../domain/ids.js';
import { feeBudget } from '../../domain/limits.js';
import type { Db, Tx } from '../client.js';
import { hashOfPartner, int64, moment, usdc } from '../columns.js';
import { findPage, type PageOf } from '../page.js';
import { findRow } from '../rows.js';

export const partnerStatus = pgEnum('partner_status', ['active', 'suspended']);

/** A fintech that integrates the service. */
export const partners = pgTable(
  'partners',
  {
    id: uuid().primaryKey().$type<Uuid>(),
    name: text().notNull(),
    status: partnerStatus().notNull().default('active'),
    /** Redemption fee as a fraction: 0.015 is 1.5 %. */
    feePercentage: numeric('fee_percentage', { precision: 7, scale: 6 }).notNull(),
    /** What the service may pay to the network for it within an hour, less what it earns. */
    feeBudgetLamports: int64('fee_budget_lamports')
      .notNull()
      .default(sql.raw(String(feeBudget.usualLamports))),
    /** The smallest trade; 0 for any. */
    minTradeUsdc: usdc('min_trade_usdc').notNull().default(sql`0`),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (t) => [
    // So that the log of a partner can be found by it.
    uniqueIndex('partners_hash').on(hashOfPartner(t.id)),
    check('partners_name_length', sql`char_length(${t.name}) between 1 and 255`),
    check('partners_fee_percentage_range', sql`${t.feePercentage} between 0 and 0.5`),
    check('partners_terms', sql`least(${t.feeBudgetLamports}, ${t.minTradeUsdc}) >= 0`),
  ],
);

export const partnerId = () =>
  uuid('partner_id')
    .references(() => partners.id)
    .$type<Uuid>();

export type Partner = typeof partners.$inferSelect;

export const findPartner = (db: Db | Tx, id: Uuid) => findRow(db, partners, eq(partners.id, id));

/** Returns when the first partner was created; undefined before. */
export async function findFirstPartnerTime(db: Db | Tx): Promise<Date | undefined> {
  const [first] = await db.select({ at: min(partners.createdAt) }).from(partners);
  return first?.at ?? undefined;
}

export const findAllPartners = (db: Db | Tx): Promise<Partner[]> => db.select().from(partners);

export async function findPartnerIds(db: Db | Tx): Promise<Uuid[]> {
  const rows = await db.select({ id: partners.id }).from(partners);
  return rows.map(({ id }) => id);
}

/** Returns a page of all partners, or of those in a status, newest first. */
export async function findPartners(
  db: Db | Tx,
  filter: { status: Partner['status'] | undefined },
  page: PageOf,
): Promise<Partner[]> {
  const { status } = filter;
  return findPage(db, partners, [status && eq(partners.status, status)], page);
}

/** A partner whom only this transaction changes until it ends. */
export const lockPartner = (tx: Tx, id: Uuid) => findRow(tx, partners, eq(partners.id, id), 'no key update');

/** Adds a partner; terms that are left out are the usual ones. */
export async function insertPartner(tx: Tx, partner: typeof partners.$inferInsert): Promise<Partner> {
  const [inserted] = await tx.insert(partners).values(partner).returning();
  if (!inserted) throw new Error('an insert returned no row');
  return inserted;
}

export async function updatePartner(tx: Tx, partner: Omit<Partner, 'createdAt'>): Promise<void> {
  const { id, name, status, feePercentage, feeBudgetLamports, minTradeUsdc, updatedAt } = partner;
  const set = { name, status, feePercentage, feeBudgetLamports, minTradeUsdc, updatedAt };
  await tx.update(partners).set(set).where(eq(partners.id, id));
}

import { eq, sql } from 'drizzle-orm';
import { check, numeric, pgEnum, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import type { Uuid } from '../domain/ids.js';
import type { Db, Tx } from './client.js';
import { moment } from './columns.js';

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
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (t) => [
    check('partners_name_length', sql`char_length(${t.name}) between 1 and 255`),
    check('partners_fee_percentage_range', sql`${t.feePercentage} between 0 and 0.5`),
  ],
);

export type Partner = typeof partners.$inferSelect;

export async function findPartner(db: Db | Tx, id: Uuid): Promise<Partner | undefined> {
  const [partner] = await db.select().from(partners).where(eq(partners.id, id));
  return partner;
}

/** A partner, held as it is until the transaction ends. */
export async function holdPartner(tx: Tx, id: Uuid): Promise<Partner | undefined> {
  const [partner] = await tx.select().from(partners).where(eq(partners.id, id)).for('share');
  return partner;
}

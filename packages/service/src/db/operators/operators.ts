import { and, asc, eq, inArray, sql } from 'drizzle-orm';
import { check, pgEnum, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import type { Uuid } from '../../domain/ids.js';
import { type OperatorRole, operatorRoles } from '../../domain/operator.js';
import type { Db, Tx } from '../client.js';
import { moment } from '../columns.js';
import { type Filter, findPage, matching, type PageOf } from '../page.js';
import { changeRow, findRow } from '../rows.js';

export const operatorRole = pgEnum('operator_role', operatorRoles);
export const operatorStatus = pgEnum('operator_status', ['active', 'disabled']);

/** People who run the service. */
export const operators = pgTable(
  'operators',
  {
    id: uuid().primaryKey().$type<Uuid>(),
    /** In lower case, so that one address is one account. */
    email: text().notNull().unique('operators_email'),
    name: text().notNull(),
    role: operatorRole().notNull(),
    /** argon2id in its own text form, salt and costs included. */
    passwordHash: text('password_hash').notNull(),
    status: operatorStatus().notNull().default('active'),
    /**
     * Who may know the password: the operator who opened the account over the API, followed by that one's own list at the
     * time. Empty for an account that was opened, or whose password was set, on the command line.
     */
    openedBy: uuid('opened_by').array().notNull().default([]).$type<Uuid[]>(),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (t) => [
    check(
      'operators_email_form',
      sql`${t.email} = lower(${t.email}) and char_length(${t.email}) between 3 and 254`,
    ),
    check('operators_name_length', sql`char_length(${t.name}) between 1 and 100`),
    check('operators_password_hash', sql`${t.passwordHash} like '$argon2id$%'`),
  ],
);

export const operatorId = (name: string) =>
  uuid(name)
    .references(() => operators.id)
    .$type<Uuid>();

export type OperatorRow = typeof operators.$inferSelect;

/** Returns the account of an address, in whatever case it was typed. */
export const findOperatorByEmail = (db: Db | Tx, email: string) =>
  findRow(db, operators, eq(operators.email, email.toLowerCase()));

export const findOperator = (db: Db | Tx, id: Uuid) => findRow(db, operators, eq(operators.id, id));

/** Writes an account; false when its address is taken. */
export async function insertOperator(tx: Tx, operator: typeof operators.$inferInsert): Promise<boolean> {
  const { count } = await tx
    .insert(operators)
    .values({ ...operator, email: operator.email.toLowerCase() })
    .onConflictDoNothing({ target: operators.email });
  return count === 1;
}

/** A page of the accounts, newest first. */
export const findOperators = (db: Db | Tx, filter: Filter<typeof operators>, page: PageOf) =>
  findPage(db, operators, matching(operators, filter), page);

/** Returns the operators of some roles who can sign in, by name. */
export const findActiveOperators = (
  db: Db | Tx,
  roles: OperatorRole[],
): Promise<Pick<OperatorRow, 'id' | 'name'>[]> =>
  db
    .select({ id: operators.id, name: operators.name })
    .from(operators)
    .where(and(eq(operators.status, 'active'), inArray(operators.role, roles)))
    .orderBy(asc(operators.name), asc(operators.id));

/** An account that only this transaction changes until it ends. */
export const lockOperator = (tx: Tx, id: Uuid) =>
  findRow(tx, operators, eq(operators.id, id), 'no key update');

/**
 * Returns ids of the admins who can sign in, held in one order, so that of two who leave at once the second sees the
 * first.
 */
export async function lockActiveAdmins(tx: Tx): Promise<Uuid[]> {
  const found = await tx
    .select({ id: operators.id })
    .from(operators)
    .where(and(eq(operators.role, 'admin'), eq(operators.status, 'active')))
    .orderBy(asc(operators.id))
    .for('no key update');
  return found.map(({ id }) => id);
}

export async function updateOperator(tx: Tx, operator: OperatorRow): Promise<void> {
  const { id, name, role, status, updatedAt } = operator;
  await tx.update(operators).set({ name, role, status, updatedAt }).where(eq(operators.id, id));
}

/** Empties the list of those who may know the password of an account, once that was set on the command line. */
export async function forgetOpeners(tx: Tx, id: Uuid): Promise<void> {
  await tx.update(operators).set({ openedBy: [] }).where(eq(operators.id, id));
}

/** Sets a password, if it is still the one of `hashBefore`; false when another change was first. */
export const updatePassword = (
  tx: Tx,
  id: Uuid,
  { hashBefore, passwordHash, at }: { hashBefore: string; passwordHash: string; at: Date },
) =>
  changeRow(
    tx,
    operators,
    { passwordHash, updatedAt: at },
    and(eq(operators.id, id), eq(operators.passwordHash, hashBefore)),
  );

/** Columns of who makes a request; never the password. */
export const operatorColumns = {
  operatorId: operators.id,
  email: operators.email,
  name: operators.name,
  role: operators.role,
  openedBy: operators.openedBy,
};

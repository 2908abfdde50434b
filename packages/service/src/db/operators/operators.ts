import { and, asc, eq, inArray, isNull } from 'drizzle-orm';
import type { Uuid } from '../../domain/ids.js';
import type { Operator, OperatorRole } from '../../domain/operator.js';
import type { Db, Tx } from '../client.js';
import { type Filter, findPage, matching, type PageOf } from '../page.js';
import {
  findPerson,
  findPersonByEmail,
  insertPerson,
  isOfKind,
  lockPerson,
  type PersonRow,
  people,
} from '../people/people.js';

/** The row of an operator: the checks of the table see to the rest. */
export type OperatorRow = PersonRow & {
  partnerId: null;
  email: string;
  role: OperatorRole;
};

const asOperator = (row: PersonRow | undefined) => row as OperatorRow | undefined;

export const findOperatorByEmail = async (db: Db | Tx, email: string) =>
  asOperator(await findPersonByEmail(db, 'operator', email));

export const findOperator = async (db: Db | Tx, id: Uuid) => asOperator(await findPerson(db, 'operator', id));

/** Writes an account; false when its address is taken. */
export const insertOperator = (
  tx: Tx,
  operator: Omit<typeof people.$inferInsert, 'partnerId' | 'walletAddress'> & { role: OperatorRole },
): Promise<boolean> => insertPerson(tx, operator);

/** A page of the accounts, newest first. */
export const findOperators = async (db: Db | Tx, filter: Filter<typeof people>, page: PageOf) =>
  (await findPage(db, people, [isOfKind('operator'), ...matching(people, filter)], page)) as OperatorRow[];

/** Returns the operators of some roles who can sign in, by name. */
export const findActiveOperators = (
  db: Db | Tx,
  roles: OperatorRole[],
): Promise<Pick<OperatorRow, 'id' | 'name'>[]> =>
  db
    .select({ id: people.id, name: people.name })
    .from(people)
    .where(and(isOfKind('operator'), eq(people.status, 'active'), inArray(people.role, roles)))
    .orderBy(asc(people.name), asc(people.id));

/** An operator's account that only this transaction changes until it ends. */
export async function lockOperator(tx: Tx, id: Uuid): Promise<OperatorRow | undefined> {
  const row = await lockPerson(tx, id);
  return row?.partnerId === null ? asOperator(row) : undefined;
}

/**
 * Returns ids of the admins who can sign in, held in one order, so that of two who leave at once the second sees the
 * first.
 */
export async function lockActiveAdmins(tx: Tx): Promise<Uuid[]> {
  const found = await tx
    .select({ id: people.id })
    .from(people)
    .where(and(eq(people.role, 'admin'), eq(people.status, 'active')))
    .orderBy(asc(people.id))
    .for('no key update');
  return found.map(({ id }) => id);
}

/** Empties the list of those who may know the password of an account, once that was set on the command line. */
export async function forgetOpeners(tx: Tx, id: Uuid): Promise<void> {
  await tx
    .update(people)
    .set({ openedBy: [] })
    .where(and(eq(people.id, id), isNull(people.partnerId)));
}

/** Returns the operator whose row this is. */
export const toOperator = ({ id, email, name, role, openedBy }: OperatorRow): Operator => ({
  kind: 'operator',
  personId: id,
  email,
  name,
  role,
  openedBy,
});

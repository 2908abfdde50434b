import { and, eq, isNotNull, isNull, type SQL, sql } from 'drizzle-orm';
import { check, index, pgEnum, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import type { Uuid } from '../../domain/ids.js';
import { memberRoles } from '../../domain/member.js';
import { operatorRoles } from '../../domain/operator.js';
import { asEmail, type PersonKind } from '../../domain/person.js';
import type { Db, Tx } from '../client.js';
import { address, hasBytes, moment } from '../columns.js';
import { partnerId } from '../partners/partners.js';
import { changeRow, findRow } from '../rows.js';

const roles = [...new Set([...operatorRoles, ...memberRoles])] as const;
const oneOf = (names: readonly string[]) => sql.raw(names.map((name) => `'${name}'`).join(', '));

export const personRole = pgEnum('person_role', roles as [Role, ...Role[]]);
export const personStatus = pgEnum('person_status', ['active', 'disabled']);

type Role = (typeof operatorRoles)[number] | (typeof memberRoles)[number];

/** People who sign in: operators, and the members of partners. */
export const people = pgTable(
  'people',
  {
    id: uuid().primaryKey().$type<Uuid>(),
    /** Null for an operator; a member's never changes. */
    partnerId: partnerId(),
    /** In lower case, so that one address is one account. Null for a member who signs in with a wallet. */
    email: text(),
    /** The wallet of the partner whose owner this is; whether it may still sign in is for the wallet's own row to say. */
    walletAddress: address('wallet_address'),
    name: text().notNull(),
    role: personRole().notNull(),
    /** argon2id in its own text form, salt and costs included. Null with a wallet, and for who signs in at the provider. */
    passwordHash: text('password_hash'),
    /** The OpenID Connect provider by which an operator signs in, and whom it calls that; both or neither. */
    issuer: text(),
    subject: text(),
    /** A member is disabled for good: a new invitation makes a new one. */
    status: personStatus().notNull().default('active'),
    /**
     * Who may know the password: the operator who opened the account over the API, followed by that one's own list at the
     * time. Empty for an account that was opened, or whose password was set, on the command line, and for members.
     */
    openedBy: uuid('opened_by').array().notNull().default([]).$type<Uuid[]>(),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (t) => [
    uniqueIndex('people_operator_email').on(t.email).where(isNull(t.partnerId)),
    uniqueIndex('people_member_email')
      .on(t.email)
      .where(sql`${t.partnerId} is not null and ${t.status} = 'active'`),
    uniqueIndex('people_wallet').on(t.walletAddress),
    uniqueIndex('people_identity').on(t.issuer, t.subject),
    index('people_partner').on(t.partnerId, t.createdAt, t.id),
    check(
      'people_role',
      sql`case when ${t.partnerId} is null then ${t.role} in (${oneOf(operatorRoles)}) else ${t.role} in (${oneOf(memberRoles)}) end`,
    ),
    check(
      'people_sign_in',
      sql`case when ${t.walletAddress} is null then ${t.email} is not null and (${t.passwordHash} is not null or ${t.subject} is not null)
        else ${t.email} is null and ${t.passwordHash} is null and ${t.partnerId} is not null and ${t.role} = 'owner' end`,
    ),
    check(
      'people_email_form',
      sql`${t.email} = lower(${t.email}) and char_length(${t.email}) between 3 and 254`,
    ),
    check('people_wallet_length', hasBytes(t.walletAddress, 32)),
    check('people_name_length', sql`char_length(${t.name}) between 1 and 100`),
    check('people_password_hash', sql`${t.passwordHash} like '$argon2id$%'`),
    check(
      'people_identity_form',
      sql`case when ${t.subject} is null then ${t.issuer} is null
        else ${t.issuer} is not null and ${t.partnerId} is null and char_length(${t.subject}) between 1 and 255 end`,
    ),
    check('people_opened_by', sql`${t.partnerId} is null or cardinality(${t.openedBy}) = 0`),
  ],
);

export const personId = (name: string) =>
  uuid(name)
    .references(() => people.id)
    .$type<Uuid>();

export type PersonRow = typeof people.$inferSelect;

export const kindOf = ({ partnerId }: PersonRow): PersonKind => (partnerId === null ? 'operator' : 'member');

/** Condition: a person is of a kind. What belongs to one kind is never found for the other. */
export const isOfKind = (kind: PersonKind): SQL =>
  kind === 'operator' ? isNull(people.partnerId) : isNotNull(people.partnerId);

/** Condition: a person may sign in, as far as the person's own row and that of the wallet say. */
export const maySignIn: SQL = sql`(${people.status} = 'active' and (${people.walletAddress} is null or exists (
  select from partner_wallets as wallet
  where wallet.wallet_address = ${people.walletAddress} and wallet.partner_id = ${people.partnerId} and wallet.status = 'active')))`;

/** Returns the account of an address, however it was typed: of a member who was removed there is none. */
export const findPersonByEmail = (db: Db | Tx, kind: PersonKind, email: string) =>
  findRow(
    db,
    people,
    and(
      eq(people.email, asEmail(email) ?? ''),
      isOfKind(kind),
      kind === 'member' ? eq(people.status, 'active') : undefined,
    ),
  );

export const findPerson = (db: Db | Tx, kind: PersonKind, id: Uuid) =>
  findRow(db, people, and(eq(people.id, id), isOfKind(kind)));

/** The operator whom an identity provider knows by a subject. */
export const findPersonByIdentity = (db: Db | Tx, { issuer, subject }: { issuer: string; subject: string }) =>
  findRow(db, people, and(eq(people.issuer, issuer), eq(people.subject, subject)));

/** An account that only this transaction changes until it ends. */
export const lockPerson = (tx: Tx, id: Uuid) => findRow(tx, people, eq(people.id, id), 'no key update');

/** Returns whether a person has a password. */
export const hasPassword = async (db: Db | Tx, id: Uuid): Promise<boolean> =>
  (await findRow(db, people, and(eq(people.id, id), isNotNull(people.passwordHash)))) !== undefined;

/** Writes an account; false when its address or wallet is taken. */
export async function insertPerson(tx: Tx, person: typeof people.$inferInsert): Promise<boolean> {
  const { count } = await tx.insert(people).values(person).onConflictDoNothing();
  return count === 1;
}

export async function updatePerson(
  tx: Tx,
  { id, name, role, status, updatedAt }: Pick<PersonRow, 'id' | 'name' | 'role' | 'status' | 'updatedAt'>,
): Promise<void> {
  await tx.update(people).set({ name, role, status, updatedAt }).where(eq(people.id, id));
}

/** Has an operator sign in at an identity provider from now on, and with the password no more. */
export async function replaceSignIn(
  tx: Tx,
  id: Uuid,
  { issuer, subject, at }: { issuer: string; subject: string; at: Date },
): Promise<void> {
  await tx
    .update(people)
    .set({ issuer, subject, passwordHash: null, updatedAt: at })
    .where(eq(people.id, id));
}

/** Sets a password, if it is still the one of `hashBefore`; false when another change was first. */
export const updatePassword = (
  tx: Tx,
  id: Uuid,
  { hashBefore, passwordHash, at }: { hashBefore: string | null; passwordHash: string; at: Date },
) =>
  changeRow(
    tx,
    people,
    { passwordHash, updatedAt: at },
    and(eq(people.id, id), sql`${people.passwordHash} is not distinct from ${hashBefore}`),
  );

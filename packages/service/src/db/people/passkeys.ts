import { and, asc, eq, sql } from 'drizzle-orm';
import { check, index, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import type { Uuid } from '../../domain/ids.js';
import type { Db, Tx } from '../client.js';
import { bytes, int64, moment } from '../columns.js';
import { changeRow, findRow, insertNew } from '../rows.js';
import { personId } from './people.js';

/** Passkeys of people (WebAuthn credentials): public keys, of which nothing is secret. */
export const passkeys = pgTable(
  'passkeys',
  {
    id: uuid().primaryKey().$type<Uuid>(),
    personId: personId('person_id').notNull(),
    name: text().notNull(),
    /** By which the authenticator knows it, in base64url. */
    credentialId: text('credential_id').notNull().unique('passkeys_credential'),
    /** The name of the host that it was made at. */
    rpId: text('rp_id').notNull(),
    /** Scheme, host and port of the page that it was made at, and works at. */
    origin: text().notNull(),
    /** In COSE form. */
    publicKey: bytes('public_key').notNull(),
    /** How often it has signed; 0 where the authenticator does not count. Going back means that there is a copy. */
    counter: int64().notNull(),
    /** How browsers reach it, such as `internal` or `usb`. */
    transports: text().array().notNull(),
    createdAt: moment('created_at').notNull(),
    lastUsedAt: moment('last_used_at'),
  },
  (t) => [
    index('passkeys_person').on(t.personId),
    check('passkeys_name_length', sql`char_length(${t.name}) between 1 and 100`),
  ],
);

export type Passkey = typeof passkeys.$inferSelect;

/** Writes a passkey; false when the authenticator has been added already. */
export const insertPasskey = (tx: Tx, passkey: typeof passkeys.$inferInsert) =>
  insertNew(tx, passkeys, passkey);

/** The passkeys of a person, oldest first. */
export const findPasskeys = (db: Db | Tx, personId: Uuid): Promise<Passkey[]> =>
  db
    .select()
    .from(passkeys)
    .where(eq(passkeys.personId, personId))
    .orderBy(asc(passkeys.createdAt), asc(passkeys.id));

const ofPerson = (personId: Uuid, id: Uuid) => and(eq(passkeys.personId, personId), eq(passkeys.id, id));

export const lockPasskey = (tx: Tx, personId: Uuid, id: Uuid) =>
  findRow(tx, passkeys, ofPerson(personId, id), 'update');

/** The passkey of a person that an authenticator names, which only this transaction uses until it ends. */
export const lockCredential = (tx: Tx, personId: Uuid, credentialId: string) =>
  findRow(
    tx,
    passkeys,
    and(eq(passkeys.personId, personId), eq(passkeys.credentialId, credentialId)),
    'update',
  );

export const updatePasskey = (
  tx: Tx,
  { personId, id }: Passkey,
  changes: Partial<Pick<Passkey, 'name' | 'counter' | 'lastUsedAt'>>,
) => changeRow(tx, passkeys, changes, ofPerson(personId, id));

export async function deletePasskey(tx: Tx, { personId, id }: Passkey): Promise<void> {
  await tx.delete(passkeys).where(ofPerson(personId, id));
}

export async function deletePasskeysOf(tx: Tx, personId: Uuid): Promise<void> {
  await tx.delete(passkeys).where(eq(passkeys.personId, personId));
}

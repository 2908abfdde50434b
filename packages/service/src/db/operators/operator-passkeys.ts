import { and, asc, eq, sql } from 'drizzle-orm';
import { check, index, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import type { Uuid } from '../../domain/ids.js';
import type { Db, Tx } from '../client.js';
import { bytes, int64, moment } from '../columns.js';
import { changeRow, findRow, insertNew } from '../rows.js';
import { operatorId } from './operators.js';

/** Passkeys of operators (WebAuthn credentials): public keys, of which nothing is secret. */
export const operatorPasskeys = pgTable(
  'operator_passkeys',
  {
    id: uuid().primaryKey().$type<Uuid>(),
    operatorId: operatorId('operator_id').notNull(),
    name: text().notNull(),
    /** By which the authenticator knows it, in base64url. */
    credentialId: text('credential_id').notNull().unique('operator_passkeys_credential'),
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
    index('operator_passkeys_operator').on(t.operatorId),
    check('operator_passkeys_name_length', sql`char_length(${t.name}) between 1 and 100`),
  ],
);

export type Passkey = typeof operatorPasskeys.$inferSelect;

/** Writes a passkey; false when the authenticator has been added already. */
export const insertPasskey = (tx: Tx, passkey: typeof operatorPasskeys.$inferInsert) =>
  insertNew(tx, operatorPasskeys, passkey);

/** The passkeys of an operator, oldest first. */
export const findPasskeys = (db: Db | Tx, operatorId: Uuid): Promise<Passkey[]> =>
  db
    .select()
    .from(operatorPasskeys)
    .where(eq(operatorPasskeys.operatorId, operatorId))
    .orderBy(asc(operatorPasskeys.createdAt), asc(operatorPasskeys.id));

const ofOperator = (operatorId: Uuid, id: Uuid) =>
  and(eq(operatorPasskeys.operatorId, operatorId), eq(operatorPasskeys.id, id));

export const lockPasskey = (tx: Tx, operatorId: Uuid, id: Uuid) =>
  findRow(tx, operatorPasskeys, ofOperator(operatorId, id), 'update');

/** The passkey of an operator that an authenticator names, which only this transaction uses until it ends. */
export const lockCredential = (tx: Tx, operatorId: Uuid, credentialId: string) =>
  findRow(
    tx,
    operatorPasskeys,
    and(eq(operatorPasskeys.operatorId, operatorId), eq(operatorPasskeys.credentialId, credentialId)),
    'update',
  );

export const updatePasskey = (
  tx: Tx,
  { operatorId, id }: Passkey,
  changes: Partial<Pick<Passkey, 'name' | 'counter' | 'lastUsedAt'>>,
) => changeRow(tx, operatorPasskeys, changes, ofOperator(operatorId, id));

export async function deletePasskey(tx: Tx, { operatorId, id }: Passkey): Promise<void> {
  await tx.delete(operatorPasskeys).where(ofOperator(operatorId, id));
}

export async function deletePasskeysOf(tx: Tx, operatorId: Uuid): Promise<void> {
  await tx.delete(operatorPasskeys).where(eq(operatorPasskeys.operatorId, operatorId));
}

import { sql } from 'drizzle-orm';
import type pg from 'pg';
import type { Db, Tx } from './client.js';
import { SchemaError } from './schema-error.js';

interface RoleFacts {
  /** A superuser, the connected role itself or a member of it, or a role that can make itself one. */
  unbound: boolean;
}

/** Throws a `SchemaError` unless the role exists and cannot take the rights of the connected role, the tables' owner. */
export async function requireBoundRole(client: pg.Client, role: string): Promise<void> {
  const { rows } = await client.query<RoleFacts>(
    `select rolsuper or rolcreaterole or pg_has_role(oid, current_user, 'member') as unbound
     from pg_roles where rolname = $1`,
    [role],
  );
  const [facts] = rows;
  if (!facts) throw new SchemaError(`There is no role "${role}" in this PostgreSQL: create it first`);
  if (!facts.unbound) return;
  throw new SchemaError(
    `The role "${role}" is a superuser, creates roles or owns the tables: nothing can be kept from it. Name another role for the processes`,
  );
}

/**
 * Gives the role of the processes its rights, in one transaction, and takes all others away: every row of every table,
 * but the audit log only to read and to add to. Its head may be locked and not changed: the one column that the role may
 * update has one possible value.
 */
export async function grantToRuntimeRole(client: pg.Client, role: string): Promise<void> {
  const to = client.escapeIdentifier(role);
  const statements = [
    'begin',
    `revoke all on all tables in schema public, drizzle from ${to}`,
    `revoke all on all sequences in schema public, drizzle from ${to}`,
    `revoke create on schema public, drizzle from ${to}`,
    `grant usage on schema public, drizzle to ${to}`,
    `grant select on drizzle.__drizzle_migrations to ${to}`,
    `grant select, insert, update, delete on all tables in schema public to ${to}`,
    `grant usage on all sequences in schema public to ${to}`,
    `grant select on all sequences in schema public, drizzle to ${to}`,
    `revoke update, delete on audit_log from ${to}`,
    `revoke insert, update, delete on audit_head from ${to}`,
    `revoke update, delete on chain_genesis from ${to}`,
    `grant update (id) on audit_head to ${to}`,
    'commit',
  ];
  await client.query(statements.join(';\n'));
}

/** Whether the connected role owns the tables or can act as the role that does. */
export async function isTableOwner(db: Db | Tx): Promise<boolean> {
  const [row] = await db.execute<{ owns: boolean }>(sql`
    select pg_has_role(current_user, relowner, 'member') as owns from pg_class where oid = 'audit_log'::regclass`);
  return row?.owns === true;
}

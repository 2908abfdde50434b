import { sql } from 'drizzle-orm';
import type pg from 'pg';
import type { Db, Tx } from './client.js';
import { SchemaError } from './schema-error.js';

/** Predefined roles of PostgreSQL that write every table, or take over the server. */
const strongRoles = ['pg_write_all_data', 'pg_write_server_files', 'pg_execute_server_program'];

/**
 * Throws a `SchemaError` unless the role exists and cannot take the rights of the connected role, the tables' owner, by
 * itself or by a role that it is a member of. The owner of a schema can drop the tables in it.
 */
export async function requireBoundRole(client: pg.Client, role: string): Promise<void> {
  const { rows } = await client.query<{ unbound: boolean }>(
    `select exists (
       select from pg_roles strong
       where pg_has_role(role.oid, strong.oid, 'member')
         and (strong.rolsuper or strong.rolcreaterole or strong.rolname = current_user or strong.rolname = any ($2)
           or strong.oid in (select nspowner from pg_namespace where nspname in ('public', 'drizzle')))
     ) as unbound
     from pg_roles role where rolname = $1`,
    [role, strongRoles],
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
 * but the audit log only to read and to add to, statements of the reserves only to add and to countersign, and papers only to add. The log's
 * head may be locked and not changed: the one column that the role may update has one possible value. Throws a
 * `SchemaError`, and grants nothing, when the role may change the audit log nevertheless.
 */
export async function grantToRuntimeRole(client: pg.Client, role: string): Promise<void> {
  const to = client.escapeIdentifier(role);
  const statements = [
    `revoke all on all tables in schema public, drizzle from ${to}`,
    `revoke all on all sequences in schema public, drizzle from ${to}`,
    `revoke create on schema public, drizzle from ${to}`,
    `grant usage on schema public, drizzle to ${to}`,
    `grant select on drizzle.__drizzle_migrations to ${to}`,
    `grant select, insert, update, delete on all tables in schema public to ${to}`,
    `grant execute on function keep_partitions, shrink_unfinalized to ${to}`,
    `grant usage on all sequences in schema public to ${to}`,
    `grant select on all sequences in schema public, drizzle to ${to}`,
    `revoke update, delete on audit_log from ${to}`,
    `revoke insert, update, delete on audit_head from ${to}`,
    `revoke update, delete on chain_genesis from ${to}`,
    `revoke update, delete on reserve_statements, papers from ${to}`,
    `grant update (countersignatures) on reserve_statements to ${to}`,
    `grant update (id) on audit_head to ${to}`,
  ];
  await client.query('begin');
  try {
    await client.query(statements.join(';\n'));
    await requireKeptAuditLog(client, role);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}

/** Throws a `SchemaError` when the role may change the audit log by a right that was not granted to itself. */
async function requireKeptAuditLog(client: pg.Client, role: string): Promise<void> {
  const { rows } = await client.query<{ loose: boolean }>(
    `select has_table_privilege($1::name, 'audit_log', 'update, delete, truncate, trigger')
       or has_any_column_privilege($1::name, 'audit_log', 'update')
       or has_table_privilege($1::name, 'audit_head', 'insert, update, delete, truncate, trigger')
       or has_column_privilege($1::name, 'audit_head', 'seq', 'update')
       or has_column_privilege($1::name, 'audit_head', 'hash', 'update') as loose`,
    [role],
  );
  if (!rows[0]?.loose) return;
  throw new SchemaError(
    `The role "${role}" may change the audit log by a right of another role or of PUBLIC: revoke that first`,
  );
}

/** Returns whether the connected role owns the tables or can act as the role that does. */
export async function isTableOwner(db: Db | Tx): Promise<boolean> {
  const [row] = await db.execute<{ owns: boolean }>(sql`
    select pg_has_role(current_user, relowner, 'member') as owns from pg_class where oid = 'audit_log'::regclass`);
  return row?.owns === true;
}

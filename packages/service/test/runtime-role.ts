import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { migrate } from '../src/db/migrate.js';

/** A role that processes may connect as to a database, with the rights that `karat migrate` grants and no others. */
export async function givenRuntimeRole(databaseUrl: string): Promise<{ url: string; drop(): Promise<void> }> {
  const role = `karat_runtime_${randomBytes(6).toString('hex')}`;
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  await sql.unsafe(`create role ${role} login password 'secret'`);
  await migrate(databaseUrl, { runtimeRole: role });
  const url = new URL(databaseUrl);
  url.username = role;
  url.password = 'secret';
  return {
    url: url.href,
    async drop() {
      await sql.unsafe(`drop owned by ${role} cascade`);
      await sql.unsafe(`drop role ${role}`);
      await sql.end();
    },
  };
}

import type { Config, Secret } from '../config.js';
import { findCountries } from '../db/catalogue/countries.js';
import { type DbHandle, openDatabase } from '../db/client.js';
import {
  findDatabaseIdentity,
  findMigrationState,
  findMissingLimits,
  findServerState,
} from '../db/migration-state.js';
import { findOperators } from '../db/operators/operators.js';
import { codesOf, isDatabaseOutage } from '../db/outage.js';
import { findBackend, findStandbys, howFarBehind } from '../db/replication.js';
import { isTableOwner } from '../db/runtime-role.js';
import { leastPoolSize } from '../domain/limits.js';
import { tlsFaultOf } from './check-certificates.js';
import { type Finding, findingsOf } from './finding.js';

const { ok, warning, failed, skipped } = findingsOf('database');

const leastVersion = 150_000;
/** What people notice; sessions and quotes live for minutes and hours. */
const clockToleranceMs = 5_000;
/** Statements of the reserves are read from it: of the day before, at most. */
const replicaToleranceSeconds = 30;

/** The database: there, of a version that is known to work, with this version's schema. `ready` when it can be used. */
export async function checkDatabase(
  values: Partial<Config>,
): Promise<{ ready: DbHandle | undefined; findings: Finding[] }> {
  const { databaseUrl, databaseDirectUrl, databaseReplicaUrl, databasePoolSize, approvals, network } = values;
  if (!databaseUrl) return { ready: undefined, findings: [skipped('DATABASE_URL cannot be read.')] };
  const pooled = databaseDirectUrl !== undefined;
  const handle = openDatabase(databaseUrl.reveal(), { poolSize: 1, pooled });
  let isReady = false;
  try {
    const findings = await look(handle);
    isReady = findings.every(({ verdict }) => verdict !== 'failed');
    if (isReady) findings.push(...(await lookAtRows(handle, approvals)));
    if (databasePoolSize !== undefined) findings.push(...lookAtPoolSize(databasePoolSize));
    if (pooled) findings.push(...(await lookAtLimits(handle)));
    else findings.push(...(await lookForPooler('DATABASE_URL', databaseUrl, handle)));
    if (databaseDirectUrl)
      findings.push(...(await lookAtOther('KARAT_DATABASE_DIRECT_URL', databaseDirectUrl, handle)));
    if (databaseReplicaUrl) {
      findings.push(
        ...(await lookAtOther('KARAT_DATABASE_REPLICA_URL', databaseReplicaUrl, handle, lookAtLag)),
      );
    }
    if (network !== 'localnet') findings.push(...(await lookAtStandbys(handle)));
    isReady = findings.every(({ verdict }) => verdict !== 'failed');
    return { ready: isReady ? handle : undefined, findings };
  } catch (error) {
    return { ready: undefined, findings: [unreachable(error)] };
  } finally {
    if (!isReady) await handle.close();
  }
}

async function look({ db }: DbHandle): Promise<Finding[]> {
  const { version, aheadMs } = await findServerState(db);
  const name = `PostgreSQL ${Math.floor(version / 10_000)}`;
  const findings: Finding[] = [];
  if (version < leastVersion) {
    findings.push(failed(`${name} is older than 15.`, 'Move the database to PostgreSQL 15 or later.'));
  }
  if (Math.abs(aheadMs) > clockToleranceMs) {
    const seconds = Math.round(aheadMs / 1_000);
    findings.push(
      warning(
        `The database's clock is ${seconds} s ahead of this machine's.`,
        'Synchronize both clocks with NTP.',
      ),
    );
  }
  const { missing, newer, incompatible, oldestCode } = await findMigrationState(db);
  if (incompatible > 0) {
    findings.push(
      failed(
        `The database has ${incompatible} migrations that this version does not know and cannot run on.`,
        oldestCode === undefined
          ? 'Run the version of Karat that made them, or a newer one.'
          : `Run Karat ${oldestCode} or later.`,
      ),
    );
  } else if (missing > 0) {
    findings.push(
      failed(
        `${name} responds, but ${missing} migrations of this version are missing.`,
        'Run karat migrate.',
      ),
    );
  } else if (newer > 0) {
    findings.push(
      ok(`${name} responds, and has ${newer} migrations of a newer version, on which this one runs.`),
    );
  } else {
    findings.push(ok(`${name} responds and has this version's schema.`));
  }
  return findings;
}

/** Checks the rows that partners need before they can work, and who owns the tables. */
async function lookAtRows({ db }: DbHandle, approvals: number | undefined): Promise<Finding[]> {
  const findings: Finding[] = [];
  if (await isTableOwner(db)) {
    findings.push(
      warning(
        'The role of DATABASE_URL owns the tables: it can change the schema and rewrite the audit log.',
        'Give the processes a role of their own and run karat migrate with --runtime-role; docs/operations explains how.',
      ),
    );
  }
  const active = { role: 'admin', status: 'active' } as const;
  const admins = await findOperators(db, active, { limit: 2, after: undefined });
  const remedy = 'Run karat operator create --role admin, then karat operator token.';
  if (admins.length === 0) {
    findings.push(warning('There is no active admin, so partners cannot be created.', remedy));
  } else if (approvals === 2 && admins.length === 1) {
    const says =
      'KARAT_APPROVALS requires two operators, but there is only one active admin: no partner can be put on chain.';
    findings.push(warning(says, remedy));
  }
  const countries = await findCountries(db, { limit: 1_000, after: undefined });
  if (!countries.some(({ active }) => active)) {
    findings.push(
      warning(
        'No country is active, so no user can be registered.',
        'Send PUT /operator/v1/countries/{code} for each country that is served.',
      ),
    );
  }
  return findings;
}

function lookAtPoolSize(size: number): Finding[] {
  if (size >= leastPoolSize) return [];
  const remedy = `Set KARAT_DATABASE_POOL_SIZE to ${leastPoolSize} or more for processes that serve.`;
  return [warning(`A pool of ${size} connections can be taken up by callers who send much at once.`, remedy)];
}

/** Checks that a pooler limits the time of what its sessions do, which the service can't do through it. */
async function lookAtLimits({ db }: DbHandle): Promise<Finding[]> {
  const missing = await findMissingLimits(db);
  if (missing.length === 0) return [];
  return [
    warning(
      `Sessions of the pooler at DATABASE_URL have no ${missing.join(' and no ')}: a process that hangs keeps its locks.`,
      'Set both in the connect_query of PgBouncer; docs/operations explains how.',
    ),
  ];
}

/** Checks that another address leads to the same database, without a pooler, and whatever else `inspect` does. */
async function lookAtOther(
  variable: string,
  url: Secret,
  handle: DbHandle,
  inspect?: (handle: DbHandle, other: DbHandle) => Promise<Finding[]>,
): Promise<Finding[]> {
  const other = openDatabase(url.reveal(), { poolSize: 1 });
  try {
    const [own, found] = await Promise.all([findDatabaseIdentity(handle.db), findDatabaseIdentity(other.db)]);
    if (own !== found) {
      return [failed(`${variable} leads to another database than DATABASE_URL.`, `Correct ${variable}.`)];
    }
    const findings = await lookForPooler(variable, url, other);
    if (findings.length === 0) findings.push(ok(`${variable} leads to the same database.`));
    if (inspect) findings.push(...(await inspect(handle, other)));
    return findings;
  } catch (error) {
    return [unreachable(error, variable)];
  } finally {
    await other.close();
  }
}

/**
 * Checks that an address gives each connection a session of its own. Two connections that are open at once and have the same
 * one are those of a pooler in transaction mode, through which leaders would hold no locks.
 */
async function lookForPooler(variable: string, url: Secret, { db }: DbHandle): Promise<Finding[]> {
  const other = openDatabase(url.reveal(), { poolSize: 1 });
  try {
    // One after the other: a pooler makes two sessions for two that are busy at once.
    const sessions = [await findBackend(db), await findBackend(other.db), await findBackend(db)];
    return new Set(sessions).size === 2 && sessions[0] === sessions[2] ? [] : [inTransactionMode(variable)];
  } finally {
    await other.close();
  }
}

function inTransactionMode(variable: string): Finding {
  return failed(
    `${variable} leads to a pooler in transaction mode, through which the locks of leaders and notifications do not work.`,
    variable === 'DATABASE_URL'
      ? 'Set KARAT_DATABASE_DIRECT_URL to an address of PostgreSQL itself; docs/operations explains what goes through it.'
      : `Correct ${variable}: it must be an address of PostgreSQL itself.`,
  );
}

/** Checks that the replica follows. One that has replayed all there is, is not behind, however long ago that was. */
async function lookAtLag({ db }: DbHandle, replica: DbHandle): Promise<Finding[]> {
  const { bytes, seconds } = await howFarBehind(db, replica.db);
  if (bytes === 0 || (seconds !== undefined && seconds <= replicaToleranceSeconds)) return [];
  const since = seconds === undefined ? '' : ` and ${seconds} s`;
  return [
    warning(
      `The replica at KARAT_DATABASE_REPLICA_URL is ${bytes} bytes${since} behind.`,
      'Its log and pg_stat_replication of the primary show why; the newest statements of the reserves are missing there.',
    ),
  ];
}

/** Checks that another server has what is committed. Providers that copy disks have none that PostgreSQL knows of. */
async function lookAtStandbys({ db }: DbHandle): Promise<Finding[]> {
  const { standbys, waits } = await findStandbys(db);
  if (standbys > 0) return [];
  if (waits) {
    const text = 'The server waits for a standby before it confirms a commit, and there is none.';
    return [warning(text, 'Start the standby, or empty synchronous_standby_names until it is back.')];
  }
  return [
    warning(
      'No standby follows the database: what is lost with its disk is lost since the last archived segment.',
      'Add one, as docs/operations/cluster.md does, unless your provider copies the disk to a second place.',
    ),
  ];
}

/** What PgBouncer reports where PostgreSQL has 28P01, and for parameters of a session that it does not know. */
const poolerCode = '08P01';

function unreachable(error: unknown, variable = 'DATABASE_URL'): Finding {
  const codes = codesOf(error);
  if (codes.includes(poolerCode)) {
    if (messagesOf(error).includes('unsupported startup parameter')) return inTransactionMode(variable);
    return failed(
      `A pooler rejects the user, the password or the database of ${variable} (${poolerCode}).`,
      `Correct them in ${variable}, or in the auth_file and the [databases] of PgBouncer.`,
    );
  }
  if (isUnreadFile(error)) {
    return failed(
      `The file of sslrootcert in ${variable} cannot be read (${codes.at(-1)}).`,
      'Correct its path, and make it readable for the user of the process.',
    );
  }
  const tls = tlsFaultOf(codes);
  if (tls) return failed(`The server at ${variable} ${tls.says}.`, tls.remedy);
  if (messagesOf(error).includes('does not support SSL')) {
    return failed(
      `The server at ${variable} has no TLS.`,
      `Set ssl=on with a certificate there; sslmode=disable in ${variable} is for a private network alone.`,
    );
  }
  if (isDatabaseOutage(error)) {
    return failed(
      `No PostgreSQL responds at ${variable} (${codes[0]}).`,
      `Start it, or correct the host, the port and the database name in ${variable}.`,
    );
  }
  const [code = ''] = codes;
  if (code.startsWith('28')) {
    return failed(
      `PostgreSQL rejects the user or the password of ${variable}.`,
      `Correct the user and the password in ${variable}, or pg_hba.conf.`,
    );
  }
  if (code === '42501') {
    return failed(
      `The user of ${variable} may not read the tables.`,
      'Run karat migrate as the owner of the tables with --runtime-role and its name.',
    );
  }
  return failed(
    `The database at ${variable} reports an error: ${code === '' ? (error instanceof Error ? error.message : error) : `SQLSTATE ${code}`}.`,
    'Check its log.',
  );
}

/** Returns whether a file could not be opened, and not a connection. */
function isUnreadFile(error: unknown): boolean {
  return (
    error instanceof Error && (('syscall' in error && error.syscall === 'open') || isUnreadFile(error.cause))
  );
}

function messagesOf(error: unknown): string {
  return error instanceof Error ? `${error.message} ${messagesOf(error.cause)}` : '';
}

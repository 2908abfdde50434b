import pg from 'pg';
import type { SandboxOptions } from './options.js';
import { requireFreePort } from './ports.js';
import { checkEnvironment } from './service-config.js';
import { openStateFolder, type StateFolder } from './state-folder.js';
import { UserError } from './user-error.js';

/**
 * Everything that can keep a sandbox from starting and takes no time to see: settings, state folder, ports, servers of the user's
 * own. Imports
 * nothing heavy, so that a refusal comes at once. Throws a `UserError`; returns the folder, locked.
 */
export async function preflight(
  options: SandboxOptions,
  env: Record<string, string | undefined>,
): Promise<StateFolder> {
  checkEnvironment(env);
  const folder = await openStateFolder(options.stateDir, { reset: options.reset });
  try {
    await requirePorts(options);
    await requireServers(options);
    if (options.reset) await folder.clear();
    return folder;
  } catch (error) {
    folder.release();
    throw error;
  }
}

async function requirePorts(options: SandboxOptions): Promise<void> {
  const { host, port, operatorPort, rpcPort, shopPort } = options;
  if (port !== 0) await requireFreePort(host, port, '--port');
  if (operatorPort !== 0) await requireFreePort('127.0.0.1', operatorPort, '--operator-port');
  if (shopPort !== undefined && shopPort !== 0) await requireFreePort(host, shopPort, '--shop-port');
  if (options.rpcUrl !== undefined || rpcPort === 0) return;
  await requireFreePort(host, rpcPort, '--rpc-port');
  await requireFreePort(host, rpcPort + 1, '--rpc-port (WebSocket is one above it)');
}

/** Checks that the user's own database and node, if given, respond. */
async function requireServers(options: SandboxOptions): Promise<void> {
  const { databaseUrl, rpcUrl } = options;
  if (databaseUrl !== undefined && !(await databaseResponds(databaseUrl))) {
    throw new UserError(
      'PostgreSQL at --database-url cannot be reached or refuses the login; check address, user, password and database',
    );
  }
  if (rpcUrl !== undefined && !(await nodeResponds(rpcUrl))) {
    throw new UserError('No Solana node responds at --rpc-url');
  }
}

async function databaseResponds(url: string): Promise<boolean> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    query_timeout: 5_000,
  });
  // A connection that breaks rejects the query too.
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

async function nodeResponds(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getGenesisHash' }),
      signal: AbortSignal.timeout(5_000),
    });
    const parsed = (await response.json()) as { result?: unknown };
    return typeof parsed.result === 'string';
  } catch {
    return false;
  }
}

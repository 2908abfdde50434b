import { cpSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { expect, test } from 'vitest';
import { killAtEnd, newStateDir, readInfo, startDemo, startSandbox } from './harness.js';

test('--database-url and --rpc-url: the service on servers of the user, nothing else', {
  timeout: 120_000,
}, async () => {
  const stateDir = newStateDir();
  const servers = killAtEnd(startSandbox(stateDir));
  await servers.printed('Karat is ready');
  const info = readInfo(stateDir);
  const sql = postgres(info.database_url, { max: 1 });
  await sql`create database another`;
  await sql.end();
  const database = new URL(info.database_url);
  database.pathname = '/another';

  // The same keys, since the program on that node knows no others.
  const guestDir = newStateDir();
  for (const name of ['state.json', 'keys'])
    cpSync(join(stateDir, name), join(guestDir, name), { recursive: true });
  const guest = killAtEnd(
    startSandbox(guestDir, ['--database-url', database.href], { KARAT_RPC_URL: info.rpc_url }),
  );
  await guest.printed('Karat is ready');
  expect(readInfo(guestDir)).toMatchObject({
    database_url: database.href,
    rpc_url: info.rpc_url,
    ws_url: info.ws_url,
    chain: info.chain,
  });
  expect(guest.output()).not.toContain(String(database.password));
  const demo = startDemo(guestDir);
  expect([await demo.exit, demo.output()]).toEqual([0, expect.stringContaining('is confirmed')]);

  const stranger = killAtEnd(startSandbox(newStateDir(), ['--rpc-url', info.rpc_url]));
  expect(await stranger.exit).toBe(1);
  expect(stranger.output()).toMatch(
    /\nThe node at --rpc-url has no program \S+ that knows this state folder's service key\n$/,
  );
  guest.child.kill('SIGINT');
  expect(await guest.exit).toBe(0);
});

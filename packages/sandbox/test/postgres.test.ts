import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startDatabase } from '../src/postgres.js';
import { killAtEnd, newStateDir, startSandbox } from './harness.js';

test('a start at once after one that was killed is not disturbed by the initdb that it left', {
  timeout: 300_000,
}, async () => {
  for (const waitMs of [0, 200]) {
    const stateDir = newStateDir();
    const found = () => (existsSync(stateDir) ? readdirSync(stateDir) : []);
    const drafts = () => found().filter((name) => name.startsWith('postgres.new'));
    const killed = killAtEnd(startSandbox(stateDir));
    // Made or being made: on a busy machine the test may look only when it is there.
    const begun = () => found().includes('postgres') || drafts().length > 0;
    await vi.waitFor(() => expect(begun()).toBe(true), { timeout: 200_000, interval: 5 });
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    killed.child.kill('SIGKILL');
    await killed.exit;
    const { database_password: password } = JSON.parse(readFileSync(join(stateDir, 'state.json'), 'utf8'));
    const options = {
      dataDir: join(stateDir, 'postgres'),
      logFile: join(stateDir, 'postgres.log'),
      password,
    };
    await (await startDatabase(options)).stop();
    await (await startDatabase(options)).stop();
    expect(drafts()).toEqual([]);
  }
});

/** A server on any free port. */
async function listener() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}

test('a port that is taken before the server has it is changed for another', {
  timeout: 120_000,
}, async () => {
  const stateDir = newStateDir();
  mkdirSync(stateDir);
  const squatter = await listener();
  onTestFinished(() => void squatter.close());
  const chosen: number[] = [];
  const choosePort = async () => {
    const other = await listener();
    other.close();
    chosen.push(chosen.length === 0 ? squatter.port : other.port);
    return chosen.at(-1) ?? 0;
  };
  const database = await startDatabase({
    dataDir: join(stateDir, 'postgres'),
    logFile: join(stateDir, 'postgres.log'),
    password: 'secret',
    choosePort,
  });
  await database.stop();
  expect(chosen.length).toBeGreaterThan(1);
  expect(new URL(database.url).port).toBe(String(chosen.at(-1)));
});

test('PostgreSQL starts after a kill, though another process has the number of its server', {
  timeout: 120_000,
}, async () => {
  const stateDir = newStateDir();
  mkdirSync(stateDir);
  const dataDir = join(stateDir, 'postgres');
  const options = { dataDir, logFile: join(stateDir, 'postgres.log'), password: 'secret' };
  await (await startDatabase(options)).stop();
  // As in a container, in which the numbers begin at 1 at each start. The server judges processes of its own user alone.
  const other = spawn('sleep', ['120'], process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {});
  onTestFinished(() => void other.kill());
  writeFileSync(join(dataDir, 'postmaster.pid'), `${other.pid}\n${dataDir}\n`);
  const database = await startDatabase(options);
  await database.stop();
  expect(other.exitCode).toBeNull();
});

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Localnet, readAccountJson } from '@karat/localnet';
import { afterAll, afterEach, expect, test } from 'vitest';
import { readCliOptions, UsageError } from '../src/cli-options.js';
import { build } from './build.js';
import { failure, freshAddress, result, SYSTEM_PROGRAM, startNode, until } from './harness.js';

const bin = fileURLToPath(new URL('../bin/karat-localnet.mjs', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'localnet-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
// Most tests run the build, which starts quicker than the source.
const built = join(build(), 'cli.js');
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

interface Run {
  child: ChildProcess;
  out: string;
  err: string;
  exit: Promise<number | null>;
}

function run(script: string, ...args: string[]): Run {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const state: Run = { child, out: '', err: '', exit };
  child.stdout?.on('data', (text) => {
    state.out += String(text);
  });
  child.stderr?.on('data', (text) => {
    state.err += String(text);
  });
  return state;
}

/** Waits until a node is ready; gives something to call it with. */
async function ready(started: Run): Promise<Localnet> {
  const rpcUrl = await Promise.race([
    until(
      () => (started.out.includes('Ctrl-C') ? /JSON-RPC {3}(\S+)/.exec(started.out)?.[1] : undefined),
      60_000,
    ),
    started.exit.then((code) => {
      throw new Error(`it ended with ${code}: ${started.err}`);
    }),
  ]);
  return { rpcUrl } as Localnet;
}

/** Runs a command that must end by itself; gives its exit code and what it said. */
async function refused(...args: string[]): Promise<[number | null, string]> {
  const started = run(built, ...args);
  return [await started.exit, started.err.trim()];
}

test('the command starts a node with its options, and stops in order on SIGTERM', async () => {
  const ledger = join(root, 'one');
  const [account, program, owner] = [await freshAddress(), await freshAddress(), await freshAddress()];
  const file = join(root, 'account.json');
  const data = ['AQID', 'base64'];
  writeFileSync(
    file,
    `{"pubkey":"${account}","account":{"lamports":18446744073709551615,"data":${JSON.stringify(data)},"owner":"${owner}","executable":false,"rentEpoch":0,"space":3}}`,
  );
  const reference = await startNode();
  const code = reference.getAccount('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr')?.data ?? new Uint8Array(0);
  const so = join(root, 'memo.so');
  writeFileSync(so, code);
  const options = ['--rpc-port', '0', '--ledger', ledger, '--slot-ms', '60000', '--no-cheats'];
  const first = run(built, ...options, '--clone-account', file, '--program', program, so);
  const node = await ready(first);
  expect(first.out.split('\n')[0]).toBe('Localnet is ready');
  expect(first.out).toContain(ledger);
  expect((await result(node, 'getAccountInfo', account, { encoding: 'base64' })).value).toMatchObject({
    data,
    owner,
  });
  expect((await result(node, 'getAccountInfo', program, { encoding: 'base64' })).value.executable).toBe(true);
  expect(await failure(node, 'karat_warp', { slots: 1 })).toMatchObject({ code: -32601 });
  // Slots of a minute: the chain stands at its 40 blocks.
  expect(await result(node, 'getSlot', { commitment: 'processed' })).toBe(40);
  const genesis = await result(node, 'getGenesisHash');
  first.child.kill('SIGTERM');
  expect(await first.exit).toBe(0);
  expect(readdirSync(ledger)).not.toContain('lock');

  const second = run(built, ...options);
  const again = await ready(second);
  expect(second.out).toContain('(continued)');
  expect(await result(again, 'getGenesisHash')).toBe(genesis);
  expect((await result(again, 'getAccountInfo', account, { encoding: 'base64' })).value.owner).toBe(owner);
  const [code2, line] = await refused('--rpc-port', '0', '--ledger', ledger);
  expect([code2, line]).toEqual([
    1,
    `The ledger in ${ledger} is in use by process ${second.child.pid}: stop it first, or use another folder`,
  ]);
  expect((await refused('--rpc-port', '0', '--ledger', ledger, '--reset'))[0]).toBe(1);
  expect(await result(again, 'getHealth')).toBe('ok');
  second.child.kill('SIGINT');
  expect(await second.exit).toBe(0);

  const third = run(built, '--rpc-port', '0', '--ledger', ledger, '--reset');
  expect(await result(await ready(third), 'getGenesisHash')).not.toBe(genesis);
}, 180_000);

test('--reset refuses a folder that is no ledger, and leaves it alone', async () => {
  const folder = join(root, 'photos');
  mkdirSync(folder);
  writeFileSync(join(folder, 'chain.db'), '');
  writeFileSync(join(folder, 'holiday.jpg'), '');
  const [code, line] = await refused('--rpc-port', '0', '--ledger', folder, '--reset');
  expect([code, line]).toEqual([
    1,
    `${folder} is not a ledger folder: it contains holiday.jpg. Nothing was removed`,
  ]);
  expect(existsSync(join(folder, 'chain.db'))).toBe(true);
});

test('a taken port is one clear line', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  expect(await refused('--rpc-port', String(port))).toEqual([
    1,
    `Port ${port} is taken: stop what listens there, or choose another with --rpc-port`,
  ]);
  server.close();
});

test('files that cannot be used are one clear line', async () => {
  const bad = join(root, 'bad.json');
  writeFileSync(bad, '{"pubkey":"x"}');
  expect(await refused('--clone-account', bad)).toEqual([1, `${bad} cannot be used: account is missing`]);
  const address = await freshAddress();
  expect(await refused('--program', address, bad)).toEqual([1, `${bad} cannot be used: not an ELF file`]);
});

test('options that make no sense are refused with what is wrong', () => {
  const complaint = (...args: string[]) => {
    try {
      readCliOptions(args);
    } catch (error) {
      expect(error).toBeInstanceOf(UsageError);
      return (error as Error).message;
    }
    throw new Error('it was taken');
  };
  expect(complaint('--ledgre', 'x')).toBe('--ledgre is not an option; --help lists the options');
  expect(complaint('toString')).toBe('toString is not an option; --help lists the options');
  expect(complaint('--rpc-port')).toBe('--rpc-port takes a port');
  expect(complaint('--ledger', '--reset')).toBe('--ledger takes a folder');
  expect(complaint('--rpc-port', '70000')).toBe(
    '--rpc-port takes a whole number from 0 to 65535, not "70000"',
  );
  expect(complaint('--slot-ms', '0')).toContain('from 1 to 3600000');
  expect(complaint('--program', 'abc', 'x.so')).toContain('"abc" is not an address');
  expect(complaint('--program', SYSTEM_PROGRAM)).toBe('--program takes an address and a file');
  expect(complaint('--reset')).toContain('--reset needs --ledger');
  expect(readCliOptions(['--rpc-port=1', '--host=::1'])).toMatchObject({ rpcPort: 1, host: '::1' });
  expect(readCliOptions([])).toMatchObject({ rpcPort: 8899, slotMs: 400, cheats: true, ledger: undefined });
});

test('an account file is read exactly, and refused with the reason', async () => {
  const pubkey = await freshAddress();
  const account = { lamports: 5, data: ['', 'base64'], owner: SYSTEM_PROGRAM, executable: true };
  const read = (change: object, key: string = pubkey) =>
    readAccountJson(JSON.stringify({ pubkey: key, account: { ...account, ...change } }));
  expect(read({})).toEqual({
    address: pubkey,
    state: { lamports: 5n, owner: SYSTEM_PROGRAM, data: new Uint8Array(0), executable: true },
  });
  expect(read({ lamports: '18446744073709551615' }).state?.lamports).toBe(18446744073709551615n);
  expect(() => read({ lamports: 0 })).toThrow('lamports');
  expect(() => read({ lamports: 1.5 })).toThrow('lamports');
  expect(() => read({ data: ['a!', 'base64'] })).toThrow('data');
  expect(() => read({ data: ['', 'base58'] })).toThrow('data');
  expect(() => read({ owner: 'x' })).toThrow('owner is not an address');
  expect(() => read({}, 'x')).toThrow('pubkey is not an address');
});

test('accounts given at the start are written where the address is free, and only there', async () => {
  const address = await freshAddress();
  const state = { lamports: 9n, owner: SYSTEM_PROGRAM, data: new Uint8Array(0), executable: false };
  const mint = 'So11111111111111111111111111111111111111112';
  const node = await startNode({
    accounts: [
      { address, state },
      { address: mint, state },
    ],
  });
  expect(node.getAccount(address)).toEqual(state);
  expect(node.getAccount(mint)?.data).toHaveLength(82);
});

test('the source runs as well as the build', async () => {
  const started = run(bin, '--rpc-port', '0');
  expect(await result(await ready(started), 'getHealth')).toBe('ok');
  expect(started.out).toContain('in memory');
  // Its own process hands the signal on; SIGKILL would leave the node behind.
  started.child.kill('SIGTERM');
  expect(await started.exit).toBe(0);
}, 90_000);

test('a node in memory starts in about 100 ms, and many run side by side', async () => {
  const times: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    // Time on the processor: how busy the machine is otherwise must not decide.
    const started = process.cpuUsage();
    await using node = await Localnet.start({ ledger: undefined, rpcPort: 0 });
    const { user, system } = process.cpuUsage(started);
    times.push((user + system) / 1_000);
    expect(node.genesisCreated).toBe(true);
  }
  console.log(`started in ${times.map((ms) => ms.toFixed(0)).join(', ')} ms`);
  expect(Math.min(...times)).toBeLessThan(100);
  const nodes = await Promise.all(Array.from({ length: 8 }, () => startNode()));
  expect(new Set(nodes.map(({ rpcPort }) => rpcPort)).size).toBe(8);
  const hashes = await Promise.all(nodes.map((one) => result(one, 'getGenesisHash')));
  expect(new Set(hashes).size).toBe(8);
});

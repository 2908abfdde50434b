import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Localnet, type LocalnetOptions } from '@karat/localnet';
import Database from 'libsql';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { Chain } from '../src/chain.js';
import { decodeTransaction } from '../src/wire.js';
import {
  call,
  failure,
  freshAddress,
  fundedSigner,
  type Json,
  makeMint,
  result,
  SOL,
  sendTransfer,
  sign,
  startNode,
  transfer,
} from './harness.js';

const root = mkdtempSync(join(tmpdir(), 'localnet-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
afterEach(() => {
  vi.useRealTimers();
});
let folders = 0;
function freshFolder(): string {
  folders += 1;
  return join(root, String(folders));
}
const STILL = { slotMs: 3_600_000 };
const open = (ledger: string, options: LocalnetOptions = {}) => startNode({ ledger, ...STILL, ...options });
const V0 = { maxSupportedTransactionVersion: 0, commitment: 'confirmed' };

/** Everything of a chain that a restart must not change. */
async function pictureOf(node: Localnet, keys: string[], signatures: string[]): Promise<Json> {
  const slot = 40;
  return {
    genesis: await result(node, 'getGenesisHash'),
    identity: await result(node, 'getIdentity'),
    accounts: keys.map((key) => node.getAccount(key)),
    lists: await Promise.all(keys.map((key) => result(node, 'getSignaturesForAddress', key))),
    transactions: await Promise.all(
      signatures.map((signature) => result(node, 'getTransaction', signature, V0)),
    ),
    block: await result(node, 'getBlock', slot, V0),
    times: await Promise.all([0, 20, slot].map((at) => result(node, 'getBlockTime', at))),
    count: (await result(node, 'getEpochInfo', { commitment: 'processed' })).transactionCount,
  };
}

async function fillChain(node: Localnet) {
  const payer = await fundedSigner(node, 100n * SOL);
  const mint = await makeMint(node, payer.address);
  const token = await node.setTokenBalance(payer.address, mint, 77n);
  const gone = await freshAddress();
  node.setAccount(gone, { lamports: 5n, owner: payer.address, data: new Uint8Array(3), executable: false });
  node.setAccount(gone, undefined);
  const to = await freshAddress();
  const signatures = [
    await sendTransfer(node, payer, to, SOL),
    await sendTransfer(node, payer, to, 2n * SOL),
  ];
  const failing = await sign(node, payer, [transfer(payer, to, 500n * SOL)]);
  await call(node, 'sendTransaction', failing.wire, { encoding: 'base64', skipPreflight: true });
  signatures.push(failing.signature);
  node.warp({ slots: 40 });
  return { payer, keys: [payer.address, to, mint, token, gone], signatures };
}

/** Returns a copy of what a process would leave behind if it were killed now; only its lock is missing. */
function leftByKill(folder: string): string {
  const left = freshFolder();
  cpSync(folder, left, { recursive: true, filter: (path) => !path.includes('/lock.') });
  rmSync(join(left, 'lock'));
  return left;
}

test('a restart goes on where the chain stopped, in order or killed', async () => {
  const folder = freshFolder();
  const first = await open(folder);
  expect(first.genesisCreated).toBe(true);
  const { payer, keys, signatures } = await fillChain(first);
  const picture = await pictureOf(first, keys, signatures);
  const slot = await result(first, 'getSlot', { commitment: 'processed' });
  const killed = leftByKill(folder);
  await first.stop();
  expect(readdirSync(folder)).toEqual(['chain.db']);

  for (const ledger of [folder, killed]) {
    const again = await open(ledger);
    expect(again.genesisCreated).toBe(false);
    expect(await pictureOf(again, keys, signatures)).toEqual(picture);
    expect(await result(again, 'getSlot', { commitment: 'processed' })).toBe(slot + 31);
    // A duplicate is still one, token indexes are back, and the chain works.
    const wire = (await result(again, 'getTransaction', signatures[0], { ...V0, encoding: 'base64' }))
      .transaction[0];
    const config = { encoding: 'base64', preflightCommitment: 'processed' };
    expect(await failure(again, 'sendTransaction', wire, config)).toMatchObject({
      data: { err: 'AlreadyProcessed' },
    });
    const owned = await result(
      again,
      'getTokenAccountsByOwner',
      payer.address,
      { mint: keys[2] },
      { encoding: 'base64' },
    );
    expect(owned.value).toHaveLength(1);
    await sendTransfer(again, payer, await freshAddress(), SOL);
    await again.stop();
  }
}, 180_000);

test('a warp survives a restart', async () => {
  const folder = freshFolder();
  const first = await open(folder);
  first.warp({ seconds: 100_000 });
  const now = first.nowUnixSeconds();
  await first.stop();
  const again = await open(folder);
  expect(again.nowUnixSeconds()).toBeGreaterThanOrEqual(now);
  expect(again.nowUnixSeconds()).toBeLessThan(now + 1_000);
  await again.stop();
});

test('a restart makes up for the time it was away: blockhashes from before expire', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const folder = freshFolder();
  const options = { ledger: folder, historyTransactions: 1_000, historySlots: 1_000, slotMs: 400 };
  const first = new Chain(options);
  const blockhash = first.blockhashes.at(first.slot);
  const { slot } = first;
  first.close();
  /** Opens the chain so many slots later; gives its slot, and whether the blockhash is still good. */
  const after = (slots: number) => {
    vi.setSystemTime(Date.now() + slots * 400);
    const chain = new Chain(options);
    const found = [chain.slot - slot, chain.blockhashes.isValidAt(blockhash, chain.slot)];
    chain.close();
    return found;
  };
  expect(after(150)).toEqual([150, true]);
  // So many that all that landed before is final.
  expect(after(1)).toEqual([181, false]);
  // Years would push all blocks out of the window; 200 slots are enough for every blockhash to expire.
  expect(after(100_000_000)).toEqual([381, false]);
});

test('the log, cut off anywhere and with garbage behind, leaves a chain of whole steps', async () => {
  const folder = freshFolder();
  const options = { historyTransactions: 1_000, historySlots: 1_000, ...STILL };
  const chain = new Chain({ ...options, ledger: folder });
  const to = await freshAddress();
  // Size of the log after each airdrop: from there on it must be there.
  const sizes: number[] = [];
  for (let i = 0; i < 4; i += 1) {
    chain.airdrop(to, SOL);
    sizes.push(statSync(join(folder, 'chain.db-wal')).size);
  }
  const left = leftByKill(folder);
  const log = readFileSync(join(left, 'chain.db-wal'));
  chain.close();
  const [start = 0, end = 0] = [sizes[0], sizes.at(-1)];
  const anywhere = Array.from({ length: 20 }, () => start + Math.floor(Math.random() * (end - start)));
  for (const bytes of [...sizes.flatMap((size) => [size - 1, size]), ...anywhere]) {
    const cut = freshFolder();
    cpSync(left, cut, { recursive: true });
    truncateSync(join(cut, 'chain.db-wal'), bytes);
    const garbage = randomBytes(5_000);
    // Never by chance the very byte that was cut off.
    garbage[0] = (log[bytes] ?? 0) ^ 0xff;
    writeFileSync(join(cut, 'chain.db-wal'), garbage, { flag: 'a' });
    const landed = sizes.filter((size) => size <= bytes).length;
    for (const further of [0, 1]) {
      const survivor = new Chain({ ...options, ledger: cut });
      expect([survivor.history.count, survivor.vm.getBalance(to)]).toEqual([
        landed + further,
        BigInt(landed + further) * SOL,
      ]);
      survivor.airdrop(to, SOL);
      survivor.close();
    }
    rmSync(cut, { recursive: true });
  }
}, 180_000);

test('price writes do not grow the ledger', async () => {
  const folder = freshFolder();
  const node = await open(folder);
  const address = await freshAddress();
  const write = (value: number) =>
    node.setAccount(address, {
      lamports: 5n,
      owner: address,
      data: new Uint8Array(134).fill(value),
      executable: false,
    });
  for (let i = 0; i < 5_000; i += 1) write(i);
  const { size } = statSync(join(folder, 'chain.db-wal'));
  for (let i = 0; i < 5_000; i += 1) write(i);
  // The log begins again after 16 MiB.
  expect(statSync(join(folder, 'chain.db-wal')).size).toBeLessThanOrEqual(size);
  await node.stop();
  expect(statSync(join(folder, 'chain.db')).size).toBeLessThan(50_000);
}, 180_000);

test('an account that the VM refuses is refused, written nowhere, and breaks no restart', async () => {
  const folder = freshFolder();
  const node = await open(folder);
  const address = await freshAddress();
  for (const owner of [
    'BPFLoaderUpgradeab1e11111111111111111111111',
    'BPFLoader2111111111111111111111111111111111',
  ]) {
    const account = { lamports: '5', owner, data: 'AQID', executable: true };
    expect(await failure(node, 'karat_setAccount', address, account)).toMatchObject({
      code: -32602,
      message: expect.stringContaining('the VM refuses the account'),
    });
    expect(node.getAccount(address)).toBeUndefined();
  }
  await node.stop();
  const again = await open(folder);
  expect(again.getAccount(address)).toBeUndefined();
  await again.stop();
});

test('a ledger in use, or of another version, is refused with a clear line; a stale lock is not', async () => {
  const folder = freshFolder();
  const node = await open(folder);
  await expect(Localnet.start({ ledger: folder, rpcPort: 0 })).rejects.toThrow(
    `The ledger in ${folder} is in use by process ${process.pid}: stop it first, or use another folder`,
  );
  await node.stop();
  // This process id without its file: the number was given out again.
  symlinkSync(`${process.pid} lock.0123456789ab`, join(folder, 'lock'));
  await (await open(folder)).stop();
  const file = join(folder, 'chain.db');
  const database = new Database(file);
  database.exec('pragma user_version = 2');
  database.close();
  const before = readFileSync(file);
  await expect(Localnet.start({ ledger: folder, rpcPort: 0 })).rejects.toThrow(
    `The ledger in ${folder} has version 2, this program knows 1: use the program that wrote it, or another folder`,
  );
  expect(readdirSync(folder)).toEqual(['chain.db']);
  expect(readFileSync(file)).toEqual(before);
});

test('a node that cannot listen lets its ledger go', async () => {
  const folder = freshFolder();
  const other = await open(freshFolder());
  await expect(open(folder, { rpcPort: other.rpcPort })).rejects.toThrow('EADDRINUSE');
  await (await open(folder)).stop();
  await other.stop();
});

test.each([
  ['that is no database', 0],
  ['with a damaged table', 4_096],
])('a file %s is refused, not read as an empty chain', async (_, at) => {
  const folder = freshFolder();
  await (await open(folder)).stop();
  const file = join(folder, 'chain.db');
  const bytes = readFileSync(file);
  bytes.fill(0xab, at, at + 4_096);
  writeFileSync(file, bytes);
  await expect(open(folder)).rejects.toThrow(`The ledger in ${folder} is damaged`);
  expect(readdirSync(folder)).toEqual(['chain.db']);
});

test('the bodies of the window are read from disk, over restarts; older ones leave room for new ones', async () => {
  const folder = freshFolder();
  const options = {
    ledger: folder,
    historyTransactions: 100,
    historySlots: 1_000,
    ...STILL,
  };
  const to = await freshAddress();
  const fill = (chain: Chain) => {
    for (let i = 0; i < 400; i += 1) {
      chain.airdrop(to, SOL);
      if (i % 5 === 4) chain.advance(1);
    }
  };
  const bodies = (chain: Chain) =>
    chain.history.of(to, { limit: 1_000, maxSlot: chain.slot }).map((entry) => {
      const { wire, metaJson } = chain.bodyOf(entry);
      expect(decodeTransaction(wire).signature).toBe(entry.signature);
      return JSON.parse(metaJson.toString('utf8')).postBalances;
    });
  const chain = new Chain(options);
  fill(chain);
  const all = bodies(chain);
  expect(all.length).toBeGreaterThanOrEqual(100);
  expect(new Set(all.map(([, received]) => received)).size).toBe(all.length);
  chain.close();
  const { size } = statSync(join(folder, 'chain.db'));
  const again = new Chain(options);
  expect(again.history.count).toBe(400);
  // What has left the list in memory leaves the disk with the next slot.
  expect(bodies(again).slice(0, all.length)).toEqual(all);
  expect(bodies(again).length).toBeLessThanOrEqual(115);
  fill(again);
  expect(bodies(again).length).toBeGreaterThanOrEqual(100);
  again.close();
  expect(statSync(join(folder, 'chain.db')).size).toBeLessThan(size * 1.1);

  const inMemory = new Chain({ ...options, ledger: undefined });
  fill(inMemory);
  expect(bodies(inMemory).length).toBeGreaterThanOrEqual(100);
  const [newest] = bodies(inMemory);
  expect(newest[1]).toBe(String(400n * SOL));
}, 180_000);

test('SIGTERM stops a node in order: one file, no lock', async () => {
  const folder = freshFolder();
  const script = fileURLToPath(new URL('node-process.mjs', import.meta.url));
  const child = spawn(process.execPath, [script, folder, '400'], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  child.kill('SIGTERM');
  expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(0);
  expect(readdirSync(folder)).toEqual(['chain.db']);
});

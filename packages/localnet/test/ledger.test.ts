import { spawn } from 'node:child_process';
import {
  closeSync,
  cpSync,
  fstatSync,
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
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { Chain } from '../src/chain.js';
import { Ledger, RECORD, readRecords } from '../src/ledger.js';
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

test('a restart goes on where the chain stopped, from a snapshot and from a log alone', async () => {
  const folder = freshFolder();
  const first = await open(folder);
  expect(first.genesisCreated).toBe(true);
  const { payer, keys, signatures } = await fillChain(first);
  const picture = await pictureOf(first, keys, signatures);
  const slot = await result(first, 'getSlot', { commitment: 'processed' });
  // What a killed process leaves behind: the files as they are now, and its lock.
  const killed = freshFolder();
  cpSync(folder, killed, { recursive: true });
  rmSync(join(killed, 'lock'));
  await first.stop();
  expect(readdirSync(folder).sort()).toEqual([
    'genesis.json',
    'history-0.bin',
    'log-1.bin',
    'snapshot-1.bin',
  ]);

  for (const ledger of [folder, killed]) {
    const again = await open(ledger);
    expect(again.genesisCreated).toBe(false);
    expect(await pictureOf(again, keys, signatures)).toEqual(picture);
    expect(await result(again, 'getSlot', { commitment: 'processed' })).toBe(slot + 1);
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
  expect(after(1)).toEqual([151, false]);
  // Years would push all blocks out of the window; 200 slots are enough for every blockhash to expire.
  expect(after(100_000_000)).toEqual([351, false]);
});

test('cut off after any byte, a log leaves a consistent chain', async () => {
  const folder = freshFolder();
  const chain = new Chain({ ledger: folder, historyTransactions: 1_000, historySlots: 1_000, ...STILL });
  const to = await freshAddress();
  const log = join(folder, 'log-0.bin');
  // Size of the log after each airdrop: from there on it must be there.
  const sizes: number[] = [];
  for (let i = 0; i < 4; i += 1) {
    chain.airdrop(to, SOL);
    sizes.push(statSync(log).size);
  }
  const whole = readFileSync(log);
  const start = sizes[0] ?? 0;
  const landedAt = (bytes: number) => sizes.filter((size) => size <= bytes).length;
  for (let bytes = start; bytes <= whole.length; bytes += 1) {
    const transactions = readRecords(whole.subarray(0, bytes)).records.filter(
      ({ kind }) => kind === RECORD.transaction,
    );
    expect(transactions).toHaveLength(landedAt(bytes));
  }
  // The chain as a whole at some of them, around the ends of records above all.
  const ends = sizes
    .flatMap((size) => [size - 1, size, size + 1, size + 9])
    .filter((bytes) => bytes >= start && bytes <= whole.length);
  for (const bytes of ends) {
    const cut = freshFolder();
    cpSync(folder, cut, { recursive: true });
    rmSync(join(cut, 'lock'));
    truncateSync(join(cut, 'log-0.bin'), bytes);
    const survivor = new Chain({ ledger: cut, historyTransactions: 1_000, historySlots: 1_000, ...STILL });
    const landed = landedAt(bytes);
    expect(survivor.vm.getBalance(to)).toBe(BigInt(landed) * SOL);
    expect(survivor.history.count).toBe(landed);
    survivor.close();
    rmSync(cut, { recursive: true });
  }
  chain.close();
}, 180_000);

test('garbage at the end of a log is cut off, and the log goes on behind it', async () => {
  const folder = freshFolder();
  const chain = new Chain({ ledger: folder, historyTransactions: 1_000, historySlots: 1_000, ...STILL });
  const to = await freshAddress();
  chain.airdrop(to, SOL);
  const damaged = freshFolder();
  cpSync(folder, damaged, { recursive: true });
  chain.close();
  rmSync(join(damaged, 'lock'));
  writeFileSync(join(damaged, 'log-0.bin'), Buffer.alloc(50, 0xab), { flag: 'a' });
  const first = new Chain({ ledger: damaged, historyTransactions: 1_000, historySlots: 1_000, ...STILL });
  first.airdrop(to, SOL);
  const copy = freshFolder();
  cpSync(damaged, copy, { recursive: true });
  rmSync(join(copy, 'lock'));
  first.close();
  const second = new Chain({ ledger: copy, historyTransactions: 1_000, historySlots: 1_000, ...STILL });
  expect(second.vm.getBalance(to)).toBe(2n * SOL);
  second.close();
});

test('a damaged record and what follows it are cut off', async () => {
  const folder = freshFolder();
  const options = { ledger: folder, historyTransactions: 1_000, historySlots: 1_000, ...STILL };
  const chain = new Chain(options);
  const to = await freshAddress();
  const log = join(folder, 'log-0.bin');
  chain.airdrop(to, SOL);
  const good = statSync(log).size;
  chain.airdrop(to, SOL);
  const damaged = freshFolder();
  cpSync(folder, damaged, { recursive: true });
  chain.close();
  rmSync(join(damaged, 'lock'));
  // A bit of the last record's lamports, whose length stays right.
  const bytes = readFileSync(join(damaged, 'log-0.bin'));
  bytes[bytes.length - 40] = (bytes[bytes.length - 40] ?? 0) ^ 1;
  writeFileSync(join(damaged, 'log-0.bin'), bytes);
  const survivor = new Chain({ ...options, ledger: damaged });
  expect(good).toBeLessThan(bytes.length);
  expect(survivor.vm.getBalance(to)).toBe(SOL);
  survivor.close();
});

test('killed between the steps of a compaction, nothing is lost', async () => {
  const folder = freshFolder();
  const chain = new Chain({ ledger: folder, historyTransactions: 1_000, historySlots: 1_000, ...STILL });
  const to = await freshAddress();
  chain.airdrop(to, SOL);
  const before = freshFolder();
  cpSync(folder, before, { recursive: true });
  rmSync(join(before, 'lock'));
  chain.close();
  // After each step: the files of both generations that are there by then.
  const steps = [
    ['history-0.bin'],
    ['history-0.bin', 'snapshot-1.bin'],
    ['history-0.bin', 'snapshot-1.bin', 'log-1.bin'],
  ];
  for (const files of steps) {
    const halfway = freshFolder();
    cpSync(before, halfway, { recursive: true });
    for (const file of files) cpSync(join(folder, file), join(halfway, file));
    writeFileSync(join(halfway, 'snapshot-2.bin.tmp'), 'torn');
    const survivor = new Chain({
      ledger: halfway,
      historyTransactions: 1_000,
      historySlots: 1_000,
      ...STILL,
    });
    expect(survivor.vm.getBalance(to)).toBe(SOL);
    expect(survivor.history.count).toBe(1);
    expect(survivor.history.size).toBe(1);
    survivor.close();
  }
});

test('price writes do not grow the ledger: they leave with the next snapshot', async () => {
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
  const bytes = statSync(join(folder, 'log-0.bin')).size;
  await node.stop();
  const after = readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
  expect(bytes).toBeGreaterThan(1_000_000);
  expect(after).toBeLessThan(10_000);
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

test('once the log could not be written, nothing is answered as if it were', async () => {
  const folder = freshFolder();
  const options = { ledger: folder, historyTransactions: 1_000, historySlots: 1_000, ...STILL };
  const chain = new Chain(options);
  const to = await freshAddress();
  chain.airdrop(to, SOL);
  // The log's own descriptor, closed behind its back: every write fails from here on.
  closeSync(descriptorOf(join(folder, 'log-0.bin')));
  expect(() => chain.airdrop(to, SOL)).toThrow('could not be written');
  expect(() => chain.writeAccounts([])).toThrow('could not be written');
  expect(() => chain.close()).toThrow();
  const again = new Chain(options);
  expect(again.vm.getBalance(to)).toBe(SOL);
  again.close();
});

/** The descriptor under which this process has a file open. */
function descriptorOf(path: string): number {
  const { dev, ino } = statSync(path);
  for (let fd = 3; fd < 1_000; fd += 1) {
    try {
      const open = fstatSync(fd);
      // Pipes and sockets have numbers of their own, which may be the same.
      if (open.dev === dev && open.ino === ino) return fd;
    } catch {
      // Not an open descriptor: the next one.
    }
  }
  throw new Error(`${path} is not open`);
}

test('a ledger in use, or of another version, is refused with a clear line; a stale lock is not', async () => {
  const folder = freshFolder();
  const node = await open(folder);
  await expect(Localnet.start({ ledger: folder, rpcPort: 0 })).rejects.toThrow(
    `The ledger in ${folder} is in use by process ${process.pid}: stop it first, or use another folder`,
  );
  await node.stop();
  // This process id with another start time: the number was given out again.
  symlinkSync(`${process.pid} 1 x`, join(folder, 'lock'));
  await (await open(folder)).stop();
  const genesis = join(folder, 'genesis.json');
  writeFileSync(genesis, readFileSync(genesis, 'utf8').replace('"version":1', '"version":2'));
  await expect(Localnet.start({ ledger: folder, rpcPort: 0 })).rejects.toThrow(
    `The ledger in ${folder} has version 2, this program knows 1: use the program that wrote it, or another folder`,
  );
});

test('a node that cannot listen lets its ledger go', async () => {
  const folder = freshFolder();
  const other = await open(freshFolder());
  await expect(open(folder, { rpcPort: other.rpcPort })).rejects.toThrow('EADDRINUSE');
  await (await open(folder)).stop();
  await other.stop();
});

test('a damaged snapshot is refused, not read as an empty chain', async () => {
  const folder = freshFolder();
  await (await open(folder)).stop();
  const snapshot = join(folder, 'snapshot-1.bin');
  truncateSync(snapshot, statSync(snapshot).size - 3);
  expect(() => Ledger.open(folder)).toThrow('is damaged');
});

test('the bodies of the window are read from its files, over snapshots and restarts; older files go', async () => {
  const folder = freshFolder();
  const options = {
    ledger: folder,
    historyTransactions: 100,
    historySlots: 1_000,
    logBytesMax: 30_000,
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
  const files = readdirSync(folder).filter((name) => name.startsWith('history'));
  // 400 transactions are 700 KB, the window of 100 is a quarter of that.
  const bytes = files.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
  expect(bytes).toBeLessThan(300_000);
  expect(files).not.toContain('history-0.bin');
  const all = bodies(chain);
  expect(all.length).toBeGreaterThanOrEqual(100);
  expect(new Set(all.map(([, received]) => received)).size).toBe(all.length);
  chain.close();
  const again = new Chain(options);
  // A file goes as a whole, so a restart may find a few more.
  expect(bodies(again).slice(0, all.length)).toEqual(all);
  expect(bodies(again).length).toBeLessThanOrEqual(110);
  fill(again);
  expect(bodies(again).length).toBeGreaterThanOrEqual(100);
  again.close();

  const inMemory = new Chain({ ...options, ledger: undefined });
  fill(inMemory);
  expect(bodies(inMemory).length).toBeGreaterThanOrEqual(100);
  const [newest] = bodies(inMemory);
  expect(newest[1]).toBe(String(400n * SOL));
}, 180_000);

test('SIGTERM stops a node in order: a snapshot, no lock', async () => {
  const folder = freshFolder();
  const script = fileURLToPath(new URL('node-process.ts', import.meta.url));
  const node = ['--conditions=source', '--import', 'tsx', script, folder, '400'];
  const child = spawn(process.execPath, node, { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  child.kill('SIGTERM');
  expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(0);
  expect(readdirSync(folder).sort()).toEqual(['genesis.json', 'log-1.bin', 'snapshot-1.bin']);
});

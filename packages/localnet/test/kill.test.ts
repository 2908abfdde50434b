import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Localnet } from '@karat/localnet';
import { afterAll, expect, test } from 'vitest';
import { Chain } from '../src/chain.js';
import { type LedgerFiles, REAL_FILES } from '../src/ledger.js';
import { build } from './build.js';
import { freshAddress, SOL } from './harness.js';

const root = mkdtempSync(join(tmpdir(), 'localnet-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const KILLS = 100;
const THREADS = 6;
const LAMPORTS = 1_000_000n;
/** Small enough that every few dozen transactions a snapshot is written, and kills hit it too. */
const OPTIONS = { slotMs: 3_600_000, historyTransactions: 500, historySlots: 10_000, logBytesMax: 40_000 };

/** What a dead process leaves is no longer locked; here it is this very process that holds the lock. */
function unlock(folder: string): void {
  rmSync(join(folder, 'lock'), { force: true });
}

/** Files that die with the call numbered `last`, which may still write a part of its bytes; then nothing goes any more. */
function mortalFiles(last: number): { files: LedgerFiles; calls: () => number } {
  let calls = 0;
  const alive = <A extends unknown[], R>(work: (...args: A) => R, dying?: (...args: A) => void) => {
    return (...args: A): R => {
      calls += 1;
      if (calls < last) return work(...args);
      if (calls === last) dying?.(...args);
      throw new Error('killed');
    };
  };
  const half = (file: number, bytes: Uint8Array) => {
    REAL_FILES.writeSync(file, bytes.subarray(0, Math.floor(Math.random() * (bytes.length + 1))));
  };
  const files: LedgerFiles = {
    openSync: alive(REAL_FILES.openSync),
    writeSync: alive(REAL_FILES.writeSync, half),
    fsyncSync: alive(REAL_FILES.fsyncSync),
    ftruncateSync: alive(REAL_FILES.ftruncateSync),
    closeSync: alive(REAL_FILES.closeSync),
    renameSync: alive(REAL_FILES.renameSync),
    rmSync: alive(REAL_FILES.rmSync),
  };
  return { files, calls: () => calls };
}

/** Airdrops, slots and snapshots until the files die; gives how many airdrops were answered. */
function load(chain: Chain, to: string): number {
  let answered = 0;
  try {
    for (;;) {
      chain.airdrop(to, LAMPORTS);
      answered += 1;
      if (answered % 5 === 0) chain.advance(1);
    }
  } catch (error) {
    // What a caller would have been told stands; the error is the kill, or the ledger's refusal after it.
    expect(String(error)).toMatch(/killed|could not be written/);
    return answered;
  }
}

test('killed at 100 random calls to the system, in the middle of writes too: nothing answered is lost', async () => {
  const ledger = join(root, 'calls');
  const to = await freshAddress();
  const seed = new Chain({ ...OPTIONS, ledger });
  seed.airdrop(to, SOL);
  seed.close();
  /** Airdrops that must be there, and that may be there besides: the one under way. */
  let sure = 0;
  let unfinished = 0;
  for (let kill = 0; kill <= KILLS; kill += 1) {
    unlock(ledger);
    unfinished += readdirSync(ledger).filter((name) => name.endsWith('.tmp')).length;
    // Often soon, while the chain is starting; sometimes late, behind a snapshot or two.
    const { files } = mortalFiles(
      kill === KILLS ? Number.MAX_SAFE_INTEGER : 1 + Math.floor(Math.random() ** 4 * 500),
    );
    let chain: Chain;
    try {
      chain = new Chain({ ...OPTIONS, ledger, files });
    } catch (error) {
      // Killed while it was starting; the next start has to cope.
      expect(String(error)).toMatch(/killed|could not be written/);
      continue;
    }
    const count = chain.history.count - 1;
    expect([sure, sure + 1]).toContain(count);
    expect(chain.vm.getBalance(to)).toBe(SOL + BigInt(count) * LAMPORTS);
    sure = kill === KILLS ? count : count + load(chain, to);
  }
  console.log(`${KILLS} kills, ${sure} transactions, ${unfinished} unfinished files`);
  expect(sure).toBeGreaterThan(5 * KILLS);
  // Some of them hit the writing of a snapshot.
  expect(unfinished).toBeGreaterThan(0);
}, 120_000);

test('threads killed under load, wherever they are', async () => {
  const dist = build();
  const ledger = join(root, 'load');
  const options = { ...OPTIONS, ledger };
  const first = new Chain(options);
  const to = await freshAddress();
  first.airdrop(to, SOL);
  first.close();
  let landed = 0;
  for (let kill = 0; kill < THREADS; kill += 1) {
    const answered = new Int32Array(new SharedArrayBuffer(8));
    const worker = new Worker(new URL('kill-worker.mjs', import.meta.url), {
      workerData: { dist, options, to, answered },
    });
    const failed = new Promise((_, reject) => worker.once('error', reject));
    await Promise.race([failed, running(answered)]);
    await new Promise((resolve) => setTimeout(resolve, 20 + 60 * Math.random()));
    await worker.terminate();
    const told = Atomics.load(answered, 0);
    unlock(ledger);
    const chain = new Chain(options);
    const count = chain.history.count - 1;
    expect([landed + told, landed + told + 1]).toContain(count);
    landed = count;
    expect(chain.vm.getBalance(to)).toBe(SOL + BigInt(landed) * LAMPORTS);
    unlock(ledger);
  }
  expect(landed).toBeGreaterThan(THREADS);
}, 60_000);

async function running(answered: Int32Array): Promise<void> {
  while (Atomics.load(answered, 1) === 0) await new Promise((resolve) => setTimeout(resolve, 1));
}

test('a log torn anywhere in its last record is cut off, whatever that record is', async () => {
  const ledger = join(root, 'torn');
  const options = { ...OPTIONS, ledger, logBytesMax: undefined };
  const to = await freshAddress();
  for (const last of ['slot', 'transaction', 'accounts'] as const) {
    rmSync(ledger, { recursive: true, force: true });
    const chain = new Chain(options);
    chain.airdrop(to, SOL);
    const log = join(ledger, 'log-0.bin');
    const before = statSync(log).size;
    if (last === 'slot') chain.advance(1);
    else if (last === 'transaction') chain.airdrop(to, SOL);
    else chain.writeAccounts([{ address: to, state: undefined }]);
    const whole = readFileSync(log).length;
    truncateSync(log, before + 1 + Math.floor(Math.random() * (whole - before - 1)));
    unlock(ledger);
    const again = new Chain(options);
    expect(again.vm.getBalance(to)).toBe(SOL);
    expect(statSync(log).size).toBeGreaterThan(before);
    unlock(ledger);
  }
});

test('a ledger of a newer version is refused with a clear line, and left as it is', async () => {
  const ledger = join(root, 'newer');
  await (await Localnet.start({ ledger, rpcPort: 0 })).stop();
  const genesis = join(ledger, 'genesis.json');
  writeFileSync(genesis, readFileSync(genesis, 'utf8').replace('"version":1', '"version":9'));
  const files = readdirSync(ledger);
  await expect(Localnet.start({ ledger, rpcPort: 0 })).rejects.toThrow(
    `The ledger in ${ledger} has version 9, this program knows 1: use the program that wrote it, or another folder`,
  );
  expect(readdirSync(ledger)).toEqual(files);
});

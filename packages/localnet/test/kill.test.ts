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
import { dirname, join } from 'node:path';
import { Localnet } from '@karat/localnet';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { Chain } from '../src/chain.js';
import { type LedgerFiles, REAL_FILES } from '../src/ledger.js';
import { bundle } from './bundle.js';
import { freshAddress, type Json, SOL, until } from './harness.js';
import { endNodes, FEE, isDead, Payments, type Running, startNode } from './killed-node.js';

const root = mkdtempSync(join(tmpdir(), 'localnet-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const KILLS = 50;
/** `LOCALNET_KILLS` for as many as anybody has time for: each costs a quarter of a second of processor time. */
const PROCESS_KILLS = Number(process.env.LOCALNET_KILLS ?? 100);
const LANES = 4;
/** How many transfers a process answers at most before it is killed. */
const ANSWERS_MAX = 20;
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

test('killed at 50 random calls to the system, in the middle of writes too: nothing answered is lost', async () => {
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

/** One ledger, its payments, and the processes that are killed over it, one after the other. */
class Victim {
  readonly #script: string;
  readonly #ledger: string;
  readonly #payments = new Payments();
  #left = 1_000n * SOL;
  #received = SOL;
  /** Transactions on the chain: two airdrops to begin with. */
  #count = 2;
  readonly landed: string[] = [];
  answered = 0;
  confirmed = 0;
  beforeLoad = 0;

  constructor(script: string, ledger: string) {
    this.#script = script;
    this.#ledger = ledger;
    const seed = new Chain({ ...OPTIONS, ledger });
    seed.airdrop(this.#payments.payer.address, this.#left);
    seed.airdrop(this.#payments.to, this.#received);
    seed.close();
  }

  /** Holds what a node shows against what its predecessor had answered. */
  async #check({ call }: Running): Promise<void> {
    const { sent, payer, to, amounts } = this.#payments;
    const states: Json[] = [];
    for (let at = 0; at < sent.length; at += 256) {
      const config = { searchTransactionHistory: true };
      states.push(...(await call('getSignatureStatuses', sent.slice(at, at + 256), config)).value);
    }
    const there = sent.filter((_, place) => states[place]?.err === null);
    for (const kept of [this.#payments.answered, this.#payments.confirmed])
      expect([...kept].filter((signature) => !there.includes(signature))).toEqual([]);
    const sum = there.reduce((total, signature) => total + (amounts.get(signature) ?? 0n), 0n);
    const left = this.#left - sum - FEE * BigInt(there.length);
    const received = this.#received + sum;
    const count = this.#count + there.length;
    const shown = await Promise.all([
      call('getBalance', payer.address, { commitment: 'processed' }),
      call('getBalance', to, { commitment: 'processed' }),
      call('getTransactionCount', { commitment: 'processed' }),
    ]);
    expect([BigInt(shown[0].value), BigInt(shown[1].value), shown[2]]).toEqual([left, received, count]);
    // Only now: a node that is killed while it is checked is checked again by the next one.
    this.#left = left;
    this.#received = received;
    this.#count = count;
    this.landed.push(...there);
    this.answered += this.#payments.answered.size;
    this.confirmed += this.#payments.confirmed.size;
    this.#payments.forget();
  }

  /** Starts a node on what the last one left, checks it, lets it work and kills it at a random moment of all that. */
  async killOnce(): Promise<void> {
    const { child, running } = startNode(this.#script, this.#ledger);
    // Some die while they start, anywhere between the first module and the last record of the log.
    const early = Math.random() < 0.1;
    if (early) setTimeout(() => child.kill('SIGKILL'), Math.random() * 300);
    const node = await running;
    if (!node) {
      await vi.waitFor(() => expect(child.signalCode).toBe('SIGKILL'));
      this.beforeLoad += 1;
      return;
    }
    try {
      await this.#check(node);
    } catch (error) {
      if (early && isDead(error)) return;
      throw error;
    }
    if (!early)
      this.#payments.after(Math.floor(Math.random() * ANSWERS_MAX), () => {
        setTimeout(() => child.kill('SIGKILL'), Math.random() * 5);
      });
    await this.#payments.load(node);
    await node.exited;
    expect(child.signalCode).toBe('SIGKILL');
  }

  /** Starts a last node, checks it, and reads the whole history of the recipient from it. */
  async finish(): Promise<void> {
    const { child, running } = startNode(this.#script, this.#ledger);
    const last = await running;
    if (!last) throw new Error('the last node did not start');
    await this.#check(last);
    // Its slots go on by themselves: all of it becomes final.
    await until(async () => ((await last.call('getTransactionCount')) === this.#count ? true : undefined));
    const listed: string[] = [];
    for (let page: Json[] = [{}]; page.length > 0; ) {
      page = await last.call('getSignaturesForAddress', this.#payments.to, { before: listed.at(-1) });
      listed.push(...page.map(({ signature }) => signature));
    }
    // The oldest is the airdrop.
    expect(listed.slice(0, -1).sort()).toEqual([...this.landed].sort());
    expect(new Set(listed).size).toBe(listed.length);
    for (const signature of listed.filter((_, place) => place % 50 === 0)) {
      const body = await last.call('getTransaction', signature, { maxSupportedTransactionVersion: 0 });
      expect(body.transaction.signatures).toEqual([signature]);
    }
    child.kill('SIGTERM');
    await last.exited;
    expect(child.exitCode).toBe(0);
  }
}

test('kill -9 of 100 processes under load: what was answered is there, nothing twice, balances are the sum of it', async () => {
  const script = await bundle('./node-process.ts');
  onTestFinished(() => {
    endNodes();
    rmSync(dirname(script), { recursive: true });
  });
  // Side by side, since a process spends much of its short life waiting.
  const victims = Array.from({ length: LANES }, (_, lane) => new Victim(script, join(root, `lane-${lane}`)));
  await Promise.all(
    victims.map(async (victim) => {
      for (let kill = 0; kill < PROCESS_KILLS / LANES; kill += 1) await victim.killOnce();
      await victim.finish();
    }),
  );
  const sum = (of: (victim: Victim) => number) => victims.reduce((total, victim) => total + of(victim), 0);
  const [landed, confirmed] = [sum((victim) => victim.landed.length), sum((victim) => victim.confirmed)];
  console.log(
    `${PROCESS_KILLS} processes killed, ${sum((victim) => victim.beforeLoad)} of them before they listened: ` +
      `${sum((victim) => victim.answered)} transfers answered, ${confirmed} of them seen at confirmed, ${landed} landed`,
  );
  expect(landed).toBeGreaterThan(PROCESS_KILLS);
  expect(confirmed).toBeGreaterThan(0);
}, 600_000);

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
    // The log goes on where it was cut.
    again.airdrop(to, SOL);
    unlock(ledger);
    expect(new Chain(options).vm.getBalance(to)).toBe(2n * SOL);
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

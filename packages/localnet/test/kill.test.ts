import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { Chain } from '../src/chain.js';
import { bundle } from './bundle.js';
import { freshAddress, type Json, SOL, until } from './harness.js';
import { endNodes, FEE, isDead, Payments, type Running, startNode } from './killed-node.js';

const root = mkdtempSync(join(tmpdir(), 'localnet-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
/** Each costs a quarter of a second of processor time. */
const PROCESS_KILLS = process.env.KARAT_THOROUGH ? 100 : 12;
const LANES = 4;
const SLOT_MS = '20';
/** How many transfers a process accepts, at most, before it is killed. */
const MAX_RESPONSES = 20;
const OPTIONS = { slotMs: 3_600_000, historyTransactions: 500, historySlots: 10_000 };

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
  accepted = 0;
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

  /** Holds what a node shows against what its predecessor had returned. */
  async #check({ call }: Running): Promise<void> {
    const { sent, payer, to, amounts } = this.#payments;
    const states: Json[] = [];
    for (let at = 0; at < sent.length; at += 256) {
      const config = { searchTransactionHistory: true };
      states.push(...(await call('getSignatureStatuses', sent.slice(at, at + 256), config)).value);
    }
    const there = sent.filter((_, place) => states[place]?.err === null);
    for (const kept of [this.#payments.accepted, this.#payments.confirmed])
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
    this.accepted += this.#payments.accepted.size;
    this.confirmed += this.#payments.confirmed.size;
    this.#payments.forget();
  }

  /** Starts a node on what the last one left, checks it, lets it work and kills it at a random moment of all that. */
  async killOnce(early: boolean): Promise<void> {
    const { child, running } = startNode(process.execPath, [this.#script, this.#ledger, SLOT_MS]);
    // Some die while they start, anywhere between the first module and the last record of the log.
    if (early) setTimeout(() => child.kill('SIGKILL'), Math.random() * 300);
    const node = await running;
    if (!node) {
      expect(child.signalCode).toBe('SIGKILL');
      this.beforeLoad += 1;
      return;
    }
    try {
      await this.#check(node);
    } catch (error) {
      if (!early || !isDead(error)) throw error;
      // Until it has ended, it holds the ledger.
      await node.exited;
      return;
    }
    if (!early)
      this.#payments.after(Math.floor(Math.random() * MAX_RESPONSES), () => {
        setTimeout(() => child.kill('SIGKILL'), Math.random() * 5);
      });
    await this.#payments.load(node);
    await node.exited;
    expect(child.signalCode).toBe('SIGKILL');
  }

  /** Starts a last node, checks it, and reads the whole history of the recipient from it. */
  async finish(): Promise<void> {
    const { child, running } = startNode(process.execPath, [this.#script, this.#ledger, SLOT_MS]);
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

test('kill -9 of processes under load: every acknowledged step is there, nothing twice, and balances add up', async () => {
  const script = await bundle('./node-process.mjs');
  onTestFinished(() => {
    endNodes();
    rmSync(dirname(script), { recursive: true });
  });
  // Side by side, since a process spends much of its short life waiting.
  const victims = Array.from({ length: LANES }, (_, lane) => new Victim(script, join(root, `lane-${lane}`)));
  await Promise.all(
    victims.map(async (victim) => {
      for (let kill = 0; kill < PROCESS_KILLS / LANES; kill += 1)
        await victim.killOnce(kill === 1 || Math.random() < 0.1);
      await victim.finish();
    }),
  );
  const sum = (of: (victim: Victim) => number) => victims.reduce((total, victim) => total + of(victim), 0);
  const [landed, confirmed] = [sum((victim) => victim.landed.length), sum((victim) => victim.confirmed)];
  console.log(
    `${PROCESS_KILLS} processes killed, ${sum((victim) => victim.beforeLoad)} of them before they listened: ` +
      `${sum((victim) => victim.accepted)} transfers accepted, ${confirmed} of them seen at confirmed, ${landed} landed`,
  );
  expect(landed).toBeGreaterThan(PROCESS_KILLS);
  expect(confirmed).toBeGreaterThan(0);
}, 600_000);

test('a full disk refuses every later step and ends the process; all acknowledged steps are there', async () => {
  const script = await bundle('./node-process.mjs');
  onTestFinished(() => rmSync(dirname(script), { recursive: true }));
  const ledger = join(root, 'full');
  const to = await freshAddress();
  // A limit on the size of files, 200 KiB or 400 as the shell counts, makes writes fail as a full disk does.
  const limited = startNode('sh', [
    '-c',
    `ulimit -f 400; exec "$0" "$@" 2>/dev/null`,
    process.execPath,
    script,
    ledger,
    '1000',
  ]);
  const node = await limited.running;
  if (!node) throw new Error('the node did not start');
  const outcomes: boolean[] = [];
  const airdrop = () =>
    node.call('requestAirdrop', to, Number(SOL)).then(
      () => true,
      () => false,
    );
  while (outcomes.length < 10 || outcomes.slice(-10).includes(true)) outcomes.push(await airdrop());
  await node.exited;
  expect(limited.child.exitCode).toBe(1);
  const accepted = outcomes.filter((outcome) => outcome).length;
  expect(accepted).toBeGreaterThan(5);
  expect(outcomes.slice(0, accepted)).not.toContain(false);
  const chain = new Chain({ ...OPTIONS, ledger });
  expect([chain.history.count, chain.vm.getBalance(to)]).toEqual([accepted, BigInt(accepted) * SOL]);
  chain.close();
});

import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, expect, test } from 'vitest';
import { Chain } from '../src/chain.js';
import { Pubsub } from '../src/pubsub.js';
import { freshAddress, SOL } from './harness.js';

const root = mkdtempSync(join(tmpdir(), 'localnet-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const STILL = { slotMs: 3_600_000 };
const to = await freshAddress();

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes that this process holds in objects and buffers. */
async function used(): Promise<number> {
  // What the VM gave is let go of between events, after the collection that finds it.
  for (let round = 0; round < 4; round += 1) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Lands so many transactions, five in a slot. */
async function fill(chain: Chain, count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) {
    chain.airdrop(to, SOL);
    if (i % 5 === 4) chain.advance(1);
    if (i % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

const WINDOW = { historyTransactions: 300, historySlots: 100 };
// What runs for the first time is compiled, and that stays.
for (const ledger of [join(root, 'first'), undefined]) {
  const chain = new Chain({ ...STILL, ...WINDOW, ledger });
  await fill(chain, 400);
  chain.close();
}

test.each([
  ['with a ledger', join(root, 'window')],
  ['in memory', undefined],
])(
  'eight more windows of history take no more memory than the first, %s',
  async (_, ledger) => {
    const chain = new Chain({ ...STILL, ...WINDOW, ledger });
    const pubsub = new Pubsub(chain);
    // In the first windows what runs often is compiled once more, which takes half a megabyte and stays.
    await fill(chain, 1_600);
    const grown: number[] = [];
    for (let stretch = 0, full = await used(); stretch < 2; stretch += 1) {
      await fill(chain, 1_200);
      const now = await used();
      grown.push(now - full);
      full = now;
    }
    console.log(
      `grown by ${grown.map((bytes) => Math.round(bytes / 1024)).join(' and ')} KiB in 1,200 transactions`,
    );
    // Kept, they would be 600 KB and more in each; code that was compiled late is in one of them.
    expect(Math.min(...grown)).toBeLessThan(400_000);
    expect(chain.history.count).toBe(4_000);
    expect(chain.history.size).toBeLessThanOrEqual(330);
    expect(chain.slot - chain.slotTimes.first).toBeLessThanOrEqual(110);
    pubsub.close();
    chain.close();
  },
  180_000,
);

test('a transaction of the window takes little more than 1 KB of memory at most, and 1,500 are open at once', async () => {
  const count = 1_500;
  const options = { ...STILL, historyTransactions: 100_000, historySlots: 1_000 };
  const ledger = join(root, 'kept');
  const chain = new Chain({ ...options, ledger });
  const each: number[] = [];
  for (const one of [chain, new Chain(options)]) {
    const before = await used();
    await fill(one, count);
    each.push(Math.round(((await used()) - before) / count));
  }
  console.log(`a transaction takes ${each.join(' and ')} bytes, with a ledger and without`);
  for (const bytes of each) expect(bytes).toBeLessThan(1_300);
  const killed = join(root, 'killed');
  cpSync(ledger, killed, { recursive: true, filter: (path) => !path.includes('/lock.') });
  rmSync(join(killed, 'lock'));
  chain.close();
  for (const folder of [ledger, killed]) {
    const started = process.cpuUsage();
    const again = new Chain({ ...options, ledger: folder });
    const { user, system } = process.cpuUsage(started);
    // Time on the processor: how busy the machine is otherwise must not decide.
    console.log(`opened ${count} transactions in ${Math.round((user + system) / 1000)} ms`);
    expect(user + system).toBeLessThan(500_000);
    expect(again.history.size).toBe(count);
    again.close();
  }
}, 180_000);

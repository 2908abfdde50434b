import { existsSync, readFileSync } from 'node:fs';
import { Chain } from '../src/chain.js';
import { derivedKeyPair } from '../src/faucet.js';

/**
 * A chain as a process of its own, whose memory is measured. Arguments: how many transactions, the window of history,
 * the ledger's folder (without one: in memory). They go to 5,000 recipients, 128 in a slot. Prints one line of JSON.
 */
const [transactions = '0', window = '0', ledger] = process.argv.slice(2);
const MIB = 1024 * 1024;
const collect = (globalThis as { gc?: () => void }).gc;
if (!collect) throw new Error('run with --expose-gc');

/** The most memory that the process ever had, in MiB (Linux). */
function peakMib(): number {
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

const recipients = Array.from(
  { length: 5_000 },
  (_, i) => derivedKeyPair(Buffer.from(String(i)), 'to').address,
);
const started = performance.now();
const chain = new Chain({
  ledger,
  slotMs: 3_600_000,
  historyTransactions: Number(window),
  historySlots: 216_000,
});
const openedMs = performance.now() - started;
collect();
const before = process.memoryUsage();
for (let i = 0; i < Number(transactions); i += 1) {
  chain.airdrop(recipients[i % recipients.length] ?? '', 1_000_000n);
  if (i % 128 !== 127) continue;
  chain.advance(1);
  // What the VM gave is let go of between events, as in a node that serves requests.
  await new Promise((resolve) => setImmediate(resolve));
}
collect();
await new Promise((resolve) => setImmediate(resolve));
const after = process.memoryUsage();
console.log(
  JSON.stringify({
    transactions: chain.history.size,
    openedMs: Math.round(openedMs),
    rssBeforeMib: Math.round(before.rss / MIB),
    rssMib: Math.round(after.rss / MIB),
    peakMib: peakMib(),
    bytesEach: Math.round(
      (after.heapUsed + after.external - before.heapUsed - before.external) /
        Math.max(1, Number(transactions)),
    ),
  }),
);
process.exit(0);

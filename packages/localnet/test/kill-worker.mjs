import { workerData } from 'node:worker_threads';

/**
 * A chain under load in a thread of its own, which is killed from outside: airdrops of one lamport more each time, a
 * slot and often a snapshot in between. `answered` counts what a caller would have been told by then.
 */
const { dist, options, to, answered } = workerData;
const { Chain } = await import(`${dist}/chain.js`);
const chain = new Chain(options);
Atomics.store(answered, 1, 1);
for (;;) {
  chain.airdrop(to, 1_000_000n);
  Atomics.add(answered, 0, 1);
  if (Atomics.load(answered, 0) % 7 === 0) chain.advance(1);
}

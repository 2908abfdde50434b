/**
 * How long after the chain confirmed a buy its record can be read: 100 buys on a node with slots of 400 ms, at
 * irregular moments, with the node's notifications and without them. The moment of confirmation is when the node first
 * says so, asked every few milliseconds; the record is looked for in the same way, where GET /v1/trades reads it.
 */

import { expect, test } from 'vitest';
import { createContext } from '../packages/service/src/create-context.js';
import { findTrade } from '../packages/service/src/db/trades/trades.js';
import { startIndexer } from '../packages/service/src/indexer/index.js';
import {
  eventually,
  givenWorld,
  landed,
  sendTrade,
  type World,
} from '../packages/service/test/indexer/world.js';

const buys = 100;
/** Buys that are on their way at the same time. */
const lanes = 4;

async function measure(world: World): Promise<number[]> {
  const delays: number[] = [];
  const lane = async (first: number) => {
    for (let count = first; count < buys; count += lanes) {
      await new Promise((resolve) => setTimeout(resolve, 137 + ((count * 71) % 400)));
      const { id, signature } = await sendTrade(world, { amountIn: 10_000_000n + BigInt(count) });
      const confirmedAt = landed(world, signature);
      const visibleAt = eventually(async () =>
        (await findTrade(world.h.ctx.db, id)) ? performance.now() : undefined,
      );
      delays.push((await visibleAt) - (await confirmedAt));
    }
  };
  await Promise.all(Array.from({ length: lanes }, (_, index) => lane(index)));
  return delays.sort((a, b) => a - b);
}

function print(name: string, delays: number[]): void {
  const at = (share: number) => `${Math.round(delays[Math.ceil(share * delays.length) - 1] ?? 0)} ms`;
  console.log(
    `${name}: ${delays.length} buys, p50 ${at(0.5)}, p95 ${at(0.95)}, p99 ${at(0.99)}, max ${at(1)}`,
  );
}

test.each([
  ['with notifications', undefined],
  ['by polling alone', 'ws://127.0.0.1:1'],
])('%s', async (name, wsUrl) => {
  const world = await givenWorld({ slotMs: 400 });
  const config = { ...world.h.ctx.config, ...(wsUrl ? { wsUrls: [wsUrl] } : {}) };
  const ctx = await createContext(config, { clock: world.h.clock });
  await ctx.chain.start();
  const indexer = startIndexer(ctx);
  try {
    const delays = await measure(world);
    print(name, delays);
    expect(delays.length).toBe(buys);
  } finally {
    await indexer.stop();
    await ctx.close();
    await world.close();
  }
});

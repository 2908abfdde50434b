import { afterAll, afterEach, beforeAll } from 'vitest';
import { createContext, type OwnedContext } from '../../src/create-context.js';
import type { following } from './following.js';
import type { Indexing } from './indexing.js';
import { type LyingNode, startLyingNode } from './lying-node.js';

/** A process that has a second node, for the tests of one file or block; each node may lie, and the world's is preferred. */
export function twoNodes(f: ReturnType<typeof following>) {
  let ctx: OwnedContext;
  let second: LyingNode;
  beforeAll(async () => {
    second = await startLyingNode(f.world.node.rpcUrl);
    const config = { ...f.ctx.config, rpcUrls: [f.node.url, second.url] };
    ctx = await createContext(config, { clock: f.ctx.clock, log: f.ctx.log });
    await ctx.chain.start();
  });
  afterEach(() => {
    second.lie = undefined;
  });
  afterAll(async () => {
    await ctx.close();
    await second.close();
  });
  return {
    get ctx() {
      return ctx;
    },
    get second() {
      return second;
    },
    /** An indexer of that process that has read everything so far. */
    async caughtUp(): Promise<Indexing> {
      return f.catchUp(await f.newIndexing({}, ctx));
    },
  };
}

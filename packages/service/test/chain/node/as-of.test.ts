import { createSolanaRpc } from '@solana/kit';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { asOf } from '../../../src/chain/node/as-of.js';
import { type LyingNode, Refused, refusingMinContextSlot, startLyingNode } from '../../indexer/lying-node.js';
import { type KaratChain, startKaratChain } from '../../karat-chain.js';

/** What is read as of a slot or later. */

let karat: KaratChain;
let node: LyingNode;
beforeAll(async () => {
  karat = await startKaratChain();
  node = await startLyingNode(karat.node.rpcUrl);
});
afterEach(() => {
  node.lie = undefined;
});
afterAll(async () => {
  await node.close();
  await karat.stop();
});

const read = (slot: bigint) => {
  const rpc = createSolanaRpc(node.url);
  return asOf(slot, (least) =>
    rpc
      .getAccountInfo(karat.addresses.config, { encoding: 'base64', commitment: 'confirmed', ...least })
      .send(),
  );
};
const newest = async () => (await read(0n)).context.slot;

describe.each([
  ['takes', undefined],
  ['refuses', refusingMinContextSlot],
])('a node that %s minContextSlot', (_name, lie) => {
  test('the node is believed as of any slot, and of one that it has seen', async () => {
    node.lie = lie;
    const slot = await newest();
    for (const least of [0n, 1n, slot]) {
      const { context, value } = await read(least);
      expect(context.slot).toBeGreaterThanOrEqual(slot);
      expect(value?.owner).toBe(karat.config.programId);
    }
  });

  test('the node is not believed as of a slot that it has not seen', async () => {
    node.lie = lie;
    await expect(read((await newest()) + 1_000n)).rejects.toThrow(/slot/);
  });
});

test('a node that fails otherwise is called once', async () => {
  node.calls.clear();
  node.lie = async () => {
    throw new Refused(-32016, 'Minimum context slot has not been reached');
  };
  await expect(read(1n)).rejects.toThrow('Minimum context slot');
  expect(node.calls.get('getAccountInfo')).toBe(1);
});

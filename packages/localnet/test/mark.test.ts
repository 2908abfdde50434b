import { expect, test } from 'vitest';
import { freshAddress, fundedSigner, result, SOL, sendTransfer, startNode } from './harness.js';

/** What callers see of a chain. */
async function seen(node: Awaited<ReturnType<typeof startNode>>, address: string) {
  return {
    balance: node.getAccount(address)?.lamports,
    balances: await Promise.all(
      ['processed', 'confirmed', 'finalized'].map(
        async (commitment) => (await result(node, 'getBalance', address, { commitment })).value,
      ),
    ),
    slot: await result(node, 'getSlot', { commitment: 'processed' }),
    time: node.nowUnixSeconds(),
    blockhash: (await result(node, 'getLatestBlockhash', { commitment: 'confirmed' })).value.blockhash,
    history: await result(node, 'getSignaturesForAddress', address, { commitment: 'confirmed' }),
    count: await result(node, 'getTransactionCount', { commitment: 'processed' }),
  };
}

test('mark: a chain goes back to its accounts, its slot and its history, as often as it is wanted', async () => {
  const node = await startNode({ slotMs: 3_600_000 });
  const payer = await fundedSigner(node, 1_000n * SOL);
  const address = await freshAddress();
  await sendTransfer(node, payer, address, SOL);
  node.warp({ slots: 1 });
  const back = node.mark();
  const before = await seen(node, address);
  // The transfer is not final.
  expect(before.balances).toEqual([Number(SOL), Number(SOL), 0]);
  for (let time = 0; time < 2; time += 1) {
    const other = await freshAddress();
    await sendTransfer(node, payer, address, SOL);
    const signature = await sendTransfer(node, payer, other, SOL);
    node.warp({ slots: 700 });
    expect(node.getAccount(address)?.lamports).toBe(2n * SOL);
    back();
    expect({ ...(await seen(node, address)), time: before.time }).toEqual(before);
    expect(node.getAccount(other)).toBeUndefined();
    expect(await result(node, 'getTransaction', signature, { commitment: 'confirmed' })).toBeNull();
  }
});

test('respond: a caller in the same process gets what HTTP would give', async () => {
  const node = await startNode({ slotMs: 3_600_000 });
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getGenesisHash', params: [] });
  const overHttp = await (
    await fetch(node.rpcUrl, { method: 'POST', body: text, headers: { 'content-type': 'application/json' } })
  ).text();
  expect(await node.respond(text)).toBe(overHttp.trimEnd());
});

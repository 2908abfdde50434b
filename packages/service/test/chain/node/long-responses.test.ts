import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Address, createSolanaRpc, type Signature } from '@solana/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectNodes } from '../../../src/chain/node/nodes.js';

/** What the node returns next. */
let response: unknown;
let node: Server;
let url: string;

beforeAll(async () => {
  node = createServer((request, reply) => {
    request.resume();
    reply.setHeader('content-type', 'application/json').end(JSON.stringify(response));
  });
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(node.address() as AddressInfo).port}`;
});

afterAll(() => {
  node.closeAllConnections();
  node.close();
});

const address = 'So11111111111111111111111111111111111111112' as Address;
const signature = '5'.repeat(87) as Signature;

/** The calls of our client and of the library, of whatever the node returns. */
const clients = () => [connectNodes([url]).rpc, createSolanaRpc(url)] as const;
const outcomesOf = (calls: Promise<unknown>[]) =>
  Promise.all(calls.map((call) => call.catch((error: Error) => `${error.name}: ${error.message}`)));

const list = () =>
  outcomesOf(clients().map((rpc) => rpc.getSignaturesForAddress(address, { limit: 5 }).send()));
const fetchIt = () =>
  outcomesOf(
    clients().map((rpc) =>
      rpc.getTransaction(signature, { encoding: 'base64', maxSupportedTransactionVersion: 0 }).send(),
    ),
  );

const line = { signature, slot: 4_123_456_789, err: null, memo: null, blockTime: 1_700_000_000 };

test.each([
  [[]],
  [
    [
      { ...line, confirmationStatus: 'finalized' },
      { ...line, slot: 7, blockTime: null, memo: '[3] abc' },
    ],
  ],
])('a listing is what the library makes of it: %j', async (result) => {
  response = { jsonrpc: '2.0', id: '1', result };
  const [ours, library] = await list();
  expect(ours).toEqual(library);
});

test('the accounts of a program are what the library makes of them', async () => {
  const account = {
    lamports: 2_039_280,
    rentEpoch: 361,
    space: 3,
    executable: false,
    owner: address,
    data: ['AQID', 'base64'],
  };
  response = { jsonrpc: '2.0', id: '1', result: [{ pubkey: address, account }] };
  const [ours, library] = await outcomesOf(
    clients().map((rpc) => rpc.getProgramAccounts(address, { encoding: 'base64' }).send()),
  );
  expect(ours).toEqual(library);
});

test('an error of a listed transaction keeps its numbers', async () => {
  const err = { InstructionError: [2, { Custom: 6_001 }] };
  response = { jsonrpc: '2.0', id: '1', result: [{ ...line, err }] };
  const [ours] = await list();
  expect(ours).toEqual([{ ...line, err, slot: BigInt(line.slot), blockTime: BigInt(line.blockTime) }]);
});

test('a transaction has its slot and time as the library has them, and all else as it came', async () => {
  const meta = {
    err: null,
    fee: 5_000,
    preTokenBalances: [{ accountIndex: 1, uiTokenAmount: { amount: '7' } }],
  };
  const result = {
    slot: 4_123_456_789,
    blockTime: 1_700_000_000,
    transaction: ['AAAA', 'base64'],
    meta,
    version: 0,
  };
  response = { jsonrpc: '2.0', id: '1', result };
  const [ours, library] = await fetchIt();
  const { slot, blockTime } = library as { slot: bigint; blockTime: bigint };
  expect([slot, blockTime]).toEqual([4_123_456_789n, 1_700_000_000n]);
  expect(ours).toEqual({ ...result, slot, blockTime });
});

test('a transaction that a node does not know is null', async () => {
  response = { jsonrpc: '2.0', id: '1', result: null };
  expect(await fetchIt()).toEqual([null, null]);
});

test.each([-32_602, -32_009, -32_015])('error %i is that of the library', async (code) => {
  response = { jsonrpc: '2.0', id: '1', error: { code, message: 'refused', data: { numSlotsBehind: 9 } } };
  const [ours, library] = await fetchIt();
  expect(ours).toBe(library);
  const [listed, listedByLibrary] = await list();
  expect(listed).toBe(listedByLibrary);
});

import { signBytes } from '@solana/kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  BASE64,
  call,
  freshAddress,
  fundedSigner,
  post,
  result,
  SOL,
  sendTransfer,
  sign,
  startNode,
  transfer,
} from './harness.js';

const node = await startNode({ slotMs: 3_600_000 });
const payer = await fundedSigner(node, 1_000_000n * SOL);
const errorCodes = new Set([-32002, -32003, -32602]);

test('mutated messages, signed again, are run or refused, never an internal error', async () => {
  const base = Buffer.from(
    (await sign(node, payer, [transfer(payer, await freshAddress(), SOL)])).wire,
    'base64',
  );
  const message = base.subarray(65);
  const change = fc.record({ at: fc.nat({ max: message.length - 1 }), to: fc.nat({ max: 255 }) });
  const codes = new Set<number>();
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
      const mutated = Buffer.from(message);
      for (const { at, to } of changes) mutated[at] = to;
      const signature = await signBytes(payer.keyPair.privateKey, mutated);
      const wire = Buffer.concat([Buffer.from([1]), signature, mutated]).toString('base64');
      const simulated = await call(node, 'simulateTransaction', wire, {
        encoding: 'base64',
        replaceRecentBlockhash: true,
        innerInstructions: true,
      });
      const sent = await call(node, 'sendTransaction', wire, { ...BASE64, skipPreflight: true });
      for (const { error } of [simulated, sent]) {
        if (!error) continue;
        codes.add(error.code);
        expect(errorCodes).toContain(error.code);
      }
    }),
    { numRuns: 200 },
  );
  expect(codes.size).toBeGreaterThan(0);
  node.warp({ slots: 31 });
  const listed = await result(node, 'getSignaturesForAddress', payer.address);
  for (const { signature } of listed) {
    for (const encoding of ['json', 'jsonParsed']) {
      expect(
        await result(node, 'getTransaction', signature, { encoding, maxSupportedTransactionVersion: 0 }),
      ).not.toBeNull();
    }
  }
  // By another payer: the first may have been given data by one of them, and pays no fee any more.
  await sendTransfer(node, await fundedSigner(node), await freshAddress(), SOL);
}, 180_000);

test('any parameters get a response, never an internal error', async () => {
  const methods = [
    'getAccountInfo',
    'getBalance',
    'getBlock',
    'getBlockTime',
    'getFeeForMessage',
    'getLatestBlockhash',
    'getMinimumBalanceForRentExemption',
    'getMultipleAccounts',
    'getProgramAccounts',
    'getRecentPrioritizationFees',
    'getSignatureStatuses',
    'getSignaturesForAddress',
    'getTokenAccountBalance',
    'getTokenAccountsByOwner',
    'getTokenSupply',
    'getTransaction',
    'isBlockhashValid',
    'requestAirdrop',
    'sendTransaction',
    'simulateTransaction',
    'karat_setAccount',
    'karat_setTokenBalance',
  ];
  const value = fc.oneof(
    fc.constantFrom(
      payer.address,
      'confirmed',
      '',
      'é',
      '1'.repeat(64),
      null,
      -1,
      1.5,
      2 ** 60,
      true,
      [],
      {},
      [[]],
      { mint: 5 },
    ),
    fc.constantFrom(
      { encoding: 'jsonParsed' },
      { filters: [null] },
      { filters: {} },
      { dataSlice: 5 },
      { accounts: { addresses: 7 } },
      { limit: 1e9 },
    ),
    fc.jsonValue({ maxDepth: 2 }),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...methods),
      fc.array(value, { maxLength: 3 }),
      async (method, params) => {
        const response = await post(node, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
        const { error } = (await response.json()) as { error?: { code: number; message: string } };
        expect(error?.code).not.toBe(-32603);
      },
    ),
    { numRuns: 500 },
  );
}, 180_000);

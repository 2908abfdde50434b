import { maxTransactionBytes } from '@karat/wire';
import { Transaction } from '@solana/web3.js';
import { COMPUTE_BUDGET_PROGRAM_ADDRESS } from '@solana-program/compute-budget';
import { ASSOCIATED_TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildOrder, type OrderTerms, type OrderTransaction } from '../../../src/chain/build/build-order.js';
import { type OrderCall, readOrderCall } from '../../../src/chain/inspect/order-call.js';
import { viewTransaction } from '../../../src/chain/inspect/transaction-view.js';
import { tokenAccountOf, tokenOf } from '../../../src/chain/program/token-accounts.js';
import { newUuid } from '../../../src/domain/ids.js';
import { goldUnits, usdcUnits } from '../../../src/domain/money.js';
import {
  addressOf,
  anyBlockhash,
  givenConfig,
  givenIntegrator,
  givenSettings,
  programAddress,
  someAddresses,
} from '../fixtures.js';

const build = (order: OrderTransaction) => buildOrder({ programAddress, computeUnitPrice: 100_000n }, order);

const anyU64 = fc.bigInt({ min: 1n, max: 2n ** 64n - 1n });
const anyLimits = {
  goldAmount: anyU64.map(goldUnits),
  usdcLimit: anyU64.map(usdcUnits),
  treasuryLimit: anyU64.map(usdcUnits),
  maxFeeBps: fc.integer({ min: 0, max: 10_000 }),
  expireAtSeconds: fc.bigInt({ min: 0n, max: 2n ** 62n }),
};
const anyTerms: fc.Arbitrary<OrderTerms> = fc.oneof(
  fc.record({ kind: fc.constant('purchase' as const), ...anyLimits }),
  fc.record({ kind: fc.constant('sale' as const), ...anyLimits }),
  fc.record({
    kind: fc.constant('withdrawal' as const),
    token: fc.constantFrom('gold' as const, 'usdc' as const),
    amount: anyU64,
    expireAtSeconds: anyLimits.expireAtSeconds,
  }),
  someAddresses(15).chain((keys) =>
    fc
      .record({ added: fc.integer({ min: 0, max: 8 }), removed: fc.integer({ min: 0, max: 7 }) })
      .filter(({ added, removed }) => added + removed > 0)
      .map(({ added, removed }) => ({
        kind: 'executive_update' as const,
        added: keys.slice(0, added),
        removed: keys.slice(8, 8 + removed),
      })),
  ),
);
const anyOrder: fc.Arbitrary<OrderTransaction> = fc
  .record({ terms: anyTerms, blockhash: anyBlockhash, keys: someAddresses(12) })
  .map(({ terms, blockhash, keys }) => {
    const key = (index: number) => keys[index] ?? addressOf(1);
    const vault = { vaultUsdc: key(3), vaultGold: key(4) };
    const settings = givenSettings({ usdcPriceAccount: key(2), priceAccount: key(7) });
    const mints = { usdcMint: key(5), goldMint: key(6), settings };
    const treasury = {
      treasuryUsdc: key(8),
      treasuryGold: key(9),
      feeUsdc: key(10),
      treasuryAuthority: key(11),
    };
    return {
      orderId: newUuid(),
      terms,
      signer: key(0),
      integrator: { address: key(1), data: givenIntegrator(vault) },
      config: givenConfig({ ...mints, ...treasury }),
      blockhash,
    };
  });

/** The call that the terms stand for. */
async function callOf({ orderId, terms, signer, integrator, config }: OrderTransaction): Promise<OrderCall> {
  const own = { integrator: integrator.address, signer };
  if (terms.kind === 'executive_update') {
    return { ...own, ...terms, added: [...terms.added], removed: [...terms.removed] };
  }
  if (terms.kind !== 'withdrawal') return { ...own, ...terms, orderId };
  const { amount, expireAtSeconds } = terms;
  const mint = terms.token === 'gold' ? config.goldMint : config.usdcMint;
  const destination = tokenAccountOf(signer, tokenOf(mint, config));
  return { ...own, kind: 'withdrawal', mint, destination, amount, expireAtSeconds, orderId };
}

describe('the transaction of an order', () => {
  test('the transaction of an order holds budget and the one call, signed and paid by one wallet, for any keys and amounts', async () => {
    await fc.assert(
      fc.asyncProperty(anyOrder, async (order) => {
        const bytes = await build(order);
        const view = viewTransaction(bytes);
        expect(view.signatures).toEqual([new Uint8Array(64)]);
        expect(view.accounts[0]).toBe(order.signer);
        const withdraws = order.terms.kind === 'withdrawal';
        expect(view.instructions.map(({ program }) => program)).toEqual([
          COMPUTE_BUDGET_PROGRAM_ADDRESS,
          COMPUTE_BUDGET_PROGRAM_ADDRESS,
          ...(withdraws ? [ASSOCIATED_TOKEN_PROGRAM_ADDRESS] : []),
          programAddress,
        ]);
        const call = view.instructions.at(-1);
        expect(call && readOrderCall(call)).toEqual(await callOf(order));
        if (withdraws) {
          const { destination } = (await callOf(order)) as OrderCall & { kind: 'withdrawal' };
          expect(view.instructions[2]?.accounts.slice(0, 3)).toEqual([
            order.signer,
            destination,
            order.signer,
          ]);
        }
      }),
      { numRuns: 50 },
    );
  });

  test('the transaction of an order is read alike by @solana/web3.js, which finds the one signer missing', async () => {
    const [order] = fc.sample(anyOrder, 1) as [OrderTransaction];
    const read = Transaction.from(await build(order));
    expect(read.feePayer?.toBase58()).toBe(order.signer);
    expect(read.signatures.map(({ publicKey, signature }) => [publicKey.toBase58(), signature])).toEqual([
      [order.signer, null],
    ]);
  });

  test('fits the network with 8 executives added and 7 removed, and with the largest figures', async () => {
    const [some] = fc.sample(anyOrder, 1) as [OrderTransaction];
    const keys = Array.from({ length: 15 }, (_, index) => addressOf(100 + index));
    const most = 2n ** 64n - 1n;
    const expireAtSeconds = 2n ** 62n;
    const limits = {
      goldAmount: goldUnits(most),
      usdcLimit: usdcUnits(most),
      treasuryLimit: usdcUnits(most),
      maxFeeBps: 10_000,
      expireAtSeconds,
    };
    const terms: OrderTerms[] = [
      { kind: 'executive_update', added: keys.slice(0, 8), removed: keys.slice(8) },
      { kind: 'purchase', ...limits },
      { kind: 'sale', ...limits },
      { kind: 'withdrawal', token: 'usdc', amount: most, expireAtSeconds },
    ];
    for (const each of terms) {
      const { length } = await build({ ...some, terms: each });
      console.log(`largest ${each.kind}: ${length} bytes`);
      expect(length).toBeLessThanOrEqual(maxTransactionBytes - 250);
    }
  });
});

test('an instruction of other length, with too few accounts or of another number is no order', async () => {
  const orders = fc.sample(anyOrder, 20);
  for (const order of orders) {
    const call = viewTransaction(await build(order)).instructions.at(-1);
    if (!call) throw new Error('no call');
    const { data, accounts } = call;
    expect(readOrderCall({ accounts, data: data.subarray(0, data.length - 1) })).toBeUndefined();
    expect(readOrderCall({ accounts, data: Buffer.concat([data, Buffer.from([0])]) })).toBeUndefined();
    expect(readOrderCall({ accounts: accounts.slice(0, -1), data })).toBeUndefined();
    for (const other of [0, 1, 8, 12, 14, 16, 20, 21, 25, 26, 29, 30, 32, 36, 255]) {
      expect(
        readOrderCall({ accounts, data: Buffer.concat([Buffer.from([other]), data.subarray(1)]) }),
      ).toBeUndefined();
    }
  }
});

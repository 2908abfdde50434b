import { findConfigPda, KARAT_PROGRAM_ADDRESS } from '@karat/program-client';
import { type Address, getBase58Decoder, getTransactionDecoder } from '@solana/kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  compileRedemption,
  ownAccounts,
  type RedemptionPayment,
  TemplateRedemptionBuilder,
} from '../../src/chain/build-redemption.js';
import { createSigner, verifySignature } from '../../src/chain/signer.js';
import { maxTransactionBytes, readTransaction } from '../../src/chain/wire.js';
import { newId, newUuid } from '../../src/domain/ids.js';
import { newWallet } from '../harness.js';
import { addressOf, anyBlockhash, someAddresses } from './fixtures.js';

const signer = createSigner(Uint8Array.from(newWallet().secretKey));
const programAddress = KARAT_PROGRAM_ADDRESS;
const [config] = await findConfigPda({ programAddress });
const frame = { programAddress, config, serviceSigner: signer.address, computeUnitPrice: 100_000n };
const newBuilder = () =>
  new TemplateRedemptionBuilder({ programAddress, signer, computeUnitPrice: frame.computeUnitPrice });
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

/** Redemptions over arbitrary keys and amounts: every account may sort anywhere. */
const anyPayment: fc.Arbitrary<RedemptionPayment> = fc
  .record({
    amount: fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }),
    blockhash: anyBlockhash,
    keys: someAddresses(3),
  })
  .map(({ amount, blockhash, keys }) => {
    const key = (index: number) => keys[index] ?? addressOf(1);
    return {
      redemptionId: newId('red'),
      partnerId: newUuid(),
      amount,
      blockhash,
      user: key(0),
      goldMint: key(1),
      escrowGold: key(2),
    };
  });
const [somePayment] = fc.sample(anyPayment, 1) as [RedemptionPayment];

async function compiledByKit(payment: RedemptionPayment): Promise<Uint8Array> {
  return compileRedemption(frame, payment, await ownAccounts(payment, programAddress));
}

describe('the template of a redemption', () => {
  test('gives the very bytes that @solana/kit compiles, for any keys and amounts', async () => {
    await fc.assert(
      fc.asyncProperty(anyPayment, async (payment) => {
        expect(hex(await newBuilder().message(payment))).toBe(hex(await compiledByKit(payment)));
      }),
      { numRuns: 200 },
    );
  });

  test('serves many users unchanged, and follows a changed escrow account', async () => {
    const builder = newBuilder();
    await fc.assert(
      fc.asyncProperty(anyPayment, async ({ goldMint: _, escrowGold: __, ...payment }) => {
        const again = { ...payment, goldMint: somePayment.goldMint, escrowGold: somePayment.escrowGold };
        expect(hex(await builder.message(again))).toBe(hex(await compiledByKit(again)));
      }),
      { numRuns: 100 },
    );
    const moved = { ...somePayment, escrowGold: addressOf(77) };
    expect(hex(await builder.message(moved))).toBe(hex(await compiledByKit(moved)));
  });

  test.each<[string, Address]>([
    ['the service', signer.address],
    ['the escrow account', somePayment.escrowGold],
  ])('merges accounts where the user is %s', async (_, user) => {
    const payment = { ...somePayment, user };
    expect(hex(await newBuilder().message(payment))).toBe(hex(await compiledByKit(payment)));
  });
});

test('a built redemption is signed by the service alone, whose signature is its id, and is small', async () => {
  const { transaction, txHash } = await newBuilder().build({ ...somePayment, amount: 2n ** 64n - 1n });
  const read = readTransaction(transaction);
  const [own = new Uint8Array(), ...others] = read.signatures;
  expect(others).toEqual([new Uint8Array(64)]);
  expect(verifySignature(read.accounts[0] ?? new Uint8Array(), read.message, own)).toBe(true);
  const decoded = getTransactionDecoder().decode(transaction);
  expect(Object.keys(decoded.signatures)).toEqual([signer.address, somePayment.user]);
  expect(txHash).toBe(getBase58Decoder().decode(own));
  expect(transaction.length).toBeLessThanOrEqual(maxTransactionBytes - 400);
});

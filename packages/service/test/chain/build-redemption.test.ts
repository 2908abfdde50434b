import { type Address, getBase58Decoder, getTransactionDecoder } from '@solana/kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  compileRedemption,
  goldAccountOf,
  type RedemptionTransfer,
  TemplateRedemptionBuilder,
} from '../../src/chain/build-redemption.js';
import { createSigner, verifySignature } from '../../src/chain/signer.js';
import { maxTransactionBytes, readTransaction } from '../../src/chain/wire.js';
import { newId } from '../../src/domain/ids.js';
import { newWallet } from '../harness.js';
import { addressOf, anyBlockhash, someAddresses } from './fixtures.js';

const signer = createSigner(Uint8Array.from(newWallet().secretKey));
const frame = { serviceSigner: signer.address, computeUnitPrice: 100_000n };
const newBuilder = () => new TemplateRedemptionBuilder({ signer, computeUnitPrice: frame.computeUnitPrice });
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

/** Redemptions over arbitrary keys and amounts: every account may sort anywhere. */
const anyTransfer: fc.Arbitrary<RedemptionTransfer> = fc
  .record({
    amount: fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }),
    blockhash: anyBlockhash,
    keys: someAddresses(3),
  })
  .map(({ amount, blockhash, keys }) => {
    const key = (index: number) => keys[index] ?? addressOf(1);
    return {
      redemptionId: newId('red'),
      amount,
      blockhash,
      user: key(0),
      goldMint: key(1),
      escrowGold: key(2),
    };
  });
const [someTransfer] = fc.sample(anyTransfer, 1) as [RedemptionTransfer];

async function compiledByKit(transfer: RedemptionTransfer): Promise<Uint8Array> {
  const userGold = await goldAccountOf(transfer.user, transfer.goldMint);
  return compileRedemption(frame, transfer, { user: transfer.user, userGold });
}

describe('the template of a redemption', () => {
  test('gives the very bytes that @solana/kit compiles, for any keys and amounts', async () => {
    await fc.assert(
      fc.asyncProperty(anyTransfer, async (transfer) => {
        expect(hex(await newBuilder().message(transfer))).toBe(hex(await compiledByKit(transfer)));
      }),
      { numRuns: 200 },
    );
  });

  test('serves many users unchanged, and follows a changed escrow account', async () => {
    const builder = newBuilder();
    await fc.assert(
      fc.asyncProperty(anyTransfer, async ({ goldMint: _, escrowGold: __, ...transfer }) => {
        const again = { ...transfer, goldMint: someTransfer.goldMint, escrowGold: someTransfer.escrowGold };
        expect(hex(await builder.message(again))).toBe(hex(await compiledByKit(again)));
      }),
      { numRuns: 100 },
    );
    const moved = { ...someTransfer, escrowGold: addressOf(77) };
    expect(hex(await builder.message(moved))).toBe(hex(await compiledByKit(moved)));
  });

  test.each<[string, Address]>([
    ['the service', signer.address],
    ['the escrow account', someTransfer.escrowGold],
  ])('merges accounts where the user is %s', async (_, user) => {
    const transfer = { ...someTransfer, user };
    expect(hex(await newBuilder().message(transfer))).toBe(hex(await compiledByKit(transfer)));
  });
});

test('a built redemption is signed by the service alone, whose signature is its id, and is small', async () => {
  const { transaction, txHash } = await newBuilder().build({ ...someTransfer, amount: 2n ** 64n - 1n });
  const read = readTransaction(transaction);
  const [own = new Uint8Array(), ...others] = read.signatures;
  expect(others).toEqual([new Uint8Array(64)]);
  expect(verifySignature(read.accounts[0] ?? new Uint8Array(), read.message, own)).toBe(true);
  const decoded = getTransactionDecoder().decode(transaction);
  expect(Object.keys(decoded.signatures)).toEqual([signer.address, someTransfer.user]);
  expect(txHash).toBe(getBase58Decoder().decode(own));
  expect(transaction.length).toBeLessThanOrEqual(maxTransactionBytes - 600);
});

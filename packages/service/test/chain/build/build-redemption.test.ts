import { KARAT_PROGRAM_ADDRESS } from '@karat/program-client';
import { createSigner } from '@karat/signer';
import { maxTransactionBytes, readLegacyTransaction } from '@karat/wire';
import { getBase58Decoder, getTransactionDecoder } from '@solana/kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildRedemption, type RedemptionPayment } from '../../../src/chain/build/build-redemption.js';
import { verifySignature } from '../../../src/chain/sign/signer.js';
import { newId, newUuid } from '../../../src/domain/ids.js';
import { goldUnits } from '../../../src/domain/money.js';
import { newWallet } from '../../harness.js';
import { addressOf, anyBlockhash, someAddresses } from '../fixtures.js';

const signer = createSigner(Uint8Array.from(newWallet().secretKey));
const programAddress = KARAT_PROGRAM_ADDRESS;
const build = (payment: RedemptionPayment) =>
  buildRedemption({ programAddress, signer, computeUnitPrice: 100_000n }, payment);

/** Redemptions over arbitrary keys and amounts: every account may sort anywhere. */
const anyPayment: fc.Arbitrary<RedemptionPayment> = fc
  .record({
    amount: fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }).map(goldUnits),
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

test('a built redemption is signed by the service alone, whose signature is its id, and is small', async () => {
  const { transaction, txHash } = await build({ ...somePayment, amount: goldUnits(2n ** 64n - 1n) });
  const read = readLegacyTransaction(transaction);
  const [own = new Uint8Array(), ...others] = read.signatures;
  expect(others).toEqual([new Uint8Array(64)]);
  expect(verifySignature(read.accounts[0] ?? new Uint8Array(), read.message, own)).toBe(true);
  const decoded = getTransactionDecoder().decode(transaction);
  expect(Object.keys(decoded.signatures)).toEqual([signer.address, somePayment.user]);
  expect(txHash).toBe(getBase58Decoder().decode(own));
  expect(transaction.length).toBeLessThanOrEqual(maxTransactionBytes - 400);
});

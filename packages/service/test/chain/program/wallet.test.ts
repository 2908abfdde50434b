import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { findAssociatedTokenPda, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tokenAccountOf } from '../../../src/chain/program/wallet.js';
import { addressOf } from '../../../src/domain/solana.js';

const anyBytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
const anyOwner = fc.oneof(
  anyBytes,
  fc.constant(null).map(() => {
    const { publicKey } = generateKeyPairSync('ed25519');
    return publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
  }),
);

test("a wallet's token account is the one that the library derives", async () => {
  await fc.assert(
    fc.asyncProperty(anyOwner, anyBytes, async (ownerBytes, mintBytes) => {
      const [owner, mint] = [addressOf(ownerBytes), addressOf(mintBytes)];
      const [expected] = await findAssociatedTokenPda({ owner, mint, tokenProgram: TOKEN_PROGRAM_ADDRESS });
      expect(tokenAccountOf(owner, mint)).toBe(expected);
    }),
    { numRuns: 500 },
  );
});

test('every bump that a wallet may need is tried', async () => {
  const mint = addressOf(randomBytes(32));
  const bumps = new Set<number>();
  for (let owners = 0; owners < 2_000 && bumps.size < 6; owners += 1) {
    const owner = addressOf(randomBytes(32));
    const [expected, bump] = await findAssociatedTokenPda({
      owner,
      mint,
      tokenProgram: TOKEN_PROGRAM_ADDRESS,
    });
    bumps.add(bump);
    if (bump < 253) expect(tokenAccountOf(owner, mint)).toBe(expected);
  }
  expect(bumps.size).toBeGreaterThan(5);
});

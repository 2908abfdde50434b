import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { token2022Program } from '@karat/signer';
import { findAssociatedTokenPda, getTokenEncoder, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  decodeTokenAccount,
  goldOf,
  tokenAccountOf,
  tokenOf,
  usdcOf,
} from '../../../src/chain/program/token-accounts.js';
import { type Address, addressOf } from '../../../src/domain/solana.js';

const anyBytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
const anyOwner = fc.oneof(
  anyBytes,
  fc.constant(null).map(() => {
    const { publicKey } = generateKeyPairSync('ed25519');
    return publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
  }),
);

test.each([
  ['USDC, of SPL Token', TOKEN_PROGRAM_ADDRESS, (mint: Address) => usdcOf({ usdcMint: mint })],
  ['GOLD, of Token-2022', token2022Program, (mint: Address) => goldOf({ goldMint: mint })],
])("a wallet's account of %s is the one that the library derives", async (_, tokenProgram, tokenOfMint) => {
  await fc.assert(
    fc.asyncProperty(anyOwner, anyBytes, async (ownerBytes, mintBytes) => {
      const [owner, mint] = [addressOf(ownerBytes), addressOf(mintBytes)];
      const [expected] = await findAssociatedTokenPda({ owner, mint, tokenProgram });
      expect(tokenAccountOf(owner, tokenOfMint(mint))).toBe(expected);
    }),
    { numRuns: 250 },
  );
});

test('the mint of GOLD is of Token-2022, and every other one of SPL Token', () => {
  const [goldMint, other] = [addressOf(randomBytes(32)), addressOf(randomBytes(32))];
  expect(tokenOf(goldMint, { goldMint }).program).toBe(token2022Program);
  expect(tokenOf(other, { goldMint })).toEqual({ mint: other, program: TOKEN_PROGRAM_ADDRESS });
});

describe('decodeTokenAccount', () => {
  const [mint, owner] = [addressOf(randomBytes(32)), addressOf(randomBytes(32))];
  const fields = { mint, owner, amount: 7n, delegate: null, isNative: null, delegatedAmount: 0n };
  const bytes = (state = 1) =>
    Buffer.from(getTokenEncoder().encode({ ...fields, state, closeAuthority: null }));
  const ofKind = (kind: number) => Buffer.concat([bytes(), Buffer.of(kind, 7, 0, 0, 0)]);

  test.each([
    ['165 bytes of SPL Token', TOKEN_PROGRAM_ADDRESS, bytes()],
    ['165 bytes of Token-2022', token2022Program, bytes()],
    ['170 bytes of Token-2022, as associated accounts have', token2022Program, ofKind(2)],
  ])('decodeTokenAccount reads %s', (_, program, data) => {
    expect(decodeTokenAccount(program, data)).toMatchObject({ mint, owner, amount: 7n });
  });

  test.each([
    ['170 bytes of SPL Token', TOKEN_PROGRAM_ADDRESS, ofKind(2)],
    ['a mint of Token-2022 with extensions', token2022Program, ofKind(1)],
    ['an account of another program', addressOf(randomBytes(32)), bytes()],
    ['an account that is not initialized', token2022Program, bytes(0)],
    ['a mint', TOKEN_PROGRAM_ADDRESS, Buffer.alloc(82)],
  ])('decodeTokenAccount takes %s for none', (_, program, data) => {
    expect(decodeTokenAccount(program, data)).toBeUndefined();
  });
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
    if (bump < 253) expect(tokenAccountOf(owner, usdcOf({ usdcMint: mint }))).toBe(expected);
  }
  expect(bumps.size).toBeGreaterThan(5);
});

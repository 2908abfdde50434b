import { maxTransactionBytes } from '@karat/wire';
import { createNoopSigner } from '@solana/kit';
import { expect, test } from 'vitest';
import { decodeTokenMetadata, goldMintInstructions } from '../../../src/chain/admin/gold-mint.js';
import { compileLegacyMessage } from '../../../src/chain/build/compile-message.js';
import { addressOf } from '../fixtures.js';

const [payer, mint] = [createNoopSigner(addressOf(1)), createNoopSigner(addressOf(2))];
const [treasury, admin] = [addressOf(3), addressOf(4)];
/** The longest that `karat chain init` takes. */
const metadata = {
  name: 'n'.repeat(32),
  symbol: 's'.repeat(10),
  uri: 'u'.repeat(200),
  issuer: 'i'.repeat(64),
};

test('gold mint: its longest metadata fits into the one transaction that makes it', () => {
  const instructions = goldMintInstructions({ payer, mint, metadata, treasury, admin, lamports: 1n });
  const blockhash = addressOf(9) as string as Parameters<typeof compileLegacyMessage>[1];
  const message = compileLegacyMessage(payer.address, blockhash, instructions);
  const bytes = 1 + 2 * 64 + message.length;
  console.log(`the mint of GOLD: ${bytes} of ${maxTransactionBytes} bytes`);
  expect(bytes).toBeLessThanOrEqual(maxTransactionBytes);
});

test.each([
  ['no extensions', new Uint8Array(82)],
  ['another extension', Buffer.concat([Buffer.alloc(166), Buffer.of(18, 0, 64, 0), Buffer.alloc(64)])],
])('gold mint: a mint with %s has no metadata', (_, data) => {
  expect(decodeTokenMetadata(data)).toBeUndefined();
});

import type { TransactionPartialSigner } from '@solana/kit';
import type { Signer } from './signer.js';

/** Returns a signer of ours as @solana/kit wants one. */
export function toKitSigner({ address, sign }: Signer): TransactionPartialSigner {
  return {
    address,
    signTransactions: (transactions) =>
      Promise.all(
        transactions.map(async ({ messageBytes }) => ({
          [address]: await sign(Uint8Array.from(messageBytes)),
        })),
      ),
  };
}

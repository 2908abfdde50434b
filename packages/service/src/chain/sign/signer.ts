import type { Signer } from '@karat/signer';
import { maxTransactionBytes, writeTransaction } from '@karat/wire';
import type { Address, SignatureBytes } from '@solana/kit';

export { type Signer, SignerError, verifySignature } from '@karat/signer';

/** A place outside this process that keeps a key, and signs several messages in one go. */
export interface SigningBackend {
  address: Address;
  /**
   * Returns a signature for each message, in their order, or the error with which that one was refused. Throws once `signal`
   * aborts; what was not signed by then never is.
   */
  signBatch(messages: readonly Uint8Array[], signal: AbortSignal): Promise<(SignatureBytes | Error)[]>;
  close(): Promise<void>;
}

/** Signs the message of a quote as its fee payer; returns the transaction in wire format, which the others sign later. */
export async function signQuote(signer: Signer, message: Uint8Array): Promise<Uint8Array> {
  const transaction = writeTransaction(message, await signer.sign(message));
  if (transaction.length > maxTransactionBytes) {
    throw new Error(`A quote has ${transaction.length} bytes, more than the network accepts`);
  }
  return transaction;
}

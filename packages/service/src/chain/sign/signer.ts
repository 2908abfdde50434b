import { maxTransactionBytes, writeTransaction } from '@karat/wire';
import type { Address, SignatureBytes } from '@solana/kit';
import sodium from 'sodium-native';

/** A key that signs, wherever it is kept. */
export interface Signer {
  address: Address;
  /**
   * Returns the Ed25519 signature (64 bytes) over a compiled transaction message. Throws `service_unavailable` while the
   * key cannot be used.
   */
  sign(message: Uint8Array): Promise<SignatureBytes>;
  /** Releases what it holds. Nothing may be signed afterwards. */
  close(): Promise<void>;
}

/** A place outside this process that keeps a key, and signs several messages in one go. */
export interface SigningBackend {
  address: Address;
  /** Returns a signature for each message, in their order, or the error with which that one was refused. */
  signBatch(messages: readonly Uint8Array[]): Promise<(SignatureBytes | Error)[]>;
  close(): Promise<void>;
}

/** A key that cannot be used; the message ends a sentence about where it is kept, and holds nothing of it. */
export class SignerError extends Error {
  override name = 'SignerError';
}

/** Signs the message of a quote as its fee payer; returns the transaction in wire format, which the others sign later. */
export async function signQuote(signer: Signer, message: Uint8Array): Promise<Uint8Array> {
  const transaction = writeTransaction(message, await signer.sign(message));
  if (transaction.length > maxTransactionBytes) {
    throw new Error(`A quote has ${transaction.length} bytes, more than the network accepts`);
  }
  return transaction;
}

/** Returns whether `signature` is the Ed25519 signature of `publicKey` over `message`. */
export function verifySignature(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  return sodium.crypto_sign_verify_detached(asBuffer(signature), asBuffer(message), asBuffer(publicKey));
}

/** Returns a view of the same bytes. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

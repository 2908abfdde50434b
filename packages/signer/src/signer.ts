import type { Address, SignatureBytes } from '@solana/kit';
import sodium from 'sodium-native';

/** A key that signs, wherever it is kept. */
export interface Signer {
  address: Address;
  /**
   * Returns the Ed25519 signature (64 bytes) over a message. Throws while the key cannot be used, and once `signal` aborts: a
   * message that still waits by then is never signed.
   */
  sign(message: Uint8Array, signal?: AbortSignal): Promise<SignatureBytes>;
  /** Releases what it holds. Nothing may be signed afterwards. */
  close(): Promise<void>;
}

/** A key that cannot be used; the message ends a sentence about where it is kept, and holds nothing of it. */
export class SignerError extends Error {
  override name = 'SignerError';
}

/** Returns whether `signature` is the Ed25519 signature of `publicKey` over `message`. */
export function verifySignature(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  return sodium.crypto_sign_verify_detached(asBuffer(signature), asBuffer(message), asBuffer(publicKey));
}

/** What a key signs to show that it does: neither a transaction nor a statement. */
export const proofText = Buffer.from('Karat checks that this key signs.');

/** Returns a view of the same bytes. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

import { keyBytes, signatureBytes } from '@karat/wire';
import sodium from 'sodium-native';

/** A transaction in wire format, and where in it its signatures, what they sign, and the keys of its signers begin. */
export interface SignedMessage {
  bytes: Buffer;
  /** Of signatures, and of signers. */
  count: number;
  signaturesAt: number;
  messageAt: number;
  keysAt: number;
}

/**
 * Returns the place of the first signature that is not its signer's; undefined when all are. A node can withhold
 * transactions, but not invent one: each key that the message names as a signer has signed it.
 */
export function findInvalidSignature({
  bytes,
  count,
  signaturesAt,
  messageAt,
  keysAt,
}: SignedMessage): number | undefined {
  const message = bytes.subarray(messageAt);
  for (let place = 0; place < count; place += 1) {
    const at = signaturesAt + place * signatureBytes;
    const key = keysAt + place * keyBytes;
    const isValid = sodium.crypto_sign_verify_detached(
      bytes.subarray(at, at + signatureBytes),
      message,
      bytes.subarray(key, key + keyBytes),
    );
    if (!isValid) return place;
  }
  return undefined;
}

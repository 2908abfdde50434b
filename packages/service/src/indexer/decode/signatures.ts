import { signatureBytes } from '../../chain/build/wire.js';
import { verifySignature } from '../../chain/sign/signer.js';

const keyBytes = 32;

/** A transaction in wire format, and where in it its signatures, what they sign, and the keys of its signers begin. */
export interface SignedMessage {
  bytes: Buffer;
  /** Signatures, and signers. */
  count: number;
  signaturesAt: number;
  messageAt: number;
  keysAt: number;
}

/**
 * Returns the place of the first signature that is not its signer's; undefined when all are. A node can withhold
 * transactions, but not invent one: each key that the message names as a signer has signed it.
 */
export function findInvalidSignature(signed: SignedMessage): number | undefined {
  const { bytes, count, signaturesAt, messageAt, keysAt } = signed;
  const message = bytes.subarray(messageAt);
  for (let place = 0; place < count; place += 1) {
    const key = bytes.subarray(keysAt + place * keyBytes, keysAt + (place + 1) * keyBytes);
    const at = signaturesAt + place * signatureBytes;
    if (!verifySignature(key, message, bytes.subarray(at, at + signatureBytes))) return place;
  }
  return undefined;
}

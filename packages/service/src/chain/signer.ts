import { readFileSync } from 'node:fs';
import { type Address, getAddressDecoder, type SignatureBytes } from '@solana/kit';
import sodium from 'sodium-native';

/** Signs for the service. One interface for a key file now and a key management service later. */
export interface Signer {
  address: Address;
  /** Ed25519 signature (64 bytes) over a compiled transaction message. */
  sign(message: Uint8Array): Promise<SignatureBytes>;
}

/**
 * A signer from a key file of the Solana CLI: a JSON array of 64 bytes, seed then public key. Throws without
 * printing any of it when the file is something else or its two halves do not belong together.
 */
export function loadSigner(path: string): Signer {
  return createSigner(parseKeyFile(readFileSync(path, 'utf8'), path));
}

/** A signer from 64 bytes, seed then public key; they are wiped from the given array. */
export function createSigner(keyBytes: Uint8Array): Signer {
  const secret = sodium.sodium_malloc(sodium.crypto_sign_SECRETKEYBYTES);
  const publicKey = Buffer.alloc(sodium.crypto_sign_PUBLICKEYBYTES);
  sodium.crypto_sign_seed_keypair(publicKey, secret, Buffer.from(keyBytes.subarray(0, 32)));
  const belongs = publicKey.equals(keyBytes.subarray(32));
  keyBytes.fill(0);
  if (!belongs) throw new Error('The public key of the key file is not that of its secret key');
  return {
    address: getAddressDecoder().decode(publicKey),
    sign: async (message) => {
      const signature = Buffer.alloc(sodium.crypto_sign_BYTES);
      sodium.crypto_sign_detached(signature, asBuffer(message), secret);
      return new Uint8Array(signature) as SignatureBytes;
    },
  };
}

/** Whether `signature` is the Ed25519 signature of `publicKey` over `message`. */
export function verifySignature(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  return sodium.crypto_sign_verify_detached(asBuffer(signature), asBuffer(message), asBuffer(publicKey));
}

function parseKeyFile(text: string, path: string): Uint8Array {
  const isByte = (value: unknown) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 255;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    parsed = undefined;
  }
  if (!Array.isArray(parsed) || parsed.length !== 64 || !parsed.every(isByte)) {
    throw new Error(`${path} is no key file: a JSON array of 64 bytes is needed`);
  }
  return Uint8Array.from(parsed as number[]);
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

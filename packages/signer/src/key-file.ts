import { readFileSync, statSync } from 'node:fs';
import { getAddressDecoder, type SignatureBytes } from '@solana/kit';
import sodium from 'sodium-native';
import { asBuffer, type Signer, SignerError } from './signer.js';

/**
 * Reads a signer from a key file of the Solana CLI: a JSON array of 64 bytes, seed then public key. Throws a
 * `SignerError` when it cannot be read, is something else, or may be read by every user of the machine.
 */
export function loadSigner(path: string): Signer {
  return createSigner(parseKeyFile(readPrivateFile(path)));
}

/** Reads a file of a secret. Throws a `SignerError` if it cannot be read, or every user of the machine may read it. */
export function readPrivateFile(path: string): string {
  let text: string;
  let mode: number;
  try {
    ({ mode } = statSync(path));
    text = readFileSync(path, 'utf8');
  } catch {
    throw new SignerError('cannot be read');
  }
  if ((mode & 0o007) !== 0) {
    throw new SignerError(`may be read by other users of this machine: run chmod 600 ${path}`);
  }
  return text;
}

/** Creates a signer from 64 bytes, seed then public key; they are wiped from the given array. */
export function createSigner(keyBytes: Uint8Array): Signer {
  const secret = sodium.sodium_malloc(sodium.crypto_sign_SECRETKEYBYTES);
  const publicKey = Buffer.alloc(sodium.crypto_sign_PUBLICKEYBYTES);
  sodium.crypto_sign_seed_keypair(publicKey, secret, Buffer.from(keyBytes.subarray(0, 32)));
  const belongs = publicKey.equals(keyBytes.subarray(32));
  keyBytes.fill(0);
  if (!belongs) throw new SignerError('holds a public key that does not match its secret key');
  const sign = async (message: Uint8Array) => {
    // Of a pool: memory of its own would be freed on its own.
    const signature = Buffer.allocUnsafe(sodium.crypto_sign_BYTES);
    sodium.crypto_sign_detached(signature, asBuffer(message), secret);
    // Not a buffer, whose `slice` shares its bytes: other signers return plain bytes too.
    return new Uint8Array(signature.buffer, signature.byteOffset, signature.length) as SignatureBytes;
  };
  return {
    address: getAddressDecoder().decode(publicKey),
    sign,
    close: async () => {},
  };
}

/** Creates a signer with a new key, which is kept nowhere else. */
export function createRandomSigner(): Signer {
  // A secret key of libsodium is what a key file holds: seed, then public key.
  const keyBytes = Buffer.alloc(sodium.crypto_sign_SECRETKEYBYTES);
  sodium.crypto_sign_keypair(Buffer.alloc(sodium.crypto_sign_PUBLICKEYBYTES), keyBytes);
  return createSigner(keyBytes);
}

function parseKeyFile(text: string): Uint8Array {
  const isByte = (value: unknown) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 255;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    parsed = undefined;
  }
  if (!Array.isArray(parsed) || parsed.length !== 64 || !parsed.every(isByte)) {
    throw new SignerError('is not a key file: it must be a JSON array of 64 bytes');
  }
  return Uint8Array.from(parsed as number[]);
}

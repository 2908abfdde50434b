import { readFileSync, statSync } from 'node:fs';
import { type Address, getAddressDecoder, type SignatureBytes } from '@solana/kit';
import sodium from 'sodium-native';
import { toInteger } from '../../domain/integer.js';
import { maxTransactionBytes, writeTransaction } from './wire.js';

/** Signs for the service. One interface for a key file now and a key management service later. */
export interface Signer {
  address: Address;
  /** Ed25519 signature (64 bytes) over a compiled transaction message. */
  sign(message: Uint8Array): Promise<SignatureBytes>;
}

/** Signs the message of a quote as its fee payer; returns the transaction in wire format, which the others sign later. */
export async function signQuote(signer: Signer, message: Uint8Array): Promise<Uint8Array> {
  const transaction = writeTransaction(message, await signer.sign(message));
  if (transaction.length > maxTransactionBytes) {
    throw new Error(`A quote has ${transaction.length} bytes, more than the network accepts`);
  }
  return transaction;
}

/** A key file that cannot be used; the message ends a sentence about the file and holds nothing of it. */
export class KeyFileError extends Error {
  override name = 'KeyFileError';
}

/**
 * Reads a signer from a key file of the Solana CLI: a JSON array of 64 bytes, seed then public key. Throws a
 * `KeyFileError` when it cannot be read, is something else, or may be read by every user of the machine.
 */
export function loadSigner(path: string): Signer {
  let text: string;
  let mode: number;
  try {
    ({ mode } = statSync(path));
    text = readFileSync(path, 'utf8');
  } catch {
    throw new KeyFileError('cannot be read');
  }
  if ((mode & 0o007) !== 0) {
    throw new KeyFileError(`may be read by other users of this machine: run chmod 600 ${path}`);
  }
  return createSigner(parseKeyFile(text));
}

/** Creates a signer from 64 bytes, seed then public key; they are wiped from the given array. */
export function createSigner(keyBytes: Uint8Array): Signer {
  const secret = sodium.sodium_malloc(sodium.crypto_sign_SECRETKEYBYTES);
  const publicKey = Buffer.alloc(sodium.crypto_sign_PUBLICKEYBYTES);
  sodium.crypto_sign_seed_keypair(publicKey, secret, Buffer.from(keyBytes.subarray(0, 32)));
  const belongs = publicKey.equals(keyBytes.subarray(32));
  keyBytes.fill(0);
  if (!belongs) throw new KeyFileError('holds a public key that does not match its secret key');
  return {
    address: getAddressDecoder().decode(publicKey),
    sign: async (message) => {
      const signature = Buffer.alloc(sodium.crypto_sign_BYTES);
      sodium.crypto_sign_detached(signature, asBuffer(message), secret);
      return new Uint8Array(signature) as SignatureBytes;
    },
  };
}

/** Returns whether `signature` is the Ed25519 signature of `publicKey` over `message`. */
export function verifySignature(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  return sodium.crypto_sign_verify_detached(asBuffer(signature), asBuffer(message), asBuffer(publicKey));
}

function parseKeyFile(text: string): Uint8Array {
  const isByte = (value: unknown) =>
    Number.isInteger(value) && toInteger(value) >= 0 && toInteger(value) <= 255;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    parsed = undefined;
  }
  if (!Array.isArray(parsed) || parsed.length !== 64 || !parsed.every(isByte)) {
    throw new KeyFileError('is not a key file: it must be a JSON array of 64 bytes');
  }
  return Uint8Array.from(parsed as number[]);
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

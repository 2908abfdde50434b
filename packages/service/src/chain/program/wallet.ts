import { type Address, address, type Base64EncodedDataResponse, getBase58Encoder } from '@solana/kit';
import {
  ASSOCIATED_TOKEN_PROGRAM_ADDRESS,
  getTokenDecoder,
  getTokenSize,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import sodium from 'sodium-native';
import { addressOf, addressToBytes } from '../../domain/solana.js';

const base58 = getBase58Encoder();

/** What stands where the program keeps no key: 32 zero bytes. */
export const noKey = address('11111111111111111111111111111111');

/**
 * Returns the associated token account of an owner: the SHA-256 of owner, token program, mint, a bump, the program of associated
 * token accounts and a marker, with the highest bump for which that is no point of Ed25519. `findAssociatedTokenPda` of
 * @solana-program/token gives the same, and takes 14 times as long, most of it for whether it is a point.
 */
export function tokenAccountOf(owner: Address, mint: Address): Address {
  const seeds = Buffer.concat([
    addressToBytes(owner),
    tokenProgramBytes,
    addressToBytes(mint),
    Buffer.alloc(1),
    associatedTokenProgramBytes,
    derivedAddressMarker,
  ]);
  const hash = Buffer.alloc(sodium.crypto_hash_sha256_BYTES);
  for (let bump = 255; bump >= 0; bump -= 1) {
    seeds[bumpOffset] = bump;
    sodium.crypto_hash_sha256(hash, seeds);
    if (!isPoint(hash)) return addressOf(hash);
  }
  throw new Error(`${owner} has no token account of ${mint}`);
}

const tokenProgramBytes = addressToBytes(TOKEN_PROGRAM_ADDRESS);
const associatedTokenProgramBytes = addressToBytes(ASSOCIATED_TOKEN_PROGRAM_ADDRESS);
const derivedAddressMarker = Buffer.from('ProgramDerivedAddress');
const bumpOffset = 96;

/** The base point of Ed25519. */
const basePoint = Buffer.from(`58${'66'.repeat(31)}`, 'hex');
const sum = Buffer.alloc(sodium.crypto_core_ed25519_BYTES);

/** Returns whether 32 bytes are a point of Ed25519, of whichever order: to those alone libsodium adds another one. */
function isPoint(bytes: Buffer): boolean {
  try {
    sodium.crypto_core_ed25519_add(sum, bytes, basePoint);
    return true;
  } catch {
    return false;
  }
}

/** Returns what a token account holds, base units; undefined for an account that does not exist or is none. */
export function tokenAmountOf(
  account: { owner: Address; data: Base64EncodedDataResponse } | null | undefined,
): bigint | undefined {
  if (account?.owner !== TOKEN_PROGRAM_ADDRESS) return undefined;
  const data = Buffer.from(account.data[0], 'base64');
  return data.length === getTokenSize() ? getTokenDecoder().decode(data).amount : undefined;
}

/** Returns whether `signature` (64 bytes) is the wallet's Ed25519 signature of a UTF-8 text. */
export function isSignedBy(wallet: Address, message: string, signature: Uint8Array): boolean {
  if (signature.length !== sodium.crypto_sign_BYTES) return false;
  return sodium.crypto_sign_verify_detached(
    Buffer.from(signature),
    Buffer.from(message, 'utf8'),
    addressToBytes(wallet),
  );
}

/** Returns the 64 bytes of a signature in base58; undefined for any other text. */
export function decodeBase58Signature(text: string): Uint8Array | undefined {
  if (!/^[1-9A-HJ-NP-Za-km-z]{64,88}$/.test(text)) return undefined;
  const bytes = base58.encode(text);
  return bytes.length === sodium.crypto_sign_BYTES ? Uint8Array.from(bytes) : undefined;
}

/**
 * Returns whether a text is the base58 form of 64 bytes: what a caller sends who mistook the encoding of a signature.
 */
export function isBase58Signature(text: string): boolean {
  return decodeBase58Signature(text) !== undefined;
}

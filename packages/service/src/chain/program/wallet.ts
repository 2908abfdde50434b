import { type Address, address, getBase58Encoder } from '@solana/kit';
import sodium from 'sodium-native';
import { addressToBytes } from '../../domain/solana.js';
import { signableForms } from './off-chain-message.js';

const base58 = getBase58Encoder();

/** What stands where the program keeps no key: 32 zero bytes. */
export const noKey = address('11111111111111111111111111111111');

/**
 * Returns whether `signature` (64 bytes) is the wallet's Ed25519 signature of a UTF-8 text, as it is or in the envelope of
 * hardware wallets.
 */
export function isSignedBy(wallet: Address, message: string, signature: Uint8Array): boolean {
  if (signature.length !== sodium.crypto_sign_BYTES) return false;
  const [bytes, key] = [Buffer.from(signature), addressToBytes(wallet)];
  return signableForms(wallet, message).some((form) => sodium.crypto_sign_verify_detached(bytes, form, key));
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

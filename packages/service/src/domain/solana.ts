import { decodeBase58, encodeBase58 } from '@karat/wire';
import { type Address, isOffCurveAddress, type Signature } from '@solana/kit';
import { decodeBase64 } from './encoding.js';

/** Base58 text of 32 bytes: the address of any account. */
export type { Address };

/**
 * The address of a key pair. The brand is that of `Address`: every instruction and every call of a node takes that one,
 * so a narrower brand would need a cast wherever the chain says that an account signed.
 */
export type WalletAddress = Address;

/**
 * Base58 text of the 64 bytes of a transaction's first signature, which is its id. The brand is the Solana library's, so that
 * what comes from a node and what goes to one needs no cast.
 */
export type TxSignature = Signature;

/** Returns `text` as the address of an account; undefined for anything else. */
export function asAddress(text: string): Address | undefined {
  return decodeBase58(text, 32) ? (text as Address) : undefined;
}

/** Returns `text` as the address of a wallet, an Ed25519 public key on the curve; undefined for anything else. */
export function asWalletAddress(text: string): WalletAddress | undefined {
  const address = asAddress(text);
  return address && !isOffCurveAddress(address) ? address : undefined;
}

/** Returns why a text is not the address of a wallet, as the rest of a sentence about it. */
export function walletFault(text: string): string {
  if (asAddress(text)) {
    return 'it lies off the curve, as token accounts and accounts of programs do, and no key signs for it: send the address of the wallet itself';
  }
  if (decodeBase58(text, 64)) return 'it is base58 of 64 bytes, and an address has 32';
  if (decodeBase64(text)?.length === 32) return 'it is base64: write the 32 bytes in base58';
  if (/^(0x)?[0-9a-f]{64}$/i.test(text)) return 'it is hexadecimal: write the 32 bytes in base58';
  return 'it is not base58 of 32 bytes';
}

/** Returns `text` as the signature of a transaction; undefined for anything else. */
export function asTxSignature(text: string): TxSignature | undefined {
  return decodeBase58(text, 64) ? (text as TxSignature) : undefined;
}

/** Returns the id of a transaction by the 64 bytes of its first signature. */
export function txSignatureOf(bytes: Uint8Array): TxSignature {
  return encodeBase58(bytes) as TxSignature;
}

/** Everything that a transaction leaves behind names its signature, and decoding it takes longer than finding it here. */
const maxSignatures = 2_000;
const bytesOfSignatures = new Map<TxSignature, Buffer>();

/**
 * Returns the 64 bytes of a transaction's first signature; the same buffer as before, mostly, so it must not be changed.
 * Throws a TypeError for text that is no signature.
 */
export function signatureToBytes(signature: TxSignature): Buffer {
  const known = bytesOfSignatures.get(signature);
  if (known) return known;
  const bytes = bytesOf(signature, 64);
  if (bytesOfSignatures.size >= maxSignatures) bytesOfSignatures.clear();
  bytesOfSignatures.set(signature, bytes);
  return bytes;
}

export function addressOf(bytes: Uint8Array): Address {
  return encodeBase58(bytes) as Address;
}

/** Returns the 32 bytes of an address. Throws a TypeError for text that is no address. */
export function addressToBytes(address: Address): Buffer {
  return bytesOf(address, 32);
}

function bytesOf(text: string, size: number): Buffer {
  const bytes = decodeBase58(text, size);
  if (!bytes) throw new TypeError(`${JSON.stringify(text)} is not base58 of ${size} bytes`);
  return bytes;
}

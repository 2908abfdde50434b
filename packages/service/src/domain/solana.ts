import {
  type Address,
  getBase58Decoder,
  isAddress,
  isOffCurveAddress,
  isSignature,
  type ReadonlyUint8Array,
  type Signature,
  // biome-ignore lint/style/noRestrictedImports: pure checks of text, and the brands that every call of the library takes
} from '@solana/kit';

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
  return isAddress(text) ? text : undefined;
}

/** Returns `text` as the address of a wallet, an Ed25519 public key on the curve; undefined for anything else. */
export function asWalletAddress(text: string): WalletAddress | undefined {
  return isAddress(text) && !isOffCurveAddress(text) ? text : undefined;
}

/** Returns `text` as the signature of a transaction; undefined for anything else. */
export function asTxSignature(text: string): TxSignature | undefined {
  try {
    return isSignature(text) ? text : undefined;
  } catch {
    // The library throws for characters that base58 does not have.
    return undefined;
  }
}

/** Returns the id of a transaction by the 64 bytes of its first signature. */
export function txSignatureOf(bytes: ReadonlyUint8Array): TxSignature {
  return getBase58Decoder().decode(bytes) as TxSignature;
}

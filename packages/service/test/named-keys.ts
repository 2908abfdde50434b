import { createHash } from 'node:crypto';
import { type Address, getAddressDecoder } from '@solana/kit';
import { type TxSignature, txSignatureOf } from '../src/domain/solana.js';

/** Returns the signature of a transaction that was never sent; the same name gives the same one. */
export function signatureNamed(name: string): TxSignature {
  return txSignatureOf(createHash('sha512').update(name).digest());
}

/** Returns the address of an account that does not exist; the same name gives the same one. */
export function addressNamed(name: string): Address {
  return getAddressDecoder().decode(createHash('sha256').update(name).digest());
}

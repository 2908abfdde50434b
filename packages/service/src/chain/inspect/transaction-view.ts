import { isWritable, readLegacyTransaction, WireError } from '@karat/wire';
import { type AccountRole, type Address, getAddressDecoder, type Signature } from '@solana/kit';
import { txSignatureOf } from '../../domain/solana.js';
import type { Reason } from '../../reasons.js';
import { verifySignature } from '../sign/signer.js';

/** A transaction that is not the one expected; the message names the difference in words for the caller. */
export class TransactionDifference extends Error {
  override name = 'TransactionDifference';
  readonly reason: Reason;

  constructor(message: string, reason: Reason = 'transaction_altered') {
    super(message);
    this.reason = reason;
  }
}

/** Of a transaction that the service signed for another partner. */
export class OtherPartner extends TransactionDifference {
  constructor(message: string) {
    super(message, 'other_quote');
  }
}

export interface InstructionView {
  program: Address;
  accounts: (Address | undefined)[];
  data: Uint8Array;
}

/** Stands for an account that a transaction does not have: no address is equal to it. */
const nowhere = '' as Address;

/** A wire transaction with its addresses in words. */
export interface TransactionView {
  /** Base58 of the first signature. */
  txHash: Signature;
  /** Signers first, in the order of the signatures. */
  accounts: Address[];
  instructions: InstructionView[];
  blockhash: Uint8Array;
  /** Returns whether the account at that place signs, and whether it is written to, for the transaction as a whole. */
  roleOf(index: number): AccountRole;
  /** Returns whether the signature at that place is the account's own: over this message, or over another one. */
  verdict(index: number, over?: Uint8Array): 'valid' | 'missing' | 'invalid';
  signatures: Uint8Array[];
  /** What is signed. */
  message: Uint8Array;
}

/**
 * Reads a transaction to its last byte. Throws a `TransactionDifference` for what is not a legacy transaction; its
 * message names `what` it should have been.
 */
export function viewTransaction(bytes: Uint8Array, what = 'transaction of a quote'): TransactionView {
  const wire = read(bytes, what);
  const { accounts, instructions, message, signatures, blockhash } = wire;
  const addresses = accounts.map((key) => getAddressDecoder().decode(key));
  return {
    txHash: txSignatureOf(signatures[0] ?? new Uint8Array()),
    accounts: addresses,
    instructions: instructions.map(({ programIndex, accountIndexes, data }) => ({
      program: addresses[programIndex] ?? nowhere,
      accounts: Array.from(accountIndexes, (index) => addresses[index]),
      data,
    })),
    blockhash,
    roleOf(index) {
      const signs = index < signatures.length;
      return ((signs ? 2 : 0) + (isWritable(wire.layout, index) ? 1 : 0)) as AccountRole;
    },
    verdict(index, over = message) {
      const signature = signatures[index];
      const publicKey = accounts[index];
      if (!signature || !publicKey || signature.every((byte) => byte === 0)) return 'missing';
      return verifySignature(publicKey, over, signature) ? 'valid' : 'invalid';
    },
    signatures,
    message,
  };
}

function read(bytes: Uint8Array, what: string) {
  try {
    return readLegacyTransaction(bytes);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw new TransactionDifference(`It is not a ${what}: ${error.message}.`, 'malformed');
  }
}

import { type Address, getAddressDecoder } from '@solana/kit';
import { verifySignature } from './signer.js';
import { readTransaction, WireError } from './wire.js';

/** A transaction that is not the one expected; the message names the difference in words for the caller. */
export class TransactionDifference extends Error {
  override name = 'TransactionDifference';
}

export interface InstructionView {
  program: Address;
  accounts: (Address | undefined)[];
  data: Uint8Array;
}

/** A wire transaction with its addresses in words. */
export interface TransactionView {
  /** Signers first, in the order of the signatures. */
  accounts: Address[];
  instructions: InstructionView[];
  /** Whether the signature at that place is the account's own over this message. */
  verdict(index: number): 'valid' | 'missing' | 'invalid';
  signatures: Uint8Array[];
}

/** Reads a transaction to its last byte. Throws a `TransactionDifference` for what is no legacy transaction. */
export function viewTransaction(bytes: Uint8Array): TransactionView {
  const { accounts, instructions, message, signatures } = read(bytes);
  const addresses = accounts.map((key) => getAddressDecoder().decode(key));
  return {
    accounts: addresses,
    instructions: instructions.map(({ programIndex, accountIndexes, data }) => ({
      program: addresses[programIndex] ?? ('' as Address),
      accounts: Array.from(accountIndexes, (index) => addresses[index]),
      data,
    })),
    verdict(index) {
      const signature = signatures[index];
      const publicKey = accounts[index];
      if (!signature || !publicKey || signature.every((byte) => byte === 0)) return 'missing';
      return verifySignature(publicKey, message, signature) ? 'valid' : 'invalid';
    },
    signatures,
  };
}

function read(bytes: Uint8Array) {
  try {
    return readTransaction(bytes);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw new TransactionDifference(`It is not a transaction of a quote: ${error.message}.`);
  }
}

import { readLegacyTransaction } from '@karat/wire';
import {
  type Address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransactionMessage,
  createTransactionMessage,
  getCompiledTransactionMessageEncoder,
  type Instruction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import type { Wallet } from '../harness.js';

/** Signs a wire transaction with each wallet that it names as a signer, over the message as it stands. */
export function cosign(transaction: Uint8Array, wallets: Wallet[]): Uint8Array {
  const signed = Uint8Array.from(transaction);
  const { accounts, signatures, message } = readLegacyTransaction(signed);
  accounts.slice(0, signatures.length).forEach((account, index) => {
    const wallet = wallets.find(({ secretKey }) =>
      Buffer.from(secretKey.slice(32)).equals(Buffer.from(account)),
    );
    if (wallet) signatures[index]?.set(wallet.signBytes(message));
  });
  return signed;
}

export interface MessageParts {
  version?: 'legacy' | 0;
  feePayer: Address;
  blockhash: string;
  instructions: Instruction[];
}

/** Wire format of a transaction made by @solana/kit, without any signature. */
export function compile({ version = 'legacy', feePayer, blockhash, instructions }: MessageParts): Uint8Array {
  const lifetime = { blockhash: blockhash as Blockhash, lastValidBlockHeight: 0n };
  const message = pipe(
    createTransactionMessage({ version }),
    (m) => setTransactionMessageFeePayer(feePayer, m),
    (m) => setTransactionMessageLifetimeUsingBlockhash(lifetime, m),
    (m) => appendTransactionMessageInstructions(instructions, m),
  );
  const compiled = compileTransactionMessage(message);
  const signers = compiled.header.numSignerAccounts;
  const bytes = getCompiledTransactionMessageEncoder().encode(compiled);
  return Uint8Array.from([signers, ...new Uint8Array(64 * signers), ...bytes]);
}

/** The transaction with the first signature of another one. */
export function withFirstSignatureOf(original: Uint8Array, transaction: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(transaction);
  copy.set(original.subarray(1, 65), 1);
  return copy;
}

/** Instructions of a wire transaction, to be changed and compiled again. */
export function instructionsOf(
  transaction: Uint8Array,
  addressOf: (key: Uint8Array) => Address,
): Instruction[] {
  const { accounts, message, instructions } = readLegacyTransaction(transaction);
  const [signers = 0, readonlySigners = 0, readonlyOthers = 0] = message;
  const roleOf = (index: number) => {
    const signer = index < signers;
    const writable = signer ? index < signers - readonlySigners : index < accounts.length - readonlyOthers;
    return (signer ? 2 : 0) + (writable ? 1 : 0);
  };
  const address = (index: number) => addressOf(accounts[index] ?? new Uint8Array(32));
  return instructions.map(({ programIndex, accountIndexes, data }) => ({
    programAddress: address(programIndex),
    accounts: Array.from(accountIndexes, (index) => ({ address: address(index), role: roleOf(index) })),
    data: Uint8Array.from(data),
  }));
}

import { readLegacyTransaction } from '@karat/wire';
import { type Address, getAddressDecoder, getBase58Decoder, type Instruction } from '@solana/kit';
import type { Wallet } from '../harness.js';
import { compile, cosign, instructionsOf, withFirstSignatureOf } from './signed-trade.js';

/** What is changed: a quote's transaction as it was handed out, and as it comes back signed by all. */
export interface Original {
  transaction: Uint8Array;
  signed: Uint8Array;
  feePayer: Address;
  /** Who signs the changed messages, wherever they are named. */
  wallets: Wallet[];
}

interface Parts {
  feePayer?: Address;
  blockhash?: string;
  version?: 0;
}

const decode = (key: Uint8Array) => getAddressDecoder().decode(key);

/** Ways to change a transaction. It is asked for at every change, so that a table can stand before it exists. */
export function mutationsOf(original: () => Original) {
  const list = () => instructionsOf(original().transaction, decode);

  /** A changed message under the service's old signature, signed again by the others. */
  function forged(change: (list: Instruction[]) => Instruction[], parts: Parts = {}): Uint8Array {
    const { transaction, feePayer, wallets } = original();
    const blockhash = decode(readLegacyTransaction(transaction).blockhash);
    const made = compile({ feePayer, blockhash, instructions: change(list()), ...parts });
    const carried = withFirstSignatureOf(transaction, made);
    return parts.version === 0 ? carried : cosign(carried, wallets);
  }

  const replaced = (at: number, edit: (one: Instruction) => Instruction) =>
    forged((all) => all.map((one, index) => (index === at ? edit(one) : one)));

  return {
    forged,
    replaced,
    /** An instruction of the original. */
    one(at: number): Instruction {
      const found = list()[at];
      if (!found) throw new Error(`there is no instruction ${at}`);
      return found;
    },
    /** With other data in one instruction. */
    withData: (at: number, edit: (data: Buffer) => Uint8Array) =>
      replaced(at, (one) => ({ ...one, data: edit(Buffer.from(one.data ?? [])) })),
    /** With another account at one position of one instruction. */
    withAccount: (at: number, position: number, address: Address) =>
      replaced(at, (one) => ({
        ...one,
        accounts: (one.accounts ?? []).map((account, index) =>
          index === position ? { ...account, address } : account,
        ),
      })),
    /** With further accounts behind those of one instruction. */
    withFurther: (at: number, address: Address, role: number) =>
      replaced(at, (one) => ({ ...one, accounts: [...(one.accounts ?? []), { address, role }] })),
    /** A copy of the signed transaction with its bytes changed. */
    bytes(edit: (copy: Buffer) => Uint8Array | undefined): Uint8Array {
      const copy = Buffer.from(original().signed);
      return edit(copy) ?? copy;
    },
    /** A copy with one byte of it changed at random. */
    flipped(): { copy: Uint8Array; at: number } {
      const copy = Uint8Array.from(original().signed);
      const at = Math.floor(Math.random() * copy.length);
      copy[at] = (copy[at] ?? 0) ^ (1 + Math.floor(Math.random() * 255));
      return { copy, at };
    },
  };
}

/** Data with a number of 8 bytes, least significant first, written into it. */
export const with64 = (value: bigint, at: number) => (data: Buffer) => {
  data.writeBigUInt64LE(value, at);
  return data;
};

const base64 = (signed: Uint8Array) => Buffer.from(signed).toString('base64');

/** Texts that stand for the signed transaction in another form than strict base64. */
export const textMutations: [string, (signed: Uint8Array) => string][] = [
  ['its base58', (signed) => getBase58Decoder().decode(signed)],
  ['its URL-safe base64', (signed) => Buffer.from(signed).toString('base64url')],
  // Made sure of: whatever the bytes, there is a sign that only the other alphabet has.
  ['a sign of URL-safe base64', (signed) => base64(signed).replace(/^./, '_')],
  ['its base64 with a padding too many', (signed) => `${base64(signed)}=`],
  ['its base64 without the last sign', (signed) => base64(signed).slice(0, -1)],
  ['its base64 with white space', (signed) => `${base64(signed).slice(0, 76)}\n${base64(signed).slice(76)}`],
  ['its base64 in quotes', (signed) => `"${base64(signed)}"`],
  ['its base64 as a data URL', (signed) => `data:;base64,${base64(signed)}`],
  ['its base64 twice', (signed) => base64(signed).repeat(2)],
  ['its hexadecimal digits', (signed) => Buffer.from(signed).toString('hex')],
  ['no text at all', () => ''],
];

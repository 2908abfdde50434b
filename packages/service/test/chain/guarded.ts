import { guardProgram } from '@karat/signer';
import { readLegacyTransaction } from '@karat/wire';
import { type Address, getAddressDecoder, type Instruction } from '@solana/kit';

import { compile, instructionsOf, withFirstSignatureOf } from './signed-trade.js';

/** Numbers of Lighthouse's instructions, as its published interface has them. */
export const memoryWrite = 0;
export const memoryClose = 1;
export const assertAccountInfo = 5;
export const assertTokenAccount = 9;
export const assertSysvarClock = 15;

/** An assertion: number, log level 0 (silent), and data that only the program reads. */
export function guard(
  number: number,
  accounts: Address[] = [],
  data: number[] = [0, 1, 2, 3],
  role = 0,
): Instruction {
  return {
    programAddress: guardProgram,
    accounts: accounts.map((address) => ({ address, role })),
    data: Uint8Array.of(number, ...data),
  };
}

/**
 * A quote's transaction as a wallet rebuilds it after it has added guards: another message, under the service's old
 * signature, without any other. `place` says where the guards stand; default: at the end.
 */
export function withGuards(
  transaction: Uint8Array,
  guards: Instruction[],
  place: (own: Instruction[], guards: Instruction[]) => Instruction[] = (own, added) => [...own, ...added],
): Uint8Array {
  const { accounts, blockhash } = readLegacyTransaction(transaction);
  const decode = (key: Uint8Array) => getAddressDecoder().decode(key);
  const made = compile({
    feePayer: decode(accounts[0] ?? new Uint8Array(32)),
    blockhash: decode(blockhash),
    instructions: place(instructionsOf(transaction, decode), guards),
  });
  return withFirstSignatureOf(transaction, made);
}

/** The same transaction with the accounts of each role in another order, as other clients sort them. */
export function reordered(transaction: Uint8Array, order: (keys: number[]) => number[]): Uint8Array {
  const wire = readLegacyTransaction(transaction);
  const { accounts, signatures, instructions, layout } = wire;
  const bounds = [
    0,
    1,
    signatures.length - layout.readonlySigned,
    signatures.length,
    accounts.length - layout.readonlyUnsigned,
    accounts.length,
  ];
  const from = bounds.slice(0, -1).flatMap((start, group) => {
    const end = bounds[group + 1] ?? start;
    return order(Array.from({ length: end - start }, (_, index) => start + index));
  });
  const to = new Map(from.map((old, now) => [old, now]));
  const copy = Uint8Array.from(transaction);
  const keysAt = 1 + 64 * signatures.length + 4;
  from.forEach((old, now) => {
    copy.set(accounts[old] ?? new Uint8Array(32), keysAt + 32 * now);
  });
  // Counts of these messages take one byte each.
  renumberInstructions(copy, instructions.length, (index) => to.get(index) ?? index, keysAt, accounts.length);
  return copy;
}

/** Rewrites the account numbers of every instruction; all counts of these messages take one byte. */
function renumberInstructions(
  bytes: Uint8Array,
  count: number,
  renumber: (index: number) => number,
  keysAt: number,
  keys: number,
): void {
  let at = keysAt + 32 * keys + 32 + 1;
  for (let instruction = 0; instruction < count; instruction += 1) {
    bytes[at] = renumber(bytes[at] ?? 0);
    const named = bytes[at + 1] ?? 0;
    for (let index = at + 2; index < at + 2 + named; index += 1) bytes[index] = renumber(bytes[index] ?? 0);
    at += 2 + named;
    at += 1 + (bytes[at] ?? 0);
  }
}

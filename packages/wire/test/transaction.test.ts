import { getAddressDecoder, getCompiledTransactionMessageEncoder } from '@solana/kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isWritable, locateMessage, versionOfTransaction, WireError } from '../src/index.js';
import {
  readLegacyMessage,
  readLegacyTransaction,
  readTransaction,
  writeTransaction,
} from '../src/transaction.js';
import { compile, compiled } from './transactions.js';

const decoder = getAddressDecoder();
const either = fc.constantFrom<'legacy' | 0>('legacy', 0);

/** Returns a transaction with a recognizable signature in each place. */
function signed(message: Uint8Array, required: number): Uint8Array {
  const signatures = Array.from({ length: required }, (_, index) => new Uint8Array(64).fill(index + 1));
  return Uint8Array.from([required, ...signatures.flatMap((each) => [...each]), ...message]);
}

test('a transaction has the parts from which the Solana library compiled it', () => {
  fc.assert(
    fc.property(compiled(either), (made) => {
      const { parts, bytes } = compile(made);
      const { numSignerAccounts, numReadonlySignerAccounts, numReadonlyNonSignerAccounts } = parts.header;
      const transaction = signed(bytes, numSignerAccounts);
      fc.pre(transaction.length <= 1_232);
      const read = readTransaction(transaction);
      expect(versionOfTransaction(transaction)).toBe(made.version);
      expect(read.layout).toMatchObject({
        version: made.version,
        requiredSignatures: numSignerAccounts,
        readonlySigned: numReadonlySignerAccounts,
        readonlyUnsigned: numReadonlyNonSignerAccounts,
        accountCount: parts.staticAccounts.length,
        end: transaction.length,
      });
      expect(read.signatures.map(([first]) => first)).toEqual(read.signatures.map((_, index) => index + 1));
      expect(Uint8Array.from(read.message)).toEqual(bytes);
      expect(read.accounts.map((key) => decoder.decode(key))).toEqual(parts.staticAccounts);
      expect(Uint8Array.from(read.blockhash)).toEqual(made.blockhash);
      const shown = read.instructions.map(({ programIndex, accountIndexes, data }) => ({
        programAddressIndex: programIndex,
        accountIndices: [...accountIndexes],
        data: [...data],
      }));
      expect(shown).toEqual(
        parts.instructions.map(({ programAddressIndex, accountIndices = [], data = [] }) => ({
          programAddressIndex,
          accountIndices: [...accountIndices],
          data: [...data],
        })),
      );
    }),
    { numRuns: 300 },
  );
});

test('an account is written to where an instruction writes to it, or it pays', () => {
  fc.assert(
    fc.property(compiled(either), (made) => {
      const { bytes } = compile(made);
      const layout = locateMessage(bytes);
      for (let index = 0; index < layout.accountCount; index += 1) {
        const at = layout.accountsAt + index * 32;
        const account = decoder.decode(bytes.subarray(at, at + 32));
        const isWritten = made.instructions.some(({ accounts = [] }) =>
          accounts.some(({ address, role }) => address === account && (role & 1) === 1),
        );
        expect(isWritable(layout, index)).toBe(index === 0 || isWritten);
      }
    }),
    { numRuns: 100 },
  );
});

test('a legacy transaction is read as it was written, with empty places for missing signatures', () => {
  fc.assert(
    fc.property(compiled(fc.constant('legacy' as const)), (made) => {
      const { bytes } = compile(made);
      const first = new Uint8Array(64).fill(7);
      const transaction = writeTransaction(bytes, first);
      fc.pre(transaction.length <= 1_232);
      const read = readLegacyTransaction(transaction);
      expect(read.signatures.map((each) => each[0])).toEqual([7, ...read.signatures.slice(1).map(() => 0)]);
      expect(Uint8Array.from(read.message)).toEqual(bytes);
      expect(readLegacyMessage(bytes)).toEqual(locateMessage(bytes));
    }),
    { numRuns: 100 },
  );
});

test('lookups of a version 0 transaction are read, and their addresses count among the accounts', () => {
  const table = decoder.decode(new Uint8Array(32).fill(9));
  const { parts } = compile({
    version: 0,
    feePayer: decoder.decode(new Uint8Array(32).fill(1)),
    blockhash: new Uint8Array(32).fill(2),
    instructions: [{ programAddress: decoder.decode(new Uint8Array(32).fill(3)), data: Uint8Array.of(5) }],
  });
  const withLookup = (index: number) => {
    const message = getCompiledTransactionMessageEncoder().encode({
      ...parts,
      instructions: parts.instructions.map((each) => ({ ...each, accountIndices: [0, index] })),
      addressTableLookups: [{ lookupTableAddress: table, writableIndexes: [4, 250], readonlyIndexes: [1] }],
    } as typeof parts);
    return signed(Uint8Array.from(message), 1);
  };
  // Two accounts of its own and three of the table.
  const { lookups, instructions } = readTransaction(withLookup(4));
  expect(lookups.map(({ writable, readonly }) => [[...writable], [...readonly]])).toEqual([[[4, 250], [1]]]);
  expect(lookups.map((each) => decoder.decode(each.table))).toEqual([table]);
  expect([...(instructions[0]?.accountIndexes ?? [])]).toEqual([0, 4]);
  expect(() => readTransaction(withLookup(5))).toThrow('names an account that does not exist');
  expect(() => readLegacyTransaction(withLookup(4))).toThrow(
    'it is a version 0 transaction, where a legacy one is needed',
  );
});

test('any bytes are either a transaction or a WireError, and every cut of a transaction is one', () => {
  const only = (bytes: Uint8Array) => {
    try {
      readTransaction(bytes);
      return 'read';
    } catch (error) {
      expect(error).toBeInstanceOf(WireError);
      return 'refused';
    }
  };
  fc.assert(fc.property(fc.uint8Array({ maxLength: 1_300 }), (bytes) => void only(bytes)));
  fc.assert(
    fc.property(compiled(either), fc.nat(), fc.nat(), fc.nat({ max: 255 }), (made, cut, place, value) => {
      const { parts, bytes } = compile(made);
      const transaction = signed(bytes, parts.header.numSignerAccounts);
      expect(only(transaction.subarray(0, cut % transaction.length))).toBe('refused');
      expect(only(Uint8Array.from([...transaction, value]))).toBe('refused');
      const changed = Uint8Array.from(transaction);
      changed[place % changed.length] = value;
      only(changed);
    }),
    { numRuns: 300 },
  );
});

test.each([
  ['a version 1 message', 65, [0x81], 'it is of version 1'],
  ['one signature for two signers', 65, [2], 'it carries 1 signatures where its message needs 2'],
  ['a fee payer that is not written to', 66, [1], 'the header of its message contradicts its accounts'],
  ['more signers and readers than accounts', 67, [2], 'the header of its message contradicts its accounts'],
  ['a count with a needless byte', 68, [0x82, 0], 'a count is not in its shortest form'],
  ['a count above 65,535', 68, [0xff, 0xff, 0x04], 'a count is too large'],
  ['a count of four bytes', 68, [0xff, 0xff, 0xff, 1], 'a count is too large'],
  ['a program that is no account', 166, [2], 'an instruction names an account that does not exist'],
])('readTransaction refuses %s', (_, place, change, reason) => {
  const { bytes } = compile({
    version: 'legacy',
    feePayer: decoder.decode(new Uint8Array(32).fill(1)),
    blockhash: new Uint8Array(32).fill(2),
    instructions: [{ programAddress: decoder.decode(new Uint8Array(32).fill(3)) }],
  });
  const transaction = signed(bytes, 1);
  expect(readTransaction(transaction).instructions).toHaveLength(1);
  transaction.set(change, place);
  expect(() => readTransaction(transaction)).toThrow(reason);
});

import {
  type AccountMeta,
  type Address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransaction,
  compressTransactionMessageUsingAddressLookupTables,
  createTransactionMessage,
  getAddressEncoder,
  getBase58Decoder,
  getCompiledTransactionMessageDecoder,
  pipe,
  type Signature,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { decodeTransaction } from '../../src/indexer/decode/decode.js';
import {
  readTransaction,
  type TransactionResponse,
  UndecodableError,
} from '../../src/indexer/decode/transaction.js';
import { addressOf } from '../chain/fixtures.js';
import { answerOf, givenTrade, karat, keys, signedByAll, tradeId } from './scene.js';

/** A trade as a version 0 transaction whose token accounts come from a lookup table. */
function givenLookups(): { signature: Signature; answer: TransactionResponse } {
  const scene = givenTrade();
  const table = addressOf(200);
  const looked = [keys.userGold, keys.treasuryGold, keys.goldMint];
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (m) => setTransactionMessageFeePayer(keys.service, m),
    (m) =>
      setTransactionMessageLifetimeUsingBlockhash(
        { blockhash: addressOf(99) as string as Blockhash, lastValidBlockHeight: 1n },
        m,
      ),
    (m) => appendTransactionMessageInstructions(scene.instructions, m),
    (m) => compressTransactionMessageUsingAddressLookupTables(m, { [table]: looked }),
  );
  const compiled = compileTransaction(message);
  const { wire, signature } = signedByAll(compiled);
  // As nodes resolve it: writable accounts in table order, then read-only ones, behind the keys of the message.
  const { addressTableLookups: [lookup] = [] } = getCompiledTransactionMessageDecoder().decode(
    compiled.messageBytes,
  ) as { addressTableLookups?: readonly { writableIndexes: readonly number[] }[] };
  const writable = (lookup?.writableIndexes ?? []).map((index) => looked[index] as Address);
  const loadedAddresses = { writable, readonly: [keys.goldMint] };
  const { signatures: _all, ...rest } = compiled;
  const staticCount = rest.messageBytes[4] ?? 0;
  const legacy = answerOf(scene).answer;
  return {
    signature,
    answer: {
      ...legacy,
      transaction: [wire, 'base64'] as unknown as TransactionResponse['transaction'],
      meta: {
        err: null,
        innerInstructions: [{ index: 0, instructions: movedIn(scene, wire, loadedAddresses, staticCount) }],
        loadedAddresses,
      },
    },
  };
}

/** The transfers of a scene with accounts numbered as the message and its lookups number them. */
function movedIn(
  scene: ReturnType<typeof givenTrade>,
  wire: string,
  loaded: { writable: readonly string[]; readonly: readonly string[] },
  staticCount: number,
) {
  const bytes = Buffer.from(wire, 'base64');
  // Wire layout: count and signatures, version byte, header [3], count of keys, keys.
  const start = 1 + 64 * (bytes[0] ?? 0) + 1 + 3 + 1;
  const fixed = Array.from({ length: staticCount }, (_, index) =>
    getBase58Decoder().decode(bytes.subarray(start + 32 * index, start + 32 * (index + 1))),
  );
  const all: string[] = [...fixed, ...loaded.writable, ...loaded.readonly];
  return (scene.invoked.get(0) ?? []).map((item) => ({
    programIdIndex: all.indexOf(item.program),
    accounts: item.accounts.map((account) => all.indexOf(account)),
    data: getBase58Decoder().decode(item.data),
    stackHeight: 2,
  }));
}

const view = {
  programAddress: karat,
  trustedSigners: () => new Set([keys.service]),
  roleKeys: new Set<Address>(),
  claimedSigners: new Set<Address>(),
  treasury: undefined,
  isAgreed: async () => true,
  integratorOf: async () => keys.integrator,
};

test('accounts from lookup tables are resolved as the node loaded them', async () => {
  const { signature, answer } = givenLookups();
  const transaction = readTransaction(signature, answer);
  const expected = givenTrade().instructions[0]?.accounts as readonly AccountMeta[];
  expect(transaction.instructions[0]?.accounts).toEqual(expected.map(({ address }) => address));
  const { trade, deadLetters } = await decodeTransaction(transaction, view);
  expect(deadLetters).toEqual([]);
  expect(trade).toMatchObject({ id: tradeId, goldAmount: 24_267n });
});

test('only keys of the message sign, in the number that its header says', () => {
  const { signature, answer } = givenLookups();
  const { signers } = readTransaction(signature, answer);
  expect([...signers].sort()).toEqual([keys.service, keys.partnerWallet, keys.user].sort());
});

test('instructions come in the order of execution, with their depth', () => {
  const { signature, answer } = answerOf(givenTrade());
  const { instructions } = readTransaction(signature, answer);
  expect(instructions.map(({ depth }) => depth)).toEqual([1, 2, 2, 2, 2, 1]);
});

test('an old node that leaves the depth out still gives a plain trade', async () => {
  const { signature, answer } = answerOf(givenTrade());
  for (const { instructions } of answer.meta?.innerInstructions ?? []) {
    for (const item of instructions) delete item.stackHeight;
  }
  const { trade } = await decodeTransaction(readTransaction(signature, answer), view);
  expect(trade?.id).toBe(tradeId);
});

const bendings: [string, (answer: TransactionResponse) => TransactionResponse, string][] = [
  ['no meta', (answer) => ({ ...answer, meta: null }), 'the response has no meta'],
  [
    'bytes that are no transaction',
    (answer) => ({
      ...answer,
      transaction: ['AAAA', 'base64'] as unknown as TransactionResponse['transaction'],
    }),
    'the bytes are not a transaction',
  ],
  [
    'text that is no base64',
    (answer) => ({
      ...answer,
      transaction: ['***', 'base64'] as unknown as TransactionResponse['transaction'],
    }),
    'the bytes are not a transaction',
  ],
  [
    'an account that is not there',
    (answer) => ({
      ...answer,
      meta: answer.meta && {
        ...answer.meta,
        innerInstructions: [{ index: 0, instructions: [{ programIdIndex: 99, accounts: [], data: '' }] }],
      },
    }),
    'there is no account 99',
  ],
];
test.each(bendings)('%s: undecodable', (_name, bend, message) => {
  const { signature, answer } = answerOf(givenTrade());
  const read = () => readTransaction(signature, bend(answer));
  expect(read).toThrow(UndecodableError);
  expect(read).toThrow(message);
});

/** The answer with other bytes of the transaction. */
function withBytes(answer: TransactionResponse, bend: (bytes: Buffer) => unknown): TransactionResponse {
  const bytes = Buffer.from(answer.transaction[0], 'base64');
  bend(bytes);
  const transaction = [bytes.toString('base64'), 'base64'] as unknown as TransactionResponse['transaction'];
  return { ...answer, transaction };
}

describe.each([
  ['legacy', () => answerOf(givenTrade())],
  ['version 0', givenLookups],
])('a %s transaction that nobody signed', (_, given) => {
  test.each([1, 2])('is refused for signature %i of zeros, and of another message', (place) => {
    const { signature, answer } = given();
    const at = 1 + 64 * place;
    const zeros = withBytes(answer, (bytes) => bytes.fill(0, at, at + 64));
    expect(() => readTransaction(signature, zeros)).toThrow(/^the signature of .* is not valid for it$/);
    const bent = withBytes(answer, (bytes) => bytes.writeUInt8(bytes.readUInt8(at + 3) ^ 1, at + 3));
    expect(() => readTransaction(signature, bent)).toThrow(/^the signature of .* is not valid for it$/);
  });

  test('is refused for a message with another amount, or another key as a signer', () => {
    const { signature, answer } = given();
    const other = withBytes(answer, (bytes) => bytes.writeUInt8(0, bytes.length - 1));
    expect(() => readTransaction(signature, other)).toThrow(UndecodableError);
    const key = Buffer.from(getAddressEncoder().encode(keys.user));
    const stranger = Buffer.from(getAddressEncoder().encode(keys.stranger));
    const swapped = withBytes(answer, (bytes) => bytes.set(stranger, bytes.indexOf(key)));
    expect(() => readTransaction(signature, swapped)).toThrow(/^the signature of .* is not valid for it$/);
  });

  test('is refused when the signature that it is known by is of zeros', () => {
    const { answer } = given();
    const zeros = getBase58Decoder().decode(new Uint8Array(64)) as Signature;
    expect(() =>
      readTransaction(
        zeros,
        withBytes(answer, (bytes) => bytes.fill(0, 1, 65)),
      ),
    ).toThrow(UndecodableError);
  });
});

test('an answer about another transaction than was asked for is refused', () => {
  const { answer } = answerOf(givenTrade());
  const other = getBase58Decoder().decode(new Uint8Array(64).fill(6)) as Signature;
  expect(() => readTransaction(other, answer)).toThrow('the node returned another transaction');
});

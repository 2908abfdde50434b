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
import { decodeTransaction } from '../../../src/indexer/decode/decode.js';
import {
  readTransaction,
  type TransactionResponse,
  UndecodableError,
} from '../../../src/indexer/decode/transaction.js';
import { addressOf } from '../../chain/fixtures.js';
import { givenTrade, karat, keys, responseOf, signedByAll, tradeId } from './scene.js';

/** A trade as a version 0 transaction whose token accounts come from a lookup table. */
function givenLookups(): { signature: Signature; response: TransactionResponse } {
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
  const legacy = responseOf(scene).response;
  return {
    signature,
    response: {
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
  treasury: undefined,
  integratorOf: async () => keys.integrator,
};

test('transaction: accounts from lookup tables are resolved as the node loaded them', async () => {
  const { signature, response } = givenLookups();
  const transaction = readTransaction(signature, response);
  const expected = givenTrade().instructions[0]?.accounts as readonly AccountMeta[];
  expect(transaction.instructions[0]?.accounts).toEqual(expected.map(({ address }) => address));
  const { trade, deadLetters } = await decodeTransaction(transaction, view);
  expect(deadLetters).toEqual([]);
  expect(trade).toMatchObject({ id: tradeId, goldAmount: 24_267n });
});

test('transaction: its signers are as many keys of the message as its header names', () => {
  const { signature, response } = givenLookups();
  const { signers } = readTransaction(signature, response);
  expect([...signers].sort()).toEqual([keys.service, keys.partnerWallet, keys.user].sort());
});

test('transaction: instructions come in the order of execution, with their depth', () => {
  const { signature, response } = responseOf(givenTrade());
  const { instructions } = readTransaction(signature, response);
  expect(instructions.map(({ depth }) => depth)).toEqual([1, 2, 2, 2, 2, 1]);
});

test('transaction: a trade is read from a node that leaves the depth of instructions out', async () => {
  const { signature, response } = responseOf(givenTrade());
  for (const { instructions } of response.meta?.innerInstructions ?? []) {
    for (const item of instructions) delete item.stackHeight;
  }
  const { trade } = await decodeTransaction(readTransaction(signature, response), view);
  expect(trade?.id).toBe(tradeId);
});

const bendings: [string, (response: TransactionResponse) => TransactionResponse, string][] = [
  ['no meta', (response) => ({ ...response, meta: null }), 'the response has no meta'],
  [
    'bytes that are no transaction',
    (response) => ({
      ...response,
      transaction: ['AAAA', 'base64'] as unknown as TransactionResponse['transaction'],
    }),
    'the bytes are not a transaction',
  ],
  [
    'text that is no base64',
    (response) => ({
      ...response,
      transaction: ['***', 'base64'] as unknown as TransactionResponse['transaction'],
    }),
    'the bytes are not a transaction',
  ],
  [
    'an account that is not there',
    (response) => ({
      ...response,
      meta: response.meta && {
        ...response.meta,
        innerInstructions: [{ index: 0, instructions: [{ programIdIndex: 99, accounts: [], data: '' }] }],
      },
    }),
    'there is no account 99',
  ],
];
test.each(bendings)('transaction: a response with %s is undecodable', (_name, bend, message) => {
  const { signature, response } = responseOf(givenTrade());
  const read = () => readTransaction(signature, bend(response));
  expect(read).toThrow(UndecodableError);
  expect(read).toThrow(message);
});

/** The response with other bytes of the transaction. */
function withBytes(response: TransactionResponse, bend: (bytes: Buffer) => unknown): TransactionResponse {
  const bytes = Buffer.from(response.transaction[0], 'base64');
  bend(bytes);
  const transaction = [bytes.toString('base64'), 'base64'] as unknown as TransactionResponse['transaction'];
  return { ...response, transaction };
}

describe.each([
  ['legacy', () => responseOf(givenTrade())],
  ['version 0', givenLookups],
])('transaction: a %s one without valid signatures', (_, given) => {
  test.each([1, 2])('transaction: signature %i of zeros, or of another message, is refused', (place) => {
    const { signature, response } = given();
    const at = 1 + 64 * place;
    const zeros = withBytes(response, (bytes) => bytes.fill(0, at, at + 64));
    expect(() => readTransaction(signature, zeros)).toThrow(/^the signature of .* is not valid for it$/);
    const bent = withBytes(response, (bytes) => bytes.writeUInt8(bytes.readUInt8(at + 3) ^ 1, at + 3));
    expect(() => readTransaction(signature, bent)).toThrow(/^the signature of .* is not valid for it$/);
  });

  test('transaction: a message with another amount, or another key as a signer, is refused', () => {
    const { signature, response } = given();
    const other = withBytes(response, (bytes) => bytes.writeUInt8(0, bytes.length - 1));
    expect(() => readTransaction(signature, other)).toThrow(UndecodableError);
    const key = Buffer.from(getAddressEncoder().encode(keys.user));
    const stranger = Buffer.from(getAddressEncoder().encode(keys.stranger));
    const swapped = withBytes(response, (bytes) => bytes.set(stranger, bytes.indexOf(key)));
    expect(() => readTransaction(signature, swapped)).toThrow(/^the signature of .* is not valid for it$/);
  });

  test('transaction: a first signature of zeros is refused', () => {
    const { response } = given();
    const zeros = getBase58Decoder().decode(new Uint8Array(64)) as Signature;
    expect(() =>
      readTransaction(
        zeros,
        withBytes(response, (bytes) => bytes.fill(0, 1, 65)),
      ),
    ).toThrow(UndecodableError);
  });
});

test('transaction: a response about another transaction is refused', () => {
  const { response } = responseOf(givenTrade());
  const other = getBase58Decoder().decode(new Uint8Array(64).fill(6)) as Signature;
  expect(() => readTransaction(other, response)).toThrow('the node returned another transaction');
});

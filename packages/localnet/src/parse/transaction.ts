import { decodeLongBase58, encodeBase58 } from '@karat/wire';
import type { InnerInstruction } from '../vm.js';
import { allKeys, isWritableIndex, type LoadedAddresses, type WireMessage } from '../wire.js';
import { parseInstruction } from './instruction.js';

/** Stack height of an instruction that the transaction itself holds. */
const TOP_LEVEL = 1;

function lookupsJson(message: WireMessage): { addressTableLookups?: unknown[] } {
  if (message.version === 'legacy') return {};
  return {
    addressTableLookups: message.lookups.map(({ table, writable, readonly }) => ({
      accountKey: table,
      readonlyIndexes: [...readonly],
      writableIndexes: [...writable],
    })),
  };
}

/** Returns a message in the form of the encoding `json`. */
export function messageJson(message: WireMessage): Record<string, unknown> {
  return {
    accountKeys: message.staticKeys,
    ...lookupsJson(message),
    header: {
      numReadonlySignedAccounts: message.readonlySigned,
      numReadonlyUnsignedAccounts: message.readonlyUnsigned,
      numRequiredSignatures: message.signers,
    },
    instructions: message.instructions.map(({ programIdIndex, accounts, data }) => ({
      accounts: [...accounts],
      data: encodeBase58(data),
      programIdIndex,
      stackHeight: TOP_LEVEL,
    })),
    recentBlockhash: message.lifetime,
  };
}

/** One key of a message with its rights, as `jsonParsed` and block details `accounts` list it. */
export function parsedKeys(message: WireMessage, loaded: LoadedAddresses): Record<string, unknown>[] {
  return allKeys(message, loaded).map((pubkey, index) => ({
    pubkey,
    signer: index < message.signers,
    source: index < message.staticKeys.length ? 'transaction' : 'lookupTable',
    writable: isWritableIndex(message, loaded, index),
  }));
}

/** Returns a message in the form of the encoding `jsonParsed`. */
export function messageParsed(message: WireMessage, loaded: LoadedAddresses): Record<string, unknown> {
  const keys = allKeys(message, loaded);
  return {
    accountKeys: parsedKeys(message, loaded),
    ...lookupsJson(message),
    instructions: message.instructions.map(({ programIdIndex, accounts, data }) =>
      parseInstruction(keys, programIdIndex, accounts, data, TOP_LEVEL),
    ),
    recentBlockhash: message.lifetime,
  };
}

type InnerLists = readonly { index: number; instructions: readonly InnerInstruction[] }[];

/** Inner instructions in the form of `jsonParsed`. */
export function parsedInnerInstructions(lists: InnerLists, keys: readonly string[]): unknown[] {
  return lists.map(({ index, instructions }) => ({
    index,
    instructions: instructions.map(({ programIdIndex, accounts, data, stackHeight }) =>
      parseInstruction(
        keys,
        programIdIndex,
        accounts,
        decodeLongBase58(data) ?? new Uint8Array(0),
        stackHeight,
      ),
    ),
  }));
}

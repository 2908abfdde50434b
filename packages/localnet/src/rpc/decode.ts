import { decodeLongBase58, maxTransactionBytes } from '@karat/wire';
import type { AccountState } from '../account.js';
import { invalidParams } from '../errors.js';
import { resolveLookups } from '../lookup-tables.js';
import { transactionErrorText } from '../transaction-error.js';
import {
  decodeMessage,
  decodeTransaction,
  type LoadedAddresses,
  messageFault,
  transactionIsSane,
  type WireMessage,
  type WireTransaction,
} from '../wire.js';

/** The types that a node names in its texts. */
const TRANSACTION = 'solana_transaction::versioned::VersionedTransaction';
const MESSAGE = 'solana_message::versions::VersionedMessage';
/** Lengths of 1,232 bytes in base58 and base64. */
const TEXT_MAX = { base58: 1683, base64: 1644 };
const BASE64_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

export type TransactionEncoding = 'base58' | 'base64';

/** Returns what is wrong with base64, in the words of the crate `base64`; undefined when nothing is. */
export function base64Fault(text: string): string | undefined {
  const body = text.replace(/={1,2}$/, '');
  const wrong = [...body].findIndex((character) => !BASE64_ALPHABET.includes(character));
  if (wrong >= 0) return `InvalidByte(${wrong}, ${Buffer.from(body.slice(wrong))[0]})`;
  if (body.length % 4 === 1) return `InvalidLength(${body.length})`;
  if (text.length % 4 !== 0) return 'InvalidPadding';
  const last = BASE64_ALPHABET.indexOf(body.at(-1) ?? 'A');
  const unused = [0, 0, 15, 3][body.length % 4] ?? 0;
  const at = body.length - 1;
  return last & unused ? `InvalidLastSymbol(${at}, ${body.charCodeAt(at)})` : undefined;
}

/** Returns what is wrong with base58, in the words of the crate `bs58`. */
export function base58DecodeFault(text: string): string {
  const index = [...text].findIndex((character) => !decodeLongBase58(character));
  const character = [...text][index] ?? '';
  return character.charCodeAt(0) > 127
    ? `NonAsciiCharacter { index: ${index} }`
    : `InvalidCharacter { character: '${character}', index: ${index} }`;
}

function bytesOf(text: string, encoding: TransactionEncoding, type: string): Uint8Array {
  if (text.length > TEXT_MAX[encoding]) {
    throw invalidParams(
      `${encoding} encoded ${type} too large: ${text.length} bytes (max: encoded/raw ${TEXT_MAX[encoding]}/${maxTransactionBytes})`,
    );
  }
  if (encoding === 'base58') {
    const bytes = decodeLongBase58(text);
    if (!bytes) throw invalidParams(`invalid base58 encoding: ${base58DecodeFault(text)}`);
    return bytes;
  }
  const fault = base64Fault(text);
  if (fault !== undefined) throw invalidParams(`invalid base64 encoding: ${fault}`);
  return Buffer.from(text, 'base64');
}

/** Agave `rpc/src/rpc.rs`, `decode_and_deserialize`. */
function decoded<T>(
  text: string,
  encoding: TransactionEncoding,
  type: string,
  decode: (bytes: Uint8Array) => T,
): T {
  const bytes = bytesOf(text, encoding, type);
  if (bytes.length > maxTransactionBytes) {
    throw invalidParams(
      `decoded ${type} too large: ${bytes.length} bytes (max: ${maxTransactionBytes} bytes)`,
    );
  }
  try {
    return decode(bytes);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw invalidParams(`failed to deserialize ${type}: ${reason}`);
  }
}

/** Takes the transaction of a parameter apart; -32602 when it is too large or none. */
export function decodeTransactionParam(text: string, encoding: TransactionEncoding): WireTransaction {
  return decoded(text, encoding, TRANSACTION, decodeTransaction);
}

/** Takes the message of a parameter apart, which is base64; -32602 when it is too large or none, or unsound. */
export function decodeMessageParam(
  text: string,
  slot: number,
  getAccount: (address: string) => AccountState | undefined,
): WireMessage {
  const message = decoded(text, 'base64', MESSAGE, decodeMessage);
  const fault = messageFault(message);
  if (fault !== undefined) throw invalidParams(`invalid transaction message: ${fault}`);
  const resolved = resolveLookups(message.lookups, slot, getAccount);
  if ('err' in resolved)
    throw invalidParams(`invalid transaction message: ${ADDRESS_LOADER_TEXTS[String(resolved.err)]}`);
  return message;
}

/** Display of `AddressLoaderError`, by the transaction error that each becomes elsewhere. */
const ADDRESS_LOADER_TEXTS: Readonly<Record<string, string>> = {
  AddressLookupTableNotFound: 'Attempted to lookup addresses from a table that does not exist',
  InvalidAddressLookupTableOwner: 'Attempted to lookup addresses from an account owned by the wrong program',
  InvalidAddressLookupTableData: 'Attempted to lookup addresses from an invalid account',
  InvalidAddressLookupTableIndex: 'Address lookup contains an invalid index',
};

/** Checks the shape of a transaction and finds the addresses it takes from lookup tables in a slot; -32602 when it is unsound. */
export function sanitize(
  transaction: WireTransaction,
  slot: number,
  getAccount: (address: string) => AccountState | undefined,
): LoadedAddresses {
  if (!transactionIsSane(transaction))
    throw invalidParams(`invalid transaction: ${transactionErrorText('SanitizeFailure')}`);
  const resolved = resolveLookups(transaction.message.lookups, slot, getAccount);
  if ('err' in resolved) throw invalidParams(`invalid transaction: ${transactionErrorText(resolved.err)}`);
  return resolved.loaded;
}

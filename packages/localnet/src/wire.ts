import sodium from 'sodium-native';
import { addressFromBytes, encodeBase58, requireAddressBytes } from './base58.js';
import { view } from './bytes.js';

/** The largest transaction that fits a packet, in bytes. */
export const TRANSACTION_BYTES_MAX = 1232;

export interface WireInstruction {
  programIdIndex: number;
  accounts: Uint8Array;
  data: Uint8Array;
}

export interface WireLookup {
  table: string;
  writable: Uint8Array;
  readonly: Uint8Array;
}

/** A transaction message taken apart; all views into the bytes it came from. */
export interface WireMessage {
  version: 'legacy' | 0;
  signers: number;
  readonlySigned: number;
  readonlyUnsigned: number;
  staticKeys: string[];
  /** The blockhash, or a nonce, in base58. */
  lifetime: string;
  instructions: WireInstruction[];
  lookups: WireLookup[];
}

export interface WireTransaction {
  /** The bytes themselves, without anything trailing. */
  bytes: Uint8Array;
  signatures: Uint8Array[];
  /** The transaction's id: its first signature in base58. */
  signature: string;
  messageBytes: Uint8Array;
  message: WireMessage;
}

class Reader {
  readonly bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  byte(): number {
    const value = this.bytes[this.at];
    if (value === undefined) throw new Error('io error: unexpected end of file');
    this.at += 1;
    return value;
  }

  take(length: number): Uint8Array {
    if (this.at + length > this.bytes.length) throw new Error('io error: unexpected end of file');
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  /** Returns a compact-u16 length: 7 bits a byte, least significant first, at most 3 bytes. */
  length(): number {
    let value = 0;
    for (let i = 0; i < 3; i += 1) {
      const byte = this.byte();
      value |= (byte & 0x7f) << (7 * i);
      if ((byte & 0x80) === 0) {
        if (value > 0xffff || (i > 0 && byte === 0)) break;
        return value;
      }
    }
    throw new Error('invalid value: compact length');
  }

  list<T>(read: () => T): T[] {
    return Array.from({ length: this.length() }, read);
  }
}

function readMessage(reader: Reader): WireMessage {
  let version: 'legacy' | 0 = 'legacy';
  let signers = reader.byte();
  if (signers & 0x80) {
    if (signers !== 0x80)
      throw new Error(
        `invalid value: integer \`${signers & 0x7f}\`, expected a valid transaction message version`,
      );
    version = 0;
    signers = reader.byte();
  }
  const readonlySigned = reader.byte();
  const readonlyUnsigned = reader.byte();
  const staticKeys = reader.list(() => addressFromBytes(reader.take(32)));
  const lifetime = encodeBase58(reader.take(32));
  const instructions = reader.list(() => ({
    programIdIndex: reader.byte(),
    accounts: reader.take(reader.length()),
    data: reader.take(reader.length()),
  }));
  const lookups =
    version === 0
      ? reader.list(() => ({
          table: addressFromBytes(reader.take(32)),
          writable: reader.take(reader.length()),
          readonly: reader.take(reader.length()),
        }))
      : [];
  return { version, signers, readonlySigned, readonlyUnsigned, staticKeys, lifetime, instructions, lookups };
}

/** Takes a bare message apart (getFeeForMessage). Throws with the reason when the bytes are none. */
export function decodeMessage(bytes: Uint8Array): WireMessage {
  return readMessage(new Reader(bytes));
}

/** Takes a wire transaction apart, legacy or version 0. Throws with the reason when the bytes are none. */
export function decodeTransaction(bytes: Uint8Array): WireTransaction {
  const reader = new Reader(bytes);
  const signatures = reader.list(() => reader.take(64));
  const messageStart = reader.at;
  const message = readMessage(reader);
  return {
    bytes: bytes.subarray(0, reader.at),
    signatures,
    signature: encodeBase58(signatures[0] ?? new Uint8Array(64)),
    messageBytes: bytes.subarray(messageStart, reader.at),
    message,
  };
}

/** Returns the version of the message in a wire transaction, of which nothing else is read. */
export function versionOfWire(bytes: Uint8Array): WireMessage['version'] {
  const reader = new Reader(bytes);
  reader.take(reader.length() * 64);
  return reader.byte() & 0x80 ? 0 : 'legacy';
}

/**
 * Returns what is wrong with a message whose parts do not fit each other, in the words of `SanitizeError`; undefined
 * when they do (`solana-message`: `sanitize` of both versions).
 */
export function messageFault(
  message: WireMessage,
): 'index out of bounds' | 'value out of bounds' | 'invalid value' | undefined {
  const tables = message.lookups.map(({ writable, readonly }) => writable.length + readonly.length);
  const keys = message.staticKeys.length;
  if (message.version === 'legacy') {
    // Room for what signs and what is read only, and a fee payer that can be written.
    if (message.signers + message.readonlyUnsigned > keys) return 'index out of bounds';
    if (message.readonlySigned >= message.signers) return 'index out of bounds';
  } else {
    if (message.signers + message.readonlyUnsigned > keys) return 'index out of bounds';
    if (message.readonlySigned >= message.signers) return 'invalid value';
    if (tables.includes(0)) return 'invalid value';
  }
  const all = tables.reduce((sum, count) => sum + count, keys);
  if (all > 256) return 'index out of bounds';
  const fits = message.instructions.every(
    ({ programIdIndex, accounts }) =>
      programIdIndex > 0 && programIdIndex < keys && accounts.every((index) => index < all),
  );
  return fits ? undefined : 'index out of bounds';
}

/**
 * Returns whether the parts of a message fit each other, and every required signature has its place (Agave's sanitize).
 */
export function transactionIsSane(transaction: WireTransaction): boolean {
  return transaction.signatures.length === transaction.message.signers && !messageFault(transaction.message);
}

/** Returns whether every signature is the signer's over the message. */
export function signaturesAreValid(transaction: WireTransaction): boolean {
  const message = view(transaction.messageBytes);
  return transaction.signatures.every((signature, index) => {
    const signer = transaction.message.staticKeys[index];
    if (signer === undefined) return false;
    return sodium.crypto_sign_verify_detached(view(signature), message, view(requireAddressBytes(signer)));
  });
}

export interface LoadedAddresses {
  writable: string[];
  readonly: string[];
}

/** Returns all keys in the order instructions index them: static, then loaded writable, then loaded read-only. */
export function allKeys(message: WireMessage, loaded: LoadedAddresses): string[] {
  return message.lookups.length === 0
    ? message.staticKeys
    : [...message.staticKeys, ...loaded.writable, ...loaded.readonly];
}

/** Returns whether the key at `index` of `allKeys` was requested as writable. */
export function isWritableIndex(message: WireMessage, loaded: LoadedAddresses, index: number): boolean {
  const keys = message.staticKeys.length;
  if (index >= keys) return index < keys + loaded.writable.length;
  if (index < message.signers) return index < message.signers - message.readonlySigned;
  return index < keys - message.readonlyUnsigned;
}

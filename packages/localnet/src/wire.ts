import {
  encodeBase58,
  keyBytes,
  locateMessage,
  locateTransaction,
  type MessageLayout,
  signatureBytes,
  UnknownVersionError,
  WireError,
} from '@karat/wire';
import sodium from 'sodium-native';
import { addressFromBytes, requireAddressBytes } from './address-bytes.js';
import { view } from './bytes.js';

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

/** Runs `read`, and says what is wrong with the bytes in the words of a node. */
function inWordsOfNode<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    if (error.fault === 'truncated') throw new Error('io error: unexpected end of file');
    if (error instanceof UnknownVersionError) {
      throw new Error(
        `invalid value: integer \`${error.version}\`, expected a valid transaction message version`,
      );
    }
    throw new Error('invalid value: compact length');
  }
}

function messageOf(bytes: Uint8Array, layout: MessageLayout): WireMessage {
  const part = (at: number, length: number) => bytes.subarray(at, at + length);
  const keyAt = (at: number) => addressFromBytes(part(at, keyBytes));
  return {
    version: layout.version,
    signers: layout.requiredSignatures,
    readonlySigned: layout.readonlySigned,
    readonlyUnsigned: layout.readonlyUnsigned,
    staticKeys: Array.from({ length: layout.accountCount }, (_, index) =>
      keyAt(layout.accountsAt + index * keyBytes),
    ),
    lifetime: encodeBase58(part(layout.blockhashAt, keyBytes)),
    instructions: layout.instructions.map((place) => ({
      programIdIndex: place.programIndex,
      accounts: part(place.accountsAt, place.accountCount),
      data: part(place.dataAt, place.dataLength),
    })),
    lookups: layout.lookups.map((place) => ({
      table: keyAt(place.tableAt),
      writable: part(place.writableAt, place.writableCount),
      readonly: part(place.readonlyAt, place.readonlyCount),
    })),
  };
}

/** Takes a bare message apart (getFeeForMessage). Throws with the reason when the bytes are none. */
export function decodeMessage(bytes: Uint8Array): WireMessage {
  return messageOf(
    bytes,
    inWordsOfNode(() => locateMessage(bytes)),
  );
}

/** Takes a wire transaction apart, legacy or version 0. Throws with the reason when the bytes are none. */
export function decodeTransaction(bytes: Uint8Array): WireTransaction {
  const layout = inWordsOfNode(() => locateTransaction(bytes));
  const { signatureCount, signaturesAt, messageAt, message } = layout;
  const signatures = Array.from({ length: signatureCount }, (_, index) => {
    const at = signaturesAt + index * signatureBytes;
    return bytes.subarray(at, at + signatureBytes);
  });
  return {
    bytes: bytes.subarray(0, message.end),
    signatures,
    signature: encodeBase58(signatures[0] ?? new Uint8Array(signatureBytes)),
    messageBytes: bytes.subarray(messageAt, message.end),
    message: messageOf(bytes, message),
  };
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

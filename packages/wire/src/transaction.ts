import {
  keyBytes,
  locateMessage,
  locateTransaction,
  type MessageLayout,
  maxTransactionBytes,
  requireSound,
  signatureBytes,
  versionOfTransaction,
  WireError,
} from './layout.js';

export interface WireInstruction {
  programIndex: number;
  accountIndexes: Uint8Array;
  data: Uint8Array;
}

/** Accounts that a version 0 transaction takes from a table on chain, by their places in it. */
export interface WireLookup {
  table: Uint8Array;
  writable: Uint8Array;
  readonly: Uint8Array;
}

/** A transaction taken apart, every part a view into its bytes. */
export interface WireTransaction {
  layout: MessageLayout;
  /** One for each of the first accounts, all zeros where one is missing. */
  signatures: Uint8Array[];
  /** What is signed: the bytes after the signatures. */
  message: Uint8Array;
  /** Those that stand in the message itself. */
  accounts: Uint8Array[];
  blockhash: Uint8Array;
  instructions: WireInstruction[];
  lookups: WireLookup[];
}

/**
 * Reads a transaction, legacy or version 0, to its last byte. Throws a `WireError` for anything that a node would not
 * read the same way.
 */
export function readTransaction(bytes: Uint8Array): WireTransaction {
  requireSize(bytes.length);
  const { signatureCount, signaturesAt, messageAt, message: layout } = locateTransaction(bytes);
  if (layout.end === bytes.length && signatureCount !== layout.requiredSignatures) {
    throw new WireError(
      `it carries ${signatureCount} signatures where its message needs ${layout.requiredSignatures}`,
    );
  }
  requireSound(bytes, layout);
  const part = (at: number, length: number) => bytes.subarray(at, at + length);
  const parts = (at: number, count: number, size: number) =>
    Array.from({ length: count }, (_, index) => part(at + index * size, size));
  return {
    layout,
    signatures: parts(signaturesAt, signatureCount, signatureBytes),
    message: bytes.subarray(messageAt),
    accounts: parts(layout.accountsAt, layout.accountCount, keyBytes),
    blockhash: part(layout.blockhashAt, keyBytes),
    instructions: layout.instructions.map((place) => ({
      programIndex: place.programIndex,
      accountIndexes: part(place.accountsAt, place.accountCount),
      data: part(place.dataAt, place.dataLength),
    })),
    lookups: layout.lookups.map((place) => ({
      table: part(place.tableAt, keyBytes),
      writable: part(place.writableAt, place.writableCount),
      readonly: part(place.readonlyAt, place.readonlyCount),
    })),
  };
}

/** Reads a transaction as `readTransaction` does, and refuses all but legacy ones. */
export function readLegacyTransaction(bytes: Uint8Array): WireTransaction {
  requireLegacy(versionOfTransaction(bytes));
  return readTransaction(bytes);
}

/** Locates the parts of a legacy message that is to be signed. Throws a `WireError` as `readLegacyTransaction` does. */
export function readLegacyMessage(message: Uint8Array): MessageLayout {
  requireSize(1 + (message[0] ?? 0) * signatureBytes + message.length);
  const layout = locateMessage(message);
  requireLegacy(layout.version);
  requireSound(message, layout);
  return layout;
}

/** Returns a transaction: the first signatures, empty places for the others, the legacy message. */
export function writeTransaction(message: Uint8Array, ...signatures: Uint8Array[]): Uint8Array {
  const required = message[0] ?? 0;
  const messageAt = 1 + required * signatureBytes;
  // Of a pool: each byte is written below. Memory of its own would take longer than all that is copied to it.
  const bytes = Buffer.allocUnsafe(messageAt + message.length);
  bytes[0] = required;
  signatures.forEach((signature, index) => {
    bytes.set(signature, 1 + index * signatureBytes);
  });
  bytes.fill(0, 1 + signatures.length * signatureBytes, messageAt);
  bytes.set(message, messageAt);
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}

function requireSize(bytes: number): void {
  if (bytes > maxTransactionBytes) {
    throw new WireError(`it has ${bytes} bytes, at most ${maxTransactionBytes} are allowed`);
  }
}

function requireLegacy(version: MessageLayout['version']): void {
  if (version === 'legacy') return;
  throw new WireError(`it is a version ${version} transaction, where a legacy one is needed`, 'version');
}

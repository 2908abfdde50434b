/**
 * The wire format of legacy transactions: a count and the signatures, then the message: header, account keys, recent
 * blockhash, instructions. Counts are "compact-u16": 7 bits a byte, least significant first, at most 3 bytes.
 */

/** Largest transaction that the network carries (IPv6 MTU less headers). */
export const maxTransactionBytes = 1_232;
export const signatureBytes = 64;
const keyBytes = 32;

export interface WireInstruction {
  programIndex: number;
  accountIndexes: Uint8Array;
  data: Uint8Array;
}

export interface WireTransaction {
  /** One for each of the first accounts, all zeros where one is missing. */
  signatures: Uint8Array[];
  /** What is signed: the bytes after the signatures. */
  message: Uint8Array;
  /** How many of the accounts that sign, the first ones, are not written to. */
  readonlySigned: number;
  /** How many of the accounts that do not sign, the last ones, are not written to. */
  readonlyUnsigned: number;
  accounts: Uint8Array[];
  blockhash: Uint8Array;
  instructions: WireInstruction[];
}

/** Bytes that are not a legacy transaction; the message gives the reason. */
export class WireError extends Error {
  override name = 'WireError';
}

/** Where an instruction lies in the bytes of a message. */
export interface InstructionPlace {
  programIndex: number;
  accountsAt: number;
  accountCount: number;
  dataAt: number;
  dataLength: number;
}

/** Where the parts of a message lie in its bytes, of which nothing is copied. */
export interface MessageLayout {
  requiredSignatures: number;
  /** As in `WireTransaction`. */
  readonlySigned: number;
  readonlyUnsigned: number;
  accountsAt: number;
  accountCount: number;
  blockhashAt: number;
  instructions: InstructionPlace[];
}

/** Reads a transaction to its last byte. Throws a `WireError` for anything that a node would not read the same way. */
export function readTransaction(bytes: Uint8Array): WireTransaction {
  requireSize(bytes.length);
  const reader = new Reader(bytes);
  const signatures = reader.list(() => reader.take(signatureBytes));
  const message = bytes.subarray(reader.offset);
  const layout = locate(message);
  if (signatures.length !== layout.requiredSignatures) {
    throw new WireError(
      `it carries ${signatures.length} signatures where its message needs ${layout.requiredSignatures}`,
    );
  }
  requireSoundHeader(layout);
  const { readonlySigned, readonlyUnsigned, accountsAt, accountCount, blockhashAt } = layout;
  const part = (at: number, length: number) => message.subarray(at, at + length);
  return {
    signatures,
    message,
    readonlySigned,
    readonlyUnsigned,
    accounts: Array.from({ length: accountCount }, (_, index) =>
      part(accountsAt + index * keyBytes, keyBytes),
    ),
    blockhash: part(blockhashAt, keyBytes),
    instructions: layout.instructions.map((place) => ({
      programIndex: place.programIndex,
      accountIndexes: part(place.accountsAt, place.accountCount),
      data: part(place.dataAt, place.dataLength),
    })),
  };
}

/** Reads the message of a transaction that is to be signed, as `readTransaction` does. */
export function readLayout(message: Uint8Array): MessageLayout {
  requireSize(1 + (message[0] ?? 0) * signatureBytes + message.length);
  const layout = locate(message);
  requireSoundHeader(layout);
  return layout;
}

function requireSize(bytes: number): void {
  if (bytes > maxTransactionBytes) {
    throw new WireError(`it has ${bytes} bytes, at most ${maxTransactionBytes} are allowed`);
  }
}

function locate(message: Uint8Array): MessageLayout {
  const reader = new Reader(message);
  const version = reader.byte();
  if (version >= 0x80) {
    throw new WireError(`it is a version ${version - 0x80} transaction, but a quote is a legacy transaction`);
  }
  const readonlySigned = reader.byte();
  const readonlyUnsigned = reader.byte();
  const accountCount = reader.count();
  const accountsAt = reader.skip(accountCount * keyBytes);
  const blockhashAt = reader.skip(keyBytes);
  const instructions: InstructionPlace[] = [];
  for (let left = reader.count(); left > 0; left -= 1)
    instructions.push(locateInstruction(reader, message, accountCount));
  if (reader.offset !== message.length) {
    throw new WireError(`${message.length - reader.offset} bytes follow its end`);
  }
  return {
    requiredSignatures: version,
    readonlySigned,
    readonlyUnsigned,
    accountsAt,
    accountCount,
    blockhashAt,
    instructions,
  };
}

function locateInstruction(reader: Reader, message: Uint8Array, accounts: number): InstructionPlace {
  const programIndex = reader.byte();
  const accountCount = reader.count();
  const accountsAt = reader.skip(accountCount);
  const dataLength = reader.count();
  const dataAt = reader.skip(dataLength);
  let isKnown = programIndex < accounts;
  for (let at = accountsAt; at < accountsAt + accountCount; at += 1)
    isKnown &&= (message[at] as number) < accounts;
  if (!isKnown) throw new WireError('an instruction names an account that does not exist');
  return { programIndex, accountsAt, accountCount, dataAt, dataLength };
}

function requireSoundHeader(layout: MessageLayout): void {
  const { requiredSignatures, readonlySigned, readonlyUnsigned, accountCount } = layout;
  if (readonlySigned >= requiredSignatures || requiredSignatures + readonlyUnsigned > accountCount) {
    throw new WireError('the header of its message contradicts its accounts');
  }
}

/** Reads the parts of a transaction one after the other. Throws a `WireError` where they end too early. */
export class Reader {
  readonly #bytes: Uint8Array;
  offset = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  byte(): number {
    const byte = this.#bytes[this.offset];
    if (byte === undefined) throw new WireError('it ends too early');
    this.offset += 1;
    return byte;
  }

  take(length: number): Uint8Array {
    const start = this.skip(length);
    return this.#bytes.subarray(start, this.offset);
  }

  /** Passes so many bytes over, and returns where they begin. */
  skip(length: number): number {
    const start = this.offset;
    if (start + length > this.#bytes.length) throw new WireError('it ends too early');
    this.offset = start + length;
    return start;
  }

  /** Returns a compact-u16 in its shortest form, as nodes demand it. */
  count(): number {
    let value = 0;
    for (let position = 0; position < 3; position += 1) {
      const byte = this.byte();
      if (byte === 0 && position > 0) throw new WireError('a count is not in its shortest form');
      value |= (byte & 0x7f) << (7 * position);
      if (byte < 0x80) return checkedCount(value);
    }
    throw new WireError('a count is too large');
  }

  list<T>(item: () => T): T[] {
    return Array.from({ length: this.count() }, item);
  }
}

function checkedCount(value: number): number {
  if (value > 0xffff) throw new WireError('a count is too large');
  return value;
}

/** Returns a transaction: the first signatures, empty places for the others, the message. */
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

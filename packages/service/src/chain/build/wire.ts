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

/** Reads a transaction to its last byte. Throws a `WireError` for anything that a node would not read the same way. */
export function readTransaction(bytes: Uint8Array): WireTransaction {
  if (bytes.length > maxTransactionBytes) {
    throw new WireError(`it has ${bytes.length} bytes, at most ${maxTransactionBytes} are allowed`);
  }
  const reader = new Reader(bytes);
  const signatures = reader.list(() => reader.take(signatureBytes));
  const message = bytes.subarray(reader.offset);
  const version = reader.byte();
  if (version >= 0x80) {
    throw new WireError(`it is a version ${version - 0x80} transaction, but a quote is a legacy transaction`);
  }
  const requiredSignatures = version;
  const readonlySigned = reader.byte();
  const readonlyUnsigned = reader.byte();
  const accounts = reader.list(() => reader.take(keyBytes));
  const blockhash = reader.take(keyBytes);
  const instructions = reader.list(() => readInstruction(reader, accounts.length));
  if (reader.offset !== bytes.length) {
    throw new WireError(`${bytes.length - reader.offset} bytes follow its end`);
  }
  if (signatures.length !== requiredSignatures) {
    throw new WireError(
      `it carries ${signatures.length} signatures where its message needs ${requiredSignatures}`,
    );
  }
  if (readonlySigned >= requiredSignatures || requiredSignatures + readonlyUnsigned > accounts.length) {
    throw new WireError('the header of its message contradicts its accounts');
  }
  return { signatures, message, readonlySigned, readonlyUnsigned, accounts, blockhash, instructions };
}

function readInstruction(reader: Reader, accounts: number): WireInstruction {
  const programIndex = reader.byte();
  const accountIndexes = reader.take(reader.count());
  const data = reader.take(reader.count());
  if (programIndex >= accounts || accountIndexes.some((index) => index >= accounts)) {
    throw new WireError('an instruction names an account that does not exist');
  }
  return { programIndex, accountIndexes, data };
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
    const end = this.offset + length;
    if (end > this.#bytes.length) throw new WireError('it ends too early');
    const taken = this.#bytes.subarray(this.offset, end);
    this.offset = end;
    return taken;
  }

  skip(length: number): void {
    const end = this.offset + length;
    if (end > this.#bytes.length) throw new WireError('it ends too early');
    this.offset = end;
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
  const bytes = new Uint8Array(1 + required * signatureBytes + message.length);
  bytes[0] = required;
  signatures.forEach((signature, index) => {
    bytes.set(signature, 1 + index * signatureBytes);
  });
  bytes.set(message, 1 + required * signatureBytes);
  return bytes;
}

/**
 * Where the parts of a transaction lie in its bytes: a count and the signatures, then the message: header, account keys,
 * recent blockhash, instructions and, in version 0, what it takes from lookup tables. Counts are "compact-u16": 7 bits a
 * byte, least significant first, at most 3 bytes, in the shortest form. Nothing is copied.
 */

/** Largest transaction that the network carries (IPv6 MTU less headers). */
export const maxTransactionBytes = 1_232;
export const signatureBytes = 64;
export const keyBytes = 32;
/** High bit of the first byte of a message: not a legacy one. */
const versionBit = 0x80;

export type WireFault = 'truncated' | 'count' | 'version' | 'unsound';

/** Bytes that are not a transaction; the message gives the reason as the end of a sentence, `fault` its kind. */
export class WireError extends Error {
  override name = 'WireError';
  readonly fault: WireFault;

  constructor(message: string, fault: WireFault = 'unsound') {
    super(message);
    this.fault = fault;
  }
}

/** A message of a version that is neither legacy nor 0. */
export class UnknownVersionError extends WireError {
  override name = 'UnknownVersionError';
  readonly version: number;

  constructor(version: number) {
    super(`it is of version ${version}`, 'version');
    this.version = version;
  }
}

/** Where an instruction lies. */
export interface InstructionPlace {
  programIndex: number;
  accountsAt: number;
  accountCount: number;
  dataAt: number;
  dataLength: number;
}

/** Where the addresses lie that are taken from a table on chain. */
interface LookupPlace {
  tableAt: number;
  writableAt: number;
  writableCount: number;
  readonlyAt: number;
  readonlyCount: number;
}

/** The numbers of a message's header, and how many accounts stand in the message itself. */
interface Header {
  requiredSignatures: number;
  /** How many of the accounts that sign, the first ones, are not written to. */
  readonlySigned: number;
  /** How many of the accounts that do not sign, the last ones, are not written to. */
  readonlyUnsigned: number;
  accountCount: number;
}

export interface MessageLayout extends Header {
  version: 'legacy' | 0;
  accountsAt: number;
  blockhashAt: number;
  instructions: InstructionPlace[];
  lookups: LookupPlace[];
  /** Behind its last byte; whatever follows is not looked at. */
  end: number;
}

export interface TransactionLayout {
  signatureCount: number;
  signaturesAt: number;
  messageAt: number;
  /** With places in the bytes of the whole transaction. */
  message: MessageLayout;
}

/** Locates the parts of a transaction. Throws a `WireError` where they end too early, or a count or version is wrong. */
export function locateTransaction(bytes: Uint8Array): TransactionLayout {
  const reader = new Reader(bytes);
  const signatureCount = reader.count();
  const signaturesAt = reader.skip(signatureCount * signatureBytes);
  const messageAt = reader.offset;
  return { signatureCount, signaturesAt, messageAt, message: locate(reader) };
}

/** Locates the parts of a bare message, as `locateTransaction` does. */
export function locateMessage(bytes: Uint8Array): MessageLayout {
  return locate(new Reader(bytes));
}

/** Returns the version of a transaction, of which nothing else is read. */
export function versionOfTransaction(bytes: Uint8Array): MessageLayout['version'] {
  const reader = new Reader(bytes);
  reader.skip(reader.count() * signatureBytes);
  return readVersion(reader).version;
}

/**
 * Throws a `WireError` for a message that nodes would refuse because its parts do not fit each other, or that does not
 * end with its bytes.
 */
export function requireSound(bytes: Uint8Array, layout: MessageLayout): void {
  const { requiredSignatures, readonlySigned, readonlyUnsigned, accountCount } = layout;
  if (layout.end !== bytes.length) throw new WireError(`${bytes.length - layout.end} bytes follow its end`);
  if (readonlySigned >= requiredSignatures || requiredSignatures + readonlyUnsigned > accountCount) {
    throw new WireError('the header of its message contradicts its accounts');
  }
  let known = accountCount;
  for (const { writableCount, readonlyCount } of layout.lookups) known += writableCount + readonlyCount;
  for (const { programIndex, accountsAt, accountCount: named } of layout.instructions) {
    let isKnown = programIndex < accountCount;
    for (let at = accountsAt; at < accountsAt + named; at += 1) isKnown &&= (bytes[at] as number) < known;
    if (!isKnown) throw new WireError('an instruction names an account that does not exist');
  }
}

/** Returns whether an account that stands in a message itself is written to. */
export function isWritable(header: Header, index: number): boolean {
  const { requiredSignatures, readonlySigned, readonlyUnsigned, accountCount } = header;
  return index < requiredSignatures
    ? index < requiredSignatures - readonlySigned
    : index < accountCount - readonlyUnsigned;
}

function readVersion(reader: Reader): { version: 'legacy' | 0; requiredSignatures: number } {
  const first = reader.byte();
  if (first < versionBit) return { version: 'legacy', requiredSignatures: first };
  if (first > versionBit) throw new UnknownVersionError(first - versionBit);
  return { version: 0, requiredSignatures: reader.byte() };
}

function locate(reader: Reader): MessageLayout {
  const { version, requiredSignatures } = readVersion(reader);
  const readonlySigned = reader.byte();
  const readonlyUnsigned = reader.byte();
  const accountCount = reader.count();
  const accountsAt = reader.skip(accountCount * keyBytes);
  const blockhashAt = reader.skip(keyBytes);
  const instructions: InstructionPlace[] = [];
  for (let left = reader.count(); left > 0; left -= 1) instructions.push(locateInstruction(reader));
  const lookups: LookupPlace[] = [];
  if (version === 0) for (let left = reader.count(); left > 0; left -= 1) lookups.push(locateLookup(reader));
  return {
    version,
    requiredSignatures,
    readonlySigned,
    readonlyUnsigned,
    accountsAt,
    accountCount,
    blockhashAt,
    instructions,
    lookups,
    end: reader.offset,
  };
}

function locateInstruction(reader: Reader): InstructionPlace {
  const programIndex = reader.byte();
  const accountCount = reader.count();
  const accountsAt = reader.skip(accountCount);
  const dataLength = reader.count();
  const dataAt = reader.skip(dataLength);
  return { programIndex, accountsAt, accountCount, dataAt, dataLength };
}

function locateLookup(reader: Reader): LookupPlace {
  const tableAt = reader.skip(keyBytes);
  const writableCount = reader.count();
  const writableAt = reader.skip(writableCount);
  const readonlyCount = reader.count();
  const readonlyAt = reader.skip(readonlyCount);
  return { tableAt, writableAt, writableCount, readonlyAt, readonlyCount };
}

/** Passes the parts of a transaction one after the other. Throws a `WireError` where they end too early. */
class Reader {
  readonly #bytes: Uint8Array;
  offset = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  byte(): number {
    const byte = this.#bytes[this.offset];
    if (byte === undefined) throw new WireError('it ends too early', 'truncated');
    this.offset += 1;
    return byte;
  }

  /** Passes so many bytes over, and returns where they begin. */
  skip(length: number): number {
    const start = this.offset;
    if (start + length > this.#bytes.length) throw new WireError('it ends too early', 'truncated');
    this.offset = start + length;
    return start;
  }

  /** Returns a compact-u16 in its shortest form, as nodes demand it. */
  count(): number {
    let value = 0;
    for (let position = 0; position < 3; position += 1) {
      const byte = this.byte();
      if (byte === 0 && position > 0) throw new WireError('a count is not in its shortest form', 'count');
      value |= (byte & 0x7f) << (7 * position);
      if (byte < 0x80) return checkedCount(value);
    }
    throw new WireError('a count is too large', 'count');
  }
}

function checkedCount(value: number): number {
  if (value > 0xffff) throw new WireError('a count is too large', 'count');
  return value;
}

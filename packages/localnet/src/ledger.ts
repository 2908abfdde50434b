import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { EntryPlaces } from './entry-places.js';
import { entryBytes } from './history.js';
import { type Lock, takeLock } from './lock.js';

/**
 * The ledger on disk. A generation n is a pair: `snapshot-n.bin`, the state at its start, and `log-n.bin`, what
 * happened since, one record for each event, appended before anybody hears of the event. Making generation n+1:
 *
 * 1. write `history-n.bin`, the transactions of log n (without what they changed, price writes and the like);
 * 2. write `snapshot-(n+1).bin`;
 * 3. open `log-(n+1).bin`; 4. remove the files of generation n.
 *
 * Files 1 and 2 are written beside and renamed, so each is there whole or not at all; the newest snapshot decides
 * which generation counts. A record is [length u32][crc32 u32][kind u8][payload]; a log's torn last record (the
 * process was killed while writing it, nobody was answered) is cut off at the next start.
 *
 * What is large about a transaction is read from there when somebody asks: of those in the window only the places are
 * kept in memory.
 *
 * `write()` returns once the kernel has the bytes: killing the process loses nothing. Losing power may lose
 * the last seconds of a log, never a snapshot (those are fsynced).
 */
export const LEDGER_VERSION = 1;

export const RECORD = { slot: 1, transaction: 2, accounts: 3, header: 10, slotTimes: 11, end: 12 } as const;

export interface LedgerRecord {
  kind: number;
  payload: Buffer;
  /** Offset of the payload in its file. */
  at: number;
}

export interface Genesis {
  version: number;
  /** 32 random bytes in hex: genesis hash, blockhashes and the faucet follow from it. */
  nonce: string;
  createdAt: string;
}

/** What a folder held when it was opened. */
export interface LedgerContents {
  genesis: Genesis;
  created: boolean;
  /** Records of the snapshot, undefined before the first. */
  snapshot: LedgerRecord[] | undefined;
  /** Transactions of earlier generations, oldest first, a file at a time. To be read before `log`, each once. */
  history: Iterable<LedgerRecord>;
  /** Records of the current log. */
  log: Iterable<LedgerRecord>;
}

const MAGIC = Buffer.from('SVMLEDG1');
const RECORD_HEAD_BYTES = 9;
/** How many files of the history are held open to read from. */
const READERS_MAX = 8;

/** Frames one record for a file. */
export function frame(kind: number, payload: Uint8Array): Buffer {
  const bytes = Buffer.alloc(RECORD_HEAD_BYTES + payload.length);
  bytes.writeUInt32LE(payload.length, 0);
  bytes[8] = kind;
  bytes.set(payload, RECORD_HEAD_BYTES);
  bytes.writeUInt32LE(crc32(bytes.subarray(8)), 4);
  return bytes;
}

/** Reads records up to the first that is torn or damaged; `end` is where the good part ends. */
export function readRecords(bytes: Buffer): { records: LedgerRecord[]; end: number } {
  const records: LedgerRecord[] = [];
  let at = MAGIC.length;
  if (bytes.length < at || !bytes.subarray(0, at).equals(MAGIC)) return { records, end: 0 };
  while (at + RECORD_HEAD_BYTES <= bytes.length) {
    const end = at + RECORD_HEAD_BYTES + bytes.readUInt32LE(at);
    if (end > bytes.length || crc32(bytes.subarray(at + 8, end)) !== bytes.readUInt32LE(at + 4)) break;
    const payload = bytes.subarray(at + RECORD_HEAD_BYTES, end);
    records.push({ kind: bytes[at + 8] ?? 0, payload, at: at + RECORD_HEAD_BYTES });
    at = end;
  }
  return { records, end: at };
}

/** The calls by which a ledger changes files; tests end a run at each of them, as a killed process would. */
export interface LedgerFiles {
  openSync(path: string, flags: string): number;
  writeSync(file: number, bytes: Uint8Array): number;
  fsyncSync(file: number): void;
  ftruncateSync(file: number, length: number): void;
  closeSync(file: number): void;
  renameSync(from: string, to: string): void;
  rmSync(path: string): void;
}

export const REAL_FILES: LedgerFiles = {
  openSync: (path, flags) => openSync(path, flags),
  writeSync: (file, bytes) => writeSync(file, bytes),
  fsyncSync,
  ftruncateSync,
  closeSync,
  renameSync,
  rmSync: (path) => rmSync(path),
};

/** Writes all of it or throws: a full disk may take a part without an error. */
function writeWhole(files: LedgerFiles, file: number, bytes: Uint8Array): void {
  const written = files.writeSync(file, bytes);
  if (written < bytes.length) throw new Error(`only ${written} of ${bytes.length} bytes could be written`);
}

function writeAtomically(files: LedgerFiles, path: string, parts: Iterable<Uint8Array>): void {
  const file = files.openSync(`${path}.tmp`, 'w');
  try {
    for (const part of parts) writeWhole(files, file, part);
    files.fsyncSync(file);
  } finally {
    files.closeSync(file);
  }
  files.renameSync(`${path}.tmp`, path);
}

function* chain(...lists: readonly Iterable<Buffer>[]): Generator<Buffer> {
  for (const list of lists) yield* list;
}

function generationsOf(folder: string, prefix: string): number[] {
  return readdirSync(folder)
    .flatMap((name) => {
      const match = new RegExp(`^${prefix}-(\\d+)\\.bin$`).exec(name);
      return match ? [Number(match[1])] : [];
    })
    .sort((one, other) => one - other);
}

function openGenesis(files: LedgerFiles, folder: string): { genesis: Genesis; created: boolean } {
  const path = join(folder, 'genesis.json');
  if (existsSync(path)) {
    const genesis = JSON.parse(readFileSync(path, 'utf8')) as Genesis;
    if (genesis.version !== LEDGER_VERSION) {
      throw new Error(
        `The ledger in ${folder} has version ${genesis.version}, this program knows ${LEDGER_VERSION}: use the program that wrote it, or another folder`,
      );
    }
    return { genesis, created: false };
  }
  const genesis = {
    version: LEDGER_VERSION,
    nonce: randomBytes(32).toString('hex'),
    createdAt: new Date().toISOString(),
  };
  writeAtomically(files, path, [Buffer.from(`${JSON.stringify(genesis)}\n`)]);
  return { genesis, created: true };
}

/** Makes this process the only one on a ledger's folder. */
function lockFolder(folder: string): Lock {
  return takeLock(
    join(folder, 'lock'),
    (pid) =>
      new Error(`The ledger in ${folder} is in use by process ${pid}: stop it first, or use another folder`),
  );
}

/** Everything that a ledger's folder may hold. */
const LEDGER_FILE = /^(lock(\.removing)*|(genesis\.json|(snapshot|log|history)-\d+\.bin)(\.tmp)?)$/;

/**
 * Removes the chain in a folder, if there is one. Throws when the folder holds something that is no ledger's, or when a
 * process uses it; nothing is removed then.
 */
export function removeLedger(folder: string): void {
  if (!existsSync(folder)) return;
  const foreign = readdirSync(folder).find((name) => !LEDGER_FILE.test(name));
  if (foreign !== undefined)
    throw new Error(`${folder} is no ledger's folder: it holds ${foreign}. Nothing was removed`);
  const lock = lockFolder(folder);
  try {
    const chain = readdirSync(folder).filter((name) => !name.startsWith('lock'));
    for (const name of chain) rmSync(join(folder, name));
  } finally {
    lock.release();
  }
}

export class Ledger {
  readonly #files: LedgerFiles;
  readonly #folder: string;
  readonly #lock: Lock;
  #generation: number;
  #log: number;
  #logBytes: number;
  #failure: Error | undefined;
  readonly #places = new EntryPlaces();
  /** Files that transactions are read from, by generation, the one used last at the end. */
  readonly #readers = new Map<number, number>();

  private constructor(
    files: LedgerFiles,
    folder: string,
    lock: Lock,
    generation: number,
    log: number,
    logBytes: number,
  ) {
    this.#files = files;
    this.#folder = folder;
    this.#lock = lock;
    this.#generation = generation;
    this.#log = log;
    this.#logBytes = logBytes;
  }

  /** Opens a folder, making it when it is missing. Throws when it is in use or of another version. */
  static open(folder: string, files: LedgerFiles = REAL_FILES): { ledger: Ledger; contents: LedgerContents } {
    mkdirSync(folder, { recursive: true });
    const lock = lockFolder(folder);
    try {
      return Ledger.#openLocked(folder, files, lock);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  static #openLocked(
    folder: string,
    files: LedgerFiles,
    lock: Lock,
  ): { ledger: Ledger; contents: LedgerContents } {
    const { genesis, created } = openGenesis(files, folder);
    const generation = generationsOf(folder, 'snapshot').at(-1) ?? 0;
    const snapshot = generation === 0 ? undefined : Ledger.#readSnapshot(folder, generation);
    const { log, file, bytes } = Ledger.#openLog(files, folder, generation);
    const ledger = new Ledger(files, folder, lock, generation, file, bytes);
    ledger.#removeOld();
    const contents = {
      genesis,
      created,
      snapshot,
      history: ledger.#readHistory(),
      log: ledger.#noteEntries(generation, log),
    };
    return { ledger, contents };
  }

  *#readHistory(): Generator<LedgerRecord> {
    for (const old of generationsOf(this.#folder, 'history').filter((old) => old < this.#generation))
      yield* this.#noteEntries(old, readRecords(readFileSync(this.#path('history', old))).records);
  }

  /** Gives the records on and notes where the transactions among them are. */
  *#noteEntries(generation: number, records: readonly LedgerRecord[]): Generator<LedgerRecord> {
    for (const record of records) {
      if (record.kind === RECORD.transaction)
        this.#places.add({ generation, offset: record.at, bytes: entryBytes(record.payload) });
      yield record;
    }
  }

  static #readSnapshot(folder: string, generation: number): LedgerRecord[] {
    const path = join(folder, `snapshot-${generation}.bin`);
    const { records } = readRecords(readFileSync(path));
    if (records.at(-1)?.kind !== RECORD.end)
      throw new Error(`${path} is damaged: it does not end where it should`);
    return records;
  }

  static #openLog(
    files: LedgerFiles,
    folder: string,
    generation: number,
  ): { log: LedgerRecord[]; file: number; bytes: number } {
    const path = join(folder, `log-${generation}.bin`);
    const content = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
    const { records, end } = readRecords(content);
    const file = files.openSync(path, 'a');
    if (end < content.length) files.ftruncateSync(file, end);
    if (end === 0) writeWhole(files, file, MAGIC);
    return { log: records, file, bytes: Math.max(end, MAGIC.length) };
  }

  /** Size of the current log in bytes. */
  get logBytes(): number {
    return this.#logBytes;
  }

  /**
   * Appends a record; it survives the end of the process from then on. Once one could not be written (a full disk, say)
   * every later one is refused: the chain in memory has gone past what is on disk, and only a restart brings them together.
   */
  append(kind: number, payload: Uint8Array): void {
    if (this.#failure) throw this.#failure;
    const bytes = frame(kind, payload);
    try {
      writeWhole(this.#files, this.#log, bytes);
    } catch (error) {
      // Half a record may be there now; the next start cuts it off.
      this.#failure = new Error(`The ledger in ${this.#folder} could not be written`, { cause: error });
      throw this.#failure;
    }
    this.#logBytes += bytes.length;
  }

  /** Appends a transaction, its entry and what it changed; gives the number by which `readEntry` finds the entry. */
  appendTransaction(entry: Buffer, changes: Buffer): number {
    const offset = this.#logBytes + RECORD_HEAD_BYTES;
    this.append(RECORD.transaction, Buffer.concat([entry, changes]));
    return this.#places.add({ generation: this.#generation, offset, bytes: entry.length });
  }

  /** The entry with this number; undefined when it has left the window. */
  readEntry(number: number): Buffer | undefined {
    const place = this.#places.find(number);
    if (!place) return undefined;
    const bytes = Buffer.allocUnsafe(place.bytes);
    const read = readSync(this.#reader(place.generation), bytes, 0, bytes.length, place.offset);
    if (read < bytes.length) throw new Error(`The ledger in ${this.#folder} has lost a part of its history`);
    return bytes;
  }

  #reader(generation: number): number {
    const known = this.#readers.get(generation);
    const file =
      known ?? openSync(this.#path(generation === this.#generation ? 'log' : 'history', generation), 'r');
    this.#readers.delete(generation);
    this.#readers.set(generation, file);
    const [eldest] = this.#readers.keys();
    if (this.#readers.size > READERS_MAX && eldest !== undefined) this.#closeReader(eldest);
    return file;
  }

  #closeReader(generation: number): void {
    const file = this.#readers.get(generation);
    if (file === undefined) return;
    this.#readers.delete(generation);
    closeSync(file);
  }

  /**
   * Starts the next generation from the records of a snapshot. Old files go whose transactions all have a number below
   * `oldestKept`.
   */
  compact(snapshot: Iterable<Buffer>, oldestKept: number): void {
    if (this.#failure) throw this.#failure;
    const old = this.#generation;
    const offsets = this.#writeHistory(old);
    const next = old + 1;
    const path = this.#path('snapshot', next);
    writeAtomically(this.#files, path, chain([MAGIC], snapshot, [frame(RECORD.end, Buffer.alloc(0))]));
    this.#files.closeSync(this.#log);
    this.#closeReader(old);
    const places = this.#places.in(old);
    if (places) places.offsets = offsets;
    this.#generation = next;
    const opened = Ledger.#openLog(this.#files, this.#folder, next);
    this.#log = opened.file;
    this.#logBytes = opened.bytes;
    this.#removeOld();
    for (const gone of this.#places.dropBefore(oldestKept)) {
      this.#closeReader(gone);
      if (gone < this.#generation) this.#files.rmSync(this.#path('history', gone));
    }
  }

  /** Writes the transactions of a generation's log into its history; gives where they are there. */
  #writeHistory(generation: number): number[] {
    const places = this.#places.in(generation);
    if (!places) return [];
    const offsets: number[] = [];
    const read = (number: number) => frame(RECORD.transaction, this.readEntry(number) ?? Buffer.alloc(0));
    function* frames(first: number, count: number): Generator<Buffer> {
      let at = MAGIC.length;
      yield MAGIC;
      for (let number = first; number < first + count; number += 1) {
        const bytes = read(number);
        offsets.push(at + RECORD_HEAD_BYTES);
        at += bytes.length;
        yield bytes;
      }
    }
    const parts = frames(places.first, places.offsets.length);
    writeAtomically(this.#files, this.#path('history', generation), parts);
    return offsets;
  }

  close(): void {
    for (const generation of [...this.#readers.keys()]) this.#closeReader(generation);
    try {
      this.#files.fsyncSync(this.#log);
      this.#files.closeSync(this.#log);
    } finally {
      this.#lock.release();
    }
  }

  #path(prefix: string, generation: number): string {
    return join(this.#folder, `${prefix}-${generation}.bin`);
  }

  #removeOld(): void {
    for (const prefix of ['snapshot', 'log']) {
      for (const old of generationsOf(this.#folder, prefix)) {
        if (old < this.#generation) this.#files.rmSync(this.#path(prefix, old));
      }
    }
  }
}

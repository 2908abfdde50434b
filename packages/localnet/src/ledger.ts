import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type Libsql from 'libsql';
import { type AccountChange, decodeState, encodeState } from './account.js';
import { addressFromBytes, requireAddressBytes } from './address-bytes.js';
import { type Lock, takeLock } from './lock.js';

/** The version of the schema, in the file's `user_version`. */
export const LEDGER_VERSION = 1;

const FILE = 'chain.db';
/** Everything that a ledger's folder may hold. */
const LEDGER_FILE = /^(lock(\.removing|\.[0-9a-f]{12})*|chain\.db(-wal|-shm)?)$/;
const SCHEMA = `
  create table genesis (nonce blob not null);
  create table accounts (address blob primary key, state blob) without rowid;
  create table transactions (number integer primary key, entry blob not null);
  create table slots (slot integer primary key, unix_ms real not null, warp_ms real not null);
`;

/** So large the write-ahead log gets, in pages of 4 KiB: at the end of it a commit waits for the disk. */
const CHECKPOINT_PAGES = 4_000;

/** A slot that the chain moved to. */
export interface LedgerSlot {
  slot: number;
  unixMs: number;
  warpMs: number;
}

/** Makes this process the only one on a ledger's folder. */
function lockFolder(folder: string): Lock {
  return takeLock(
    join(folder, 'lock'),
    (pid) =>
      new Error(`The ledger in ${folder} is in use by process ${pid}: stop it first, or use another folder`),
  );
}

/**
 * Removes the chain in a folder, if there is one. Throws when the folder holds something that is no ledger's, or when a
 * process uses it; nothing is removed then.
 */
export function removeLedger(folder: string): void {
  if (!existsSync(folder)) return;
  const foreign = readdirSync(folder).find((name) => !LEDGER_FILE.test(name));
  if (foreign !== undefined)
    throw new Error(`${folder} is not a ledger folder: it contains ${foreign}. Nothing was removed`);
  const lock = lockFolder(folder);
  try {
    for (const name of readdirSync(folder).filter((name) => !name.startsWith('lock')))
      rmSync(join(folder, name));
  } finally {
    lock.release();
  }
}

/**
 * The ledger on disk: an SQLite database with a write-ahead log. Each step of the chain is one transaction of it,
 * committed before the step is reported to anybody.
 *
 * A commit returns once the kernel has the bytes: killing the process loses nothing. Losing power may lose the last
 * seconds and nothing else (`synchronous = normal`).
 */
export class Ledger {
  /** 32 random bytes: genesis hash, blockhashes and the faucet follow from them. */
  readonly nonce: Buffer;
  readonly #folder: string;
  readonly #isFresh: (address: string) => boolean;
  readonly #lock: Lock;
  readonly #db: Libsql.Database;
  readonly #putAccount: Libsql.Statement;
  readonly #removeAccount: Libsql.Statement;
  readonly #putTransaction: Libsql.Statement;
  readonly #removeTransactions: Libsql.Statement;
  readonly #putSlot: Libsql.Statement;
  readonly #removeSlots: Libsql.Statement;
  readonly #readEntry: Libsql.Statement;
  #nextNumber: number;
  #failure: Error | undefined;

  /**
   * Opens a folder, making it when it is missing. Throws when it is in use, damaged or of another version. `isFresh`
   * returns whether a fresh VM has an account at an address, so that its removal has to be kept.
   */
  constructor(folder: string, isFresh: (address: string) => boolean) {
    mkdirSync(folder, { recursive: true });
    this.#folder = folder;
    this.#isFresh = isFresh;
    this.#lock = lockFolder(folder);
    try {
      // Loaded here, since loading it takes as long as starting a chain in memory.
      const Database = createRequire(import.meta.url)('libsql') as typeof Libsql;
      this.#db = new Database(join(folder, FILE));
      this.#openSchema();
      const { quick_check } = this.#row<{ quick_check: string }>('pragma quick_check(1)');
      if (quick_check !== 'ok') throw this.#damaged(quick_check);
      this.#db.exec(
        `pragma journal_mode = wal; pragma synchronous = normal; pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}`,
      );
      this.nonce = this.#row<{ nonce: Buffer }>('select nonce from genesis').nonce;
      this.#putAccount = this.#db.prepare('insert or replace into accounts values (?, ?)');
      this.#removeAccount = this.#db.prepare('delete from accounts where address = ?');
      this.#putTransaction = this.#db.prepare('insert into transactions values (?, ?)');
      this.#removeTransactions = this.#db.prepare('delete from transactions where number < ?');
      this.#putSlot = this.#db.prepare('insert into slots values (?, ?, ?)');
      // The time of the oldest slot kept may follow from the row before it.
      this.#removeSlots = this.#db.prepare(
        'delete from slots where slot < (select max(slot) from slots where slot <= ?)',
      );
      this.#readEntry = this.#db.prepare('select entry from transactions where number = ?');
      const { newest } = this.#row<{ newest: number | null }>(
        'select max(number) as newest from transactions',
      );
      this.#nextNumber = (newest ?? -1) + 1;
    } catch (error) {
      this.#lock.release();
      const { code } = error as { code?: string };
      throw code === 'SQLITE_NOTADB' || code === 'SQLITE_CORRUPT' ? this.#damaged(error) : error;
    }
  }

  #row<T>(sql: string): T {
    return this.#db.prepare(sql).get() as T;
  }

  #damaged(cause: unknown): Error {
    return new Error(`The ledger in ${this.#folder} is damaged`, { cause });
  }

  #openSchema(): void {
    const { user_version: version } = this.#row<{ user_version: number }>('pragma user_version');
    if (version === LEDGER_VERSION) return;
    if (version !== 0)
      throw new Error(
        `The ledger in ${this.#folder} has version ${version}, this program knows ${LEDGER_VERSION}: use the program that wrote it, or another folder`,
      );
    const nonce = randomBytes(32).toString('hex');
    this.#db.exec(
      `begin; ${SCHEMA} insert into genesis values (x'${nonce}'); pragma user_version = ${LEDGER_VERSION}; commit`,
    );
  }

  #rows<T>(sql: string): IterableIterator<T> {
    return this.#db.prepare(sql).raw().iterate() as IterableIterator<T>;
  }

  /** The slots that the chain moved to, oldest first. */
  *slots(): Generator<LedgerSlot> {
    const rows = this.#rows<[number, number, number]>('select * from slots order by slot');
    for (const [slot, unixMs, warpMs] of rows) yield { slot, unixMs, warpMs };
  }

  /** The accounts that differ from those of a fresh VM. */
  *accounts(): Generator<AccountChange> {
    for (const [address, state] of this.#rows<[Buffer, Buffer | null]>('select * from accounts'))
      yield { address: addressFromBytes(address), state: state ? decodeState(state) : undefined };
  }

  /** Returns the transactions of the window by number, oldest first; they count up from 0 in the order of the chain. */
  entries(): Iterable<[number: number, entry: Buffer]> {
    return this.#rows('select * from transactions order by number');
  }

  /**
   * Runs a step as one transaction of the database. Once one failed (a full disk, say) every later one is refused: the
   * chain in memory has gone past what is on disk, and only a restart brings them together.
   */
  #write(step: () => void): void {
    if (this.#failure) throw this.#failure;
    try {
      this.#db.exec('begin');
      step();
      this.#db.exec('commit');
    } catch (error) {
      this.#failure = new Error(`The ledger in ${this.#folder} could not be written`, { cause: error });
      if (this.#db.inTransaction) this.#db.exec('rollback');
      throw this.#failure;
    }
  }

  #putChanges(changes: readonly AccountChange[]): void {
    for (const { address, state } of changes) {
      const key = requireAddressBytes(address);
      if (state) this.#putAccount.run([key, encodeState(state)]);
      else if (this.#isFresh(address)) this.#putAccount.run([key, null]);
      else this.#removeAccount.run([key]);
    }
  }

  /** Writes accounts, all or none. */
  writeAccounts(changes: readonly AccountChange[]): void {
    this.#write(() => this.#putChanges(changes));
  }

  /** Appends a transaction, its entry and what it changed; returns its number. */
  appendTransaction(entry: Buffer, changes: readonly AccountChange[]): number {
    const number = this.#nextNumber;
    this.#write(() => {
      this.#putTransaction.run([number, entry]);
      this.#putChanges(changes);
    });
    this.#nextNumber += 1;
    return number;
  }

  /** Moves on to a slot, and removes the transactions and slots before those that are kept. */
  advance({ slot, unixMs, warpMs }: LedgerSlot, kept: { number: number; slot: number }): void {
    this.#write(() => {
      this.#putSlot.run([slot, unixMs, warpMs]);
      this.#removeSlots.run([kept.slot]);
      this.#removeTransactions.run([kept.number]);
    });
  }

  /** Returns the entry of the transaction with this number; undefined when it has left the window. */
  readEntry(number: number): Buffer | undefined {
    return (this.#readEntry.get([number]) as { entry: Buffer } | undefined)?.entry;
  }

  close(): void {
    try {
      // Leaves one file. The library alone would do so only when it collects the statements, and only then close it.
      this.#db.exec('pragma journal_mode = delete');
      this.#db.close();
    } finally {
      this.#lock.release();
    }
  }
}

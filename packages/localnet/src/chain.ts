import { createHash, randomBytes } from 'node:crypto';
import { type AccountChange, type AccountState, decodeChanges, encodeChanges } from './account.js';
import { AccountsIndex } from './accounts-index.js';
import {
  FINAL_LOADER,
  NATIVE_LOADER,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  UPGRADEABLE_LOADER,
} from './addresses.js';
import { encodeBase58 } from './base58.js';
import { BLOCKHASH_AGE_MAX, Blockhashes } from './blockhashes.js';
import { type Commitment, slotAt } from './commitment.js';
import { codeAddressOf, Deployments, holdsCode, notDeployed, PROGRAM_BYTES } from './deployments.js';
import { invalidParams } from './errors.js';
import { Signal } from './events.js';
import { executeTransaction, type Outcome, TransactionRefused } from './execute.js';
import { airdropTransaction, derivedKeyPair, FAUCET_LAMPORTS, type KeyPair } from './faucet.js';
import { LAMPORTS_PER_SIGNATURE, loadedBytesMaxOf } from './fees.js';
import {
  decodeBody,
  decodeEntry,
  encodeEntry,
  History,
  type HistoryEntry,
  type NewEntry,
  type TransactionBody,
} from './history.js';
import { frame, Ledger, type LedgerContents, type LedgerFiles, type LedgerRecord, RECORD } from './ledger.js';
import { loadedDataBytes, NO_PROGRAM, TOO_MUCH_LOADED } from './loaded-data.js';
import { NonceHistory, nonceAddressOf } from './nonce.js';
import { PackedEntries } from './packed-entries.js';
import { SlotTimes } from './slot-times.js';
import type { TransactionError } from './transaction-error.js';
import { type Execution, type Simulation, SLOTS_PER_EPOCH, Vm } from './vm.js';
import {
  allKeys,
  decodeTransaction,
  type LoadedAddresses,
  type WireMessage,
  type WireTransaction,
} from './wire.js';

/** Blocks that a new chain has before anybody uses it, so that `finalized` means something from the start. */
const GENESIS_BLOCKS = 40;
/**
 * A chain that is continued makes up for the slots it missed, so that old blockhashes have expired; more than this
 * would only push its blocks out of the window.
 */
const RESTART_SLOTS_MAX = 200;
const LOG_BYTES_MAX = 16 * 1024 * 1024;
const SNAPSHOT_ACCOUNTS_PER_RECORD = 1_000;
const SLOT_HASHES = 512;
/** Owners of the accounts that every chain has and that are asked for by owner, or often. */
const INDEXED_AT_START = [
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
  TOKEN_2022_PROGRAM,
  UPGRADEABLE_LOADER,
  FINAL_LOADER,
];

export interface ChainOptions {
  /** Folder of the ledger; undefined: nothing is written. */
  ledger?: string | undefined;
  /** Length of a slot in milliseconds. */
  slotMs: number;
  /** Window of history: transactions and slots that are kept. */
  historyTransactions: number;
  historySlots: number;
  /** Size of a log in bytes at which a snapshot is written, default 16 MiB. */
  logBytesMax?: number | undefined;
  files?: LedgerFiles | undefined;
}

/** A move of the chain from one slot to a later one, usually the next. */
export interface SlotEvent {
  from: number;
  to: number;
}

export interface AccountsEvent {
  slot: number;
  changes: readonly AccountChange[];
}

export interface TransactionEvent {
  entry: HistoryEntry;
  /** Null when nothing ran: such a transaction is not told to those who listen for logs. */
  logs: readonly string[] | null;
}

interface SnapshotHeader {
  slot: number;
  unixMs: number;
  warpMs: number;
  transactionCount: number;
}

export { SLOTS_PER_EPOCH };

/** The chain itself: slots, blockhashes, accounts, transactions and their history, and their place on disk. */
export class Chain {
  readonly vm = new Vm();
  readonly index = new AccountsIndex((address) => this.vm.getAccount(address));
  readonly history: History;
  readonly slotTimes: SlotTimes;
  readonly blockhashes: Blockhashes;
  readonly genesisHash: string;
  readonly genesisCreated: boolean;
  readonly identity: KeyPair;
  readonly voteAccount: KeyPair;
  readonly onSlot = new Signal<SlotEvent>();
  readonly onTransaction = new Signal<TransactionEvent>();
  readonly onAccounts = new Signal<AccountsEvent>();
  readonly onWarp = new Signal<{ slots: number; milliseconds: number }>();
  readonly slotMs: number;
  readonly #options: ChainOptions;
  readonly #ledger: Ledger | undefined;
  /** What a ledger would keep on disk. */
  readonly #packed = new PackedEntries();
  readonly #faucet: KeyPair;
  readonly #deployments = new Deployments();
  readonly #nonces = new NonceHistory();
  /** Accounts that differ from those of a fresh VM: what a snapshot has to hold. */
  readonly #touched = new Set<string>();
  /** Accounts that a fresh VM has, as far as they are indexed. */
  readonly #fresh = new Set<string>();
  #slot = -1;
  #unixMs = 0;
  #warpMs = 0;
  #airdrops = 0;
  /** Transactions that were read from the ledger: it numbers them in this order. */
  #loaded = 0;

  constructor(options: ChainOptions) {
    this.#options = options;
    this.slotMs = options.slotMs;
    this.history = new History(options.historyTransactions);
    this.slotTimes = new SlotTimes(options.historySlots);
    const opened = options.ledger === undefined ? undefined : Ledger.open(options.ledger, options.files);
    this.#ledger = opened?.ledger;
    const nonce = opened ? Buffer.from(opened.contents.genesis.nonce, 'hex') : randomBytes(32);
    this.blockhashes = new Blockhashes(nonce);
    this.genesisHash = encodeBase58(createHash('sha256').update(nonce).update('genesis').digest());
    this.identity = derivedKeyPair(nonce, 'identity');
    this.voteAccount = derivedKeyPair(nonce, 'vote account');
    this.#faucet = derivedKeyPair(nonce, 'faucet');
    this.#indexFreshVm();
    if (opened) this.#load(opened.contents);
    this.genesisCreated = this.#slot < 0;
    if (this.genesisCreated) this.#makeGenesis();
    else
      this.advance(
        Math.min(Math.max(1, Math.floor((this.nowMs() - this.#unixMs) / this.slotMs)), RESTART_SLOTS_MAX),
      );
  }

  /** The newest slot; a block's height is the same number, since no slot is skipped. */
  get slot(): number {
    return this.#slot;
  }

  /** An account as of now; as `vm.getAccount`, but quick for what the index keeps. */
  accountAt(address: string): AccountState | undefined {
    return this.index.stateOf(address) ?? this.vm.getAccount(address);
  }

  /** The bytes that loading the accounts of a transaction counts, as of now. */
  loadedDataBytes({ message }: WireTransaction, loaded: LoadedAddresses): number {
    return loadedDataBytes(message, allKeys(message, loaded), {
      bytesOf: (address) => this.index.bytesOf(address) ?? this.vm.getAccount(address)?.data.length,
      stateOf: (address) => this.accountAt(address),
    });
  }

  /** An account as the bank of `slot` shows it: the current state, but for nonce accounts that have moved since. */
  accountAtSlot(address: string, slot: number): AccountState | undefined {
    return this.#nonces.stateAt(address, slot) ?? this.vm.getAccount(address);
  }

  slotAt(commitment: Commitment): number {
    return slotAt(this.#slot, commitment);
  }

  /** The chain's clock in milliseconds: real time plus all warps, never going back. */
  nowMs(): number {
    return Math.max(Date.now() + this.#warpMs, this.#unixMs);
  }

  /** Moves on by some slots, the last of which is now. */
  advance(slots: number): void {
    const from = this.#slot;
    const record = Buffer.alloc(24);
    record.writeDoubleLE(from + slots, 0);
    record.writeDoubleLE(this.nowMs(), 8);
    record.writeDoubleLE(this.#warpMs, 16);
    this.#ledger?.append(RECORD.slot, record);
    this.#enterSlot(from + slots, this.nowMs());
    this.#setSysvars();
    this.#nonces.prune(this.slotAt('finalized'));
    this.onSlot.emit({ from, to: this.#slot });
    if (this.#ledger && this.#ledger.logBytes > (this.#options.logBytesMax ?? LOG_BYTES_MAX)) this.compact();
  }

  /** Moves the clock and the slots on together; what one of them needs of the other follows. */
  warp(by: { slots?: number | undefined; seconds?: number | undefined }): void {
    const slots = Math.max(by.slots ?? 0, Math.ceil(((by.seconds ?? 0) * 1000) / this.slotMs));
    const milliseconds = Math.max((by.seconds ?? 0) * 1000, (by.slots ?? 0) * this.slotMs);
    this.#warpMs += milliseconds;
    if (slots > 0) this.advance(slots);
    this.onWarp.emit({ slots, milliseconds });
  }

  /**
   * The error that keeps a transaction out of the bank of `slot` before anything runs; undefined when there is none.
   * `ageMax`: how many blocks old its blockhash may be.
   */
  admissionError(
    transaction: WireTransaction,
    slot: number,
    ageMax = BLOCKHASH_AGE_MAX,
  ): TransactionError | undefined {
    if (!this.hasLifetime(transaction.message, slot, ageMax)) return 'BlockhashNotFound';
    return this.history.find(transaction.signature) ? 'AlreadyProcessed' : undefined;
  }

  /** Whether a message lives in the bank of `slot`, by a recent blockhash or by a durable nonce. */
  hasLifetime(message: WireMessage, slot: number, ageMax = BLOCKHASH_AGE_MAX): boolean {
    return (
      this.blockhashes.isValidAt(message.lifetime, slot, ageMax) ||
      this.#nonceAddressOf(message, slot) !== undefined
    );
  }

  /** The nonce account that gives a message its lifetime; undefined when a recent blockhash does, or nothing. */
  #nonceAddressOf(message: WireMessage, slot: number): string | undefined {
    if (this.blockhashes.isValidAt(message.lifetime, slot)) return undefined;
    return nonceAddressOf(message, this.vm.nonce, (address) => this.vm.getAccount(address));
  }

  /** Runs a transaction in the current slot and drops its effects. */
  simulate(transaction: WireTransaction, loaded: LoadedAddresses): Simulation {
    const instead = this.#outcomeWithoutRunning(transaction, this.loadedDataBytes(transaction, loaded));
    return instead ? { ...instead, postAccounts: new Map() } : this.vm.simulate(transaction, loaded);
  }

  /** What comes of a transaction that the VM would run and a node would not; undefined: it is to be run. */
  #outcomeWithoutRunning({ message }: WireTransaction, loadedBytes: number): Execution | undefined {
    if (loadedBytes > loadedBytesMaxOf(message)) return TOO_MUCH_LOADED;
    // The VM ends the process when a program that it knows has lost its account.
    if (message.instructions.some((one) => !this.#hasProgram(message.staticKeys[one.programIdIndex] ?? '')))
      return NO_PROGRAM;
    const call = this.#deployments.hiddenCall(message, this.#slot, (address) => this.vm.getAccount(address));
    return call && notDeployed(call);
  }

  /** Whether there is an account at a program's address, and one of its loader. */
  #hasProgram(address: string): boolean {
    const owner = this.accountAt(address)?.owner;
    return owner === NATIVE_LOADER || (owner !== undefined && this.accountAt(owner) !== undefined);
  }

  /**
   * Runs a transaction in the current slot and records it if a block would take it. Its signatures must have been
   * verified. Once this returns, it survives the end of the process.
   */
  land(transaction: WireTransaction, loaded: LoadedAddresses): Outcome {
    const err = this.admissionError(transaction, this.#slot);
    if (err !== undefined) return { landed: undefined, err };
    const place = {
      slot: this.#slot,
      index: this.history.inSlot(this.#slot).length,
      blockTime: this.slotTimes.newestSeconds,
    };
    const nonceAddress = this.#nonceAddressOf(transaction.message, this.#slot);
    const loadedBytes = this.loadedDataBytes(transaction, loaded);
    const instead = this.#outcomeWithoutRunning(transaction, loadedBytes);
    const how = { nonceAddress, instead, loadedBytes };
    const outcome = executeTransaction(this.vm, transaction, loaded, place, how);
    if (!outcome.landed) return outcome;
    const { body, logs, changes } = outcome.landed;
    const encoded = encodeEntry(outcome.landed.entry, body);
    const number =
      this.#ledger?.appendTransaction(encoded, encodeChanges(changes)) ?? this.#packed.add(encoded);
    const entry = this.#addToHistory(outcome.landed.entry, number);
    this.#reloadPrograms(changes.filter(({ state }) => !state));
    this.#noteChanges(changes);
    this.#deployments.note(this.#slot, changes);
    // The signature first: whoever sees the state must be able to see what made it.
    this.onTransaction.emit({ entry, logs });
    this.onAccounts.emit({ slot: this.#slot, changes });
    return outcome;
  }

  #addToHistory(entry: NewEntry, number: number): HistoryEntry {
    const numbered = { ...entry, number };
    this.history.add(numbered);
    this.#packed.dropBefore(this.history.oldest?.number ?? 0);
    return numbered;
  }

  /** The bytes and the meta of a transaction that the window holds. */
  bodyOf({ number, signature }: HistoryEntry): TransactionBody {
    const encoded = this.#ledger ? this.#ledger.readEntry(number) : this.#packed.read(number);
    if (!encoded) throw new Error(`The body of ${signature} is gone`);
    return decodeBody(encoded);
  }

  /**
   * Writes accounts past all rules, as one step, without a transaction. -32602 when the VM refuses one (an executable
   * account whose code is none); nothing is written then.
   */
  writeAccounts(changes: readonly AccountChange[]): void {
    this.#setAccounts(changes);
    this.#ledger?.append(RECORD.accounts, encodeChanges(changes));
    this.#noteChanges(changes);
    this.onAccounts.emit({ slot: this.#slot, changes });
  }

  #setAccounts(changes: readonly AccountChange[]): void {
    const before = changes.map(({ address }) => ({ address, state: this.vm.getAccount(address) }));
    try {
      for (const { address, state } of changes) this.vm.setAccount(address, state);
      this.#reloadPrograms(
        changes.filter(({ state }) => !state || holdsCode(state)),
        changes.map(({ address }) => address),
      );
    } catch (error) {
      for (const { address, state } of before) this.vm.setAccount(address, state);
      const reason = error instanceof Error ? error.message : String(error);
      throw invalidParams(`Invalid param: the VM refuses the account: ${reason}`);
    }
  }

  /**
   * Lets the VM look again at the programs whose code came, changed or went with these accounts: it loads code when a
   * program's own account is written, and else goes on with what it has. `written`: accounts not indexed yet.
   */
  #reloadPrograms(codes: readonly AccountChange[], written: readonly string[] = []): void {
    if (codes.length === 0) return;
    const moved = new Set(codes.map(({ address }) => address));
    const known = [...this.index.ownedBy(UPGRADEABLE_LOADER)].filter(
      (address) => this.index.bytesOf(address) === PROGRAM_BYTES,
    );
    for (const address of new Set([...known, ...written])) {
      const state = this.vm.getAccount(address);
      if (moved.has(codeAddressOf(state) ?? '')) this.vm.setAccount(address, state);
    }
  }

  /**
   * Sends lamports from the faucet; gives the signature. Throws TransactionRefused when the faucet is empty, or when a
   * new account would get less than it needs to exist.
   */
  airdrop(address: string, lamports: bigint): string {
    this.#airdrops += 1;
    const blockhash = this.blockhashes.at(this.#slot);
    const transaction = decodeTransaction(
      airdropTransaction(this.#faucet, address, lamports, blockhash, this.#airdrops),
    );
    const loaded = { writable: [], readonly: [] };
    const simulation = this.simulate(transaction, loaded);
    if (simulation.err !== null) throw new TransactionRefused(simulation.err, simulation);
    this.land(transaction, loaded);
    return transaction.signature;
  }

  /** Writes a snapshot and starts a new log behind it; old transactions beyond the window go. */
  compact(): void {
    this.#ledger?.compact(this.#snapshotRecords(), this.history.oldest?.number ?? 0);
  }

  /** Writes a snapshot and lets the ledger go, the latter also when the former fails (a full disk, say). */
  close(): void {
    try {
      this.compact();
    } finally {
      this.#ledger?.close();
    }
  }

  #indexFreshVm(): void {
    for (const owner of INDEXED_AT_START) {
      for (const { address, state } of this.vm.getProgramAccounts(owner)) {
        this.#fresh.add(address);
        this.index.apply({ address, state });
      }
    }
  }

  #makeGenesis(): void {
    // The faucet first: a chain counts as begun once it has a slot.
    const faucet: AccountState = {
      lamports: FAUCET_LAMPORTS,
      owner: SYSTEM_PROGRAM,
      data: new Uint8Array(0),
      executable: false,
    };
    this.writeAccounts([{ address: this.#faucet.address, state: faucet }]);
    this.#slot = 0;
    this.#setFirstTime(Date.now());
    this.advance(GENESIS_BLOCKS);
  }

  /** The first blocks lie in the past, one slot apart, as if the chain had been running. */
  #setFirstTime(unixMs: number): void {
    this.slotTimes.load(0, [Math.floor((unixMs - GENESIS_BLOCKS * this.slotMs) / 1000)]);
  }

  #enterSlot(slot: number, unixMs: number): void {
    this.slotTimes.advanceTo(slot, Math.floor(unixMs / 1000));
    this.#slot = slot;
    this.#unixMs = unixMs;
  }

  #setSysvars(): void {
    this.blockhashes.advanceTo(this.#slot);
    const epoch = Math.floor(this.#slot / SLOTS_PER_EPOCH);
    const epochStart =
      this.slotTimes.at(epoch * SLOTS_PER_EPOCH) ?? this.slotTimes.at(this.slotTimes.first) ?? 0;
    this.vm.setClock(this.#slot, epoch, epochStart, this.slotTimes.newestSeconds);
    this.vm.setSlotHashes(this.blockhashes.before(this.#slot, SLOT_HASHES));
    this.vm.setRecentBlockhashes(
      this.blockhashes.upTo(this.#slot, BLOCKHASH_AGE_MAX),
      LAMPORTS_PER_SIGNATURE,
    );
  }

  #noteChanges(changes: readonly AccountChange[]): void {
    for (const change of changes) {
      const before = this.index.stateOf(change.address);
      this.#nonces.note(change.address, before, this.#slot, this.slotAt('finalized'));
      this.index.apply(change);
      if (change.state || this.#fresh.has(change.address)) this.#touched.add(change.address);
      else this.#touched.delete(change.address);
    }
  }

  /** Rebuilds the state from the effects that were recorded; no transaction is run again. */
  #load(contents: LedgerContents): void {
    const accounts = new Map<string, AccountState | undefined>();
    for (const record of contents.history) this.#loadEntry(record.payload);
    for (const record of contents.snapshot ?? []) this.#loadRecord(record, accounts);
    for (const record of contents.log) this.#loadRecord(record, accounts);
    if (this.#slot < 0) return;
    this.#setSysvars();
    // Programs last: the VM loads their code from the accounts that hold it.
    const changes = [...accounts].map(([address, state]) => ({ address, state }));
    const programsLast = changes.sort(
      (one, other) => Number(one.state?.executable ?? 0) - Number(other.state?.executable ?? 0),
    );
    for (const { address, state } of programsLast) this.vm.setAccount(address, state);
    this.#noteChanges(programsLast);
  }

  #loadRecord({ kind, payload }: LedgerRecord, accounts: Map<string, AccountState | undefined>): void {
    if (kind === RECORD.header) {
      const header = JSON.parse(payload.toString('utf8')) as SnapshotHeader;
      this.#slot = header.slot;
      this.#unixMs = header.unixMs;
      this.#warpMs = header.warpMs;
      this.history.startCountAt(header.transactionCount);
    } else if (kind === RECORD.slotTimes) {
      this.slotTimes.decode(payload);
    } else if (kind === RECORD.slot) {
      if (this.#slot < 0) this.#setFirstTime(payload.readDoubleLE(8));
      this.#enterSlot(payload.readDoubleLE(0), payload.readDoubleLE(8));
      this.#warpMs = payload.readDoubleLE(16);
    } else if (kind === RECORD.accounts) {
      for (const { address, state } of decodeChanges(payload)) accounts.set(address, state);
    } else if (kind === RECORD.transaction) {
      const end = this.#loadEntry(payload);
      for (const { address, state } of decodeChanges(payload, end)) accounts.set(address, state);
    }
  }

  /** Takes a transaction of the ledger in; gives where its entry ends. */
  #loadEntry(payload: Buffer): number {
    const { entry, end } = decodeEntry(payload);
    this.#addToHistory(entry, this.#loaded);
    this.#loaded += 1;
    return end;
  }

  *#snapshotRecords(): Generator<Buffer> {
    const header: SnapshotHeader = {
      slot: this.#slot,
      unixMs: this.#unixMs,
      warpMs: this.#warpMs,
      transactionCount: this.history.count,
    };
    yield frame(RECORD.header, Buffer.from(JSON.stringify(header)));
    yield frame(RECORD.slotTimes, this.slotTimes.encode());
    const touched = [...this.#touched];
    for (let at = 0; at < touched.length; at += SNAPSHOT_ACCOUNTS_PER_RECORD) {
      const changes = touched
        .slice(at, at + SNAPSHOT_ACCOUNTS_PER_RECORD)
        .map((address) => ({ address, state: this.vm.getAccount(address) }));
      yield frame(RECORD.accounts, encodeChanges(changes));
    }
  }
}

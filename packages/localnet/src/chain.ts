import { createHash, randomBytes } from 'node:crypto';
import { encodeBase58 } from '@karat/wire';
import type { AccountChange, AccountState } from './account.js';
import { AccountsIndex } from './accounts-index.js';
import {
  FINAL_LOADER,
  NATIVE_LOADER,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  UPGRADEABLE_LOADER,
} from './addresses.js';
import { BLOCKHASH_AGE_MAX, Blockhashes } from './blockhashes.js';
import { type Commitment, FINALIZED_AFTER_SLOTS, slotAt } from './commitment.js';
import { codeAddressOf, Deployments, holdsCode, notDeployed, PROGRAM_BYTES } from './deployments.js';
import { EarlierStates } from './earlier-states.js';
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
import { Ledger } from './ledger.js';
import { loadedDataBytes, NO_PROGRAM, TOO_MUCH_LOADED } from './loaded-data.js';
import { nonceAddressOf } from './nonce.js';
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
 * A chain that is continued makes up for the slots it missed, so that old blockhashes have expired, and for as many as make
 * all that landed before final; more than this would only push its blocks out of the window.
 */
const RESTART_SLOTS_MAX = 200;
const SLOT_HASHES = 512;
/** Owners of the accounts that every chain has and that are requested by owner, or often. */
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
  /** Null when nothing ran: subscribers to logs are not notified of such a transaction. */
  logs: readonly string[] | null;
}

export { SLOTS_PER_EPOCH };

/** The chain itself: slots, blockhashes, accounts, transactions and their history, and their place on disk. */
export class Chain {
  readonly vm = new Vm();
  readonly index = new AccountsIndex((address) => this.vm.getAccount(address));
  readonly history: History;
  readonly slotTimes: SlotTimes;
  blockhashes: Blockhashes;
  readonly genesisHash: string;
  readonly genesisCreated: boolean;
  readonly identity: KeyPair;
  readonly voteAccount: KeyPair;
  readonly onSlot = new Signal<SlotEvent>();
  readonly onTransaction = new Signal<TransactionEvent>();
  readonly onAccounts = new Signal<AccountsEvent>();
  readonly onWarp = new Signal<{ slots: number; milliseconds: number }>();
  readonly slotMs: number;
  readonly #ledger: Ledger | undefined;
  /** What a ledger would keep on disk. */
  readonly #packed = new PackedEntries();
  readonly #nonce: Uint8Array;
  readonly #faucet: KeyPair;
  readonly #deployments = new Deployments();
  readonly #earlier = new EarlierStates();
  /** Accounts that a fresh VM has, as far as they are indexed. */
  readonly #fresh = new Set<string>();
  #slot = -1;
  #unixMs = 0;
  #warpMs = 0;
  #airdrops = 0;

  constructor(options: ChainOptions) {
    this.slotMs = options.slotMs;
    this.history = new History(options.historyTransactions);
    this.slotTimes = new SlotTimes(options.historySlots);
    this.#ledger =
      options.ledger === undefined
        ? undefined
        : new Ledger(options.ledger, (address) => this.#fresh.has(address));
    const nonce = this.#ledger?.nonce ?? randomBytes(32);
    this.#nonce = nonce;
    this.blockhashes = new Blockhashes(nonce);
    this.genesisHash = encodeBase58(createHash('sha256').update(nonce).update('genesis').digest());
    this.identity = derivedKeyPair(nonce, 'identity');
    this.voteAccount = derivedKeyPair(nonce, 'vote account');
    this.#faucet = derivedKeyPair(nonce, 'faucet');
    this.#indexFreshVm();
    if (this.#ledger) this.#load(this.#ledger);
    this.genesisCreated = this.#slot < 0;
    if (this.genesisCreated) this.#makeGenesis();
    else
      this.advance(
        Math.min(
          Math.max(FINALIZED_AFTER_SLOTS, Math.floor((this.nowMs() - this.#unixMs) / this.slotMs)),
          RESTART_SLOTS_MAX,
        ),
      );
  }

  /** Returns the newest slot; a block's height is the same number, since no slot is skipped. */
  get slot(): number {
    return this.#slot;
  }

  /** Returns an account as of now; as `vm.getAccount`, but quick for what the index keeps. */
  accountAt(address: string): AccountState | undefined {
    return this.index.stateOf(address) ?? this.vm.getAccount(address);
  }

  /** Returns the bytes that loading the accounts of a transaction counts, as of now. */
  loadedDataBytes({ message }: WireTransaction, loaded: LoadedAddresses): number {
    return loadedDataBytes(message, allKeys(message, loaded), {
      bytesOf: (address) => this.index.bytesOf(address) ?? this.vm.getAccount(address)?.data.length,
      stateOf: (address) => this.accountAt(address),
    });
  }

  /** Returns an account as the bank of `slot` holds it; `slot` is the newest final one or a later one. */
  accountAtSlot(address: string, slot: number): AccountState | undefined {
    const earlier = this.#earlier.find(address, slot);
    return earlier ? earlier.state : this.accountAt(address);
  }

  /**
   * Returns the accounts of `listed` as the bank of `slot` holds them, and all others that have changed since, because some may
   * have left the list. The caller filters.
   */
  *accountsAtSlot(listed: Iterable<string>, slot: number): Iterable<{ pubkey: string; state: AccountState }> {
    const earlier = new Map(slot < this.#slot ? this.#earlier.since(slot) : []);
    for (const pubkey of listed) {
      const state = earlier.has(pubkey) ? undefined : this.index.stateOf(pubkey);
      if (state) yield { pubkey, state };
    }
    for (const [pubkey, state] of earlier) if (state) yield { pubkey, state };
  }

  slotAt(commitment: Commitment): number {
    return slotAt(this.#slot, commitment);
  }

  /** Returns the chain's clock in milliseconds: real time plus all warps, never going back. */
  nowMs(): number {
    return Math.max(Date.now() + this.#warpMs, this.#unixMs);
  }

  /** Moves on by some slots, the last of which is now. */
  advance(slots: number): void {
    const from = this.#slot;
    this.#moveTo(from + slots, this.nowMs());
    this.#setSysvars();
    this.#earlier.prune(this.slotAt('finalized'));
    this.onSlot.emit({ from, to: this.#slot });
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
   * Returns the error that keeps a transaction out of the bank of `slot` before anything runs; undefined when there is
   * none. `ageMax`: how many blocks old its blockhash may be.
   */
  admissionError(
    transaction: WireTransaction,
    slot: number,
    ageMax = BLOCKHASH_AGE_MAX,
  ): TransactionError | undefined {
    if (!this.hasLifetime(transaction.message, slot, ageMax)) return 'BlockhashNotFound';
    return this.history.find(transaction.signature) ? 'AlreadyProcessed' : undefined;
  }

  /** Returns whether a message lives in the bank of `slot`, by a recent blockhash or by a durable nonce. */
  hasLifetime(message: WireMessage, slot: number, ageMax = BLOCKHASH_AGE_MAX): boolean {
    return (
      this.blockhashes.isValidAt(message.lifetime, slot, ageMax) ||
      this.#nonceAddressOf(message, slot) !== undefined
    );
  }

  /**
   * Returns the nonce account that gives a message its lifetime; undefined when a recent blockhash does, or nothing.
   */
  #nonceAddressOf(message: WireMessage, slot: number): string | undefined {
    if (this.blockhashes.isValidAt(message.lifetime, slot)) return undefined;
    return nonceAddressOf(message, this.vm.nonce, (address) => this.vm.getAccount(address));
  }

  /** Runs a transaction in the current slot and drops its effects. */
  simulate(transaction: WireTransaction, loaded: LoadedAddresses): Simulation {
    const instead = this.#outcomeWithoutRunning(transaction, this.loadedDataBytes(transaction, loaded));
    return instead ? { ...instead, postAccounts: new Map() } : this.vm.simulate(transaction, loaded);
  }

  /** Returns what comes of a transaction that the VM would run and a node would not; undefined: it is to be run. */
  #outcomeWithoutRunning({ message }: WireTransaction, loadedBytes: number): Execution | undefined {
    if (loadedBytes > loadedBytesMaxOf(message)) return TOO_MUCH_LOADED;
    // The VM ends the process when a program that it knows has lost its account.
    if (message.instructions.some((one) => !this.#hasProgram(message.staticKeys[one.programIdIndex] ?? '')))
      return NO_PROGRAM;
    const call = this.#deployments.hiddenCall(message, this.#slot, (address) => this.vm.getAccount(address));
    return call && notDeployed(call);
  }

  /** Returns whether there is an account at a program's address, and one of its loader. */
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
    const number = this.#ledger?.appendTransaction(encoded, changes) ?? this.#packed.add(encoded);
    const entry = this.#addToHistory(outcome.landed.entry, number);
    this.#reloadPrograms(changes.filter(({ state }) => !state));
    for (const { address, before } of changes) this.#earlier.note(address, before, this.#slot);
    for (const change of changes) this.index.apply(change);
    this.#deployments.note(this.#slot, changes);
    // The signature first: a reader of the state must be able to see what made it.
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

  /** Returns the bytes and the meta of a transaction that the window holds. */
  bodyOf({ number, signature }: HistoryEntry): TransactionBody {
    const encoded = this.#ledger ? this.#ledger.readEntry(number) : this.#packed.read(number);
    if (!encoded) throw new Error(`The body of ${signature} is gone`);
    return decodeBody(encoded);
  }

  /**
   * Writes accounts past all rules, as one step, without a transaction: every commitment shows them at once. -32602 when
   * the VM refuses one (an executable account whose code is none); nothing is written then.
   */
  writeAccounts(changes: readonly AccountChange[]): void {
    this.#setAccounts(changes);
    this.#ledger?.writeAccounts(changes);
    for (const change of changes) {
      this.#earlier.forget(change.address);
      this.index.apply(change);
    }
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

  /**
   * Returns what goes back to this moment, as often as it is called: to its slot, its time, its accounts and its history.
   * Programs that are deployed later stay. Only for a chain without a ledger.
   */
  mark(): () => void {
    if (this.#ledger) throw new Error('A chain with a ledger does not go back');
    const { slot, index, history, slotTimes } = this;
    const [unixMs, warpMs, airdrops, size] = [this.#unixMs, this.#warpMs, this.#airdrops, history.size];
    const before = new Map([...index.states()]);
    const [unpack, restoreEarlier] = [this.#packed.mark(), this.#earlier.mark()];
    const changed = new Set<string>();
    this.onAccounts.on(({ changes }) => {
      for (const { address } of changes) changed.add(address);
    });
    return () => {
      for (const address of changed) {
        const state = before.get(address);
        this.vm.setAccount(address, state);
        index.apply({ address, state });
      }
      changed.clear();
      restoreEarlier();
      unpack();
      history.goBackTo(size);
      slotTimes.goBackTo(slot);
      [this.#slot, this.#unixMs, this.#warpMs, this.#airdrops] = [slot, unixMs, warpMs, airdrops];
      this.blockhashes = new Blockhashes(this.#nonce);
      this.#setSysvars();
    };
  }

  /** Lets the ledger go. */
  close(): void {
    this.#ledger?.close();
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
    // The first blocks lie in the past, one slot apart, as if the chain had been running.
    const firstMs = Date.now() - GENESIS_BLOCKS * this.slotMs;
    this.#moveTo(0, firstMs);
    this.advance(GENESIS_BLOCKS);
  }

  #moveTo(slot: number, unixMs: number): void {
    const kept = { number: this.history.oldest?.number ?? 0, slot: this.slotTimes.first };
    this.#ledger?.advance({ slot, unixMs, warpMs: this.#warpMs }, kept);
    this.#enterSlot(slot, unixMs);
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
    this.vm.setBlockhashes(this.blockhashes.bytesAt(this.#slot), LAMPORTS_PER_SIGNATURE, () => ({
      before: this.blockhashes.before(this.#slot, SLOT_HASHES),
      recent: this.blockhashes.upTo(this.#slot, BLOCKHASH_AGE_MAX),
    }));
  }

  /** Rebuilds the state from the effects that were recorded; no transaction is run again. */
  #load(ledger: Ledger): void {
    for (const { slot, unixMs, warpMs } of ledger.slots()) {
      this.#warpMs = warpMs;
      this.#enterSlot(slot, unixMs);
    }
    if (this.#slot < 0) return;
    for (const [number, bytes] of ledger.entries()) {
      if (this.history.size === 0) this.history.startCountAt(number);
      this.#addToHistory(decodeEntry(bytes), number);
    }
    this.#setSysvars();
    // Programs last: the VM loads their code from the accounts that hold it.
    const changes = [...ledger.accounts()];
    const programsLast = changes.sort(
      (one, other) => Number(one.state?.executable ?? 0) - Number(other.state?.executable ?? 0),
    );
    for (const { address, state } of programsLast) this.vm.setAccount(address, state);
    for (const change of programsLast) this.index.apply(change);
  }
}

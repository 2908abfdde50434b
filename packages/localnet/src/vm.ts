import { decodeLongBase58, encodeBase58 } from '@karat/wire';
import {
  Account,
  Clock,
  FailedTransactionMetadata,
  LiteSvm,
  SimulatedTransactionInfo,
  type TransactionMetadata,
} from 'litesvm/dist/internal.js';
import type { AccountState } from './account.js';
import { addressFromBytes, requireAddressBytes } from './address-bytes.js';
import {
  EPOCH_SCHEDULE_SYSVAR,
  RECENT_BLOCKHASHES_SYSVAR,
  SLOT_HASHES_SYSVAR,
  SYSVAR_OWNER,
} from './addresses.js';
import { view } from './bytes.js';
import { durableNonceOf, holdsNonce, withNonce } from './nonce.js';
import { type TransactionError, transactionErrorOf } from './transaction-error.js';
import { allKeys, isWritableIndex, type LoadedAddresses, type WireTransaction } from './wire.js';

export interface InnerInstruction {
  programIdIndex: number;
  accounts: number[];
  /** Base58. */
  data: string;
  stackHeight: number;
}

export interface ReturnData {
  programId: string;
  data: [string, 'base64'];
}

/** What running a transaction gave, in plain values. */
export interface Execution {
  err: TransactionError | null;
  logs: string[];
  unitsConsumed: number;
  returnData: ReturnData | undefined;
  /** One entry for every top-level instruction that called others. */
  innerInstructions: { index: number; instructions: InnerInstruction[] }[];
}

export interface Simulation extends Execution {
  /** The accounts that the transaction named as they would be afterwards; empty when it failed. */
  postAccounts: Map<string, AccountState>;
}

/** Epochs have the length of mainnet's, from the first on: no warm-up. */
export const SLOTS_PER_EPOCH = 432_000;
/** Layout of a SlotHashes sysvar: count u64, then (slot u64, hash 32) newest first, 512 at most. */
const SLOT_HASHES_BYTES = 20_488;
/** Layout of a RecentBlockhashes sysvar: count u64, then (blockhash 32, lamports per signature u64) newest first, 150 at most. */
const RECENT_BLOCKHASHES_BYTES = 6_008;

/** What is written when it is read: `setBlockhashes`. */
const BLOCKHASH_SYSVARS: ReadonlySet<string> = new Set([SLOT_HASHES_SYSVAR, RECENT_BLOCKHASHES_SYSVAR]);

function plainAccount(account: Account): AccountState {
  return {
    lamports: account.lamports(),
    owner: addressFromBytes(account.owner()),
    data: account.data(),
    executable: account.executable(),
  };
}

function executionOf(meta: TransactionMetadata, err: TransactionError | null): Execution {
  const returned = meta.returnData();
  const innerInstructions = meta.innerInstructions().flatMap((list, index) =>
    list.length === 0
      ? []
      : [
          {
            index,
            instructions: list.map((inner) => {
              const instruction = inner.instruction();
              return {
                programIdIndex: instruction.programIdIndex(),
                accounts: [...instruction.accounts()],
                data: encodeBase58(instruction.data()),
                stackHeight: inner.stackHeight(),
              };
            }),
          },
        ],
  );
  const data = returned.data();
  return {
    err,
    logs: meta.logs(),
    unitsConsumed: Number(meta.computeUnitsConsumed()),
    returnData:
      data.length === 0
        ? undefined
        : {
            programId: addressFromBytes(returned.programId()),
            data: [view(data).toString('base64'), 'base64'],
          },
    innerInstructions,
  };
}

/**
 * LiteSVM reduced to what a node needs of it: accounts, execution, clock. Blockhashes, duplicates and
 * signatures are checked by the node, so the VM's own checks are off.
 */
export class Vm {
  readonly #svm: LiteSvm;
  /** The nonce that nonce accounts get in this slot. */
  #nonce = durableNonceOf(new Uint8Array(32));
  /** Writes the sysvars of blockhashes; undefined once those of this slot are written. */
  #writeBlockhashes: (() => void) | undefined;

  constructor() {
    this.#svm = new LiteSvm();
    this.#svm.setSigverify(false);
    this.#svm.setBlockhashCheck(false);
    this.#svm.setTransactionHistory(0n);
    this.#svm.withNativeMints();
    this.#setEpochSchedule();
  }

  /** Returns the account at `address`; undefined when there is none (no lamports). */
  getAccount(address: string): AccountState | undefined {
    if (BLOCKHASH_SYSVARS.has(address)) this.#requireBlockhashes();
    const account = this.#svm.getAccount(requireAddressBytes(address));
    if (!account) return undefined;
    const state = plainAccount(account);
    return state.lamports === 0n ? undefined : state;
  }

  /** As `getAccount`, but a program's code is left out, since copying it costs more than all the rest. */
  getAccountWithoutCode(address: string): AccountState | undefined {
    if (BLOCKHASH_SYSVARS.has(address)) this.#requireBlockhashes();
    const account = this.#svm.getAccount(requireAddressBytes(address));
    if (!account || account.lamports() === 0n) return undefined;
    if (!account.executable()) return plainAccount(account);
    const owner = addressFromBytes(account.owner());
    return { lamports: account.lamports(), owner, data: new Uint8Array(0), executable: true };
  }

  getBalance(address: string): bigint {
    if (BLOCKHASH_SYSVARS.has(address)) this.#requireBlockhashes();
    return this.#svm.getBalance(requireAddressBytes(address)) ?? 0n;
  }

  /** Writes an account past all rules; undefined removes it. */
  setAccount(address: string, state: AccountState | undefined): void {
    if (BLOCKHASH_SYSVARS.has(address)) this.#requireBlockhashes();
    const account = state
      ? new Account(state.lamports, state.data, requireAddressBytes(state.owner), state.executable, 0n)
      : new Account(0n, new Uint8Array(0), new Uint8Array(32), false, 0n);
    this.#svm.setAccount(requireAddressBytes(address), account);
  }

  /** Returns every account that a program owns. Walks the whole store: slow, only for what no index knows. */
  getProgramAccounts(program: string): { address: string; state: AccountState }[] {
    this.#requireBlockhashes();
    return this.#svm.getProgramAccounts(requireAddressBytes(program)).map((entry) => ({
      address: addressFromBytes(entry.address),
      state: plainAccount(entry.account()),
    }));
  }

  /** The lamports an account of `bytes` bytes must hold. */
  minimumBalance(bytes: number): bigint {
    return this.#svm.minimumBalanceForRentExemption(BigInt(bytes));
  }

  /** Returns the nonce that nonce accounts get in this slot. */
  get nonce(): Buffer {
    return this.#nonce;
  }

  /** Puts the nonce `to` where one of the accounts holds `from`. */
  #exchangeNonces(addresses: readonly string[], from: Buffer, to: Buffer): void {
    for (const address of addresses) {
      const state = this.getAccount(address);
      if (holdsNonce(state, from)) this.setAccount(address, withNonce(state, to));
    }
  }

  /**
   * Runs a transaction with the chain's nonces. LiteSVM takes the transaction's own lifetime for the newest
   * blockhash and so makes a nonce of that; around the run the two are exchanged, which also lets the system program
   * see when a nonce was advanced within this slot.
   */
  #withNonces<T>(
    transaction: WireTransaction,
    loaded: LoadedAddresses,
    run: (finish: (state: AccountState) => AccountState) => T,
  ): T {
    const keys = allKeys(transaction.message, loaded);
    // Whatever stores a nonce has to be handed this sysvar.
    if (!keys.includes(RECENT_BLOCKHASHES_SYSVAR)) return run((state) => state);
    const writable = keys.filter((_, index) => isWritableIndex(transaction.message, loaded, index));
    const made = durableNonceOf(decodeLongBase58(transaction.message.lifetime) ?? new Uint8Array(0));
    // What holds the nonce of that lifetime already, an older one, is put aside: it may be advanced.
    const aside = made.equals(this.#nonce) ? made : durableNonceOf(made);
    this.#exchangeNonces(writable, made, aside);
    this.#exchangeNonces(writable, this.#nonce, made);
    const finish = (state: AccountState) => {
      if (holdsNonce(state, made)) return withNonce(state, this.#nonce);
      return holdsNonce(state, aside) ? withNonce(state, made) : state;
    };
    const result = run(finish);
    this.#exchangeNonces(writable, made, this.#nonce);
    this.#exchangeNonces(writable, aside, made);
    return result;
  }

  /** Runs a transaction and keeps its effects. */
  execute(transaction: WireTransaction, loaded: LoadedAddresses): Execution {
    const execution = this.#withNonces(transaction, loaded, () => this.#execute(transaction));
    return { ...execution, err: this.#loadErrorOf(transaction, execution.err) };
  }

  /** LiteSVM does not distinguish a missing program from an account that is not a program; a node does. */
  #loadErrorOf({ message }: WireTransaction, err: TransactionError | null): TransactionError | null {
    if (err !== 'InvalidProgramForExecution') return err;
    const isMissing = message.instructions.some(
      ({ programIdIndex }) => this.getBalance(message.staticKeys[programIdIndex] ?? '') === 0n,
    );
    return isMissing ? 'ProgramAccountNotFound' : err;
  }

  #execute(transaction: WireTransaction): Execution {
    this.#requireBlockhashes();
    const result =
      transaction.message.version === 'legacy'
        ? this.#svm.sendLegacyTransaction(transaction.bytes)
        : this.#svm.sendVersionedTransaction(transaction.bytes);
    return result instanceof FailedTransactionMetadata
      ? executionOf(result.meta(), transactionErrorOf(result.err()))
      : executionOf(result, null);
  }

  /** Runs a transaction and drops its effects. */
  simulate(transaction: WireTransaction, loaded: LoadedAddresses): Simulation {
    return this.#withNonces(transaction, loaded, (finish) => {
      const simulation = this.#simulate(transaction);
      for (const [address, state] of simulation.postAccounts)
        simulation.postAccounts.set(address, finish(state));
      return { ...simulation, err: this.#loadErrorOf(transaction, simulation.err) };
    });
  }

  #simulate(transaction: WireTransaction): Simulation {
    this.#requireBlockhashes();
    const result =
      transaction.message.version === 'legacy'
        ? this.#svm.simulateLegacyTransaction(transaction.bytes)
        : this.#svm.simulateVersionedTransaction(transaction.bytes);
    if (!(result instanceof SimulatedTransactionInfo)) {
      return { ...executionOf(result.meta(), transactionErrorOf(result.err())), postAccounts: new Map() };
    }
    const post = result
      .postAccounts()
      .map((entry) => [addressFromBytes(entry.address), plainAccount(entry.account())] as const);
    return { ...executionOf(result.meta(), null), postAccounts: new Map(post) };
  }

  /** Moves the Clock sysvar. */
  setClock(slot: number, epoch: number, epochStart: number, unixSeconds: number): void {
    this.#svm.setClock(
      new Clock(BigInt(slot), BigInt(epochStart), BigInt(epoch), BigInt(epoch + 1), BigInt(unixSeconds)),
    );
  }

  /**
   * Moves the sysvars of blockhashes on. They are written when something reads them, since most slots pass without.
   * `newest`: the blockhash that makes the nonces from now on; `read` gives what is written, newest first: at most 512
   * blocks before this one, and at most 150 blockhashes.
   */
  setBlockhashes(
    newest: Uint8Array,
    lamportsPerSignature: bigint,
    read: () => {
      before: readonly { slot: number; hash: Uint8Array }[];
      recent: readonly Uint8Array[];
    },
  ): void {
    this.#nonce = durableNonceOf(newest);
    this.#writeBlockhashes = () => {
      const { before, recent } = read();
      this.#setSlotHashes(before);
      this.#setRecentBlockhashes(recent, lamportsPerSignature);
    };
  }

  #requireBlockhashes(): void {
    const write = this.#writeBlockhashes;
    this.#writeBlockhashes = undefined;
    write?.();
  }

  /** Writes the SlotHashes sysvar; `hashes` newest first, at most 512. */
  #setSlotHashes(hashes: readonly { slot: number; hash: Uint8Array }[]): void {
    const data = Buffer.alloc(SLOT_HASHES_BYTES);
    data.writeBigUInt64LE(BigInt(hashes.length), 0);
    hashes.forEach(({ slot, hash }, index) => {
      data.writeBigUInt64LE(BigInt(slot), 8 + index * 40);
      data.set(hash, 16 + index * 40);
    });
    this.setAccount(SLOT_HASHES_SYSVAR, {
      lamports: this.minimumBalance(SLOT_HASHES_BYTES),
      owner: SYSVAR_OWNER,
      data,
      executable: false,
    });
  }

  /** Writes the RecentBlockhashes sysvar; `blockhashes` newest first, at most 150. */
  #setRecentBlockhashes(blockhashes: readonly Uint8Array[], lamportsPerSignature: bigint): void {
    const data = Buffer.alloc(RECENT_BLOCKHASHES_BYTES);
    data.writeBigUInt64LE(BigInt(blockhashes.length), 0);
    blockhashes.forEach((hash, index) => {
      data.set(hash, 8 + index * 40);
      data.writeBigUInt64LE(lamportsPerSignature, 40 + index * 40);
    });
    const lamports = this.minimumBalance(RECENT_BLOCKHASHES_BYTES);
    this.setAccount(RECENT_BLOCKHASHES_SYSVAR, { lamports, owner: SYSVAR_OWNER, data, executable: false });
  }

  /** Layout of an EpochSchedule sysvar: slots an epoch u64, schedule offset u64, warm-up u8, first normal epoch and slot u64. */
  #setEpochSchedule(): void {
    const data = Buffer.alloc(33);
    data.writeBigUInt64LE(BigInt(SLOTS_PER_EPOCH), 0);
    data.writeBigUInt64LE(BigInt(SLOTS_PER_EPOCH), 8);
    const lamports = this.minimumBalance(data.length);
    this.setAccount(EPOCH_SCHEDULE_SYSVAR, { lamports, owner: SYSVAR_OWNER, data, executable: false });
  }
}

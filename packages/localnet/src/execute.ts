import { type AccountState, type AccountTransition, sameAccount } from './account.js';
import { view } from './bytes.js';
import { costUnits } from './cost.js';
import { feePayerError } from './fee-payer.js';
import { feeOf, unitPriceOf } from './fees.js';
import type { NewEntry, StoredMeta, TokenBalance, TransactionBody } from './history.js';
import { memosOf } from './memo.js';
import { withNonce } from './nonce.js';
import { decodeMint, decodeTokenAccount, uiTokenAmount } from './token.js';
import { type TransactionError, transactionErrorText } from './transaction-error.js';
import type { Execution, Vm } from './vm.js';
import { allKeys, isWritableIndex, type LoadedAddresses, type WireTransaction } from './wire.js';

export interface Landed {
  entry: NewEntry;
  body: TransactionBody;
  /** Null when nothing ran. */
  logs: readonly string[] | null;
  changes: AccountTransition[];
}

/** Thrown where a transaction of the node's own is refused by its preflight. */
export class TransactionRefused extends Error {
  readonly err: TransactionError;
  readonly execution: Execution;

  constructor(err: TransactionError, execution: Execution) {
    super(`The transaction is refused: ${transactionErrorText(err)}`);
    this.err = err;
    this.execution = execution;
  }
}

export type Outcome = { landed: Landed } | { landed: undefined; err: TransactionError };

/** Returns the token accounts among `states`, which are those of `keys`, as the meta of a transaction shows them. */
export function tokenBalances(
  vm: Vm,
  keys: readonly string[],
  states: readonly (AccountState | undefined)[],
): TokenBalance[] {
  return states.flatMap((state, accountIndex) => {
    const account = decodeTokenAccount(state);
    if (!state || !account) return [];
    // A mint made by this very transaction is among its accounts; any other is where it was.
    const inTransaction = states[keys.indexOf(account.mint)];
    const mint = decodeMint(inTransaction ?? vm.getAccount(account.mint));
    if (!mint) return [];
    const uiAmount = uiTokenAmount(account.amount, mint.decimals);
    return [
      {
        accountIndex,
        mint: account.mint,
        owner: account.owner,
        programId: state.owner,
        uiTokenAmount: uiAmount,
      },
    ];
  });
}

function lamportsOf(states: readonly (AccountState | undefined)[]): string[] {
  return states.map((state) => (state?.lamports ?? 0n).toString());
}

/**
 * Errors of loading: nothing runs, but the fee is paid (SIMD-0082, in Agave `TransactionLoadResult::FeesOnly`). Any
 * other error that comes before the first instruction keeps a transaction out of the block.
 */
export const LOAD_ERRORS: ReadonlySet<unknown> = new Set([
  'ProgramAccountNotFound',
  'InvalidProgramForExecution',
  'MaxLoadedAccountsDataSizeExceeded',
]);

/** Takes the fee alone, for `execution`; the error of the payer in its place when it cannot pay. */
function payOnly(vm: Vm, payer: string, fee: bigint, execution: Execution): Execution {
  const state = vm.getAccount(payer);
  const err = feePayerError(state, fee, (bytes) => vm.minimumBalance(bytes));
  if (!state || err !== undefined) return { ...execution, err: err ?? 'AccountNotFound' };
  const left = state.lamports - fee;
  vm.setAccount(payer, left === 0n ? undefined : { ...state, lamports: left });
  return execution;
}

/** Runs a transaction; what fails before anything runs pays its fee where a block would take it. */
function runOrPay(
  vm: Vm,
  transaction: WireTransaction,
  loaded: LoadedAddresses,
  instead: Execution | undefined,
): Execution {
  const { message } = transaction;
  const [payer = ''] = message.staticKeys;
  if (instead) return payOnly(vm, payer, feeOf(message), instead);
  const execution = vm.execute(transaction, loaded);
  return LOAD_ERRORS.has(execution.err) ? payOnly(vm, payer, feeOf(message), execution) : execution;
}

/** What the first instruction of a failed transaction did, and the VM took back with all the rest. */
function advanceNonce(vm: Vm, address: string): void {
  const state = vm.getAccount(address);
  if (state) vm.setAccount(address, withNonce(state, vm.nonce));
}

/**
 * Runs a transaction in the VM and returns its result: the record to keep and the accounts that changed, or the
 * error of one that no block would take (nothing changed, no fee). `instead`: what comes of it without being
 * run. `loadedBytes`: what loading its accounts counts. `nonceAddress`: the nonce account that gave the
 * transaction its lifetime; it moves on also when the transaction fails, or the failure could be repeated.
 */
export function executeTransaction(
  vm: Vm,
  transaction: WireTransaction,
  loaded: LoadedAddresses,
  place: { slot: number; index: number; blockTime: number },
  how: {
    nonceAddress: string | undefined;
    instead: Execution | undefined;
    loadedBytes: number;
  },
): Outcome {
  const { message } = transaction;
  const keys = allKeys(message, loaded);
  const writable = keys.map((_, index) => isWritableIndex(message, loaded, index));
  const before = keys.map((key, index) =>
    writable[index] ? vm.getAccount(key) : vm.getAccountWithoutCode(key),
  );
  const { nonceAddress, instead, loadedBytes } = how;
  const execution = runOrPay(vm, transaction, loaded, instead);
  const ran = !LOAD_ERRORS.has(execution.err);
  // What is taken into a block pays its fee, whatever came of it; what is not leaves the payer as it was.
  if (execution.err !== null && before[0]?.lamports === vm.getAccount(keys[0] ?? '')?.lamports)
    return { landed: undefined, err: execution.err };
  if (execution.err !== null && nonceAddress !== undefined) advanceNonce(vm, nonceAddress);
  const after = keys.map((key, index) => (writable[index] ? vm.getAccount(key) : before[index]));
  const changes = keys.flatMap((address, index) => {
    const state = after[index];
    return sameAccount(before[index], state) ? [] : [{ address, state, before: before[index] }];
  });
  const meta: StoredMeta = {
    fee: feeOf(message).toString(),
    // A transaction that only pays holds on to its payer alone, whose bytes are less than a page's share.
    costUnits: costUnits(message, loaded, {
      unitsConsumed: execution.unitsConsumed,
      loadedBytes: ran ? loadedBytes : (before[0]?.data.length ?? 0),
    }),
    preBalances: lamportsOf(before),
    postBalances: lamportsOf(after),
    preTokenBalances: tokenBalances(vm, keys, before),
    postTokenBalances: tokenBalances(vm, keys, after),
    unitsConsumed: execution.unitsConsumed,
    returnData: execution.returnData,
    // What never ran has none of these, which is not the same as empty ones.
    logs: ran ? execution.logs : null,
    innerInstructions: ran ? execution.innerInstructions : null,
  };
  const entry: NewEntry = {
    ...place,
    signature: transaction.signature,
    err: execution.err,
    memo: memosOf(message),
    loaded,
    keys,
    unitPrice: Number(unitPriceOf(message)),
  };
  const body = { wire: view(transaction.bytes), metaJson: Buffer.from(JSON.stringify(meta)) };
  return { landed: { entry, body, logs: meta.logs, changes } };
}

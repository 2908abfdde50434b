import { type AccountChange, type AccountState, sameAccount } from './account.js';
import { notDeployed } from './deployments.js';
import { feeOf } from './fees.js';
import type { HistoryEntry, StoredMeta, TokenBalance } from './history.js';
import { memosOf } from './memo.js';
import { withNonce } from './nonce.js';
import { decodeMint, decodeTokenAccount, uiTokenAmount } from './token.js';
import { type TransactionError, transactionErrorText } from './transaction-error.js';
import type { Execution, Vm } from './vm.js';
import { allKeys, isWritableIndex, type LoadedAddresses, type WireTransaction } from './wire.js';

export interface Landed {
  entry: HistoryEntry;
  changes: AccountChange[];
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

function tokenBalances(
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

/** Takes the fee for an instruction that fails before anything runs; refused when there is too little for it. */
function payOnly(vm: Vm, payer: string, fee: bigint, call: { index: number; program: string }): Execution {
  const state = vm.getAccount(payer);
  if (!state) return { ...notDeployed(call), err: 'AccountNotFound', logs: [] };
  if (state.lamports < fee) return { ...notDeployed(call), err: 'InsufficientFundsForFee', logs: [] };
  vm.setAccount(payer, { ...state, lamports: state.lamports - fee });
  return notDeployed(call);
}

/** What the first instruction of a failed transaction did, and the VM took back with all the rest. */
function advanceNonce(vm: Vm, address: string): void {
  const state = vm.getAccount(address);
  if (state) vm.setAccount(address, withNonce(state, vm.nonce));
}

/**
 * Runs a transaction in the VM and tells what came of it: the record to keep and the accounts that changed, or the
 * error of one that no block would take (nothing changed, no fee). `hiddenCall`: an instruction that calls a program
 * which is not visible yet; it fails without being run. `nonceAddress`: the nonce account that gave the
 * transaction its lifetime; it moves on also when the transaction fails, or the failure could be repeated.
 */
export function executeTransaction(
  vm: Vm,
  transaction: WireTransaction,
  loaded: LoadedAddresses,
  place: { slot: number; index: number; blockTime: number },
  how: { nonceAddress: string | undefined; hiddenCall: { index: number; program: string } | undefined },
): Outcome {
  const { message } = transaction;
  const keys = allKeys(message, loaded);
  const writable = keys.map((_, index) => isWritableIndex(message, loaded, index));
  const before = keys.map((key, index) =>
    writable[index] ? vm.getAccount(key) : vm.getAccountWithoutCode(key),
  );
  const { nonceAddress, hiddenCall } = how;
  const execution = hiddenCall
    ? payOnly(vm, keys[0] ?? '', feeOf(message), hiddenCall)
    : vm.execute(transaction, loaded);
  // What is taken into a block pays its fee, whatever came of it; what is not leaves the payer as it was.
  if (execution.err !== null && before[0]?.lamports === vm.getAccount(keys[0] ?? '')?.lamports)
    return { landed: undefined, err: execution.err };
  if (execution.err !== null && nonceAddress !== undefined) advanceNonce(vm, nonceAddress);
  const after = keys.map((key, index) => (writable[index] ? vm.getAccount(key) : before[index]));
  const changes = keys.flatMap((address, index) => {
    const state = after[index];
    return sameAccount(before[index], state) ? [] : [{ address, state }];
  });
  const meta: StoredMeta = {
    fee: feeOf(message).toString(),
    preBalances: lamportsOf(before),
    postBalances: lamportsOf(after),
    preTokenBalances: tokenBalances(vm, keys, before),
    postTokenBalances: tokenBalances(vm, keys, after),
    ...withoutError(execution),
  };
  const entry: HistoryEntry = {
    ...place,
    signature: transaction.signature,
    err: execution.err,
    memo: memosOf(message),
    loaded,
    wire: Buffer.from(transaction.bytes),
    metaJson: Buffer.from(JSON.stringify(meta)),
    keys,
  };
  return { landed: { entry, changes } };
}

function withoutError({
  logs,
  unitsConsumed,
  returnData,
  innerInstructions,
}: Execution): Omit<Execution, 'err'> {
  return { logs, unitsConsumed, returnData, innerInstructions };
}

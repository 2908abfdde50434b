import type { AccountState } from '../account.js';
import { BLOCKHASH_AGE_MAX, SIMULATED_BLOCKHASH_AGE_MAX } from '../blockhashes.js';
import type { Chain } from '../chain.js';
import { invalidParams } from '../errors.js';
import { LOAD_ERRORS, tokenBalances } from '../execute.js';
import { feePayerError } from '../fee-payer.js';
import { feeOf } from '../fees.js';
import { parsedInnerInstructions } from '../parse/transaction.js';
import type { Simulation } from '../vm.js';
import { allKeys, type LoadedAddresses, signaturesAreValid, type WireTransaction } from '../wire.js';
import { accountFormatIn, encodeAccount } from './account-encoding.js';
import { bankSlot, type Method, type Methods, withContext } from './context.js';
import { decodeTransactionParam, sanitize } from './decode.js';
import { addressOf, booleanIn, configParam, objectOf, stringParam } from './params.js';
import { signatureFailure, transactionEncodingIn } from './send.js';

function run(
  chain: Chain,
  transaction: WireTransaction,
  loaded: LoadedAddresses,
  slot: number,
  freshBlockhash: boolean,
): Simulation {
  // With a blockhash put in, the message is another one: it can be neither too old nor there already.
  const err = freshBlockhash
    ? undefined
    : chain.admissionError(transaction, slot, SIMULATED_BLOCKHASH_AGE_MAX);
  if (err === undefined) return chain.simulate(transaction, loaded);
  return {
    err,
    logs: [],
    unitsConsumed: 0,
    returnData: undefined,
    innerInstructions: [],
    postAccounts: new Map(),
  };
}

/** Returns the accounts that `accounts` of the configuration requests, as they would be afterwards. */
function requestedAccounts(
  chain: Chain,
  config: Record<string, unknown>,
  keys: readonly string[],
): ((after: Simulation) => unknown[]) | undefined {
  if (config.accounts === undefined || config.accounts === null) return undefined;
  const requested = objectOf(config.accounts);
  const format = accountFormatIn({ encoding: requested.encoding ?? 'base64' });
  if (format.encoding === 'base58' || format.encoding === 'binary')
    throw invalidParams('base58 encoding not supported');
  const addresses = Array.isArray(requested.addresses) ? requested.addresses.map(addressOf) : [];
  if (addresses.length > keys.length) throw invalidParams(`Too many accounts provided; max ${keys.length}`);
  return (after) =>
    addresses.map((address) => {
      if (after.err !== null) return null;
      // Accounts of the transaction are returned even when they do not exist: as an empty account, as on a node.
      const find = (other: string) => after.postAccounts.get(other) ?? chain.accountAt(other);
      const state = find(address);
      return state ? encodeAccount(address, state, format, find) : null;
    });
}

interface Money {
  /** Undefined: a block would not even take the transaction for its fee. */
  fee: bigint | undefined;
  before: (AccountState | undefined)[];
  after: (AccountState | undefined)[];
}

/** Returns the accounts of `keys` before and after (Agave `runtime/src/bank.rs`, `simulate_transaction_unchecked`). */
function moneyOf(
  chain: Chain,
  { message }: WireTransaction,
  keys: readonly string[],
  { err, postAccounts }: Simulation,
): Money {
  const before = keys.map((key) => chain.accountAt(key));
  const fee = feeOf(message);
  if (err === null) return { fee, before, after: keys.map((key, at) => postAccounts.get(key) ?? before[at]) };
  const [payer] = before;
  const isTaken = err !== 'BlockhashNotFound' && err !== 'AlreadyProcessed';
  const cannotPay = feePayerError(payer, fee, (bytes) => chain.vm.minimumBalance(bytes)) !== undefined;
  if (!payer || !isTaken || cannotPay) return { fee: undefined, before, after: before };
  return { fee, before, after: [{ ...payer, lamports: payer.lamports - fee }, ...before.slice(1)] };
}

/** Returns the part of the response that shows what a transaction would cost and move. */
function moneyJson(
  chain: Chain,
  keys: readonly string[],
  { fee, before, after }: Money,
): Record<string, unknown> {
  const lamports = (states: Money['before']) => states.map((state) => state?.lamports ?? 0n);
  return {
    fee: fee ?? null,
    postBalances: lamports(after),
    postTokenBalances: tokenBalances(chain.vm, keys, after),
    preBalances: lamports(before),
    preTokenBalances: tokenBalances(chain.vm, keys, before),
  };
}

const simulateTransaction: Method = ({ chain }, params) => {
  const text = stringParam(params, 0);
  const config = configParam(params, 1);
  const transaction = decodeTransactionParam(text, transactionEncodingIn(config));
  const sigVerify = booleanIn(config, 'sigVerify');
  const replaces = booleanIn(config, 'replaceRecentBlockhash');
  const slot = bankSlot(chain, config);
  if (sigVerify && replaces) throw invalidParams('sigVerify may not be used with replaceRecentBlockhash');
  const loaded: LoadedAddresses = sanitize(transaction, chain.slot, (address) =>
    chain.vm.getAccount(address),
  );
  if (sigVerify && !signaturesAreValid(transaction)) throw signatureFailure();
  const keys = allKeys(transaction.message, loaded);
  const accounts = requestedAccounts(chain, config, keys);
  const simulation = run(chain, transaction, loaded, slot, replaces);
  const replacementBlockhash = replaces
    ? { blockhash: chain.blockhashes.at(slot), lastValidBlockHeight: slot + BLOCKHASH_AGE_MAX }
    : null;
  const money = moneyOf(chain, transaction, keys, simulation);
  const isLoaded = money.fee !== undefined && !LOAD_ERRORS.has(simulation.err);
  const inner = booleanIn(config, 'innerInstructions');
  return withContext(slot, {
    ...moneyJson(chain, keys, money),
    accounts: accounts?.(simulation) ?? null,
    err: simulation.err,
    innerInstructions: inner ? parsedInnerInstructions(simulation.innerInstructions, keys) : null,
    loadedAccountsDataSize: isLoaded ? chain.loadedDataBytes(transaction, loaded) : 0,
    loadedAddresses: loaded,
    logs: simulation.logs,
    replacementBlockhash,
    returnData: simulation.returnData ?? null,
    unitsConsumed: simulation.unitsConsumed,
  });
};

export const simulateMethods: Methods = { simulateTransaction };

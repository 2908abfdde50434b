import { SIMULATED_BLOCKHASH_AGE_MAX } from '../blockhashes.js';
import type { Chain } from '../chain.js';
import { invalidParams, RPC_CODES, RpcError } from '../errors.js';
import { LOAD_ERRORS, TransactionRefused } from '../execute.js';
import { type TransactionError, transactionErrorText } from '../transaction-error.js';
import type { Execution } from '../vm.js';
import { type LoadedAddresses, signaturesAreValid, type WireTransaction } from '../wire.js';
import { bankSlot, type Method, type Methods } from './context.js';
import { decodeTransactionParam, sanitize, type TransactionEncoding } from './decode.js';
import {
  addressParam,
  booleanIn,
  choiceIn,
  configParam,
  numberIn,
  stringParam,
  unsignedParam,
} from './params.js';

/** `encoding` of a transaction parameter: base58 by default, or base64. */
export function transactionEncodingIn(config: Record<string, unknown>): TransactionEncoding {
  const encoding = choiceIn(config, 'encoding', [
    'binary',
    'base64',
    'base58',
    'json',
    'jsonParsed',
  ] as const);
  if (encoding === undefined || encoding === 'binary') return 'base58';
  if (encoding === 'base58' || encoding === 'base64') return encoding;
  throw invalidParams(`unsupported encoding: ${encoding}. Supported encodings: base58, base64`);
}

export function signatureFailure(): RpcError {
  return new RpcError(RPC_CODES.signatureVerification, 'Transaction signature verification failure');
}

/** -32002 with what the simulation gave. */
function preflightFailure(
  err: TransactionError,
  execution: Execution | undefined,
  loadedAccountsDataSize: number,
): RpcError {
  return new RpcError(
    RPC_CODES.preflightFailure,
    `Transaction simulation failed: ${transactionErrorText(err)}`,
    {
      accounts: null,
      err,
      fee: null,
      innerInstructions: null,
      loadedAccountsDataSize,
      loadedAddresses: null,
      logs: execution?.logs ?? [],
      postBalances: null,
      postTokenBalances: null,
      preBalances: null,
      preTokenBalances: null,
      replacementBlockhash: null,
      returnData: execution?.returnData ?? null,
      unitsConsumed: execution?.unitsConsumed ?? 0,
    },
  );
}

/** Verifies signatures, then tries the transaction out on the bank of `slot`. */
function preflight(chain: Chain, transaction: WireTransaction, loaded: LoadedAddresses, slot: number): void {
  if (!signaturesAreValid(transaction)) throw signatureFailure();
  const refused = chain.admissionError(transaction, slot, SIMULATED_BLOCKHASH_AGE_MAX);
  if (refused !== undefined) throw preflightFailure(refused, undefined, 0);
  const simulation = chain.simulate(transaction, loaded);
  if (simulation.err === null) return;
  const loadedBytes = LOAD_ERRORS.has(simulation.err) ? 0 : chain.loadedDataBytes(transaction, loaded);
  throw preflightFailure(simulation.err, simulation, loadedBytes);
}

/** Order of checks as in Agave: decode, minContextSlot, sanitize, then (with preflight) signatures and simulation. */
const sendTransaction: Method = ({ chain }, params) => {
  const text = stringParam(params, 0);
  const config = configParam(params, 1);
  const skipPreflight = booleanIn(config, 'skipPreflight');
  numberIn(config, 'maxRetries');
  const transaction = decodeTransactionParam(text, transactionEncodingIn(config));
  const commitment = skipPreflight ? 'processed' : config.preflightCommitment;
  const slot = bankSlot(chain, { commitment, minContextSlot: config.minContextSlot });
  const loaded = sanitize(transaction, chain.slot, (address) => chain.vm.getAccount(address));
  if (!skipPreflight) preflight(chain, transaction, loaded, slot);
  // What no leader would include is dropped silently: the response has the signature, which never lands.
  if (!skipPreflight || signaturesAreValid(transaction)) chain.land(transaction, loaded);
  return transaction.signature;
};

const requestAirdrop: Method = ({ chain }, params) => {
  const address = addressParam(params, 0);
  const lamports = unsignedParam(params, 1);
  bankSlot(chain, configParam(params, 2));
  try {
    return chain.airdrop(address, BigInt(lamports));
  } catch (error) {
    if (error instanceof TransactionRefused) throw preflightFailure(error.err, error.execution, 0);
    throw error;
  }
};

export const sendMethods: Methods = { sendTransaction, requestAirdrop };

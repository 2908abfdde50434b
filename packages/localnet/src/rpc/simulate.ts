import { BLOCKHASH_AGE_MAX } from '../blockhashes.js';
import type { Chain } from '../chain.js';
import { invalidParams } from '../errors.js';
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
  const err = freshBlockhash ? undefined : chain.admissionError(transaction, slot);
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

/** The accounts that `accounts` of the configuration asks for, as they would be afterwards. */
function accountsAsked(
  chain: Chain,
  config: Record<string, unknown>,
  keys: readonly string[],
): ((after: Simulation) => unknown[]) | undefined {
  if (config.accounts === undefined || config.accounts === null) return undefined;
  const asked = objectOf(config.accounts);
  const format = accountFormatIn({ encoding: asked.encoding ?? 'base64' });
  if (format.encoding === 'base58' || format.encoding === 'binary')
    throw invalidParams('base58 encoding not supported');
  const addresses = Array.isArray(asked.addresses) ? asked.addresses.map(addressOf) : [];
  if (addresses.length > keys.length) throw invalidParams(`Too many accounts provided; max ${keys.length}`);
  return (after) =>
    addresses.map((address) => {
      if (after.err !== null) return null;
      // What the transaction names is told also when it does not exist: as an empty account, as on a node.
      const find = (other: string) => after.postAccounts.get(other) ?? chain.accountAt(other);
      const state = find(address);
      return state ? encodeAccount(address, state, format, find) : null;
    });
}

function simulationValue(
  simulation: Simulation,
  keys: readonly string[],
  wantsInner: boolean,
  accounts: unknown[] | undefined,
): Record<string, unknown> {
  return {
    accounts: accounts ?? null,
    err: simulation.err,
    innerInstructions: wantsInner ? parsedInnerInstructions(simulation.innerInstructions, keys) : null,
    logs: simulation.logs,
    returnData: simulation.returnData ?? null,
    unitsConsumed: simulation.unitsConsumed,
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
  const loaded: LoadedAddresses = sanitize(transaction, (address) => chain.vm.getAccount(address));
  if (sigVerify && !signaturesAreValid(transaction)) throw signatureFailure();
  const keys = allKeys(transaction.message, loaded);
  const accounts = accountsAsked(chain, config, keys);
  const simulation = run(chain, transaction, loaded, slot, replaces);
  const replacementBlockhash = replaces
    ? { blockhash: chain.blockhashes.at(slot), lastValidBlockHeight: slot + BLOCKHASH_AGE_MAX }
    : null;
  const value = simulationValue(
    simulation,
    keys,
    booleanIn(config, 'innerInstructions'),
    accounts?.(simulation),
  );
  return withContext(slot, { ...value, replacementBlockhash });
};

export const simulateMethods: Methods = { simulateTransaction };

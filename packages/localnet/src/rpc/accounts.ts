import type { AccountState } from '../account.js';
import { addressFromBytes } from '../address-bytes.js';
import type { Chain } from '../chain.js';
import { invalidParams, RPC_CODES, RpcError } from '../errors.js';
import { isTokenProgram } from '../token.js';
import { accountFormatIn, encodeAccount, sortedByAddress } from './account-encoding.js';
import { bankSlot, bankSlotAt, type Methods, withContext } from './context.js';
import { type AccountFilter, accountFiltersIn } from './filters.js';
import { addressOf, addressParam, arrayParam, booleanIn, configParam } from './params.js';

const MULTIPLE_ACCOUNTS_MAX = 100;
/** No account can hold more. */
const DATA_BYTES_MAX = 10 * 1024 * 1024;

/** Offsets of mint and owner in a token account. */
const MINT_AT = 0;
const TOKEN_OWNER_AT = 32;

/** Returns the address that a filter wants at `offset`. */
function addressAt(filters: readonly AccountFilter[], offset: number): string | undefined {
  const found = filters.find(({ memcmp }) => memcmp?.offset === offset && memcmp.bytes.length === 32)?.memcmp;
  return found && addressFromBytes(found.bytes);
}

/** Accounts among which those that pass must be: by token owner or mint where the filters name one. */
function* candidates(chain: Chain, program: string, filters: readonly AccountFilter[]): Iterable<string> {
  const { index } = chain;
  const owner = isTokenProgram(program) ? addressAt(filters, TOKEN_OWNER_AT) : undefined;
  const mint = isTokenProgram(program) ? addressAt(filters, MINT_AT) : undefined;
  if (owner === undefined && mint === undefined) {
    yield* index.ownedBy(program);
    return;
  }
  if (owner !== undefined) yield* index.tokenAccountsOf(owner);
  else if (mint !== undefined) yield* index.holdersOf(mint);
  if (!filters.some(({ tokenAccountsOnly }) => tokenAccountsOnly))
    yield* index.otherThanTokenAccounts(program);
}

/** Accounts of a program that pass all filters, by default in the order of their addresses' bytes. */
function programAccounts(
  chain: Chain,
  program: string,
  filters: readonly AccountFilter[],
  { slot, sorted }: { slot: number; sorted: boolean },
): { pubkey: string; state: AccountState }[] {
  const listed = chain.accountsAtSlot(candidates(chain, program, filters), slot);
  const found = [...listed].filter(
    ({ state }) => state.owner === program && filters.every((filter) => filter.passes(state)),
  );
  return sorted ? sortedByAddress(found) : found;
}

export const accountMethods: Methods = {
  getAccountInfo: ({ chain }, params) => {
    const address = addressParam(params, 0);
    const config = configParam(params, 1);
    const format = accountFormatIn(config);
    const slot = bankSlot(chain, config);
    const state = chain.accountAtSlot(address, slot);
    const getAccount = (other: string) => chain.accountAtSlot(other, slot);
    return withContext(slot, state ? encodeAccount(address, state, format, getAccount) : null);
  },

  getMultipleAccounts: ({ chain }, params) => {
    const addresses = arrayParam(params, 0);
    if (addresses.length > MULTIPLE_ACCOUNTS_MAX) {
      throw invalidParams(`Too many inputs provided; max ${MULTIPLE_ACCOUNTS_MAX}`);
    }
    const config = configParam(params, 1);
    const slot = bankSlot(chain, config);
    const format = accountFormatIn({ encoding: 'base64', ...config });
    const getAccount = (other: string) => chain.accountAtSlot(other, slot);
    const value = addresses.map(addressOf).map((address) => {
      const state = chain.accountAtSlot(address, slot);
      return state ? encodeAccount(address, state, format, getAccount) : null;
    });
    return withContext(slot, value);
  },

  getBalance: ({ chain }, params) => {
    const address = addressParam(params, 0);
    const slot = bankSlot(chain, configParam(params, 1));
    return withContext(slot, chain.accountAtSlot(address, slot)?.lamports ?? 0n);
  },

  getProgramAccounts: ({ chain }, params) => {
    const program = addressParam(params, 0);
    const config = configParam(params, 1);
    const filters = accountFiltersIn(config);
    const format = accountFormatIn(config);
    const slot = bankSlot(chain, config);
    const getAccount = (other: string) => chain.accountAtSlot(other, slot);
    const sorted =
      config.sortResults === undefined || config.sortResults === null || booleanIn(config, 'sortResults');
    const value = programAccounts(chain, program, filters, { slot, sorted }).map(({ pubkey, state }) => ({
      pubkey,
      account: encodeAccount(pubkey, state, format, getAccount),
    }));
    return booleanIn(config, 'withContext') ? withContext(slot, value) : value;
  },

  getMinimumBalanceForRentExemption: ({ chain }, params) => {
    const bytes = params[0];
    if (typeof bytes !== 'number' || !Number.isSafeInteger(bytes) || bytes < 0) {
      throw invalidParams('Invalid params: expected the length of the data in bytes.');
    }
    bankSlotAt(chain, configParam(params, 1));
    if (bytes > DATA_BYTES_MAX) throw new RpcError(RPC_CODES.invalidRequest, 'Invalid request');
    return chain.vm.minimumBalance(bytes);
  },
};

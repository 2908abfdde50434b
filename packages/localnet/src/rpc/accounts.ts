import type { AccountState } from '../account.js';
import type { Chain } from '../chain.js';
import { invalidParams } from '../errors.js';
import { accountFormatIn, encodeAccount } from './account-encoding.js';
import { bankSlot, type Methods, withContext } from './context.js';
import { type AccountFilter, accountFiltersIn } from './filters.js';
import { addressOf, addressParam, arrayParam, booleanIn, configParam } from './params.js';

const MULTIPLE_ACCOUNTS_MAX = 100;

/** Accounts of a program that pass all filters. */
function programAccounts(
  chain: Chain,
  program: string,
  filters: readonly AccountFilter[],
): { pubkey: string; state: AccountState }[] {
  const found: { pubkey: string; state: AccountState }[] = [];
  for (const pubkey of chain.index.ownedBy(program)) {
    const state = chain.vm.getAccount(pubkey);
    if (state && filters.every((passes) => passes(state))) found.push({ pubkey, state });
  }
  return found;
}

export const accountMethods: Methods = {
  getAccountInfo: ({ chain }, params) => {
    const address = addressParam(params, 0);
    const config = configParam(params, 1);
    const slot = bankSlot(chain, config);
    const state = chain.vm.getAccount(address);
    const getAccount = (other: string) => chain.vm.getAccount(other);
    return withContext(slot, state ? encodeAccount(state, accountFormatIn(config), getAccount) : null);
  },

  getMultipleAccounts: ({ chain }, params) => {
    const addresses = arrayParam(params, 0);
    if (addresses.length > MULTIPLE_ACCOUNTS_MAX) {
      throw invalidParams(`Too many inputs provided; max ${MULTIPLE_ACCOUNTS_MAX}`);
    }
    const config = configParam(params, 1);
    const slot = bankSlot(chain, config);
    const format = accountFormatIn({ encoding: 'base64', ...config });
    const getAccount = (other: string) => chain.vm.getAccount(other);
    const value = addresses.map(addressOf).map((address) => {
      const state = chain.vm.getAccount(address);
      return state ? encodeAccount(state, format, getAccount) : null;
    });
    return withContext(slot, value);
  },

  getBalance: ({ chain }, params) => {
    const address = addressParam(params, 0);
    return withContext(bankSlot(chain, configParam(params, 1)), chain.vm.getBalance(address));
  },

  getProgramAccounts: ({ chain }, params) => {
    const program = addressParam(params, 0);
    const config = configParam(params, 1);
    const filters = accountFiltersIn(config);
    const format = accountFormatIn(config);
    const slot = bankSlot(chain, config);
    const getAccount = (other: string) => chain.vm.getAccount(other);
    const value = programAccounts(chain, program, filters).map(({ pubkey, state }) => ({
      pubkey,
      account: encodeAccount(state, format, getAccount),
    }));
    return booleanIn(config, 'withContext') ? withContext(slot, value) : value;
  },

  getMinimumBalanceForRentExemption: ({ chain }, params) => {
    const bytes = params[0];
    if (typeof bytes !== 'number' || !Number.isSafeInteger(bytes) || bytes < 0) {
      throw invalidParams('Invalid params: expected the length of the data in bytes.');
    }
    return chain.vm.minimumBalance(bytes);
  },
};

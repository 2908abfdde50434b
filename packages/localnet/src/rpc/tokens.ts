import type { AccountState } from '../account.js';
import type { Chain } from '../chain.js';
import { invalidParams } from '../errors.js';
import { decodeMint, decodeTokenAccount, isTokenProgram, uiTokenAmount } from '../token.js';
import { accountFormatIn, encodeAccount } from './account-encoding.js';
import { bankSlot, type Methods, withContext } from './context.js';
import { addressOf, addressParam, configParam, objectOf } from './params.js';

/** Reads `{mint}` or `{programId}`: which token accounts are meant. */
function tokenFilter(chain: Chain, value: unknown): (state: AccountState, mint: string) => boolean {
  const filter = objectOf(value ?? {});
  if (filter.mint !== undefined) {
    const wanted = addressOf(filter.mint);
    if (!chain.vm.getAccount(wanted)) throw invalidParams('Invalid param: could not find mint');
    if (!decodeMint(chain.vm.getAccount(wanted))) throw invalidParams('Invalid param: not a Token mint');
    return (_, mint) => mint === wanted;
  }
  if (filter.programId !== undefined) {
    const program = addressOf(filter.programId);
    if (!isTokenProgram(program)) throw invalidParams('Invalid param: unrecognized Token program id');
    return (state) => state.owner === program;
  }
  throw invalidParams('Invalid params: expected `mint` or `programId`.');
}

export const tokenMethods: Methods = {
  getTokenAccountsByOwner: ({ chain }, params) => {
    const owner = addressParam(params, 0);
    const passes = tokenFilter(chain, params[1]);
    const config = configParam(params, 2);
    const format = accountFormatIn(config);
    const slot = bankSlot(chain, config);
    const getAccount = (other: string) => chain.vm.getAccount(other);
    const value = [...chain.index.tokenAccountsOf(owner)].flatMap((pubkey) => {
      const state = chain.vm.getAccount(pubkey);
      const account = decodeTokenAccount(state);
      if (!state || !account || !passes(state, account.mint)) return [];
      return [{ pubkey, account: encodeAccount(state, format, getAccount) }];
    });
    return withContext(slot, value);
  },

  getTokenAccountBalance: ({ chain }, params) => {
    const state = chain.vm.getAccount(addressParam(params, 0));
    const slot = bankSlot(chain, configParam(params, 1));
    if (!state) throw invalidParams('Invalid param: could not find account');
    const account = decodeTokenAccount(state);
    const mint = account && decodeMint(chain.vm.getAccount(account.mint));
    if (!account || !mint) throw invalidParams('Invalid param: not a Token account');
    return withContext(slot, uiTokenAmount(account.amount, mint.decimals));
  },

  getTokenSupply: ({ chain }, params) => {
    const state = chain.vm.getAccount(addressParam(params, 0));
    const slot = bankSlot(chain, configParam(params, 1));
    if (!state) throw invalidParams('Invalid param: could not find account');
    const mint = decodeMint(state);
    if (!mint) throw invalidParams('Invalid param: not a Token mint');
    return withContext(slot, uiTokenAmount(mint.supply, mint.decimals));
  },
};

import type { AccountState } from '../account.js';
import { TOKEN_PROGRAM } from '../addresses.js';
import type { Chain } from '../chain.js';
import { invalidParams } from '../errors.js';
import { decodeMint, decodeTokenAccount, isTokenProgram, type Mint, uiTokenAmount } from '../token.js';
import { accountFormatIn, encodeAccount, sortedByAddress } from './account-encoding.js';
import { bankSlot, bankSlotAt, type Method, type Methods, withContext } from './context.js';
import { addressOf, addressParam, configParam, objectOf } from './params.js';

const LARGEST_ACCOUNTS = 20;

/**
 * Returns the mint at an address, with the errors of a node for what is none: its data is looked at before its owner.
 */
function requireMint(chain: Chain, address: string): { mint: Mint; program: string } {
  const state = chain.vm.getAccount(address);
  if (!state) throw invalidParams('Invalid param: could not find mint');
  const mint = decodeMint({ ...state, owner: isTokenProgram(state.owner) ? state.owner : TOKEN_PROGRAM });
  if (!mint) throw invalidParams('Invalid param: Token mint could not be unpacked');
  if (!isTokenProgram(state.owner)) throw invalidParams('Invalid param: not a Token mint');
  return { mint, program: state.owner };
}

/** Reads `{mint}` or `{programId}`: which token accounts are meant. */
function tokenFilter(chain: Chain, value: unknown): (state: AccountState, mint: string) => boolean {
  const filter = objectOf(value ?? {});
  if (filter.mint !== undefined) {
    const wanted = addressOf(filter.mint);
    const { program } = requireMint(chain, wanted);
    return (state, mint) => mint === wanted && state.owner === program;
  }
  if (filter.programId !== undefined) {
    const program = addressOf(filter.programId);
    if (!isTokenProgram(program)) throw invalidParams('Invalid param: unrecognized Token program id');
    return (state) => state.owner === program;
  }
  throw invalidParams('Invalid params: expected `mint` or `programId`.');
}

/** Parameters: owner or delegate, filter, configuration. `listed` gives the token accounts of the first. */
function tokenAccountsBy(listed: (chain: Chain, key: string) => Iterable<string>): Method {
  return ({ chain }, params) => {
    const key = addressParam(params, 0);
    const passes = tokenFilter(chain, params[1]);
    const config = configParam(params, 2);
    const format = accountFormatIn(config);
    const slot = bankSlot(chain, config);
    const getAccount = (other: string) => chain.accountAt(other);
    const found = [...listed(chain, key)].flatMap((pubkey) => {
      const state = chain.index.stateOf(pubkey);
      const account = decodeTokenAccount(state);
      return state && account && passes(state, account.mint) ? [{ pubkey, state }] : [];
    });
    const value = sortedByAddress(found).map(({ pubkey, state }) => ({
      pubkey,
      account: encodeAccount(pubkey, state, format, getAccount),
    }));
    return withContext(slot, value);
  };
}

const getTokenLargestAccounts: Method = ({ chain }, params) => {
  const address = addressParam(params, 0);
  const slot = bankSlotAt(chain, configParam(params, 1));
  const { mint, program } = requireMint(chain, address);
  const holders = [...chain.index.holdersOf(address)].flatMap((pubkey) => {
    const state = chain.index.stateOf(pubkey);
    const account = decodeTokenAccount(state);
    return account && state?.owner === program ? [{ pubkey, amount: account.amount }] : [];
  });
  // The largest first; of equal ones the larger address first, as it falls out of a node's heap.
  const largest = sortedByAddress(holders)
    .reverse()
    .sort((one, other) => (one.amount === other.amount ? 0 : one.amount < other.amount ? 1 : -1))
    .slice(0, LARGEST_ACCOUNTS);
  const value = largest.map(({ pubkey, amount }) => ({
    address: pubkey,
    ...uiTokenAmount(amount, mint.decimals),
  }));
  return withContext(slot, value);
};

export const tokenMethods: Methods = {
  getTokenAccountsByDelegate: tokenAccountsBy((chain, delegate) => chain.index.delegatedTo(delegate)),
  getTokenAccountsByOwner: tokenAccountsBy((chain, owner) => chain.index.tokenAccountsOf(owner)),
  getTokenLargestAccounts,

  getTokenAccountBalance: ({ chain }, params) => {
    const state = chain.vm.getAccount(addressParam(params, 0));
    const slot = bankSlotAt(chain, configParam(params, 1));
    if (!state) throw invalidParams('Invalid param: could not find account');
    const account = decodeTokenAccount(state);
    if (!account) throw invalidParams('Invalid param: not a Token account');
    const { mint } = requireMint(chain, account.mint);
    return withContext(slot, uiTokenAmount(account.amount, mint.decimals));
  },

  getTokenSupply: ({ chain }, params) => {
    const state = chain.vm.getAccount(addressParam(params, 0));
    const slot = bankSlotAt(chain, configParam(params, 1));
    if (!state) throw invalidParams('Invalid param: could not find account');
    if (!isTokenProgram(state.owner)) throw invalidParams('Invalid param: not a Token mint');
    const mint = decodeMint(state);
    if (!mint) throw invalidParams('Invalid param: mint could not be unpacked');
    return withContext(slot, uiTokenAmount(mint.supply, mint.decimals));
  },
};

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
function requireMint(chain: Chain, address: string, slot: number): { mint: Mint; program: string } {
  const state = chain.accountAtSlot(address, slot);
  if (!state) throw invalidParams('Invalid param: could not find mint');
  const mint = decodeMint({ ...state, owner: isTokenProgram(state.owner) ? state.owner : TOKEN_PROGRAM });
  if (!mint) throw invalidParams('Invalid param: Token mint could not be unpacked');
  if (!isTokenProgram(state.owner)) throw invalidParams('Invalid param: not a Token mint');
  return { mint, program: state.owner };
}

/** Reads `{mint}` or `{programId}`: which token accounts are meant. */
function tokenFilter(
  chain: Chain,
  value: unknown,
  slot: number,
): (state: AccountState, mint: string) => boolean {
  const filter = objectOf(value ?? {});
  if (filter.mint !== undefined) {
    const wanted = addressOf(filter.mint);
    const { program } = requireMint(chain, wanted, slot);
    return (state, mint) => mint === wanted && state.owner === program;
  }
  if (filter.programId !== undefined) {
    const program = addressOf(filter.programId);
    if (!isTokenProgram(program)) throw invalidParams('Invalid param: unrecognized Token program id');
    return (state) => state.owner === program;
  }
  throw invalidParams('Invalid params: expected `mint` or `programId`.');
}

/** Parameters: owner or delegate, filter, configuration. `listed` gives the token accounts that the first has in the newest slot. */
function tokenAccountsBy(
  role: 'owner' | 'delegate',
  listed: (chain: Chain, key: string) => Iterable<string>,
): Method {
  return ({ chain }, params) => {
    const key = addressParam(params, 0);
    const config = configParam(params, 2);
    const format = accountFormatIn(config);
    const slot = bankSlot(chain, config);
    const passes = tokenFilter(chain, params[1], slot);
    const getAccount = (other: string) => chain.accountAtSlot(other, slot);
    const found = [...chain.accountsAtSlot(listed(chain, key), slot)].filter(({ state }) => {
      const account = decodeTokenAccount(state);
      return account?.[role] === key && passes(state, account.mint);
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
  const { mint, program } = requireMint(chain, address, slot);
  const listed = chain.accountsAtSlot(chain.index.holdersOf(address), slot);
  const holders = [...listed].flatMap(({ pubkey, state }) => {
    const account = decodeTokenAccount(state);
    return account?.mint === address && state.owner === program ? [{ pubkey, amount: account.amount }] : [];
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
  getTokenAccountsByDelegate: tokenAccountsBy('delegate', (chain, delegate) =>
    chain.index.delegatedTo(delegate),
  ),
  getTokenAccountsByOwner: tokenAccountsBy('owner', (chain, owner) => chain.index.tokenAccountsOf(owner)),
  getTokenLargestAccounts,

  getTokenAccountBalance: ({ chain }, params) => {
    const address = addressParam(params, 0);
    const slot = bankSlotAt(chain, configParam(params, 1));
    const state = chain.accountAtSlot(address, slot);
    if (!state) throw invalidParams('Invalid param: could not find account');
    const account = decodeTokenAccount(state);
    if (!account) throw invalidParams('Invalid param: not a Token account');
    const { mint } = requireMint(chain, account.mint, slot);
    return withContext(slot, uiTokenAmount(account.amount, mint.decimals));
  },

  getTokenSupply: ({ chain }, params) => {
    const address = addressParam(params, 0);
    const slot = bankSlotAt(chain, configParam(params, 1));
    const state = chain.accountAtSlot(address, slot);
    if (!state) throw invalidParams('Invalid param: could not find account');
    if (!isTokenProgram(state.owner)) throw invalidParams('Invalid param: not a Token mint');
    const mint = decodeMint(state);
    if (!mint) throw invalidParams('Invalid param: mint could not be unpacked');
    return withContext(slot, uiTokenAmount(mint.supply, mint.decimals));
  },
};

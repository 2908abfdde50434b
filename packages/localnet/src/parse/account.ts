import type { AccountState } from '../account.js';
import { TOKEN_2022_PROGRAM } from '../addresses.js';
import { decodeNonceAccount } from '../nonce.js';
import { decodeMint, decodeTokenAccount, uiTokenAmount } from '../token.js';

export interface ParsedAccount {
  program: string;
  parsed: { type: string; info: Record<string, unknown> };
  space: number;
}

function parseNonce(state: AccountState): ParsedAccount['parsed'] | undefined {
  const account = decodeNonceAccount(state);
  if (!account) return undefined;
  const { authority, nonce, lamportsPerSignature } = account;
  return {
    type: 'initialized',
    info: {
      authority,
      blockhash: nonce,
      feeCalculator: { lamportsPerSignature: lamportsPerSignature.toString() },
    },
  };
}

function parseTokenAccount(
  state: AccountState,
  getAccount: (address: string) => AccountState | undefined,
): ParsedAccount['parsed'] | undefined {
  const account = decodeTokenAccount(state);
  const mint = account && decodeMint(getAccount(account.mint));
  if (!account || !mint) return undefined;
  const delegated =
    account.delegate === undefined ? undefined : uiTokenAmount(account.delegatedAmount, mint.decimals);
  const reserve =
    account.nativeReserve === undefined ? undefined : uiTokenAmount(account.nativeReserve, mint.decimals);
  return {
    type: 'account',
    info: {
      closeAuthority: account.closeAuthority,
      delegate: account.delegate,
      delegatedAmount: delegated,
      isNative: account.nativeReserve !== undefined,
      mint: account.mint,
      owner: account.owner,
      rentExemptReserve: reserve,
      state: account.state,
      tokenAmount: uiTokenAmount(account.amount, mint.decimals),
    },
  };
}

function parseMint(state: AccountState): ParsedAccount['parsed'] | undefined {
  const mint = decodeMint(state);
  if (!mint) return undefined;
  return {
    type: 'mint',
    info: {
      decimals: mint.decimals,
      freezeAuthority: mint.freezeAuthority ?? null,
      isInitialized: true,
      mintAuthority: mint.mintAuthority ?? null,
      supply: mint.supply.toString(),
    },
  };
}

/** The `jsonParsed` form of an account's data (mint, token account, nonce); undefined when there is none. */
export function parseAccount(
  state: AccountState,
  getAccount: (address: string) => AccountState | undefined,
): ParsedAccount | undefined {
  const token = parseTokenAccount(state, getAccount) ?? parseMint(state);
  const parsed = token ?? parseNonce(state);
  if (!parsed) return undefined;
  const tokenProgram = state.owner === TOKEN_2022_PROGRAM ? 'spl-token-2022' : 'spl-token';
  return { program: token ? tokenProgram : 'nonce', parsed, space: state.data.length };
}

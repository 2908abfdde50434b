import type { AccountState } from './account.js';
import { addressFromBytes } from './address-bytes.js';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './addresses.js';
import { view } from './bytes.js';

/** Layouts of the token programs (`spl-token` interface/src/state.rs); token-2022 appends extensions. */
export const MINT_BYTES = 82;
export const TOKEN_ACCOUNT_BYTES = 165;
/** Token-2022 puts the kind of account behind the base layout of a token account: 1 mint, 2 account. */
const KIND_OFFSET = TOKEN_ACCOUNT_BYTES;

export interface TokenAccount {
  mint: string;
  owner: string;
  amount: bigint;
  delegate: string | undefined;
  state: 'initialized' | 'frozen';
  /** Rent reserve of a wrapped-SOL account. */
  nativeReserve: bigint | undefined;
  delegatedAmount: bigint;
  closeAuthority: string | undefined;
}

export interface Mint {
  mintAuthority: string | undefined;
  supply: bigint;
  decimals: number;
  freezeAuthority: string | undefined;
}

export function isTokenProgram(address: string): boolean {
  return address === TOKEN_PROGRAM || address === TOKEN_2022_PROGRAM;
}

function isKind(state: AccountState, bytes: number, kind: number): boolean {
  if (!isTokenProgram(state.owner)) return false;
  if (state.data.length === bytes) return true;
  return (
    state.owner === TOKEN_2022_PROGRAM && state.data.length > KIND_OFFSET && state.data[KIND_OFFSET] === kind
  );
}

function optionalKey(data: Buffer, at: number): string | undefined {
  return data.readUInt32LE(at) === 1 ? addressFromBytes(data.subarray(at + 4, at + 36)) : undefined;
}

/** Returns the token account in these bytes; undefined when they hold none, or one that is not initialized. */
export function decodeTokenAccount(state: AccountState | undefined): TokenAccount | undefined {
  if (!state || !isKind(state, TOKEN_ACCOUNT_BYTES, 2)) return undefined;
  const data = view(state.data);
  const status = data[108];
  if (status !== 1 && status !== 2) return undefined;
  return {
    mint: addressFromBytes(data.subarray(0, 32)),
    owner: addressFromBytes(data.subarray(32, 64)),
    amount: data.readBigUInt64LE(64),
    delegate: optionalKey(data, 72),
    state: status === 2 ? 'frozen' : 'initialized',
    nativeReserve: data.readUInt32LE(109) === 1 ? data.readBigUInt64LE(113) : undefined,
    delegatedAmount: data.readBigUInt64LE(121),
    closeAuthority: optionalKey(data, 129),
  };
}

/** Returns the mint in these bytes; undefined when they hold none, or one that is not initialized. */
export function decodeMint(state: AccountState | undefined): Mint | undefined {
  if (!state || !isKind(state, MINT_BYTES, 1)) return undefined;
  const data = view(state.data);
  if (data[45] !== 1) return undefined;
  return {
    mintAuthority: optionalKey(data, 0),
    supply: data.readBigUInt64LE(36),
    decimals: data[44] ?? 0,
    freezeAuthority: optionalKey(data, 46),
  };
}

/**
 * Returns a fresh token account of `owner` for `mint`; token-2022 gets the associated account's ImmutableOwner
 * extension.
 */
export function newTokenAccountData(mint: Uint8Array, owner: Uint8Array, program: string): Buffer {
  const data = Buffer.alloc(program === TOKEN_2022_PROGRAM ? TOKEN_ACCOUNT_BYTES + 5 : TOKEN_ACCOUNT_BYTES);
  data.set(mint, 0);
  data.set(owner, 32);
  data[108] = 1;
  if (program === TOKEN_2022_PROGRAM) {
    data[KIND_OFFSET] = 2;
    data.writeUInt16LE(7, KIND_OFFSET + 1);
  }
  return data;
}

/** Returns base units as a decimal text without trailing zeros: (1500000, 6) is `1.5`. */
export function uiAmountString(amount: bigint, decimals: number): string {
  if (decimals === 0) return amount.toString();
  const digits = amount.toString().padStart(decimals + 1, '0');
  const fraction = digits.slice(-decimals).replace(/0+$/, '');
  return digits.slice(0, -decimals) + (fraction ? `.${fraction}` : '');
}

export interface UiTokenAmount {
  amount: string;
  decimals: number;
  uiAmount: number;
  uiAmountString: string;
}

/** Returns the four forms in which a node gives a token amount. */
export function uiTokenAmount(amount: bigint, decimals: number): UiTokenAmount {
  const text = uiAmountString(amount, decimals);
  return { amount: amount.toString(), decimals, uiAmount: Number(text), uiAmountString: text };
}

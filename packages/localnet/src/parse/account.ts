import type { AccountState } from '../account.js';
import { addressFromBytes } from '../address-bytes.js';
import { ADDRESS_LOOKUP_TABLE_PROGRAM, TOKEN_2022_PROGRAM, UPGRADEABLE_LOADER } from '../addresses.js';
import { view } from '../bytes.js';
import { decodeNonceAccount } from '../nonce.js';
import { decodeMint, decodeTokenAccount, uiTokenAmount } from '../token.js';
import { type ParsedExtension, parseExtensions } from './extensions.js';
import { parseSysvar } from './sysvar.js';

export interface ParsedAccount {
  program: string;
  parsed: { type: string; info: unknown };
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

/** Without extensions, a node leaves the field out. */
function extensionsOf(state: AccountState): ParsedExtension[] | undefined {
  const extensions = parseExtensions(view(state.data));
  return extensions.length === 0 ? undefined : extensions;
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
      extensions: extensionsOf(state),
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
      extensions: extensionsOf(state),
      freezeAuthority: mint.freezeAuthority ?? null,
      isInitialized: true,
      mintAuthority: mint.mintAuthority ?? null,
      supply: mint.supply.toString(),
    },
  };
}

/** Heads of the upgradeable loader's accounts, and of a lookup table, in bytes; an option without its key is 32 shorter. */
const BUFFER_HEAD_BYTES = 37;
const PROGRAM_DATA_HEAD_BYTES = 45;
const LOOKUP_TABLE_HEAD_BYTES = 56;

function authorityAt(data: Buffer, at: number): string | null {
  return data[at] === 1 ? addressFromBytes(data.subarray(at + 1, at + 33)) : null;
}

function code(data: Buffer, authority: string | null, headBytes: number): [string, 'base64'] {
  return [data.subarray(authority === null ? headBytes - 32 : headBytes).toString('base64'), 'base64'];
}

/** Layouts: solana-loader-v3-interface `UpgradeableLoaderState`: u32 kind, then its fields. */
function parseLoaderAccount(data: Buffer): ParsedAccount['parsed'] | undefined {
  const kind = data.readUInt32LE(0);
  if (kind === 0) return { type: 'uninitialized', info: undefined };
  if (kind === 1) {
    const authority = authorityAt(data, 4);
    return { type: 'buffer', info: { authority, data: code(data, authority, BUFFER_HEAD_BYTES) } };
  }
  if (kind === 2) return { type: 'program', info: { programData: addressFromBytes(data.subarray(4, 36)) } };
  if (kind !== 3) return undefined;
  const authority = authorityAt(data, 12);
  const slot = data.readBigUInt64LE(4);
  return {
    type: 'programData',
    info: { authority, data: code(data, authority, PROGRAM_DATA_HEAD_BYTES), slot },
  };
}

/** Layout: kind u32, deactivation slot u64, last extended slot u64, its start index u8, option of authority, padding. */
function parseLookupTable(data: Buffer): ParsedAccount['parsed'] | undefined {
  if (data.readUInt32LE(0) === 0) return { type: 'uninitialized', info: undefined };
  const count = Math.floor((data.length - LOOKUP_TABLE_HEAD_BYTES) / 32);
  const addresses = Array.from({ length: count }, (_, index) => {
    const start = LOOKUP_TABLE_HEAD_BYTES + index * 32;
    return addressFromBytes(data.subarray(start, start + 32));
  });
  return {
    type: 'lookupTable',
    info: {
      addresses,
      authority: authorityAt(data, 21) ?? undefined,
      deactivationSlot: data.readBigUInt64LE(4).toString(),
      lastExtendedSlot: data.readBigUInt64LE(12).toString(),
      lastExtendedSlotStartIndex: data[20],
    },
  };
}

/** The programs other than the token programs whose accounts have a parsed form, by owner. */
const BY_OWNER: Readonly<
  Record<string, { program: string; parse: (data: Buffer) => ParsedAccount['parsed'] | undefined }>
> = {
  [UPGRADEABLE_LOADER]: { program: 'bpf-upgradeable-loader', parse: parseLoaderAccount },
  [ADDRESS_LOOKUP_TABLE_PROGRAM]: { program: 'address-lookup-table', parse: parseLookupTable },
};

function parseOther(
  address: string | undefined,
  state: AccountState,
): Omit<ParsedAccount, 'space'> | undefined {
  const data = view(state.data);
  try {
    const nonce = parseNonce(state);
    if (nonce) return { program: 'nonce', parsed: nonce };
    const sysvar = parseSysvar(address, state.owner, data);
    if (sysvar) return { program: 'sysvar', parsed: sysvar };
    const known = BY_OWNER[state.owner];
    const parsed = known?.parse(data);
    return known && parsed && { program: known.program, parsed };
  } catch (error) {
    // Data too short for its layout: it stays raw.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Returns the `jsonParsed` form of an account's data; undefined if there is none. `address` identifies a sysvar. */
export function parseAccount(
  address: string | undefined,
  state: AccountState,
  getAccount: (address: string) => AccountState | undefined,
): ParsedAccount | undefined {
  const space = state.data.length;
  const token = parseTokenAccount(state, getAccount) ?? parseMint(state);
  const program = state.owner === TOKEN_2022_PROGRAM ? 'spl-token-2022' : 'spl-token';
  if (token) return { program, parsed: token, space };
  const other = parseOther(address, state);
  return other && { ...other, space };
}

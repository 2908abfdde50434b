import { addressFromBytes } from '../address-bytes.js';
import { uiTokenAmount } from '../token.js';
import type { InstructionParser, Parsed } from './parsed.js';

/** Layouts: spl-token interface `TokenInstruction`: u8 variant, then packed arguments. */
type Layout = (accounts: readonly string[], data: Buffer) => Parsed;

const key = (data: Buffer, at: number): string => addressFromBytes(data.subarray(at, at + 32));

function optionalKey(data: Buffer, at: number): string | undefined {
  return data[at] === 1 ? key(data, at + 1) : undefined;
}

const AUTHORITY_TYPES = ['mintTokens', 'freezeAccount', 'accountOwner', 'closeAccount'];

/** Returns the authority of an instruction, alone or as a multisig with the signers behind it. */
function authority(name: string, accounts: readonly string[], at: number): Record<string, unknown> {
  const signers = accounts.slice(at + 1);
  if (signers.length === 0) return { [name]: accounts[at] };
  return { [`multisig${name.charAt(0).toUpperCase()}${name.slice(1)}`]: accounts[at], signers };
}

const amount = (data: Buffer): string => data.readBigUInt64LE(1).toString();
const checkedAmount = (data: Buffer) => uiTokenAmount(data.readBigUInt64LE(1), data.readUInt8(9));

function initializeMint(type: string, rentSysvar: string | undefined): Layout {
  return ([mint], data) => ({
    type,
    info: {
      decimals: data.readUInt8(1),
      freezeAuthority: optionalKey(data, 34),
      mint,
      mintAuthority: key(data, 2),
      rentSysvar,
    },
  });
}

const LAYOUTS: Readonly<Record<number, Layout>> = {
  0: (accounts, data) => initializeMint('initializeMint', accounts[1])(accounts, data),
  1: ([account, mint, owner, rentSysvar]) => ({
    type: 'initializeAccount',
    info: { account, mint, owner, rentSysvar },
  }),
  3: (accounts, data) => ({
    type: 'transfer',
    info: {
      amount: amount(data),
      destination: accounts[1],
      source: accounts[0],
      ...authority('authority', accounts, 2),
    },
  }),
  4: (accounts, data) => ({
    type: 'approve',
    info: {
      amount: amount(data),
      delegate: accounts[1],
      source: accounts[0],
      ...authority('owner', accounts, 2),
    },
  }),
  5: (accounts) => ({ type: 'revoke', info: { source: accounts[0], ...authority('owner', accounts, 1) } }),
  6: (accounts, data) => {
    const authorityType = AUTHORITY_TYPES[data.readUInt8(1)] ?? 'unknown';
    const account = data.readUInt8(1) < 2 ? 'mint' : 'account';
    return {
      type: 'setAuthority',
      info: {
        [account]: accounts[0],
        authorityType,
        newAuthority: optionalKey(data, 2) ?? null,
        ...authority('authority', accounts, 1),
      },
    };
  },
  7: (accounts, data) => ({
    type: 'mintTo',
    info: {
      account: accounts[1],
      amount: amount(data),
      mint: accounts[0],
      ...authority('mintAuthority', accounts, 2),
    },
  }),
  8: (accounts, data) => ({
    type: 'burn',
    info: {
      account: accounts[0],
      amount: amount(data),
      mint: accounts[1],
      ...authority('authority', accounts, 2),
    },
  }),
  9: (accounts) => ({
    type: 'closeAccount',
    info: { account: accounts[0], destination: accounts[1], ...authority('owner', accounts, 2) },
  }),
  10: (accounts) => ({
    type: 'freezeAccount',
    info: { account: accounts[0], mint: accounts[1], ...authority('freezeAuthority', accounts, 2) },
  }),
  11: (accounts) => ({
    type: 'thawAccount',
    info: { account: accounts[0], mint: accounts[1], ...authority('freezeAuthority', accounts, 2) },
  }),
  12: (accounts, data) => ({
    type: 'transferChecked',
    info: {
      destination: accounts[2],
      mint: accounts[1],
      source: accounts[0],
      tokenAmount: checkedAmount(data),
      ...authority('authority', accounts, 3),
    },
  }),
  13: (accounts, data) => ({
    type: 'approveChecked',
    info: {
      delegate: accounts[2],
      mint: accounts[1],
      source: accounts[0],
      tokenAmount: checkedAmount(data),
      ...authority('owner', accounts, 3),
    },
  }),
  14: (accounts, data) => ({
    type: 'mintToChecked',
    info: {
      account: accounts[1],
      mint: accounts[0],
      tokenAmount: checkedAmount(data),
      ...authority('mintAuthority', accounts, 2),
    },
  }),
  15: (accounts, data) => ({
    type: 'burnChecked',
    info: {
      account: accounts[0],
      mint: accounts[1],
      tokenAmount: checkedAmount(data),
      ...authority('authority', accounts, 2),
    },
  }),
  16: ([account, mint, rentSysvar], data) => ({
    type: 'initializeAccount2',
    info: { account, mint, owner: key(data, 1), rentSysvar },
  }),
  17: ([account]) => ({ type: 'syncNative', info: { account } }),
  18: ([account, mint], data) => ({
    type: 'initializeAccount3',
    info: { account, mint, owner: key(data, 1) },
  }),
  20: initializeMint('initializeMint2', undefined),
  21: ([mint], data) => ({
    type: 'getAccountDataSize',
    info: { extensionTypes: data.length > 1 ? ['immutableOwner'] : undefined, mint },
  }),
  22: ([account]) => ({ type: 'initializeImmutableOwner', info: { account } }),
  23: ([mint], data) => ({ type: 'amountToUiAmount', info: { amount: amount(data), mint } }),
  24: ([mint], data) => ({ type: 'uiAmountToAmount', info: { mint, uiAmount: data.toString('utf8', 1) } }),
};

/** Parses an instruction of the token programs, as far as the original one knows it. */
export const parseTokenInstruction: InstructionParser = (accounts, data) => {
  try {
    return LAYOUTS[data[0] ?? -1]?.(accounts, data);
  } catch (error) {
    // Data too short for its layout: the program refused it as well.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
};

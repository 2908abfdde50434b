import { addressFromBytes } from '../address-bytes.js';
import type { InstructionParser, Parsed } from './parsed.js';

/** Layouts: solana-system-interface `SystemInstruction`, bincode: u32 variant, u64 numbers, strings with u64 length. */
type Layout = (accounts: readonly string[], data: Buffer) => Parsed;

const key = (data: Buffer, at: number): string => addressFromBytes(data.subarray(at, at + 32));

function seedAt(data: Buffer, at: number): { seed: string; end: number } {
  const end = at + 8 + Number(data.readBigUInt64LE(at));
  return { seed: data.toString('utf8', at + 8, end), end };
}

const LAYOUTS: Readonly<Record<number, Layout>> = {
  0: ([source, newAccount], data) => ({
    type: 'createAccount',
    info: {
      lamports: data.readBigUInt64LE(4),
      newAccount,
      owner: key(data, 20),
      source,
      space: data.readBigUInt64LE(12),
    },
  }),
  1: ([account], data) => ({ type: 'assign', info: { account, owner: key(data, 4) } }),
  2: ([source, destination], data) => ({
    type: 'transfer',
    info: { destination, lamports: data.readBigUInt64LE(4), source },
  }),
  3: ([source, newAccount], data) => {
    const { seed, end } = seedAt(data, 36);
    const lamports = data.readBigUInt64LE(end);
    const space = data.readBigUInt64LE(end + 8);
    return {
      type: 'createAccountWithSeed',
      info: { base: key(data, 4), lamports, newAccount, owner: key(data, end + 16), seed, source, space },
    };
  },
  4: ([nonceAccount, recentBlockhashesSysvar, nonceAuthority]) => ({
    type: 'advanceNonce',
    info: { nonceAccount, nonceAuthority, recentBlockhashesSysvar },
  }),
  5: ([nonceAccount, destination, recentBlockhashesSysvar, rentSysvar, nonceAuthority], data) => ({
    type: 'withdrawFromNonce',
    info: {
      destination,
      lamports: data.readBigUInt64LE(4),
      nonceAccount,
      nonceAuthority,
      recentBlockhashesSysvar,
      rentSysvar,
    },
  }),
  6: ([nonceAccount, recentBlockhashesSysvar, rentSysvar], data) => ({
    type: 'initializeNonce',
    info: { nonceAccount, nonceAuthority: key(data, 4), recentBlockhashesSysvar, rentSysvar },
  }),
  7: ([nonceAccount, nonceAuthority], data) => ({
    type: 'authorizeNonce',
    info: { newAuthorized: key(data, 4), nonceAccount, nonceAuthority },
  }),
  8: ([account], data) => ({ type: 'allocate', info: { account, space: data.readBigUInt64LE(4) } }),
};

/** Parses an instruction of the system program. */
export const parseSystemInstruction: InstructionParser = (accounts, data) => {
  if (data.length < 4) return undefined;
  try {
    return LAYOUTS[data.readUInt32LE(0)]?.(accounts, data);
  } catch (error) {
    // Data too short for its layout: the program refused it as well.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
};

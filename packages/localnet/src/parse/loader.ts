import { addressFromBytes } from '../address-bytes.js';
import { view } from '../bytes.js';
import type { InstructionParser, Parsed } from './parsed.js';

/** Layouts: solana-loader-v3-interface `UpgradeableLoaderInstruction`, bincode: u32 variant, then its fields. */
type Layout = { accountsMin: number; parse: (accounts: readonly string[], data: Buffer) => Parsed };

/** Returns a `Vec<u8>`: u64 length, then the bytes; given in base64. */
function bytesAt(data: Buffer, at: number): string {
  const end = at + 8 + Number(data.readBigUInt64LE(at));
  if (end > data.length) throw new RangeError('the bytes end before they should');
  return data.subarray(at + 8, end).toString('base64');
}

const or = (account: string | undefined): string | null => account ?? null;

const UPGRADEABLE: Readonly<Record<number, Layout>> = {
  0: {
    accountsMin: 1,
    parse: ([account, authority]) => ({ type: 'initializeBuffer', info: { account, authority } }),
  },
  1: {
    accountsMin: 2,
    parse: ([account, authority], data) => ({
      type: 'write',
      info: { account, authority, bytes: bytesAt(data, 8), offset: data.readUInt32LE(4) },
    }),
  },
  2: {
    accountsMin: 8,
    parse: (
      [
        payerAccount,
        programDataAccount,
        programAccount,
        bufferAccount,
        rentSysvar,
        clockSysvar,
        systemProgram,
        authority,
      ],
      data,
    ) => ({
      type: 'deployWithMaxDataLen',
      info: {
        authority,
        bufferAccount,
        clockSysvar,
        maxDataLen: data.readBigUInt64LE(4),
        payerAccount,
        programAccount,
        programDataAccount,
        rentSysvar,
        systemProgram,
      },
    }),
  },
  3: {
    accountsMin: 7,
    parse: ([
      programDataAccount,
      programAccount,
      bufferAccount,
      spillAccount,
      rentSysvar,
      clockSysvar,
      authority,
    ]) => ({
      type: 'upgrade',
      info: {
        authority,
        bufferAccount,
        clockSysvar,
        programAccount,
        programDataAccount,
        rentSysvar,
        spillAccount,
      },
    }),
  },
  4: {
    accountsMin: 2,
    parse: ([account, authority, newAuthority]) => ({
      type: 'setAuthority',
      info: { account, authority, newAuthority: or(newAuthority) },
    }),
  },
  5: {
    accountsMin: 3,
    parse: ([account, recipient, authority, programAccount]) => ({
      type: 'close',
      info: { account, authority, programAccount: or(programAccount), recipient },
    }),
  },
  6: {
    accountsMin: 2,
    parse: ([programDataAccount, programAccount, systemProgram, payerAccount], data) => ({
      type: 'extendProgram',
      info: {
        additionalBytes: data.readUInt32LE(4),
        payerAccount: or(payerAccount),
        programAccount,
        programDataAccount,
        systemProgram: or(systemProgram),
      },
    }),
  },
  7: {
    accountsMin: 3,
    parse: ([account, authority, newAuthority]) => ({
      type: 'setAuthorityChecked',
      info: { account, authority, newAuthority },
    }),
  },
  9: {
    accountsMin: 3,
    parse: ([programDataAccount, programAccount, authority, systemProgram, payerAccount], data) => ({
      type: 'extendProgramChecked',
      info: {
        additionalBytes: data.readUInt32LE(4),
        authority,
        payerAccount: or(payerAccount),
        programAccount,
        programDataAccount,
        systemProgram: or(systemProgram),
      },
    }),
  },
};

/** Layouts: solana-loader-v2-interface `LoaderInstruction`. */
const FINAL: Readonly<Record<number, Layout>> = {
  0: {
    accountsMin: 1,
    parse: ([account], data) => ({
      type: 'write',
      info: { account, bytes: bytesAt(data, 8), offset: data.readUInt32LE(4) },
    }),
  },
  1: { accountsMin: 2, parse: ([account]) => ({ type: 'finalize', info: { account } }) },
};

/** Layouts: solana-address-lookup-table-interface `ProgramInstruction`. */
const LOOKUP_TABLE: Readonly<Record<number, Layout>> = {
  0: {
    accountsMin: 4,
    parse: ([lookupTableAccount, lookupTableAuthority, payerAccount, systemProgram], data) => ({
      type: 'createLookupTable',
      info: {
        bumpSeed: data.readUInt8(12),
        lookupTableAccount,
        lookupTableAuthority,
        payerAccount,
        recentSlot: data.readBigUInt64LE(4),
        systemProgram,
      },
    }),
  },
  1: {
    accountsMin: 2,
    parse: ([lookupTableAccount, lookupTableAuthority]) => ({
      type: 'freezeLookupTable',
      info: { lookupTableAccount, lookupTableAuthority },
    }),
  },
  2: {
    accountsMin: 2,
    parse: ([lookupTableAccount, lookupTableAuthority, payerAccount, systemProgram], data) => ({
      type: 'extendLookupTable',
      info: {
        lookupTableAccount,
        lookupTableAuthority,
        newAddresses: addressesAt(data, 4),
        payerAccount,
        systemProgram,
      },
    }),
  },
  3: {
    accountsMin: 2,
    parse: ([lookupTableAccount, lookupTableAuthority]) => ({
      type: 'deactivateLookupTable',
      info: { lookupTableAccount, lookupTableAuthority },
    }),
  },
  4: {
    accountsMin: 3,
    parse: ([lookupTableAccount, lookupTableAuthority, recipient]) => ({
      type: 'closeLookupTable',
      info: { lookupTableAccount, lookupTableAuthority, recipient },
    }),
  },
};

/** Returns a `Vec<Pubkey>`: u64 length, then 32 bytes each. */
function addressesAt(data: Buffer, at: number): string[] {
  return Array.from({ length: Number(data.readBigUInt64LE(at)) }, (_, index) => {
    const start = at + 8 + index * 32;
    if (start + 32 > data.length) throw new RangeError('the addresses end before they should');
    return addressFromBytes(data.subarray(start, start + 32));
  });
}

function parserOf(layouts: Readonly<Record<number, Layout>>): InstructionParser {
  return (accounts, bytes) => {
    const data = view(bytes);
    if (data.length < 4) return undefined;
    const layout = layouts[data.readUInt32LE(0)];
    if (!layout || accounts.length < layout.accountsMin) return undefined;
    try {
      return layout.parse(accounts, data);
    } catch (error) {
      // Data too short for its layout: the program refused it as well.
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  };
}

export const parseUpgradeableLoaderInstruction = parserOf(UPGRADEABLE);
export const parseFinalLoaderInstruction = parserOf(FINAL);
export const parseLookupTableInstruction = parserOf(LOOKUP_TABLE);

import { encodeBase58 } from '@karat/wire';
import { addressFromBytes } from '../address-bytes.js';
import { SYSVAR_OWNER } from '../addresses.js';

interface ParsedData {
  type: string;
  info: unknown;
}

const number = (data: Buffer, at: number): bigint => data.readBigUInt64LE(at);

function list<T>(data: Buffer, bytesEach: number, item: (at: number) => T): T[] {
  return Array.from({ length: Number(number(data, 0)) }, (_, index) => item(8 + index * bytesEach));
}

/** Layouts: bincode of the solana-sysvar types; the names are Agave's `account-decoder/src/parse_sysvar.rs`. */
const SYSVARS: Readonly<Record<string, (data: Buffer) => ParsedData>> = {
  SysvarC1ock11111111111111111111111111111111: (data) => ({
    type: 'clock',
    info: {
      epoch: number(data, 16),
      epochStartTimestamp: data.readBigInt64LE(8),
      leaderScheduleEpoch: number(data, 24),
      slot: number(data, 0),
      unixTimestamp: data.readBigInt64LE(32),
    },
  }),
  SysvarEpochSchedu1e111111111111111111111111: (data) => ({
    type: 'epochSchedule',
    info: {
      firstNormalEpoch: number(data, 17),
      firstNormalSlot: number(data, 25),
      leaderScheduleSlotOffset: number(data, 8),
      slotsPerEpoch: number(data, 0),
      warmup: data[16] === 1,
    },
  }),
  SysvarRent111111111111111111111111111111111: (data) => ({
    type: 'rent',
    info: {
      burnPercent: data[16],
      exemptionThreshold: data.readDoubleLE(8),
      lamportsPerByteYear: number(data, 0).toString(),
    },
  }),
  SysvarS1otHashes111111111111111111111111111: (data) => ({
    type: 'slotHashes',
    info: list(data, 40, (at) => ({
      hash: encodeBase58(data.subarray(at + 8, at + 40)),
      slot: number(data, at),
    })),
  }),
  SysvarRecentB1ockHashes11111111111111111111: (data) => ({
    type: 'recentBlockhashes',
    info: list(data, 40, (at) => ({
      blockhash: addressFromBytes(data.subarray(at, at + 32)),
      feeCalculator: { lamportsPerSignature: number(data, at + 32).toString() },
    })),
  }),
};

/**
 * Returns the `jsonParsed` form of a sysvar's data; undefined for other accounts, and for sysvars that stay raw here.
 */
export function parseSysvar(
  address: string | undefined,
  owner: string,
  data: Buffer,
): ParsedData | undefined {
  return owner === SYSVAR_OWNER && address !== undefined ? SYSVARS[address]?.(data) : undefined;
}

import type { AccountState } from './account.js';
import { addressFromBytes } from './address-bytes.js';
import { INSTRUCTIONS_SYSVAR, UPGRADEABLE_LOADER } from './addresses.js';
import { view } from './bytes.js';
import type { Execution } from './vm.js';
import type { WireMessage } from './wire.js';

/** Bytes counted for each account in addition to its data, and each lookup table with all that it could hold (SIMD-0186). */
const ACCOUNT_BASE_BYTES = 64;
const LOOKUP_TABLE_BYTES = 8_248;
/** A program of the upgradeable loader: u32 2, then the address of its data. */
const PROGRAM_BYTES = 36;
const PROGRAM = 2;

/** Looks up the accounts that a transaction loads. */
export interface AccountSizes {
  /** Length of an account's data; undefined when there is no account. */
  bytesOf(address: string): number | undefined;
  stateOf(address: string): AccountState | undefined;
}

/**
 * What comes of a transaction that loads more than it may. The VM refuses these as well, but does not count the code of
 * programs.
 */
export const TOO_MUCH_LOADED: Execution = {
  err: 'MaxLoadedAccountsDataSizeExceeded',
  logs: [],
  unitsConsumed: 0,
  returnData: undefined,
  innerInstructions: [],
};

/** What comes of a transaction that calls a program which is not there, or whose loader is not. */
export const NO_PROGRAM: Execution = { ...TOO_MUCH_LOADED, err: 'ProgramAccountNotFound' };

function programDataOf(program: AccountState | undefined): string | undefined {
  if (program?.owner !== UPGRADEABLE_LOADER || view(program.data).readUInt32LE(0) !== PROGRAM)
    return undefined;
  return addressFromBytes(program.data.subarray(4, PROGRAM_BYTES));
}

/**
 * Returns the bytes that loading the accounts of a message counts (Agave `svm/src/account_loader.rs`,
 * `load_transaction_accounts`): `keys`, and the code of the programs among them.
 */
export function loadedDataBytes(
  message: WireMessage,
  keys: readonly string[],
  accounts: AccountSizes,
): number {
  let total = message.lookups.length * LOOKUP_TABLE_BYTES;
  const counted = new Set<string>();
  const count = (address: string): number | undefined => {
    if (counted.has(address)) return undefined;
    counted.add(address);
    // This one is made for each transaction and is not loaded.
    const bytes = address === INSTRUCTIONS_SYSVAR ? undefined : accounts.bytesOf(address);
    if (bytes !== undefined) total += ACCOUNT_BASE_BYTES + bytes;
    return bytes;
  };
  const programs = keys.filter((key) => count(key) === PROGRAM_BYTES);
  for (const program of programs) {
    const code = programDataOf(accounts.stateOf(program));
    if (code !== undefined) count(code);
  }
  return total;
}

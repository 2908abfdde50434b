import type { AccountState } from './account.js';
import { ADDRESS_LOOKUP_TABLE_PROGRAM } from './addresses.js';
import { addressFromBytes } from './base58.js';
import type { TransactionError } from './transaction-error.js';
import type { LoadedAddresses, WireLookup } from './wire.js';

/** Layout of a lookup table: 56 bytes of meta, then 32 bytes an address. */
const TABLE_META_BYTES = 56;

function addressesAt(table: AccountState, indexes: Uint8Array): string[] | undefined {
  const found: string[] = [];
  for (const index of indexes) {
    const start = TABLE_META_BYTES + index * 32;
    if (start + 32 > table.data.length) return undefined;
    found.push(addressFromBytes(table.data.subarray(start, start + 32)));
  }
  return found;
}

/** The addresses that a version 0 message takes from lookup tables, or the error of the first that is not there. */
export function resolveLookups(
  lookups: readonly WireLookup[],
  getAccount: (address: string) => AccountState | undefined,
): { loaded: LoadedAddresses } | { err: TransactionError } {
  const loaded: LoadedAddresses = { writable: [], readonly: [] };
  for (const lookup of lookups) {
    const table = getAccount(lookup.table);
    if (!table) return { err: 'AddressLookupTableNotFound' };
    if (table.owner !== ADDRESS_LOOKUP_TABLE_PROGRAM) return { err: 'InvalidAddressLookupTableOwner' };
    const writable = addressesAt(table, lookup.writable);
    const readonly = addressesAt(table, lookup.readonly);
    if (!writable || !readonly) return { err: 'InvalidAddressLookupTableIndex' };
    loaded.writable.push(...writable);
    loaded.readonly.push(...readonly);
  }
  return { loaded };
}

import type { AccountState } from './account.js';
import { addressFromBytes } from './address-bytes.js';
import { ADDRESS_LOOKUP_TABLE_PROGRAM } from './addresses.js';
import { view } from './bytes.js';
import type { TransactionError } from './transaction-error.js';
import type { LoadedAddresses, WireLookup } from './wire.js';

/**
 * Layout of a lookup table: 56 bytes of meta, then 32 bytes an address. The meta: kind u32 (1), slot of its deactivation
 * u64 (all ones: none), slot u64 of the last extension and the count u8 of addresses before that.
 */
const TABLE_META_BYTES = 56;
const TABLE = 1;
const NEVER = 2n ** 64n - 1n;
/** A table that was deactivated can be used for as long as the slot of that is among the slot hashes. */
const COOLING_SLOTS = 512n;

function addressesAt(table: AccountState, count: number, indexes: Uint8Array): string[] | undefined {
  const found: string[] = [];
  for (const index of indexes) {
    if (index >= count) return undefined;
    const start = TABLE_META_BYTES + index * 32;
    found.push(addressFromBytes(table.data.subarray(start, start + 32)));
  }
  return found;
}

/**
 * Returns how many addresses of a table can be used in a slot: what an extension adds, from the next one on. An error
 * for what is no table, or none any more. After `AddressLookupTable::lookup` of Agave's
 * `solana-address-lookup-table-interface`.
 */
function usable(table: AccountState, slot: bigint): { count: number } | { err: TransactionError } {
  const data = view(table.data);
  if (data.length < TABLE_META_BYTES || data.readUInt32LE(0) !== TABLE)
    return { err: 'InvalidAddressLookupTableData' };
  const deactivated = data.readBigUInt64LE(4);
  if (deactivated !== NEVER && slot > deactivated + COOLING_SLOTS)
    return { err: 'AddressLookupTableNotFound' };
  const all = Math.floor((data.length - TABLE_META_BYTES) / 32);
  return { count: slot > data.readBigUInt64LE(12) ? all : Math.min(all, data.readUInt8(20)) };
}

/**
 * Returns the addresses that a version 0 message takes from lookup tables in a slot, or the error of the first that is
 * not there.
 */
export function resolveLookups(
  lookups: readonly WireLookup[],
  slot: number,
  getAccount: (address: string) => AccountState | undefined,
): { loaded: LoadedAddresses } | { err: TransactionError } {
  const loaded: LoadedAddresses = { writable: [], readonly: [] };
  for (const lookup of lookups) {
    const table = getAccount(lookup.table);
    if (!table) return { err: 'AddressLookupTableNotFound' };
    if (table.owner !== ADDRESS_LOOKUP_TABLE_PROGRAM) return { err: 'InvalidAddressLookupTableOwner' };
    const found = usable(table, BigInt(slot));
    if ('err' in found) return found;
    const writable = addressesAt(table, found.count, lookup.writable);
    const readonly = addressesAt(table, found.count, lookup.readonly);
    if (!writable || !readonly) return { err: 'InvalidAddressLookupTableIndex' };
    loaded.writable.push(...writable);
    loaded.readonly.push(...readonly);
  }
  return { loaded };
}

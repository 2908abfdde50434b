/** The 32 bytes of addresses and their texts, both ways, remembered: the same few keys come by again and again. */

import { decodeBase58, encodeBase58, keyBytes } from '@karat/wire';
import { view } from './bytes.js';

const CACHE_ENTRIES_MAX = 100_000;

const textCache = new Map<string, string>();
const bytesCache = new Map<string, Uint8Array>();

function remember<K, V>(cache: Map<K, V>, key: K, value: V): V {
  if (cache.size >= CACHE_ENTRIES_MAX) cache.clear();
  cache.set(key, value);
  return value;
}

/** Returns the base58 text of a 32-byte key. */
export function addressFromBytes(bytes: Uint8Array): string {
  const key = view(bytes).toString('latin1');
  return textCache.get(key) ?? remember(textCache, key, encodeBase58(bytes));
}

/** Returns the 32 bytes of an address; undefined when the text is no base58 of exactly 32 bytes. */
export function addressToBytes(address: string): Uint8Array | undefined {
  const known = bytesCache.get(address);
  if (known) return known;
  const bytes = decodeBase58(address, keyBytes);
  return bytes && remember(bytesCache, address, bytes);
}

/** Returns the 32 bytes of an address that is known to be one; throws otherwise. */
export function requireAddressBytes(address: string): Uint8Array {
  const bytes = addressToBytes(address);
  if (!bytes) throw new Error(`${JSON.stringify(address)} is not a base58 address of 32 bytes`);
  return bytes;
}

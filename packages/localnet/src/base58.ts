/** Base58 (Bitcoin alphabet), the text form of addresses, signatures and blockhashes. */

import { view } from './bytes.js';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const DIGITS_PER_LIMB = 5;
const LIMB_BASE = 58 ** DIGITS_PER_LIMB;
const ONE = ALPHABET.charCodeAt(0);
const CACHE_ENTRIES_MAX = 100_000;

const digitOf = new Map([...ALPHABET].map((character, digit) => [character, digit]));
const textCache = new Map<string, string>();
const bytesCache = new Map<string, Uint8Array>();

/** Encodes bytes as base58; leading zero bytes become leading `1`s. */
export function encodeBase58(bytes: Uint8Array): string {
  let zeros = 0;
  while (zeros < bytes.length && bytes[zeros] === 0) zeros += 1;
  // Limbs of base 58^5, least significant first: a limb times 256 still fits a double exactly.
  const limbs: number[] = [];
  for (let at = zeros; at < bytes.length; at += 1) {
    let carry = bytes[at] ?? 0;
    for (let i = 0; i < limbs.length; i += 1) {
      const value = (limbs[i] ?? 0) * 256 + carry;
      carry = Math.floor(value / LIMB_BASE);
      limbs[i] = value - carry * LIMB_BASE;
    }
    if (carry > 0) limbs.push(carry);
  }
  // Written into bytes from the end: a text put together piece by piece would stay in pieces, ten times as large.
  const text = Buffer.alloc(zeros + limbs.length * DIGITS_PER_LIMB, '1');
  let start = text.length;
  for (let i = 0; i < limbs.length; i += 1) {
    for (let rest = limbs[i] ?? 0, digits = 0; digits < DIGITS_PER_LIMB; digits += 1) {
      start -= 1;
      text[start] = ALPHABET.charCodeAt(rest % 58);
      rest = Math.floor(rest / 58);
    }
  }
  // The first limb may have fewer digits.
  while (start < text.length && text[start] === ONE) start += 1;
  return text.toString('latin1', start - zeros);
}

/** Decodes base58; undefined when the text holds a character outside the alphabet. */
export function decodeBase58(text: string): Uint8Array | undefined {
  let zeros = 0;
  while (zeros < text.length && text[zeros] === '1') zeros += 1;
  const limbs: number[] = [];
  for (let at = zeros; at < text.length; at += 1) {
    const digit = digitOf.get(text.charAt(at));
    if (digit === undefined) return undefined;
    let carry = digit;
    for (let i = 0; i < limbs.length; i += 1) {
      const value = (limbs[i] ?? 0) * 58 + carry;
      carry = Math.floor(value / 0x1_0000_0000);
      limbs[i] = value - carry * 0x1_0000_0000;
    }
    if (carry > 0) limbs.push(carry);
  }
  const tail = Buffer.alloc(limbs.length * 4);
  for (let i = 0; i < limbs.length; i += 1) tail.writeUInt32BE(limbs[i] ?? 0, (limbs.length - 1 - i) * 4);
  let skip = 0;
  while (skip < tail.length && tail[skip] === 0) skip += 1;
  const bytes = new Uint8Array(zeros + tail.length - skip);
  bytes.set(tail.subarray(skip), zeros);
  return bytes;
}

function remember<K, V>(cache: Map<K, V>, key: K, value: V): V {
  if (cache.size >= CACHE_ENTRIES_MAX) cache.clear();
  cache.set(key, value);
  return value;
}

/** Returns the base58 text of a 32-byte key; remembered, since the same few keys come by again and again. */
export function addressFromBytes(bytes: Uint8Array): string {
  const key = view(bytes).toString('latin1');
  return textCache.get(key) ?? remember(textCache, key, encodeBase58(bytes));
}

/** Returns the 32 bytes of an address; undefined when the text is no base58 of exactly 32 bytes. */
export function addressToBytes(address: string): Uint8Array | undefined {
  const known = bytesCache.get(address);
  if (known) return known;
  if (address.length < 32 || address.length > 44) return undefined;
  const bytes = decodeBase58(address);
  return bytes?.length === 32 ? remember(bytesCache, address, bytes) : undefined;
}

/** Returns the 32 bytes of an address that is known to be one; throws otherwise. */
export function requireAddressBytes(address: string): Uint8Array {
  const bytes = addressToBytes(address);
  if (!bytes) throw new Error(`${JSON.stringify(address)} is not a base58 address of 32 bytes`);
  return bytes;
}

import { encodeBase58, keyBytes } from '@karat/wire';
import type { Address } from '../../domain/solana.js';

/** A power of two. */
const places = 8_192;
const keys = Buffer.alloc(places * keyBytes);
const texts = new Array<Address | undefined>(places);

/**
 * Returns the address whose 32 bytes begin at `offset`. Remembers it: nearly all accounts of a transaction are those of
 * the ones before it, too, and comparing 32 bytes takes a fraction of the time that base58 takes. Each address has one
 * place, which the last one keeps, so that there are never more than 8,192 of them.
 */
export function addressAt(bytes: Buffer, offset: number): Address {
  // Addresses are hashes or points of the curve: their last bytes are as good as random.
  const place = bytes.readUInt16LE(offset + keyBytes - 3) & (places - 1);
  const at = place * keyBytes;
  const known = texts[place];
  if (known !== undefined && isSame(bytes, offset, at)) return known;
  const text = encodeBase58(bytes.subarray(offset, offset + keyBytes)) as Address;
  bytes.copy(keys, at, offset, offset + keyBytes);
  texts[place] = text;
  return text;
}

function isSame(bytes: Buffer, offset: number, at: number): boolean {
  for (let i = 0; i < keyBytes; i += 1) if (bytes[offset + i] !== keys[at + i]) return false;
  return true;
}

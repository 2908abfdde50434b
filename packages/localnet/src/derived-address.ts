import type { Address, ReadonlyUint8Array } from '@solana/kit';
import { requireAddressBytes } from './address-bytes.js';

/**
 * Returns the address that a program derives from other addresses. The library behind it is loaded with the first of
 * these calls: half of a node's start would go into it, and most nodes never need it.
 */
export async function derivedAddress(program: string, seeds: readonly string[]): Promise<string> {
  const { getProgramDerivedAddress } = await import('@solana/kit');
  const bytes: ReadonlyUint8Array[] = seeds.map(requireAddressBytes);
  const [address] = await getProgramDerivedAddress({ programAddress: program as Address, seeds: bytes });
  return address;
}

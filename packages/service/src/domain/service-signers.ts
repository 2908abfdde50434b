import type { Address } from './solana.js';

/** A service signer that came, or behind a minus sign one that went. */
export type SignerMark = Address | `-${Address}`;

/** Returns the key of a mark, and whether it came. */
export function readMark(mark: SignerMark): { key: Address; came: boolean } {
  const came = !mark.startsWith('-');
  return { key: (came ? mark : mark.slice(1)) as Address, came };
}

import type { Address } from '@solana/kit';
import { noKey } from './wallet.js';

/** Executive authorities of a partner, and the places in each list of them that the program takes. */
export const maxExecutives = 8;

/** Returns a list of executives as the program takes it: all its places, the empty ones last. */
export function executivePlaces(executives: readonly Address[]): Address[] {
  return Array.from({ length: maxExecutives }, (_, index) => executives[index] ?? noKey);
}

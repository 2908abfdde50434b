import type { Address } from '@solana/kit';
import { maxExecutives } from '../../domain/order.js';
import { noKey } from './wallet.js';

/** Returns a list of executives as the program takes it: all its places, the empty ones last. */
export function executivePlaces(executives: readonly Address[]): Address[] {
  return Array.from({ length: maxExecutives }, (_, index) => executives[index] ?? noKey);
}

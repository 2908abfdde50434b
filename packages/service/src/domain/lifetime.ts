import { toInteger } from './integer.js';

/** How long a transaction may still land, and so how long a quote or an order is valid: its blockhash ends it, and at the latest its `expire_at`. */

/** How long the chain takes for a slot, milliseconds, by estimate. */
export const slotMs = 400;
/** A blockhash serves so many blocks (MAX_PROCESSING_AGE), each of about one slot. */
export const lifetimeBlocks = 150n;
/** The same in milliseconds, by estimate. */
export const lifetimeMs = toInteger(lifetimeBlocks) * slotMs;

/** The oldest blockhash that is given away: an older one would leave a partner too little of its life to sign. */
export const maxBlockhashAgeMs = 20_000;

/** The blockhash limits a transaction's life; this limits it even if the clock of the chain differs. */
const expiryGraceSeconds = 30n;

/** Returns the `expire_at` of a trade whose blockhash ends at that moment, Unix seconds. */
export function expireAtSecondsOf(expiresAtMs: number): bigint {
  return BigInt(Math.ceil(expiresAtMs / 1000)) + expiryGraceSeconds;
}

/** Returns from when on the chain surely refuses a trade whose blockhash ends at that moment, by estimate; milliseconds. */
export function landsBeforeMs(expiresAtMs: number): number {
  return toInteger(expireAtSecondsOf(expiresAtMs)) * 1_000;
}

/** Returns when the blockhash of a trade with that `expire_at` ends, milliseconds; up to a second too late. */
export function expiresAtMsOf(expireAtMs: number): number {
  return expireAtMs - toInteger(expiryGraceSeconds) * 1_000;
}

/**
 * Returns how many blocks there are, by estimate, until the program refuses a trade whose blockhash ends in so many
 * milliseconds.
 */
export function blocksUntilEnd(endsInMs: number): bigint {
  return BigInt(Math.ceil((endsInMs + toInteger(expiryGraceSeconds) * 1_000) / slotMs));
}

/**
 * How long a transaction surely may still land, whatever its last block height: half as long again as a blockhash lives. One
 * node names that height, and one that understates it would end what may still land.
 */
export const minLifeMs = (lifetimeMs * 3) / 2;
/** After so long it can land no more, even if a node overstated its last block height. */
export const maxLifeMs = 24 * 3_600_000;

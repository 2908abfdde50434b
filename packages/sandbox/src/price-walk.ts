/** Decimals of the prices that the sandbox publishes; the oracle's exponent is their negative. */
export const priceDecimals = 8;

/** Where the walk starts and what it is drawn back to, US dollars per troy ounce. */
const middle = 4_100;
/** Typical step of one second, in dollars. */
const stepUsd = 0.35;
/** Share of the way back to the middle taken each second; keeps the walk within some ten dollars of it. */
const pull = 0.002;

/**
 * Returns a seeded random walk around 4,100 dollars in whole cents: the same seed gives the same prices. Returns the
 * next price x 10^8 at each call.
 */
export function priceWalk(seed: number): () => bigint {
  const random = mulberry32(seed);
  let price = middle;
  return () => {
    const noise = (random() + random() + random() - 1.5) * 2 * stepUsd;
    price += noise + (middle - price) * pull;
    return BigInt(Math.round(price * 100)) * 10n ** BigInt(priceDecimals - 2);
  };
}

/** Returns the mulberry32 generator: numbers from 0 to below 1. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

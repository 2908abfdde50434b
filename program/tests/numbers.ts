/** Largest unsigned and signed 64-bit integers. */
export const U64_MAX = 2n ** 64n - 1n;
export const I64_MAX = 2n ** 63n - 1n;

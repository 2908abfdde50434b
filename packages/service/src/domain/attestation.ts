import { formatDecimal, tokenDecimals } from './money.js';

/** What an attestor vouches for: so much gold, counted when so much had been burned. Base units of GOLD. */
export interface Attested {
  amount: bigint;
  /** The program's counter of burned GOLD at the time of the count. */
  burnedAtAsOf: bigint;
}

/** For who attests and goes on at once: what depends on an attestation reads the finalized chain. */
export const attestationCounts = 'An attestation counts once it is final, within half a minute.';

/** An attestation that differs by more than one in so many from what is expected has to be confirmed. */
const oneIn = 10n;

/**
 * Returns how much GOLD may exist by an attestation when the program has burned `burnedTotal`, base units: the metal of what
 * was burned after the count has left. Below 0 when more was burned than was attested.
 */
export function attestedLessBurns({ amount, burnedAtAsOf }: Attested, burnedTotal: bigint): bigint {
  return amount - (burnedTotal - burnedAtAsOf);
}

/**
 * Returns why an attestation has to be confirmed, one sentence with the figures; undefined when it need not be. It has to be
 * when it differs by more than 10 % from the last one, less what was burned between the two counts, or from the fine gold of
 * the vault's bars, and when neither is known. Base units of GOLD. `last` is undefined before the first attestation, `bars` where they are not known.
 */
export function findAttestationDoubt(
  { amount, burnedAtAsOf }: Attested,
  { last, bars }: { last: Attested | undefined; bars: bigint | undefined },
): string | undefined {
  if (last === undefined && bars === undefined)
    return `An attestation of ${ounces(amount)} is the first one, and the bars in the vaults are not known here: it cannot be compared with anything.`;
  const compared: [bigint | undefined, string][] = [
    [last && attestedLessBurns(last, burnedAtAsOf), 'that the last attestation leaves, less burns'],
    [bars, 'of the bars in the vault'],
  ];
  const doubts = compared.flatMap(([expected, what]) =>
    expected === undefined || isNear(amount, expected) ? [] : `the ${ounces(expected)} ${what}`,
  );
  if (doubts.length === 0) return undefined;
  return `An attestation of ${ounces(amount)} differs by more than 10 % from ${doubts.join(', and from ')}.`;
}

function isNear(amount: bigint, expected: bigint): boolean {
  const difference = amount > expected ? amount - expected : expected - amount;
  return difference * oneIn <= expected;
}

const ounces = (amount: bigint) => `${formatDecimal(amount, tokenDecimals)} oz`;

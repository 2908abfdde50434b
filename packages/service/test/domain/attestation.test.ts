import { expect, test } from 'vitest';
import { type Attested, attestedLessBurns, findAttestationDoubt } from '../../src/domain/attestation.js';

const oz = (ounces: number) => BigInt(ounces) * 1_000_000n;
const attested = (amount: number, burnedAtAsOf = 0): Attested => ({
  amount: oz(amount),
  burnedAtAsOf: oz(burnedAtAsOf),
});

test('an attestation covers less after every burn behind the count', () => {
  expect(attestedLessBurns(attested(1_000, 40), oz(40))).toBe(oz(1_000));
  expect(attestedLessBurns(attested(1_000, 40), oz(50))).toBe(oz(990));
  expect(attestedLessBurns(attested(10, 0), oz(11))).toBe(oz(-1));
});

test.each<[string, Attested, { last?: Attested; bars?: bigint }]>([
  ['the first, of what the bars weigh', attested(1_000), { bars: oz(1_000) }],
  ['10 % less than the last one where the bars are not known', attested(900), { last: attested(1_000) }],
  ['10 % more than the last one and the bars', attested(1_100), { last: attested(1_000), bars: oz(1_000) }],
  ['10 % less', attested(900), { last: attested(1_000), bars: oz(1_000) }],
  ['half as much after the other half was burned', attested(500, 540), { last: attested(1_000, 40) }],
])('an attestation need not be confirmed: %s', (_name, given, { last, bars }) => {
  expect(findAttestationDoubt(given, { last, bars })).toBeUndefined();
});

test.each<[string, Attested, { last?: Attested; bars?: bigint }, string]>([
  [
    'more than 10 % above the last one',
    { amount: oz(1_100) + 1n, burnedAtAsOf: 0n },
    { last: attested(1_000) },
    'An attestation of 1100.000001 oz differs by more than 10 % from the 1000 oz that the last attestation leaves, less burns.',
  ],
  [
    'more than 10 % below it',
    { amount: oz(900) - 1n, burnedAtAsOf: 0n },
    { last: attested(1_000) },
    'An attestation of 899.999999 oz differs by more than 10 % from the 1000 oz that the last attestation leaves, less burns.',
  ],
  [
    'as much as before half of it was burned',
    attested(1_000, 540),
    { last: attested(1_000, 40) },
    'An attestation of 1000 oz differs by more than 10 % from the 500 oz that the last attestation leaves, less burns.',
  ],
  [
    'a slip of the keyboard, against both',
    attested(9_000_000_000),
    { last: attested(1_000), bars: oz(990) },
    'An attestation of 9000000000 oz differs by more than 10 % from the 1000 oz that the last attestation leaves, less burns, and from the 990 oz of the bars in the vault.',
  ],
  [
    'the first where the bars are not known',
    attested(1_000),
    {},
    'An attestation of 1000 oz is the first one, and the bars in the vaults are not known here: it cannot be compared with anything.',
  ],
  [
    'gold in an empty vault',
    attested(1),
    { bars: 0n },
    'An attestation of 1 oz differs by more than 10 % from the 0 oz of the bars in the vault.',
  ],
])('an attestation has to be confirmed: %s', (_name, given, { last, bars }, doubt) => {
  expect(findAttestationDoubt(given, { last, bars })).toBe(doubt);
});

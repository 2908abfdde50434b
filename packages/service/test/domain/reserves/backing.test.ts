import { expect, test } from 'vitest';
import { type ChainBacking, compareBacking } from '../../../src/domain/reserves/backing.js';

const oz = (ounces: number) => BigInt(ounces) * 1_000_000n;
const at = new Date('2026-03-01T12:00:00.000Z');
const dayMs = 86_400_000;

function chain(changes: Partial<ChainBacking> = {}): ChainBacking {
  return {
    slot: 7,
    supply: oz(100),
    burned: oz(10),
    escrowOpen: 0n,
    attestation: {
      amount: oz(100),
      burnedAtAsOf: oz(10),
      asOf: new Date(at.getTime() - dayMs),
      reportHash: 'ab'.repeat(32),
    },
    maxAttestationAgeSeconds: 86_400,
    ...changes,
  };
}
const vault = (gold: number, awaitingBurn = 0) => ({
  at,
  bars: { count: 1, gold: oz(gold) },
  awaitingBurn: oz(awaitingBurn),
});

test('tokens are covered while attestation and bars have as much', () => {
  expect(compareBacking(chain(), vault(100))).toMatchObject({
    covered: true,
    backed: oz(100),
    burnedSince: 0n,
    attestedSurplus: 0n,
    barsSurplus: 0n,
    attestationAgeSeconds: 86_400,
    attestationStale: false,
  });
});

test('tokens are not covered once a token minted again replaces a burned one', () => {
  const again = chain({ burned: oz(11) });
  expect(compareBacking(again, vault(100))).toMatchObject({
    covered: false,
    backed: oz(99),
    burnedSince: oz(1),
    attestedSurplus: oz(-1),
  });
});

test('tokens are not covered by bars that hold less', () => {
  const supply = oz(100) + 1n;
  const attestation = { ...chain().attestation, amount: oz(1_000) } as ChainBacking['attestation'];
  expect(compareBacking(chain({ supply, attestation }), vault(100))).toMatchObject({
    covered: false,
    barsSurplus: -1n,
    attestedSurplus: oz(900) - 1n,
  });
});

test('tokens that wait to be burned have had their gold', () => {
  expect(compareBacking(chain(), vault(90, 10))).toMatchObject({ covered: true, barsSurplus: 0n });
  expect(compareBacking(chain(), vault(90, 9))).toMatchObject({ covered: false, barsSurplus: oz(-1) });
});

test('an attestation that the program takes for too old covers nothing', () => {
  const old = chain({ maxAttestationAgeSeconds: 86_399 });
  expect(compareBacking(old, vault(100))).toMatchObject({ covered: false, attestationStale: true });
});

test('before the first token there is nothing to cover', () => {
  const empty = chain({ supply: 0n, burned: 0n, attestation: undefined });
  expect(compareBacking(empty, vault(0))).toMatchObject({
    covered: true,
    backed: 0n,
    attestationAgeSeconds: undefined,
    attestationStale: false,
  });
  expect(compareBacking({ ...empty, supply: 1n }, vault(0))).toMatchObject({
    covered: false,
    attestedSurplus: -1n,
    barsSurplus: -1n,
    attestationStale: true,
  });
});

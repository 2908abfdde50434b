import { describe, expect, test } from 'vitest';
import { newId } from '../../../src/domain/ids.js';
import { barLine, compareBars, parseBarLine } from '../../../src/domain/reserves/bar-line.js';
import {
  type ChainReserves,
  makeStatement,
  statementBytes,
  Weight,
} from '../../../src/domain/reserves/statement.js';

const bar = { refiner: 'Valcambi', serial: 'AA1', weightG: '1000', fineness: '999.9', vault: 'Dubai' };

describe('the line of a bar', () => {
  test('the line of a bar is its fields with bars between them', () => {
    expect(barLine(bar)).toBe('Valcambi|AA1|1000|999.9|Dubai');
  });

  test.each(['a|b', 'a\\', '\\|', 'a\nb', '\\n', '|', 'ü\r'])(
    'the line of a bar comes back from %j, which no other has',
    (text) => {
      const odd = { ...bar, refiner: text, serial: `${text}x` };
      expect(barLine(odd)).not.toMatch(/[\n\r]/);
      expect(parseBarLine(barLine(odd))).toEqual(odd);
      expect(barLine({ ...bar, refiner: 'a|b', serial: 'c' })).not.toBe(
        barLine({ ...bar, refiner: 'a', serial: 'b|c' }),
      );
    },
  );

  test.each(['', 'a|b|1|2', 'a|b|1|2|c|d', '|b|1|2|c'])('the line of a bar is not %j', (line) => {
    expect(() => parseBarLine(line)).toThrow('another form');
  });

  test('sorts by the bytes of refiner and serial', () => {
    const names = ['b', 'a', 'Ä', 'z', '\u{1F947}', '\uFF21'].map((refiner) => ({ ...bar, refiner }));
    expect(names.toSorted(compareBars).map(({ refiner }) => refiner)).toEqual([
      'a',
      'b',
      'z',
      'Ä',
      '\uFF21',
      '\u{1F947}',
    ]);
  });
});

const chain: ChainReserves = {
  slot: 7,
  genesisHash: 'g',
  programId: 'p',
  goldMint: 'm',
  mintAuthority: 'a',
  accounts: { config: 'c', escrow: 'e', treasury: 't' },
  supply: 64_147_442n,
  treasury: 50_000_000n,
  escrow: 10_000_000n,
  escrowOpen: 9_000_000n,
  burned: 3_000_000n,
  attestation: { amount: 70_000_000n, burnedAtAsOf: 2_500_000n, asOf: new Date(0), reportHash: 'ab' },
  maxAttestationAgeSeconds: 86_400,
};
const weightsOf = (...bars: (typeof bar)[]) => {
  const weights = {
    in_stock: new Weight(),
    reserved: new Weight(),
    handed_over: new Weight(),
    withdrawn: new Weight(),
  };
  for (const [index, each] of bars.entries()) weights[index === 0 ? 'in_stock' : 'reserved'].add(each);
  return weights;
};
const made = (more: Partial<ChainReserves> = {}, awaitingBurn = 0n) =>
  makeStatement({
    id: newId('rs'),
    madeAt: new Date(1_000),
    chain: { ...chain, ...more },
    awaitingBurn,
    weights: weightsOf(bar, { ...bar, weightG: '995.3', fineness: '995' }),
    merkleRoot: new Uint8Array(32),
    previous: { hash: 'aa', sequence: 4 },
  });

describe('a statement', () => {
  test('weighs exactly, and rounds troy ounces down', () => {
    const { bars, tokens, coverage } = made();
    expect(bars).toMatchObject({
      count: 2,
      gross_weight_g: '1995.3',
      // 999.9 + 990.3235
      fine_weight_g: '1990.2235',
      fine_weight_oz: '63.987171',
      by_status: { in_stock: { fine_weight_g: '999.9' }, reserved: { count: 1 }, handed_over: { count: 0 } },
    });
    expect(tokens).toEqual({
      awaiting_burn: '0',
      burned: '3',
      circulating: '4.147442',
      escrow: '10',
      escrow_open: '9',
      supply: '64.147442',
      treasury: '50',
    });
    expect(coverage).toEqual({
      covered: false,
      difference: '-0.160271',
      gold_held: '63.987171',
      tokens_outstanding: '64.147442',
    });
  });

  test('a statement begins with whether the gold covers the tokens, to the base unit', () => {
    const first = (supply: bigint) =>
      Buffer.from(statementBytes(made({ supply })))
        .toString()
        .slice(0, 40);
    expect(first(63_987_171n)).toMatch(/^\{"assertion":"COVERED: /);
    expect(first(63_987_172n)).toMatch(/^\{"assertion":"NOT COVERED: /);
  });

  test('a statement names the attestation with the burns that it knows', () => {
    expect(made().attestation).toEqual({
      amount: '70',
      as_of: '1970-01-01T00:00:00.000Z',
      burned_at_as_of: '2.5',
      report_hash: 'ab',
    });
    const before = { amount: '0', as_of: null, burned_at_as_of: '0', report_hash: null };
    expect(made({ attestation: undefined }).attestation).toEqual(before);
  });

  test('tokens that wait to be burned are not outstanding, because their gold was handed over', () => {
    const { assertion, coverage, tokens } = made({}, 160_271n);
    expect(assertion).toMatch(/^COVERED: /);
    expect(coverage).toEqual({
      covered: true,
      difference: '0',
      gold_held: '63.987171',
      tokens_outstanding: '63.987171',
    });
    expect(tokens).toMatchObject({ awaiting_burn: '0.160271', supply: '64.147442' });
  });

  test('a statement names the one before it', () => {
    expect(made()).toMatchObject({ sequence: 5, previous: 'aa' });
  });
});

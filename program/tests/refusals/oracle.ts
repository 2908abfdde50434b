import { MarketState } from '@karat/program-client';
import { addressOf, NOW, type PriceUpdate, type Scenario, SYSTEM_ADDRESS } from '../fixture.js';
import { type Build, swapped } from './accounts.js';
import type { Refusal } from './refusal.js';

/** A closed market that trades on at prices of up to an hour. */
function closedMarket(scenario: Scenario): void {
  scenario.setConfig({ marketState: MarketState.Closed });
  scenario.setSettings({ maxAgeClosed: 3600 });
}

/** Every wrong price of USDC. */
export function wrongPeg(build: Build): Refusal[] {
  const stranger = addressOf('another price account of USDC');
  const account = (when: string, arrange: (scenario: Scenario) => void): Refusal => ({
    error: 'OracleInvalidAccount',
    when: `the price account of USDC ${when}`,
    arrange,
    instruction: build,
  });
  const published = (when: string, change: Partial<PriceUpdate>): Refusal => ({
    error: 'UsdcOffPeg',
    when: `the price of USDC ${when}`,
    arrange: (scenario) => scenario.setUsdcPrice(change),
    instruction: build,
  });
  return [
    {
      error: 'OracleInvalidAccount',
      when: 'the price account of USDC is another one, with a good price',
      arrange: (scenario) => scenario.setUsdcPrice({ address: stranger }),
      instruction: swapped(build, 'usdcPriceAccount', stranger),
    },
    account('is owned by another program', (scenario) =>
      scenario.setUsdcPrice({ owner: addressOf('another oracle') }),
    ),
    account('does not exist', (scenario) =>
      scenario.setAccount(scenario.at.usdcPriceAccount, SYSTEM_ADDRESS, new Uint8Array(), 0n),
    ),
    account('is a byte too short', (scenario) => scenario.setUsdcPrice({ length: 132 })),
    account('has another discriminator', (scenario) =>
      scenario.setUsdcPrice({ discriminator: new Uint8Array(8) }),
    ),
    published('is just below the floor', { price: 97_999_999n }),
    published('is zero', { price: 0n }),
    published('is negative', { price: -1n }),
    published('is verified partially', { verification: 0 }),
    published('is of another feed', { feedId: new Uint8Array(32).fill(1) }),
    published('has exponent 1', { price: 1n, exponent: 1 }),
    published('is a second too old', { publishTime: NOW - 61n }),
    published('is 11 seconds from the future', { publishTime: NOW + 11n }),
    published('is just too uncertain', { confidence: 1_000_001n }),
    {
      error: 'UsdcOffPeg',
      when: 'the price of USDC is too old for an open market, and the market is closed',
      arrange: (scenario) => {
        closedMarket(scenario);
        scenario.setUsdcPrice({ publishTime: NOW - 61n });
      },
      instruction: build,
    },
  ];
}

/** Every wrong price. */
export function oracleRefusals(build: Build): Refusal[] {
  const published = (error: string, when: string, change: Partial<PriceUpdate>): Refusal => ({
    error,
    when: `the price ${when}`,
    arrange: (scenario) => scenario.setPrice(change),
    instruction: build,
  });
  const stranger = addressOf('another price account');
  return [
    {
      error: 'OracleInvalidAccount',
      when: 'the price account is another one, with a good price',
      arrange: (scenario) => scenario.setPrice({ address: stranger }),
      instruction: swapped(build, 'priceAccount', stranger),
    },
    {
      error: 'OracleInvalidAccount',
      when: 'the price account is owned by another program',
      arrange: (scenario) => scenario.setPrice({ owner: addressOf('another oracle') }),
      instruction: build,
    },
    {
      error: 'OracleInvalidAccount',
      when: 'the price account does not exist',
      arrange: (scenario) =>
        scenario.setAccount(scenario.at.priceAccount, SYSTEM_ADDRESS, new Uint8Array(), 0n),
      instruction: build,
    },
    {
      error: 'OracleInvalidAccount',
      when: 'the price account is a byte too short',
      arrange: (scenario) => scenario.setPrice({ length: 132 }),
      instruction: build,
    },
    {
      error: 'OracleInvalidAccount',
      when: 'the price account is empty',
      arrange: (scenario) => scenario.setPrice({ length: 0 }),
      instruction: build,
    },
    published('OracleInvalidAccount', 'has another discriminator', { discriminator: new Uint8Array(8) }),
    published('OracleNotVerified', 'is verified partially', { verification: 0 }),
    published('OracleNotVerified', 'has an unknown verification level', { verification: 2 }),
    published('OracleFeedMismatch', 'is of another feed', { feedId: new Uint8Array(32).fill(1) }),
    published('OraclePriceInvalid', 'is zero', { price: 0n }),
    published('OraclePriceInvalid', 'is negative', { price: -1n }),
    published('OraclePriceInvalid', 'is the most negative', { price: -(2n ** 63n) }),
    published('OracleExponent', 'has exponent 1', { price: 410n, exponent: 1 }),
    published('OracleExponent', 'has exponent -13', { price: 4_100_0000000000000n, exponent: -13 }),
    published('OracleExponent', 'has the smallest exponent', { exponent: -(2 ** 31) }),
    published('OracleExponent', 'has the largest exponent', { exponent: 2 ** 31 - 1 }),
    published('OracleStale', 'is a second too old', { publishTime: NOW - 61n }),
    published('OracleStale', 'is from the beginning of time', { publishTime: -(2n ** 63n) }),
    published('OracleFuture', 'is 11 seconds from the future', { publishTime: NOW + 11n }),
    published('OracleFuture', 'is from the end of time', { publishTime: 2n ** 63n - 1n }),
    published('OracleConfidence', 'is just too uncertain', { confidence: 41_00000001n }),
    published('OracleConfidence', 'is entirely uncertain', { confidence: 2n ** 64n - 1n }),
    published('OracleOutOfBand', 'is just below the band', { price: 999_99999999n }),
    published('OracleOutOfBand', 'is just above the band', { price: 10_000_00000001n, confidence: 0n }),
    published('OracleOutOfBand', 'is below the band by its 12th decimal', {
      price: 999_999999999999n,
      exponent: -12,
      confidence: 0n,
    }),
    published('OracleOutOfBand', 'is above the band by its 12th decimal', {
      price: 10_000_000000000001n,
      exponent: -12,
      confidence: 0n,
    }),
    published('OracleOutOfBand', 'is above the band without decimals', {
      price: 10_001n,
      exponent: 0,
      confidence: 0n,
    }),
    published('OracleOutOfBand', 'is the highest possible', {
      price: 2n ** 63n - 1n,
      exponent: 0,
      confidence: 0n,
    }),
    {
      error: 'OracleStale',
      when: 'the market is closed and the price older than allowed then',
      arrange: (scenario) => {
        closedMarket(scenario);
        scenario.setPrice({ publishTime: NOW - 3601n });
      },
      instruction: (scenario) => build(scenario),
    },
  ];
}

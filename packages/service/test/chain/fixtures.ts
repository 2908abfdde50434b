import {
  type Config,
  getConfigDecoder,
  getConfigSize,
  getIntegratorDecoder,
  getIntegratorSize,
  type Integrator,
  IntegratorStatus,
  MarketState,
  type Settings,
} from '@karat/program-client';
import { type Address, address, type Blockhash, getAddressDecoder } from '@solana/kit';
import fc from 'fast-check';
import { pythReceiverProgram, usdcUsdFeedId, xauUsdFeedId } from '../../src/chain/admin/seed.js';

const toAddress = (bytes: Uint8Array): Address => getAddressDecoder().decode(bytes);

export const anyAddress = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(toAddress);
export const anyBlockhash = anyAddress.map((text): Blockhash => text as string as Blockhash);

/** `count` different addresses. */
export const someAddresses = (count: number) =>
  fc.uniqueArray(anyAddress, { minLength: count, maxLength: count });

/** An address that is easy to tell apart: 32 times the same byte. */
export const addressOf = (byte: number): Address => toAddress(new Uint8Array(32).fill(byte));

export const programAddress = address('KaratTest1111111111111111111111111111111111');

/** A configuration as the sandbox has it, with distinct accounts. */
export function givenConfig(overrides: Partial<Config> = {}): Config {
  return {
    ...getConfigDecoder().decode(new Uint8Array(getConfigSize())),
    marketState: MarketState.Open,
    usdcMint: addressOf(10),
    goldMint: addressOf(11),
    treasuryAuthority: addressOf(12),
    treasuryUsdc: addressOf(13),
    treasuryGold: addressOf(14),
    feeUsdc: addressOf(15),
    settings: givenSettings(),
    ...overrides,
  };
}

export function givenSettings(overrides: Partial<Settings> = {}): Settings {
  return {
    ...getConfigDecoder().decode(new Uint8Array(getConfigSize())).settings,
    priceAccount: addressOf(16),
    priceOwner: pythReceiverProgram,
    feedId: xauUsdFeedId,
    usdcPriceAccount: addressOf(17),
    usdcFeedId: usdcUsdFeedId,
    minPriceE8: 500n * 10n ** 8n,
    maxPriceE8: 50_000n * 10n ** 8n,
    minUsdcPriceE8: 98_000_000n,
    maxTradeUsdc: 10n ** 12n,
    maxAgeOpen: 60,
    maxAgeClosed: 3_600,
    maxConfBps: 100,
    maxFeeBps: 1_000,
    ...overrides,
  };
}

export function givenIntegrator(overrides: Partial<Integrator> = {}): Integrator {
  return {
    ...getIntegratorDecoder().decode(new Uint8Array(getIntegratorSize())),
    status: IntegratorStatus.Active,
    openFeeBps: 50,
    closedFeeBps: 100,
    partnerWallet: addressOf(20),
    ...overrides,
  };
}

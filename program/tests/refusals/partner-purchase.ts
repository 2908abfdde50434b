import { TradeSide } from '@karat/program-client';
import { ONE, type Scenario } from '../fixture.js';
import { U64_MAX } from '../numbers.js';
import { overLimit } from './limits.js';
import type { Refusal } from './refusal.js';
import { mintOf, silentTokenProgram } from './silent-token-program.js';
import { oppositeSide, purchaseRefusals, vaultTradeRefusals } from './trade.js';

/** One GOLD at 4,100 USD and 50 basis points: 4,100,000,000 and a fee of 20,603,015.07…, rounded up. */
export const COST = 4_120_603_016n;

/** Trades without a limit, at a price of `price` USD. */
function unlimited(price: bigint, feeBps = 50) {
  return (scenario: Scenario): void => {
    scenario.setSettings({
      minPriceE8: 1n,
      maxPriceE8: U64_MAX,
      maxTradeUsdc: U64_MAX,
      maxFeeBps: 9_999,
    });
    scenario.setIntegrator({ openFeeBps: feeBps });
    scenario.setPrice({ price, exponent: 0, confidence: 0n });
  };
}

/** Everything that `partnerPurchase` refuses. */
export const partnerPurchaseRefusals: Refusal[] = [
  ...vaultTradeRefusals((scenario, args) => scenario.partnerPurchase(args)),
  ...purchaseRefusals((scenario) => scenario.partnerPurchase()),
  oppositeSide((scenario) => scenario.partnerPurchase(), TradeSide.Sell),
  {
    error: 'PriceMoved',
    when: 'the cost with the fee is a base unit below what the treasury takes',
    instruction: (scenario) => scenario.partnerPurchase({ minUsdcIn: COST + 1n }),
  },
  {
    error: 'ZeroAmount',
    when: 'no gold is asked for',
    instruction: (scenario) => scenario.partnerPurchase({ goldOut: 0n }),
  },
  ...overLimit((scenario) => scenario.partnerPurchase(), 'Gold'),
  {
    error: 'TradeTooLarge',
    when: 'the cost with the fee is a base unit above the largest trade',
    arrange: (scenario) => scenario.setSettings({ maxTradeUsdc: COST - 1n }),
    instruction: (scenario) => scenario.partnerPurchase(),
  },
  {
    error: 'SlippageExceeded',
    when: 'the cost with the fee is a base unit above the accepted maximum',
    instruction: (scenario) => scenario.partnerPurchase({ maxUsdcIn: COST - 1n }),
  },
  {
    error: 'SlippageExceeded',
    when: 'nothing may be paid',
    instruction: (scenario) => scenario.partnerPurchase({ maxUsdcIn: 0n }),
  },
  {
    error: 'SlippageExceeded',
    when: 'the price rose after the quote',
    arrange: (scenario) => scenario.setPrice({ price: 4_100_00000100n }),
    instruction: (scenario) => scenario.partnerPurchase({ maxUsdcIn: COST }),
  },
  {
    error: 'InsufficientFunds',
    when: 'the vault is a base unit short, the fee included',
    arrange: mintOf('vaultUsdc', COST - 1n),
    instruction: (scenario) => scenario.partnerPurchase(),
  },
  {
    error: 'InsufficientLiquidity',
    when: 'the treasury is a base unit short of gold',
    arrange: mintOf('treasuryGold', ONE - 1n),
    instruction: (scenario) => scenario.partnerPurchase(),
  },
  {
    error: 'ArithmeticOverflow',
    when: 'the value does not fit into 64 bits',
    arrange: unlimited(U64_MAX / 100_000_000n),
    instruction: (scenario) => scenario.partnerPurchase({ goldOut: U64_MAX }),
  },
  {
    error: 'ArithmeticOverflow',
    when: 'the fee does not fit into 64 bits',
    arrange: unlimited(1n, 9_999),
    instruction: (scenario) => scenario.partnerPurchase({ goldOut: 2n ** 60n }),
  },
  {
    error: 'ArithmeticOverflow',
    when: 'value and fee together do not fit into 64 bits',
    arrange: unlimited(1n, 5_000),
    instruction: (scenario) => scenario.partnerPurchase({ goldOut: 2n ** 63n }),
  },
  ...(['vaultGold', 'treasuryUsdc', 'feeUsdc'] as const).map((name) => ({
    error: 'ArithmeticOverflow',
    when: `the balance of ${name} would not fit into 64 bits`,
    arrange: mintOf(name, U64_MAX),
    instruction: (scenario: Scenario) => scenario.partnerPurchase(),
  })),
  {
    error: 'BalanceMismatch',
    when: 'the token program moves nothing and says nothing',
    arrange: silentTokenProgram,
    ruinous: true,
    instruction: (scenario) => scenario.partnerPurchase({ goldOut: 65_536n }),
  },
];

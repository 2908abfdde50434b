import { ONE, type Scenario } from '../fixture.js';
import { U64_MAX } from '../numbers.js';
import { overLimit } from './limits.js';
import type { Refusal } from './refusal.js';
import { mintOf, silentTokenProgram } from './silent-token-program.js';
import { purchaseRefusals, tradeRefusals } from './trade.js';

/** A price of 10^-8 USD, the lowest that a band can allow, and trades without a limit. */
function tinyPrice(scenario: Scenario): void {
  scenario.setSettings({ minPriceE8: 1n, maxPriceE8: U64_MAX, maxTradeUsdc: U64_MAX });
  scenario.setPrice({ price: 10_000n, exponent: -12, confidence: 0n });
}

/** Everything that `buy` refuses. */
export const buyRefusals: Refusal[] = [
  ...tradeRefusals((scenario, limits) => scenario.buy(limits)),
  ...purchaseRefusals((scenario) => scenario.buy()),
  { error: 'ZeroAmount', when: 'nothing is paid', instruction: (scenario) => scenario.buy({ usdcIn: 0n }) },
  {
    error: 'ZeroAmount',
    when: 'the payment buys less than one base unit of gold',
    instruction: (scenario) => scenario.buy({ usdcIn: 4_099n }),
  },
  {
    error: 'ZeroAmount',
    when: 'the fee takes the whole payment',
    instruction: (scenario) => scenario.buy({ usdcIn: 1n }),
  },
  ...overLimit((scenario) => scenario.buy(), 'Gold'),
  {
    error: 'TradeTooLarge',
    when: 'the payment is a base unit above the largest trade',
    instruction: (scenario) => scenario.buy({ usdcIn: 1_000_000n * ONE + 1n }),
  },
  {
    error: 'TradeTooLarge',
    when: 'the payment is the largest number',
    instruction: (scenario) => scenario.buy({ usdcIn: U64_MAX }),
  },
  {
    error: 'SlippageExceeded',
    when: 'the gold is a base unit below the floor',
    instruction: (scenario) => scenario.buy({ minGoldOut: 24_269n }),
  },
  {
    error: 'PriceMoved',
    when: 'the gold is a base unit above what the treasury gives',
    instruction: (scenario) => scenario.buy({ maxGoldOut: 24_267n }),
  },
  {
    error: 'SlippageExceeded',
    when: 'the price rose after the quote',
    arrange: (scenario) => scenario.setPrice({ price: 4_100_20000000n }),
    instruction: (scenario) => scenario.buy({ minGoldOut: 24_268n }),
  },
  {
    error: 'InsufficientFunds',
    when: 'the user is a base unit short',
    arrange: mintOf('userUsdc', 100n * ONE - 1n),
    instruction: (scenario) => scenario.buy(),
  },
  {
    error: 'InsufficientLiquidity',
    when: 'the treasury is a base unit short of gold',
    arrange: mintOf('treasuryGold', 24_267n),
    instruction: (scenario) => scenario.buy(),
  },
  {
    error: 'ArithmeticOverflow',
    when: 'the gold does not fit into 64 bits',
    arrange: tinyPrice,
    instruction: (scenario) => scenario.buy({ usdcIn: U64_MAX }),
  },
  ...(['userGold', 'treasuryUsdc', 'feeUsdc'] as const).map((name) => ({
    error: 'ArithmeticOverflow',
    when: `the balance of ${name} would not fit into 64 bits`,
    arrange: mintOf(name, U64_MAX),
    instruction: (scenario: Scenario) => scenario.buy(),
  })),
  {
    error: 'BalanceMismatch',
    when: 'the token program moves nothing and says nothing',
    arrange: silentTokenProgram,
    ruinous: true,
    instruction: (scenario) => scenario.buy({ usdcIn: 2n ** 28n }),
  },
];

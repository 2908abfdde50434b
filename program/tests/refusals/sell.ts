import { type SellInstructionDataArgs, TradeSide } from '@karat/program-client';
import type { Instruction } from '@solana/kit';
import { ONE, type Scenario } from '../fixture.js';
import { U64_MAX } from '../numbers.js';
import { overLimit } from './limits.js';
import type { Refusal } from './refusal.js';
import { mintOf, silentTokenProgram } from './silent-token-program.js';
import { oppositeSide, tradeRefusals, vaultTradeRefusals } from './trade.js';

/** The highest price that a band can allow, and trades without a limit. */
function hugePrice(scenario: Scenario): void {
  scenario.setSettings({ maxPriceE8: U64_MAX, maxTradeUsdc: U64_MAX });
  scenario.setPrice({ price: U64_MAX / 100_000_000n, exponent: 0, confidence: 0n });
}

/** What both sales refuse because of amounts. */
function amountRefusals(
  sell: (scenario: Scenario, args?: Partial<SellInstructionDataArgs>) => Instruction,
  trader: 'user' | 'vault',
): Refusal[] {
  return [
    {
      error: 'ZeroAmount',
      when: 'nothing is paid',
      instruction: (scenario) => sell(scenario, { goldIn: 0n }),
    },
    {
      error: 'ZeroAmount',
      when: 'the fee takes all that the gold is worth',
      arrange: (scenario) => {
        scenario.setSettings({ minPriceE8: 1n });
        scenario.setPrice({ price: 1n, exponent: 0, confidence: 0n });
      },
      instruction: (scenario) => sell(scenario, { goldIn: 1n }),
    },
    ...overLimit((scenario) => sell(scenario, {}), 'Usdc'),
    {
      error: 'TradeTooLarge',
      when: 'the gold is worth a base unit more than the largest trade',
      arrange: (scenario) => scenario.setSettings({ maxTradeUsdc: 4_100n * ONE - 1n }),
      instruction: (scenario) => sell(scenario),
    },
    {
      error: 'SlippageExceeded',
      when: 'the payout is a base unit below the floor',
      instruction: (scenario) => sell(scenario, { minUsdcOut: 4_079_500_001n }),
    },
    {
      error: 'PriceMoved',
      when: 'the payout is a base unit above what the treasury gives',
      instruction: (scenario) => sell(scenario, { maxUsdcOut: 4_079_499_999n }),
    },
    {
      error: 'SlippageExceeded',
      when: 'the price fell after the quote',
      arrange: (scenario) => scenario.setPrice({ price: 4_099_00000000n }),
      instruction: (scenario) => sell(scenario, { minUsdcOut: 4_079_500_000n }),
    },
    {
      error: 'InsufficientFunds',
      when: `the ${trader} is a base unit short`,
      arrange: mintOf(`${trader}Gold`, ONE - 1n),
      instruction: (scenario) => sell(scenario),
    },
    {
      error: 'InsufficientLiquidity',
      when: 'the treasury is a base unit short of USDC, the fee included',
      arrange: mintOf('treasuryUsdc', 4_100n * ONE - 1n),
      instruction: (scenario) => sell(scenario),
    },
    {
      error: 'ArithmeticOverflow',
      when: 'the value does not fit into 64 bits',
      arrange: hugePrice,
      instruction: (scenario) => sell(scenario, { goldIn: U64_MAX }),
    },
    ...([`${trader}Usdc`, 'treasuryGold', 'feeUsdc'] as const).map((name) => ({
      error: 'ArithmeticOverflow',
      when: `the balance of ${name} would not fit into 64 bits`,
      arrange: mintOf(name, U64_MAX),
      instruction: (scenario: Scenario) => sell(scenario),
    })),
    {
      error: 'BalanceMismatch',
      when: 'the token program moves nothing and says nothing',
      arrange: silentTokenProgram,
      ruinous: true,
      instruction: (scenario) => sell(scenario, { goldIn: 65_536n }),
    },
  ];
}

/** Everything that `sell` refuses. */
export const sellRefusals: Refusal[] = [
  ...tradeRefusals((scenario, limits) => scenario.sell(limits)),
  ...amountRefusals((scenario, args) => scenario.sell(args), 'user'),
];

/** Everything that `partnerSale` refuses. */
export const partnerSaleRefusals: Refusal[] = [
  ...vaultTradeRefusals((scenario, limits) => scenario.partnerSale(limits)),
  oppositeSide((scenario) => scenario.partnerSale(), TradeSide.Buy),
  ...amountRefusals((scenario, args) => scenario.partnerSale(args), 'vault'),
];

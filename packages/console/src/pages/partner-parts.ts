import type { Schemas } from '../api/operator';
import { text } from '../text';
import type { Field } from '../ui/form';

const t = text.partners;

/** The fee of redemptions, asked in percent because people think in it. */
export const feeField = (initial: number): Field => ({
  name: 'fee_percentage',
  label: t.create.fee,
  hint: t.create.feeHint,
  kind: 'number',
  initial,
});

/** Percent as the API has it: a fraction of at most 6 places. */
export const feeFraction = (percent: unknown) => Number((Number(percent) / 100).toFixed(6));

const lamportsPerSol = 1_000_000_000;

/** Terms that limit what a partner's trades cost the service. The budget is asked in SOL. */
export const costFields = ({
  fee_budget_lamports_per_hour: lamports,
  min_trade_usdc: minTrade,
}: Terms): Field[] => [
  {
    name: 'fee_budget_lamports_per_hour',
    label: t.create.feeBudget,
    hint: t.create.feeBudgetHint,
    kind: 'number',
    initial: toSol(lamports),
  },
  {
    name: 'min_trade_usdc',
    label: t.create.minTrade,
    hint: t.create.minTradeHint,
    kind: 'number',
    initial: minTrade,
  },
];

type Terms = Pick<Schemas['Partner'], 'fee_budget_lamports_per_hour' | 'min_trade_usdc'>;

export const toSol = (lamports: number) => lamports / lamportsPerSol;

/** Whole lamports, as the API has them. */
export const toLamports = (sol: unknown) => Math.round(Number(sol) * lamportsPerSol);

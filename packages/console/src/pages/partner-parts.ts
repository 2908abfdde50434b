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

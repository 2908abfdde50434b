import { useLocalStorage } from '@mantine/hooks';
import type { Unit } from './format';

/** The units in which a weight can be shown, and the grams of one. */
export const gramsOf = { g: 1, tola: 11.6638038, oz: 31.1034768 } as const satisfies Partial<
  Record<Unit, number>
>;
export type WeightUnit = keyof typeof gramsOf;

/** The unit that the person chose for weights, and what chooses another; it is kept in this browser. */
export function useWeightUnit() {
  const [stored, choose] = useLocalStorage<WeightUnit>({
    key: 'karat-weight',
    defaultValue: 'g',
    getInitialValueInEffect: false,
  });
  const unit: WeightUnit = stored in gramsOf ? stored : 'g';
  return [unit, choose] as const;
}

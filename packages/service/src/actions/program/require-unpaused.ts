import type { Config } from '@karat/program-client';
import { type PauseName, pauseBits } from '../../domain/program-status.js';
import { unavailable } from '../../errors.js';

const messages = {
  trade: 'Trading is paused.',
  partner: 'Purchases and sales of partners are paused.',
  withdraw: 'Withdrawals are paused.',
  redeem: 'Redemptions are paused.',
} as const satisfies Partial<Record<PauseName, string>>;

/** Throws `service_unavailable`, saying what is paused, while the program refuses instructions of this kind. */
export function requireUnpaused({ paused }: Pick<Config, 'paused'>, kind: keyof typeof messages): void {
  if ((paused & pauseBits[kind]) !== 0) {
    throw unavailable(messages[kind], { reason: 'trading_paused' });
  }
}

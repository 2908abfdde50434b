import type { Config as ProgramConfig } from '@karat/program-client';
import type { IntegratorEntry } from '../../chain/program/integrator.js';
import { type DailyLimit, noLimit, usedIn, usedInFlow } from '../../chain/program/window.js';
import type { Context } from '../../context.js';
import { amountNumber } from '../../domain/money.js';
import { invalidField, unavailable } from '../../errors.js';

/**
 * Throws `invalid_request` with `field` for a trade that the partner's limit of 24 hours has no room for; `usdcValue` is
 * what it is worth before the fee, base units.
 */
export function requirePartnerLimit(
  ctx: Context,
  { data }: IntegratorEntry,
  usdcValue: bigint,
  field: string,
): void {
  if (data.dailyLimitUsdc === noLimit) return;
  const used = usedIn(data.usdcVolume, ctx.clock.now());
  const left = leftOf({ limit: data.dailyLimitUsdc, used });
  if (left === undefined || usdcValue <= left) return;
  const [limit, room, worth] = [data.dailyLimitUsdc, left, usdcValue].map(amountNumber);
  const text = `${field} comes to ${worth} USDC; the partner may trade ${limit} USDC in 24 hours, of which ${room} are left.`;
  throw invalidField(field, text, 'limit_exceeded');
}

/** Throws `service_unavailable` when the treasury holds less of a token than a trade takes, base units. */
export function requireStock(
  treasury: Record<'usdc' | 'gold', bigint>,
  token: 'usdc' | 'gold',
  amount: bigint,
  trade: 'trade' | 'purchase' | 'sale',
): void {
  if (treasury[token] >= amount) return;
  const message = `The treasury does not hold enough ${nameOf(token)} for this ${trade}.`;
  throw unavailable(message, { reason: 'treasury_short' });
}

/** Throws `service_unavailable` when so much, base units, may not leave the treasury within these 24 hours. */
export function requireOutflow(
  ctx: Context,
  config: ProgramConfig,
  token: 'usdc' | 'gold',
  amount: bigint,
): void {
  const left = leftOf(outflowOf(config, token, ctx.clock.now()));
  if (left === undefined || amount <= left) return;
  throw unavailable(
    `The treasury cannot pay out more ${nameOf(token)} for now: its limit for 24 hours is reached.`,
    { reason: 'limit_exceeded' },
  );
}

const nameOf = (token: 'usdc' | 'gold') => (token === 'usdc' ? 'USDC' : 'gold');

/** Returns the limit of what may leave the treasury, and what did, less what came in. */
export function outflowOf(config: ProgramConfig, token: 'usdc' | 'gold', nowMs: number): DailyLimit {
  return token === 'usdc'
    ? { limit: config.settings.dailyOutflowUsdc, used: usedInFlow(config.usdcFlow, nowMs) }
    : { limit: config.settings.dailyOutflowGold, used: usedInFlow(config.goldFlow, nowMs) };
}

/** Returns what is left of a limit; undefined when there is none. */
function leftOf({ limit, used }: DailyLimit): bigint | undefined {
  if (limit === noLimit) return undefined;
  return used < limit ? limit - used : 0n;
}

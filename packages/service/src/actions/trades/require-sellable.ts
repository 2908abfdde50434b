import { type Config as ProgramConfig, TradeSide } from '@karat/program-client';
import type { IntegratorEntry } from '../../chain/program/integrator.js';
import { attestationOf } from '../../chain/program/reserve.js';
import type { Context } from '../../context.js';
import { attestedLessBurns } from '../../domain/attestation.js';
import { toInteger } from '../../domain/integer.js';
import { momentOf } from '../../domain/timestamp.js';
import { unavailable } from '../../errors.js';
import { forQuote } from './for-quote.js';

/**
 * Throws while the program lets no GOLD out of the treasury for USDC: `pricing_unavailable` while USDC is off its peg,
 * `service_unavailable` while it requires backing and there is more GOLD than is attested, or the attestation is too old.
 */
export function requireSellable(ctx: Context, config: ProgramConfig): void {
  ctx.chain.price.requirePeg();
  const { requireBacking, maxAttestationAge } = config.settings;
  if (requireBacking === 0) return;
  const supply = forQuote(() => ctx.chain.program.supply());
  const attestation = attestationOf(config);
  const oldestMs = ctx.clock.now() - maxAttestationAge * 1_000;
  const isFresh = attestation !== undefined && momentOf(attestation.asOf).getTime() >= oldestMs;
  if (isFresh && supply !== undefined && supply <= attestedLessBurns(attestation, config.burnedTotal)) return;
  const why = !attestation
    ? 'no gold has been attested yet'
    : isFresh
      ? 'less gold is attested than there are tokens'
      : 'the last attestation of gold is too old';
  throw unavailable(`No gold is sold at present: ${why}.`, { reason: 'not_backed' });
}

/**
 * Throws `service_unavailable`, with the time left, while the program refuses a trade of a vault because its last one was in the
 * other direction.
 */
export function requireSide(
  ctx: Context,
  config: ProgramConfig,
  { data }: IntegratorEntry,
  side: 'purchase' | 'sale',
): void {
  const wanted = side === 'purchase' ? TradeSide.Buy : TradeSide.Sell;
  if (data.vaultSide === TradeSide.None || data.vaultSide === wanted) return;
  const endsSeconds = toInteger(data.vaultTradedAt) + config.settings.oppositeSideSeconds;
  const waitSeconds = endsSeconds - Math.floor(ctx.clock.now() / 1_000);
  if (waitSeconds <= 0) return;
  const last = side === 'purchase' ? 'sale' : 'purchase';
  throw unavailable(`The vault's last trade was a ${last}: a ${side} is possible in ${waitSeconds} s.`, {
    reason: 'opposite_side_too_early',
    retryAfterSeconds: waitSeconds,
  });
}

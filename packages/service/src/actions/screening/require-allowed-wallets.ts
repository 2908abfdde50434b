import type { Context } from '../../context.js';
import type { Uuid } from '../../domain/ids.js';
import type { Address } from '../../domain/solana.js';
import { AppError, type AppErrorOptions, unavailable } from '../../errors.js';
import type { ScreeningStage } from '../../metrics/metrics.js';

/** Who wants to do what with wallets. */
export interface Screened {
  wallets: readonly Address[];
  stage: ScreeningStage;
  /** Null for a partner that is not there yet. */
  partnerId: Uuid | null;
  /** The field of the request that names the wallet. */
  field?: string;
}

/**
 * Throws `wallet_not_allowed` for wallets of which one is on the sanctions list, which is noted in the audit log, and
 * `service_unavailable` when that cannot be found out.
 */
export async function requireAllowedWallets(ctx: Context, screened: Screened): Promise<void> {
  const refusal = await screeningRefusal(ctx, screened);
  if (refusal) throw refusal;
}

/** Returns what `requireAllowedWallets` would throw; undefined when the wallets may be served. */
export async function screeningRefusal(ctx: Context, screened: Screened): Promise<AppError | undefined> {
  let blocked: readonly Address[];
  try {
    blocked = await ctx.screening.blocked(screened.wallets);
  } catch (cause) {
    return unavailable('The wallet cannot be checked at present; try again shortly.', { cause });
  }
  return blocked.length === 0 ? undefined : refuse(ctx, screened, blocked);
}

function refuse(ctx: Context, { stage, partnerId, field }: Screened, blocked: readonly Address[]): AppError {
  ctx.metrics.screeningHits.inc({ stage });
  const list = ctx.screening.source()?.sha256 ?? null;
  for (const wallet of blocked) {
    const distinctBy = { stage, partner_id: partnerId };
    const after = { ...distinctBy, list_sha256: list };
    ctx.decisions.note({
      action: 'screening.refuse',
      objectType: 'wallet',
      objectId: wallet,
      after,
      distinctBy,
    });
  }
  // Why is for the operators to see: a message that says so would warn whom it is about.
  const options: AppErrorOptions = { reason: 'wallet_not_allowed', ...(field !== undefined && { field }) };
  return new AppError('wallet_not_allowed', 'This wallet cannot be used with the service.', options);
}

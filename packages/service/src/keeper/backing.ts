import { readBacking } from '../actions/reserves/read-backing.js';
import type { Context } from '../context.js';
import { saveKeeperReports } from '../db/market/keeper-reports.js';
import type { KeeperReport } from '../domain/keeper-report.js';
import { formatDecimal, tokenDecimals } from '../domain/money.js';
import type { Backing } from '../domain/reserves/backing.js';

/** Compares the tokens with what backs them. Rejects when the node or the database fails. */
export async function compareBacking(ctx: Context, signal: AbortSignal): Promise<void> {
  const backing = await readBacking(ctx, signal);
  await ctx.db.transaction((tx) => saveKeeperReports(tx, watchBacking(backing)));
}

/** Reports whether attestation and bars cover the tokens, and how old the attestation is. */
function watchBacking(backing: Backing): KeeperReport[] {
  return [watchAttested(backing), watchBars(backing), watchAttestationAge(backing)];
}

function watchAttested({ supply, attestation, burnedSince, backed, attestedSurplus }: Backing): KeeperReport {
  const attested = attestation
    ? `${gold(attestation.amount)} oz are attested less ${gold(burnedSince)} burned since, which is ${gold(backed)}`
    : 'nothing is attested';
  return {
    name: 'attested_surplus_gold',
    status: attestedSurplus >= 0n ? 'ok' : 'critical',
    value: gold(attestedSurplus),
    detail: `${gold(supply)} GOLD exist, and ${attested}.`,
  };
}

function watchBars({ supply, awaitingBurn, bars, barsSurplus }: Backing): KeeperReport {
  const waiting = awaitingBurn > 0n ? `, ${gold(awaitingBurn)} of them wait to be burned` : '';
  return {
    name: 'bars_surplus_gold',
    status: barsSurplus >= 0n ? 'ok' : 'critical',
    value: gold(barsSurplus),
    detail: `${gold(supply)} GOLD exist${waiting}, and the ${bars.count} bars in the vaults hold ${gold(bars.gold)} oz.`,
  };
}

/** An attestation of which less than a quarter of its life is left has to be renewed. */
function watchAttestationAge(backing: Backing): KeeperReport {
  const { attestationAgeSeconds: age, maxAttestationAgeSeconds: limit, attestationStale } = backing;
  const isOld = age !== undefined && age * 4 > limit * 3;
  return {
    name: 'attestation_age_seconds',
    status: attestationStale ? 'critical' : isOld ? 'warning' : 'ok',
    value: age?.toString() ?? null,
    detail:
      age === undefined
        ? 'Nothing has been attested yet.'
        : `The attestation is ${age} s old, and the program accepts it for ${limit} s.`,
  };
}

const gold = (amount: bigint) => formatDecimal(amount, tokenDecimals);

import type { Chain } from '../chain/chain.js';
import type { Context } from '../context.js';
import { findIndexingState, type IndexingState } from '../db/indexing/indexer-progress.js';
import { isKeepingLed } from '../db/indexing/observed-state.js';
import { findKeeperReports, type StoredKeeperReport } from '../db/market/keeper-reports.js';
import type { WatchName } from '../domain/keeper-report.js';
import { describePauses, pausedOf, pauseFlags } from '../domain/program-status.js';

/** Rounds are noted every 2 s; a leader that has not noted one for so long does not get through. */
const indexerFaultAfterMs = 15_000;
/** What has landed is recorded long before it is final: an event that is missing for so long is a fault. */
const missingAfterMs = 30_000;

/**
 * Returns why this process gives no quotes; undefined when it does. Quotes are refused while trades of users are paused, so
 * that a process is not ready for them then.
 */
export function chainFault({ chain }: Pick<Context, 'chain'>): string | undefined {
  const fault = readersFault(chain);
  if (fault !== undefined) return fault;
  return pausedOf(chain.program.config().paused).trade ? 'Trading is paused.' : undefined;
}

/** Returns what is wrong with the chain as it is read, whatever the program allows; undefined when nothing is. */
function readersFault({
  program,
  clockFault,
  blockhash,
  signerFault,
  signingFault,
}: Chain): string | undefined {
  return program.fault() ?? clockFault() ?? blockhash.fault() ?? signerFault() ?? signingFault();
}

/** Returns why nothing is being indexed; undefined when all is well. */
export function indexingFault({ led, lastRoundAgeMs, missing }: IndexingState): string | undefined {
  if (!led) return 'no process is indexing';
  if (lastRoundAgeMs === undefined) return 'the indexer has not completed a round yet';
  if (lastRoundAgeMs > indexerFaultAfterMs)
    return `the indexer has not completed a round for ${Math.floor(lastRoundAgeMs / 1_000)} s`;
  if (!missing || missing.ageMs <= missingAfterMs) return undefined;
  return `${missing.text} It has been missing for ${Math.floor(missing.ageMs / 1_000)} s.`;
}

export const healthParts = ['price', 'chain', 'indexer', 'keeper', 'treasury'] as const;
export type HealthPart = (typeof healthParts)[number];

export const healthStatuses = ['ok', 'warning', 'failed'] as const;

/** How a part of the service is, with a sentence about it. */
export interface Health {
  part: HealthPart;
  status: (typeof healthStatuses)[number];
  message: string;
}

/** A keeper that runs reports every few seconds. */
const keeperFaultAfterMs = 60_000;

const treasuryWatches: readonly WatchName[] = [
  'treasury_usdc',
  'treasury_gold',
  'escrow_surplus_gold',
  'attested_surplus_gold',
  'bars_surplus_gold',
  'attestation_age_seconds',
  'reconciliation_differences',
];

/** Returns how the parts of the service are, as this process and the database know. */
export async function readHealth(ctx: Pick<Context, 'db' | 'chain' | 'clock'>): Promise<Health[]> {
  const [indexing, keepingLed, reports] = await Promise.all([
    findIndexingState(ctx.db),
    isKeepingLed(ctx.db),
    findKeeperReports(ctx.db),
  ]);
  const isOfTreasury = ({ name }: StoredKeeperReport) => treasuryWatches.includes(name);
  const [treasury, others] = [
    reports.filter(isOfTreasury),
    reports.filter((report) => !isOfTreasury(report)),
  ];
  const pauses =
    ctx.chain.program.fault() === undefined &&
    describePauses(pauseFlags(ctx.chain.program.config(), ctx.clock.now()));
  return [
    judge('price', ctx.chain.price.fault(), undefined, 'The price is fresh.'),
    judge('chain', readersFault(ctx.chain), pauses || undefined, 'The chain is read, and nothing is paused.'),
    judge('indexer', indexingFault(indexing), undefined, 'The chain is being recorded.'),
    judge('keeper', keeperFault(keepingLed, reports), worstOf(others), 'Everything that is watched is well.'),
    treasury.length === 0
      ? { part: 'treasury', status: 'warning', message: 'The treasury was not looked at yet.' }
      : judge(
          'treasury',
          undefined,
          worstOf(treasury),
          'The treasury holds enough, and the records agree with it.',
        ),
  ];
}

function judge(
  part: HealthPart,
  fault: string | undefined,
  watched: string | StoredKeeperReport | undefined,
  well: string,
): Health {
  if (fault !== undefined) return { part, status: 'failed', message: asSentence(fault) };
  if (watched === undefined) return { part, status: 'ok', message: well };
  if (typeof watched === 'string') return { part, status: 'warning', message: asSentence(watched) };
  const status = watched.status === 'critical' ? 'failed' : 'warning';
  return { part, status, message: asSentence(watched.detail) };
}

/** Returns the report that is furthest from well; undefined when all are well. */
function worstOf(reports: StoredKeeperReport[]): StoredKeeperReport | undefined {
  return (
    reports.find(({ status }) => status === 'critical') ?? reports.find(({ status }) => status === 'warning')
  );
}

function keeperFault(led: boolean, reports: StoredKeeperReport[]): string | undefined {
  if (!led) return 'no process keeps the market and watches the service';
  const newest = Math.min(...reports.map(({ ageMs }) => ageMs));
  if (reports.length > 0 && newest > keeperFaultAfterMs) {
    return `the keeper has reported nothing for ${Math.floor(newest / 1_000)} s`;
  }
  return undefined;
}

function asSentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}

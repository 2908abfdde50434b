import { SWEEP_ESCROW_DISCRIMINATOR, TREASURY_WITHDRAW_DISCRIMINATOR } from '@karat/program-client';
import type { Context } from '../context.js';
import { findIndexingState } from '../db/indexing/indexer-rounds.js';
import {
  countOpenDeadLetters,
  countPendingApprovals,
  countUnsettledRedemptions,
  countWaitingRedemptions,
  findOldestUnfinalized,
  isKeepingLed,
  waitingStatuses,
} from '../db/indexing/observed-state.js';
import { countEventsSince } from '../db/indexing/program-events.js';
import { findKeeperReports } from '../db/market/keeper-reports.js';
import { unlessHung } from '../db/outage.js';
import { findReconciliation } from '../db/treasury/reconciliations.js';
import { toInteger } from '../domain/integer.js';
import { type WatchName, watchStatuses } from '../domain/keeper-report.js';
import { amountNumber } from '../domain/money.js';
import { settlementKinds } from '../domain/redemption.js';

/** A database that has not answered by then counts as down; a look takes no longer. */
const answerWithinMs = 2_000;
/** What the admin took out is shown for so long. */
const withdrawalsMs = 86_400_000;
/** From where the admin takes something out, by the number of the instruction. */
const withdrawals = new Map([
  [TREASURY_WITHDRAW_DISCRIMINATOR, 'treasury'],
  [SWEEP_ESCROW_DISCRIMINATOR, 'escrow'],
]);

type ServiceState = Awaited<ReturnType<typeof readState>>;

/** Writes what the database knows to gauges. */
type Show = (state: ServiceState) => void;

/**
 * Tells what the database knows of the whole service. Every process says the same, so that one of them is enough to see
 * it: over several processes these gauges are to be compared, never added up.
 */
export function watchService(ctx: Context): void {
  const up = ctx.metrics.gauge('karat_database_up', 'Whether the database responds to this process');
  const shows = [
    showIndexing(ctx),
    showKeeper(ctx),
    showBooks(ctx),
    showReconciliation(ctx),
    showWithdrawals(ctx),
    showWork(ctx),
    showEnds(ctx),
  ];
  ctx.metrics.addReader(async () => {
    const state = await readState(ctx).catch((err: unknown) => {
      ctx.log.warn({ err }, 'the database does not respond to the metrics');
      return undefined;
    });
    up.set(state ? 1 : 0);
    if (state) for (const show of shows) show(state);
  });
}

async function readState({ db, clock }: Context) {
  const answers = Promise.all([
    findIndexingState(db),
    isKeepingLed(db),
    findKeeperReports(db),
    countOpenDeadLetters(db),
    findOldestUnfinalized(db),
    countWaitingRedemptions(db),
    countUnsettledRedemptions(db),
    countPendingApprovals(db, new Date(clock.now())),
    findReconciliation(db),
    countEventsSince(db, [...withdrawals.keys()], new Date(clock.now() - withdrawalsMs)),
  ]);
  const [
    indexing,
    keepingLed,
    reports,
    deadLetters,
    unfinalized,
    waiting,
    unsettled,
    approvals,
    comparison,
    withdrawn,
  ] = await unlessHung(answers, answerWithinMs);
  const books = { reports, deadLetters, unfinalized, comparison, withdrawn };
  return { indexing, keepingLed, waiting, unsettled, approvals, ...books };
}

function showIndexing({ metrics, clock }: Context): Show {
  const led = metrics.gauge('karat_led', 'Whether some process leads: the indexer, the keeper', ['role']);
  const lag = metrics.gauge(
    'karat_indexer_lag_seconds',
    'Since the indexer last had everything recorded that the node lists; absent before the first time',
  );
  const unfinalized = metrics.gauge(
    'karat_unfinalized_oldest_age_seconds',
    'Since the oldest record was made whose transaction is not known to be final; absent when there is none',
    ['kind'],
  );
  const deadLetters = metrics.gauge('karat_dead_letters', 'Dead letters that are open, by their reason', [
    'kind',
  ]);
  return (state) => {
    const { led: indexing, lastRoundAgeMs } = state.indexing;
    led.set({ role: 'indexer' }, indexing ? 1 : 0);
    led.set({ role: 'keeper' }, state.keepingLed ? 1 : 0);
    if (lastRoundAgeMs !== undefined) lag.set(lastRoundAgeMs / 1_000);
    for (const { kind, since } of state.unfinalized) {
      unfinalized.set({ kind }, Math.max(0, clock.now() - since.getTime()) / 1_000);
    }
    for (const { reason, count } of state.deadLetters) deadLetters.set({ kind: reason }, count);
  };
}

function showKeeper({ metrics }: Context): Show {
  const status = metrics.gauge(
    'karat_keeper_status',
    'Whether the last report of the keeper on something has this status',
    ['watch', 'status'],
  );
  const age = metrics.gauge('karat_keeper_report_age_seconds', 'Since the keeper last looked at something', [
    'watch',
  ]);
  return (state) => {
    for (const report of state.reports) {
      const watch = report.name;
      for (const each of watchStatuses) status.set({ watch, status: each }, report.status === each ? 1 : 0);
      age.set({ watch }, report.ageMs / 1_000);
    }
  };
}

/** What the keeper saw last of what the treasury accounts hold, in whole tokens and SOL. */
function showBooks({ metrics }: Context): Show {
  const sol = metrics.gauge('karat_key_sol', 'SOL of a key of the service, as the keeper saw it', ['key']);
  const treasury = metrics.gauge(
    'karat_treasury_tokens',
    'Balances of the treasury, as the keeper saw them',
    ['token'],
  );
  const surplus = metrics.gauge(
    'karat_escrow_surplus_gold',
    'GOLD that escrow holds beyond what it owes to redemptions; negative: it is short',
  );
  const writers: Partial<Record<WatchName, (value: number) => void>> = {
    service_signer_sol: (value) => sol.set({ key: 'service_signer' }, value),
    guardian_sol: (value) => sol.set({ key: 'guardian' }, value),
    operations_sol: (value) => sol.set({ key: 'operations' }, value),
    market_sol: (value) => sol.set({ key: 'market' }, value),
    admin_sol: (value) => sol.set({ key: 'admin' }, value),
    treasury_usdc: (value) => treasury.set({ token: 'usdc' }, value),
    treasury_gold: (value) => treasury.set({ token: 'gold' }, value),
    escrow_surplus_gold: (value) => surplus.set(value),
  };
  return (state) => {
    for (const { name, value } of state.reports) {
      if (value !== null) writers[name]?.(toInteger(value));
    }
  };
}

function showReconciliation({ metrics, clock }: Context): Show {
  const age = metrics.gauge(
    'karat_reconciliation_age_seconds',
    'Since chain and records were last compared; absent before the first time',
  );
  const difference = metrics.gauge(
    'karat_reconciliation_difference_tokens',
    'What the chain holds beyond what records account for; negative: less',
    ['token'],
  );
  return (state) => {
    if (!state.comparison) return;
    const { at, goldDifference, usdcDifference } = state.comparison;
    age.set(Math.max(0, clock.now() - at.getTime()) / 1_000);
    difference.set({ token: 'gold' }, amountNumber(goldDifference));
    difference.set({ token: 'usdc' }, amountNumber(usdcDifference));
  };
}

function showWithdrawals({ metrics }: Context): Show {
  const counts = metrics.gauge(
    'karat_admin_withdrawals',
    'Withdrawals from the treasury and sweeps of escrow that the admin signed within 24 hours',
    ['from'],
  );
  return ({ withdrawn }) => {
    for (const [kind, from] of withdrawals) {
      counts.set({ from }, withdrawn.find((row) => row.kind === kind)?.count ?? 0);
    }
  };
}

function showWork({ metrics, clock }: Context): Show {
  const waiting = metrics.gauge(
    'karat_redemptions_waiting',
    'Redemptions that wait for the next step of the people of the vault',
    ['status'],
  );
  const age = metrics.gauge(
    'karat_redemption_oldest_age_seconds',
    'Since the oldest redemption that waits in a status was quoted',
    ['status'],
  );
  return (state) => {
    for (const status of waitingStatuses) waiting.set({ status }, 0);
    for (const { status, count, since } of state.waiting) {
      waiting.set({ status }, count);
      age.set({ status }, Math.max(0, clock.now() - since.getTime()) / 1_000);
    }
  };
}

/** Work that waits for operators: what others have ended or asked for. */
function showEnds({ metrics, clock }: Context): Show {
  const unsettled = metrics.gauge(
    'karat_redemptions_unsettled',
    'Cancelled and collected redemptions whose tokens are not refunded or burned yet',
    ['kind'],
  );
  const unsettledAge = metrics.gauge(
    'karat_redemption_unsettled_age_seconds',
    'Since the first of these was cancelled or collected; absent when there is none',
    ['kind'],
  );
  const pending = metrics.gauge('karat_approvals_pending', 'Approvals that wait for a second person');
  const pendingAge = metrics.gauge(
    'karat_approval_oldest_age_seconds',
    'Since the oldest of these was requested; absent when there is none',
  );
  const ageOf = (since: Date) => Math.max(0, clock.now() - since.getTime()) / 1_000;
  return (state) => {
    for (const kind of settlementKinds) unsettled.set({ kind }, 0);
    for (const { kind, count, since } of state.unsettled) {
      unsettled.set({ kind }, count);
      unsettledAge.set({ kind }, ageOf(since));
    }
    pending.set(state.approvals.count);
    if (state.approvals.since) pendingAge.set(ageOf(state.approvals.since));
  };
}

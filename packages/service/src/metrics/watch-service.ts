import { SWEEP_ESCROW_DISCRIMINATOR, TREASURY_WITHDRAW_DISCRIMINATOR } from '@karat/program-client';
import type { Context } from '../context.js';
import { countNewBars, countWithdrawnBars } from '../db/bars/held-bars.js';
import { findIndexingState } from '../db/indexing/indexer-progress.js';
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
import { findNewestStatement, findStatementTime } from '../db/reserves/statements.js';
import { findReconciliation } from '../db/treasury/reconciliations.js';
import { findOldestDue } from '../db/webhooks/webhook-deliveries.js';
import { toInteger } from '../domain/integer.js';
import { type WatchName, watchStatuses } from '../domain/keeper-report.js';
import { amountNumber, decimalNumber } from '../domain/money.js';
import { settlementKinds } from '../domain/redemption.js';
import type { Statement } from '../domain/reserves/statement.js';

/** A database that has not responded by then counts as down; a check takes no longer. */
const respondWithinMs = 2_000;
/** What the admin took out of the accounts, and people out of the vaults, is shown for so long. */
const withdrawalsMs = 86_400_000;
/** From where the admin takes something out, by the number of the instruction. */
const withdrawals = new Map([
  [TREASURY_WITHDRAW_DISCRIMINATOR, 'treasury'],
  [SWEEP_ESCROW_DISCRIMINATOR, 'escrow'],
]);

/** Reads something of the database, and returns what writes it to gauges. */
type Watch = () => Promise<() => void>;

/**
 * Measures what the database knows about the whole service. Every process reports the same, so that one of them is
 * enough to see it: over several processes these gauges are to be compared, never added up.
 */
export function watchService(ctx: Context): void {
  const up = ctx.metrics.gauge('karat_database_up', 'Whether the database responds to this process');
  const watches = [
    watchIndexing(ctx),
    watchReports(ctx),
    watchReconciliation(ctx),
    watchReserves(ctx),
    watchWithdrawals(ctx),
    watchWork(ctx),
    watchEnds(ctx),
    watchWebhooks(ctx),
  ];
  ctx.metrics.addReader(async () => {
    const responses = Promise.all(watches.map((watch) => watch()));
    const writes = await unlessHung(responses, respondWithinMs).catch((err: unknown) => {
      ctx.log.warn({ err }, 'the database does not respond to the metrics');
    });
    up.set(writes ? 1 : 0);
    for (const write of writes ?? []) write();
  });
}

/** Seconds since then; 0 for a moment to come. */
const secondsSince = (date: Date, { clock }: Context) => Math.max(0, clock.now() - date.getTime()) / 1_000;

function watchIndexing(ctx: Context): Watch {
  const { metrics, db } = ctx;
  const led = metrics.gauge('karat_led', 'Whether a process leads: the indexer, the keeper', ['role']);
  const lag = metrics.gauge(
    'karat_indexer_lag_seconds',
    'Seconds since the indexer had last recorded everything that the node lists; absent before the first time',
  );
  const missing = metrics.gauge(
    'karat_indexer_missing_event_age_seconds',
    'Seconds since an event that the program has counted is known to be missing; absent if none is',
  );
  const unfinalized = metrics.gauge(
    'karat_unfinalized_oldest_age_seconds',
    'Seconds since the oldest record whose transaction is not known to be final; absent if there is none',
    ['kind'],
  );
  const deadLetters = metrics.gauge('karat_dead_letters', 'Open dead letters, by reason', ['kind']);
  return async () => {
    const [indexing, keepingLed, oldest, open] = await Promise.all([
      findIndexingState(db),
      isKeepingLed(db),
      findOldestUnfinalized(db),
      countOpenDeadLetters(db),
    ]);
    return () => {
      led.set({ role: 'indexer' }, indexing.led ? 1 : 0);
      led.set({ role: 'keeper' }, keepingLed ? 1 : 0);
      if (indexing.lastRoundAgeMs !== undefined) lag.set(indexing.lastRoundAgeMs / 1_000);
      if (indexing.missing) missing.set(indexing.missing.ageMs / 1_000);
      for (const { kind, since } of oldest) unfinalized.set({ kind }, secondsSince(since, ctx));
      for (const { reason, count } of open) deadLetters.set({ kind: reason }, count);
    };
  };
}

/** Shows what the keeper reported last; balances of the treasury accounts in whole tokens and SOL. */
function watchReports({ metrics, db }: Context): Watch {
  const status = metrics.gauge(
    'karat_keeper_status',
    "Whether the keeper's last report of this watch has this status",
    ['watch', 'status'],
  );
  const age = metrics.gauge(
    'karat_keeper_report_age_seconds',
    "Seconds since the keeper's last report of this watch",
    ['watch'],
  );
  const sol = metrics.gauge('karat_key_sol', 'SOL of a key of the service, as the keeper saw it', ['key']);
  const treasury = metrics.gauge(
    'karat_treasury_tokens',
    'Balances of the treasury, as the keeper saw them',
    ['token'],
  );
  const surplus = metrics.gauge(
    'karat_escrow_surplus_gold',
    'GOLD that escrow holds beyond what it owes to redemptions; negative if it is short',
  );
  const backing = metrics.gauge(
    'karat_backing_surplus_gold',
    'GOLD that the attestation less burns, and that the bars in the vaults, cover beyond what exists; negative if they do not cover it',
    ['by'],
  );
  const attestationAge = metrics.gauge(
    'karat_attestation_age_seconds',
    'Seconds since the attestor counted the gold; absent before the first attestation',
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
    attested_surplus_gold: (value) => backing.set({ by: 'attestation' }, value),
    bars_surplus_gold: (value) => backing.set({ by: 'bars' }, value),
    attestation_age_seconds: (value) => attestationAge.set(value),
  };
  return async () => {
    const reports = await findKeeperReports(db);
    return () => {
      for (const { name, status: last, value, ageMs } of reports) {
        for (const each of watchStatuses) status.set({ watch: name, status: each }, last === each ? 1 : 0);
        age.set({ watch: name }, ageMs / 1_000);
        if (value !== null) writers[name]?.(toInteger(value));
      }
    };
  };
}

function watchReconciliation(ctx: Context): Watch {
  const { metrics, db } = ctx;
  const age = metrics.gauge(
    'karat_reconciliation_age_seconds',
    'Seconds since the chain and the records were last compared; absent before the first time',
  );
  const difference = metrics.gauge(
    'karat_reconciliation_difference_tokens',
    'Amount on chain minus the recorded amount; negative if the chain holds less',
    ['token'],
  );
  return async () => {
    const last = await findReconciliation(db);
    return () => {
      if (!last) return;
      age.set(secondsSince(last.at, ctx));
      difference.set({ token: 'gold' }, amountNumber(last.goldDifference));
      difference.set({ token: 'usdc' }, amountNumber(last.usdcDifference));
    };
  };
}

function watchReserves(ctx: Context): Watch {
  const { metrics, db } = ctx;
  const age = metrics.gauge(
    'karat_reserves_statement_age_seconds',
    'Seconds since the newest statement of the reserves was made; absent before the first',
  );
  const difference = metrics.gauge(
    'karat_reserves_difference_tokens',
    'Gold held minus tokens outstanding in the newest statement of the reserves; negative if the gold does not cover them',
  );
  const added = metrics.gauge(
    'karat_reserves_new_bars',
    'Bars that the newest statement of the reserves is the first to count; absent before the second',
  );
  const withdrawn = metrics.gauge('karat_bars_withdrawn', 'Bars that were withdrawn within 24 hours');
  return async () => {
    const newest = await findNewestStatement(db);
    const after = newest && (await findStatementTime(db, newest.sequence - 1));
    const entered = newest && after && (await countNewBars(db, { after, until: newest.madeAt }));
    const removed = await countWithdrawnBars(db, new Date(ctx.clock.now() - withdrawalsMs));
    return () => {
      withdrawn.set(removed);
      if (entered !== undefined) added.set(entered);
      if (!newest) return;
      const { coverage } = JSON.parse(newest.body) as Statement;
      age.set(secondsSince(newest.madeAt, ctx));
      difference.set(decimalNumber(coverage.difference));
    };
  };
}

function watchWithdrawals({ metrics, db, clock }: Context): Watch {
  const counts = metrics.gauge(
    'karat_admin_withdrawals',
    'Withdrawals from the treasury and sweeps of escrow that the admin signed within 24 hours',
    ['from'],
  );
  return async () => {
    const since = new Date(clock.now() - withdrawalsMs);
    const withdrawn = await countEventsSince(db, [...withdrawals.keys()], since);
    return () => {
      for (const [kind, from] of withdrawals) {
        counts.set({ from }, withdrawn.find((row) => row.kind === kind)?.count ?? 0);
      }
    };
  };
}

function watchWork(ctx: Context): Watch {
  const { metrics, db } = ctx;
  const waiting = metrics.gauge(
    'karat_redemptions_waiting',
    'Redemptions that wait for the staff of the vault',
    ['status'],
  );
  const age = metrics.gauge(
    'karat_redemption_oldest_age_seconds',
    'Seconds since the oldest redemption that waits in a status was quoted',
    ['status'],
  );
  return async () => {
    const found = await countWaitingRedemptions(db);
    return () => {
      for (const status of waitingStatuses) waiting.set({ status }, 0);
      for (const { status, count, since } of found) {
        waiting.set({ status }, count);
        age.set({ status }, secondsSince(since, ctx));
      }
    };
  };
}

/** Work that waits for operators: what others have ended or requested. */
function watchEnds(ctx: Context): Watch {
  const { metrics, db, clock } = ctx;
  const unsettled = metrics.gauge(
    'karat_redemptions_unsettled',
    'Cancelled redemptions that are not refunded yet, and collected ones whose burn is not announced',
    ['kind'],
  );
  const unsettledAge = metrics.gauge(
    'karat_redemption_unsettled_age_seconds',
    'Seconds since the first of these was cancelled or collected; absent if there is none',
    ['kind'],
  );
  const pending = metrics.gauge('karat_approvals_pending', 'Approvals that wait for a second operator');
  const pendingAge = metrics.gauge(
    'karat_approval_oldest_age_seconds',
    'Seconds since the oldest of these was requested; absent if there is none',
  );
  return async () => {
    const [ended, approvals] = await Promise.all([
      countUnsettledRedemptions(db, new Date(clock.now())),
      countPendingApprovals(db, new Date(clock.now())),
    ]);
    return () => {
      for (const kind of settlementKinds) unsettled.set({ kind }, 0);
      for (const { kind, count, since } of ended) {
        unsettled.set({ kind }, count);
        unsettledAge.set({ kind }, secondsSince(since, ctx));
      }
      pending.set(approvals.count);
      if (approvals.since) pendingAge.set(secondsSince(approvals.since, ctx));
    };
  };
}

/** Endpoints that fail are left out: theirs wait for them. */
function watchWebhooks(ctx: Context): Watch {
  const overdue = ctx.metrics.gauge(
    'karat_webhook_overdue_seconds',
    'Seconds since the delivery was due that waits longest for its attempt, to endpoints that work; absent if none waits',
  );
  return async () => {
    const since = await findOldestDue(ctx.db, new Date(ctx.clock.now()));
    return () => {
      if (since) overdue.set(secondsSince(since, ctx));
    };
  };
}

import {
  BUY_DISCRIMINATOR,
  PARTNER_PURCHASE_DISCRIMINATOR,
  PARTNER_SALE_DISCRIMINATOR,
  PARTNER_WITHDRAW_DISCRIMINATOR,
  SELL_DISCRIMINATOR,
  UPDATE_EXECUTIVES_DISCRIMINATOR,
} from '@karat/program-client';
import type { TreasurySnapshot } from '../../chain/program/program-snapshot.js';
import type { Context } from '../../context.js';
import { slowTransaction, type Tx } from '../../db/client.js';
import { type DeadLetterSubject, insertDeadLetter } from '../../db/indexing/dead-letters.js';
import { findProgress } from '../../db/indexing/indexer-progress.js';
import { findBurnedTotal } from '../../db/redemptions/burns.js';
import { findEscrowNeed } from '../../db/redemptions/escrow-need.js';
import {
  type DifferenceDeadLetter,
  findDifferenceDeadLetters,
  reopenDifferenceDeadLetter,
  resolveDifferenceDeadLetters,
} from '../../db/treasury/difference-dead-letters.js';
import {
  findChunkEnd,
  findReconciliationProgress,
  type Reconciliation,
  saveReconciliation,
  saveReconciliationProgress,
} from '../../db/treasury/reconciliations.js';
import {
  type Compared,
  findEventDifferences,
  findTreasuryDifferences,
} from '../../db/treasury/treasury-differences.js';
import { keepTreasuryBaseline } from '../../db/treasury/treasury-movements.js';
import { attestedLessBurns } from '../../domain/attestation.js';
import {
  type DifferenceDetail,
  type DifferenceKind,
  kindsOf,
  sumUnexplained,
} from '../../domain/difference.js';
import type { TxSignature } from '../../domain/solana.js';
import { isSame } from '../audit.js';
import {
  type BalanceCheck,
  checkBalances,
  type Doubts,
  findKnownSince,
  findMismatches,
  type Mismatch,
} from './check-balances.js';

/** Events of the program that have a record each. */
const recordedKinds = [
  UPDATE_EXECUTIVES_DISCRIMINATOR,
  BUY_DISCRIMINATOR,
  SELL_DISCRIMINATOR,
  PARTNER_PURCHASE_DISCRIMINATOR,
  PARTNER_SALE_DISCRIMINATOR,
  PARTNER_WITHDRAW_DISCRIMINATOR,
];
/** How far back, in slots, what was compared the last time is compared again: a node may have listed it late. */
const overlapSlots = 1_000n;
/** Open differences that are compared by one statement. */
const openPerStatement = 1_000;
/** Long histories take longer than other statements. */
const statementTimeoutMs = 60_000;

/** How much is compared in one go, so that whatever there is to compare is done bit by bit, with its progress saved. */
export interface ReconcileLimits {
  /** Movements or events compared by one statement, about. */
  rows: number;
  /** How long what is new is compared before the caller gets a turn, in milliseconds of real time. */
  budgetMs: number;
  /** How long what is older is compared again each time, in milliseconds of real time. */
  reviewMs: number;
  /** Most new dead letters of one chunk; the others follow when it is compared again. */
  deadLetters: number;
}

export const defaultLimits: ReconcileLimits = {
  rows: 20_000,
  budgetMs: 5_000,
  reviewMs: 2_000,
  deadLetters: 200,
};

/** What one comparison found. */
export interface ReconciliationReport extends Reconciliation {
  /** How many of the open differences are of each kind; one may be of several. */
  kinds: Partial<Record<DifferenceKind, number>>;
}

/** A difference between chain and records: about a transaction, or about an account. */
export interface Finding {
  signature: DeadLetterSubject;
  slot: bigint;
  detail: DifferenceDetail;
}

/** Records the transactions of accounts that no listing of the program shows. */
export type RecordDeposits = (mismatches: readonly Mismatch[], signal: AbortSignal) => Promise<void>;

/** How far an unfinished comparison has come. */
export interface ReconciliationUnderWay {
  /** What is new was compared up to this slot. */
  comparedSlot: bigint;
}

/**
 * Compares chain and records as of `snapshot`: every execution has exactly one record, what each transaction moved on
 * the treasury accounts is what its records say, the balances are the sum of what moved, no more GOLD exists than is
 * attested less what was burned since, and what was burned is recorded. Every difference is an open dead letter `reconciliation_difference`,
 * which resolves itself when the difference is gone; one that a person has resolved stays so for as long as its figures
 * do not change.
 *
 * Returns undefined while the indexer has not recorded everything up to the snapshot: call it again with the same
 * snapshot. A long comparison takes several calls, each of which goes on where the last one stopped. The caller keeps
 * `doubts` from one comparison to the next. Rejects when the node or the database fails.
 */
export async function reconcile(
  ctx: Context,
  snapshot: TreasurySnapshot,
  { doubts, recordDeposits }: { doubts: Doubts; recordDeposits: RecordDeposits },
  signal: AbortSignal,
  limits: ReconcileLimits = defaultLimits,
): Promise<ReconciliationReport | ReconciliationUnderWay | undefined> {
  const { completeSlot = -1n } = (await findProgress(ctx.db)) ?? {};
  if (completeSlot < snapshot.slot) return undefined;
  // What came past the program is in no listing of it: only the balance shows that it is there.
  const mismatches = await inSnapshot(ctx, (tx) => findMismatches(tx, snapshot));
  if (mismatches.length > 0) await recordDeposits(mismatches, signal);
  const comparedSlot = await compareNews(ctx, snapshot, limits, signal);
  if (comparedSlot < snapshot.slot) return { comparedSlot };
  await reviewOld(ctx, snapshot, limits, signal);
  const { balances, findings } = await inSnapshot(ctx, async (tx) => {
    const checked = await checkBalances(tx, snapshot, doubts);
    const open = await findDifferenceDeadLetters(tx);
    const found = [
      ...(await compareAgain(tx, open)),
      ...balanceFindings(checked, snapshot),
      ...reserveFindings(snapshot),
      ...(await escrowFindings(tx, snapshot)),
      ...(await burnFindings(tx, snapshot)),
    ];
    return { balances: checked, findings: found };
  });
  return written(ctx, async (tx, at) => {
    for (const baseline of balances.baselines) await keepTreasuryBaseline(tx, baseline, at);
    const deadLetters = await resolveFoundDeadLetters(ctx, tx, findings, new Set(balances.undecided), at);
    const report = {
      slot: snapshot.slot,
      at,
      ...differencesOf(deadLetters),
      differences: deadLetters.length,
    };
    await saveReconciliation(tx, report);
    return { ...report, kinds: countKinds(deadLetters) };
  });
}

/** Reads one state of everything, which may take long. It writes nothing: a lead that it held would hold up the next leader. */
async function inSnapshot<T>(ctx: Context, read: (tx: Tx) => Promise<T>): Promise<T> {
  return slowTransaction(ctx.db, statementTimeoutMs, read, {
    isolationLevel: 'repeatable read',
    accessMode: 'read only',
  });
}

/** Writes what was found, in a short transaction. Rejects when a person resolves one of its dead letters meanwhile. */
async function written<T>(ctx: Context, write: (tx: Tx, at: Date) => Promise<T>): Promise<T> {
  const at = new Date(ctx.clock.now());
  return ctx.db.transaction((tx) => write(tx, at), { isolationLevel: 'repeatable read' });
}

/** Compares what came since the last time, chunk by chunk, each with its progress; the slot up to which it is done. */
async function compareNews(
  ctx: Context,
  snapshot: TreasurySnapshot,
  limits: ReconcileLimits,
  signal: AbortSignal,
): Promise<bigint> {
  const progress = await findReconciliationProgress(ctx.db);
  const { comparedSlot = snapshot.slot, reviewedSlot = -1n } = progress ?? {};
  const towardsSlot = snapshot.slot;
  const since = await findKnownSince(ctx.db, snapshot);
  const endMs = performance.now() + limits.budgetMs;
  // A comparison that begins takes the end of the last one again; one that goes on does not.
  let from = progress?.towardsSlot === towardsSlot ? comparedSlot : comparedSlot - overlapSlots;
  do {
    signal.throwIfAborted();
    const to = await findChunkEnd(ctx.db, { from, to: towardsSlot, rows: limits.rows });
    const chunk = { since, from, to };
    const found = await inSnapshot(ctx, (tx) => compare(tx, chunk));
    const left = await written(ctx, async (tx, at) => {
      const tooMany = await noteFindings(ctx, tx, found, limits.deadLetters, at);
      const reached = tooMany === 0 ? to : chunk.from;
      await saveReconciliationProgress(tx, { comparedSlot: reached, towardsSlot, reviewedSlot });
      return tooMany;
    });
    // The rest of so many differences is noted by the next comparisons.
    if (left > 0) return towardsSlot;
    from = to;
  } while (from < towardsSlot && performance.now() < endMs);
  return from;
}

/** Compares what is older from where the last comparison stopped; at the end it begins again. */
async function reviewOld(
  ctx: Context,
  snapshot: TreasurySnapshot,
  limits: ReconcileLimits,
  signal: AbortSignal,
): Promise<void> {
  const progress = await findReconciliationProgress(ctx.db);
  if (!progress) return;
  const since = await findKnownSince(ctx.db, snapshot);
  const endMs = performance.now() + limits.reviewMs;
  let from = progress.reviewedSlot < since ? since - 1n : progress.reviewedSlot;
  do {
    signal.throwIfAborted();
    const chunk = {
      since,
      from,
      to: await findChunkEnd(ctx.db, { from, to: snapshot.slot, rows: limits.rows }),
    };
    from = chunk.to;
    const reviewedSlot = from < snapshot.slot ? from : -1n;
    const found = await inSnapshot(ctx, (tx) => compare(tx, chunk));
    await written(ctx, async (tx, at) => {
      await noteFindings(ctx, tx, found, limits.deadLetters, at);
      await saveReconciliationProgress(tx, { ...progress, reviewedSlot });
    });
  } while (from < snapshot.slot && performance.now() < endMs);
}

/** Compares again what differed the last time. */
async function compareAgain(tx: Tx, open: DifferenceDeadLetter[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (let start = 0; start < open.length; start += openPerStatement) {
    const some = open.slice(start, start + openPerStatement);
    const signatures = some.map(({ signature }) => signature);
    findings.push(...(await compare(tx, { since: -1n, signatures })));
  }
  return findings;
}

/** Returns the differences of whole transactions. */
export async function compare(tx: Tx, compared: Compared): Promise<Finding[]> {
  const findings = new Map<string, Finding>();
  const findingOf = (signature: TxSignature, slot: bigint): Finding => {
    const fresh = { signature, slot, detail: { kinds: [], unexplained: {}, accounts: {} } };
    const finding = findings.get(signature) ?? fresh;
    findings.set(signature, finding);
    return finding;
  };
  for (const { signature, slot, role, ...sides } of await findTreasuryDifferences(tx, compared)) {
    const { detail } = findingOf(signature, slot);
    const { change, due, recorded, records } = sides;
    addKinds(detail, kindsOf(sides));
    if (change !== recorded) detail.unexplained[role] = (change - recorded).toString();
    const shown = { change: change.toString(), due: due.toString(), recorded: recorded.toString(), records };
    Object.assign(detail.accounts as object, { [role]: shown });
  }
  for (const event of await findEventDifferences(tx, recordedKinds, compared)) {
    const { signature, slot, partnerId, seq, events, records } = event;
    const { detail } = findingOf(signature, slot);
    if (events === 0) addKinds(detail, ['event_missing']);
    if (events > 0 && records === 0) addKinds(detail, ['record_missing']);
    if (records > 1) addKinds(detail, ['record_doubled']);
    detail.events = { ...(detail.events as object), [`${partnerId} ${seq}`]: { events, records } };
  }
  return [...findings.values()];
}

function addKinds(detail: DifferenceDetail, kinds: DifferenceKind[]): void {
  detail.kinds = [...new Set([...detail.kinds, ...kinds])].sort();
}

function balanceFindings({ differences }: BalanceCheck, { slot }: TreasurySnapshot): Finding[] {
  return differences.map(({ account, role, difference }) => ({
    signature: account,
    slot,
    detail: { kinds: ['balance_differs'], unexplained: { [role]: difference.toString() } },
  }));
}

/** Finds GOLD that nothing backs: more than is attested, less what was burned since. */
export function reserveFindings({ goldMint, supply, config, slot }: TreasurySnapshot): Finding[] {
  if (supply <= attestedLessBurns(config.attestation, config.burnedTotal)) return [];
  const { amount, burnedAtAsOf } = config.attestation;
  const figures = {
    supply: supply.toString(),
    attested: amount.toString(),
    burned_since: (config.burnedTotal - burnedAtAsOf).toString(),
  };
  const kinds: DifferenceKind[] = ['supply_above_attested'];
  return [{ signature: goldMint, slot, detail: { kinds, unexplained: {}, ...figures } }];
}

/** What the program counts as burned has to be what the records say. */
export async function burnFindings(tx: Tx, { slot, config }: TreasurySnapshot): Promise<Finding[]> {
  const { burnedTotal, treasuryAuthority } = config;
  const recorded = await findBurnedTotal(tx, slot);
  if (recorded === burnedTotal) return [];
  const shown = { burned: burnedTotal.toString(), recorded: recorded.toString() };
  const detail = { kinds: ['burned_differs' as const], unexplained: {}, ...shown };
  return [{ signature: treasuryAuthority, slot, detail }];
}

/** What the program counts as needed by open redemptions has to be in escrow, and has to be what the records say. */
export async function escrowFindings(tx: Tx, snapshot: TreasurySnapshot): Promise<Finding[]> {
  const { slot, balances } = snapshot;
  const { escrowOpen, escrowAuthority } = snapshot.config;
  const held = balances.find(({ role }) => role === 'escrow_gold')?.balance ?? 0n;
  const { all: recorded } = await findEscrowNeed(tx, slot);
  if (held >= escrowOpen && recorded === escrowOpen) return [];
  const shown = { held: held.toString(), open: escrowOpen.toString(), recorded: recorded.toString() };
  const detail = { kinds: ['escrow_differs' as const], unexplained: {}, ...shown };
  return [{ signature: escrowAuthority, slot, detail }];
}

/** Writes dead letters about what was found, at most `most` new ones, and returns how many more there were. */
async function noteFindings(ctx: Context, tx: Tx, found: Finding[], most: number, at: Date): Promise<number> {
  if (found.length === 0) return 0;
  const signatures = found.map(({ signature }) => signature);
  const known = new Map(
    (await findDifferenceDeadLetters(tx, signatures)).map((deadLetter) => [deadLetter.signature, deadLetter]),
  );
  let written = 0;
  let left = 0;
  for (const finding of found) {
    const deadLetter = known.get(finding.signature);
    const same = deadLetter !== undefined && isSame(deadLetter.detail, finding.detail);
    // It is open, or a person has said what it is about.
    if (same && (deadLetter.resolution !== null || deadLetter.resolvedAt === null)) continue;
    if (written >= most) {
      left += 1;
      continue;
    }
    written += 1;
    ctx.log.error({ ...finding.detail, about: finding.signature }, 'chain and records differ');
    if (deadLetter) await reopenDifferenceDeadLetter(tx, deadLetter.id, finding.detail);
    else await insertDeadLetter(tx, { ...finding, reason: 'reconciliation_difference' }, at);
  }
  return left;
}

/** Resolves the open dead letters about what is no longer found, and returns those that stay open. */
async function resolveFoundDeadLetters(
  ctx: Context,
  tx: Tx,
  found: Finding[],
  undecided: ReadonlySet<string>,
  at: Date,
): Promise<Pick<DifferenceDeadLetter, 'signature' | 'detail'>[]> {
  await noteFindings(ctx, tx, found, found.length, at);
  const findings = new Set(found.map(({ signature }) => signature));
  const open = await findDifferenceDeadLetters(tx);
  const stays = ({ signature }: DifferenceDeadLetter) => findings.has(signature) || undecided.has(signature);
  const gone = open.filter((deadLetter) => !stays(deadLetter)).map(({ id }) => id);
  await resolveDifferenceDeadLetters(tx, gone, at);
  return open.filter(stays);
}

function differencesOf(deadLetters: { detail: DifferenceDetail }[]) {
  const { gold, usdc } = sumUnexplained(deadLetters.map(({ detail }) => detail));
  return { goldDifference: gold, usdcDifference: usdc };
}

function countKinds(deadLetters: { detail: DifferenceDetail }[]): ReconciliationReport['kinds'] {
  const counts: ReconciliationReport['kinds'] = {};
  for (const { detail } of deadLetters) {
    for (const kind of detail.kinds) counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

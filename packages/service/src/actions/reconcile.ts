import {
  BUY_DISCRIMINATOR,
  PARTNER_PURCHASE_DISCRIMINATOR,
  PARTNER_SALE_DISCRIMINATOR,
  PARTNER_WITHDRAW_DISCRIMINATOR,
  SELL_DISCRIMINATOR,
  UPDATE_EXECUTIVES_DISCRIMINATOR,
} from '@karat/program-client';
import type { HouseSnapshot } from '../chain/house-balances.js';
import type { Context } from '../context.js';
import { slowTransaction, type Tx } from '../db/client.js';
import {
  type DifferenceLetter,
  findDifferenceLetters,
  insertDifferenceLetter,
  reopenDifferenceLetter,
  settleDifferenceLetters,
} from '../db/difference-letters.js';
import {
  type Compared,
  findEventDifferences,
  findHouseDifferences,
  findToldTransactions,
} from '../db/house-differences.js';
import { findSeenChain } from '../db/indexer-rounds.js';
import { findReconciliation, type Reconciliation, saveReconciliation } from '../db/reconciliations.js';
import { type DifferenceDetail, type DifferenceKind, kindsOf, sumUnexplained } from '../domain/difference.js';
import { isSame } from './audit.js';
import { type BalanceCheck, checkBalances, type Doubts } from './check-balances.js';
import { findUnrecorded, type Unrecorded } from './find-unrecorded.js';

/** Events of the program that have a record each. */
const recordedKinds = [
  UPDATE_EXECUTIVES_DISCRIMINATOR,
  BUY_DISCRIMINATOR,
  SELL_DISCRIMINATOR,
  PARTNER_PURCHASE_DISCRIMINATOR,
  PARTNER_SALE_DISCRIMINATOR,
  PARTNER_WITHDRAW_DISCRIMINATOR,
];
/** What was compared the last time is compared again as far back: a node may have listed it late. */
const overlapSlots = 1_000n;
/** Of what is older, a part is compared again each time, from the beginning on, over and over: so much at once … */
const reviewSlots = 10_000n;
/** … and so long, in real time. */
const reviewMs = 2_000;
/** New dead letters of one comparison: the rest follows with the next ones. */
const lettersPerRun = 200;
/** Long histories take longer than other statements. */
const statementTimeoutMs = 60_000;

/** What one comparison found. */
export interface ReconciliationReport extends Reconciliation {
  /** How many of the open differences are of each kind; one may be of several. */
  kinds: Partial<Record<DifferenceKind, number>>;
}

interface Finding {
  signature: string;
  slot: bigint;
  detail: DifferenceDetail;
}

/**
 * Compares chain and records as of `snapshot`: every execution has exactly one record, what each transaction moved of the
 * house is what its records say, the balances are the sum of what moved, and the chain carries nothing that the service
 * signed and did not record. Every difference is an open dead letter `reconciliation_difference`, which settles by itself
 * when the difference is gone; one that a person has resolved stays so for as long as its figures do not change.
 *
 * Undefined while the indexer has not recorded everything up to the snapshot: the same one is to be tried again then.
 * `doubts` belong to whoever compares again and again. Rejects when the node or the database fails.
 */
export async function reconcile(
  ctx: Context,
  snapshot: HouseSnapshot,
  doubts: Doubts,
  signal: AbortSignal,
): Promise<ReconciliationReport | undefined> {
  const seen = await findSeenChain(ctx.db);
  const covered = snapshot.balances.every(({ account }) => seen?.accounts.includes(account));
  if (!seen || seen.slot < snapshot.upTo || !covered) return undefined;
  const last = await findReconciliation(ctx.db);
  const from = (last?.slot ?? snapshot.slot) - overlapSlots;
  const unrecorded = await findUnrecorded(ctx, snapshot, from, signal);
  const at = new Date(ctx.clock.now());
  return slowTransaction(
    ctx.db,
    statementTimeoutMs,
    async (tx) => {
      const balances = await checkBalances(tx, snapshot, doubts, at);
      const open = await findDifferenceLetters(tx);
      const { since } = balances;
      const review = await reviewOld(tx, since, last?.reviewedSlot ?? -1n, snapshot.slot);
      const findings = [
        ...(await compare(tx, { since, from, to: snapshot.upTo })),
        ...review.findings,
        ...(await compare(tx, { since: -1n, signatures: open.map(({ signature }) => signature) })),
        ...balanceFindings(balances, snapshot),
        ...unrecorded.map(unrecordedFinding),
        ...(await stillUnrecorded(tx, open)),
      ];
      const letters = await writeLetters(ctx, tx, findings, new Set(balances.undecided), at);
      const report = {
        slot: snapshot.slot,
        at,
        ...differencesOf(letters),
        differences: letters.length,
        reviewedSlot: review.reviewedSlot,
      };
      await saveReconciliation(tx, report);
      return { ...report, kinds: countKinds(letters) };
    },
    { isolationLevel: 'repeatable read' },
  );
}

/** Compares what is older from where the last comparison stopped; at the end it begins anew. */
async function reviewOld(
  tx: Tx,
  since: bigint,
  reviewed: bigint,
  until: bigint,
): Promise<{ findings: Finding[]; reviewedSlot: bigint }> {
  const findings: Finding[] = [];
  const endMs = performance.now() + reviewMs;
  let from = reviewed < since ? since - 1n : reviewed;
  do {
    findings.push(...(await compare(tx, { since, from, to: from + reviewSlots })));
    from += reviewSlots;
  } while (from < until && performance.now() < endMs);
  return { findings, reviewedSlot: from < until ? from : -1n };
}

/** Differences of whole transactions. */
async function compare(tx: Tx, compared: Compared): Promise<Finding[]> {
  const findings = new Map<string, Finding>();
  const findingOf = (signature: string, slot: bigint): Finding => {
    const fresh = { signature, slot, detail: { kinds: [], unexplained: {}, accounts: {} } };
    const finding = findings.get(signature) ?? fresh;
    findings.set(signature, finding);
    return finding;
  };
  for (const { signature, slot, role, ...sides } of await findHouseDifferences(tx, compared)) {
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

function balanceFindings({ differences }: BalanceCheck, { slot }: HouseSnapshot): Finding[] {
  return differences.map(({ account, role, difference }) => ({
    signature: account,
    slot,
    detail: { kinds: ['balance_differs'], unexplained: { [role]: difference.toString() } },
  }));
}

function unrecordedFinding({ signature, slot, signedBy, memos }: Unrecorded): Finding {
  return {
    signature,
    slot,
    detail: { kinds: ['record_missing'], unexplained: {}, signed_by: signedBy, memos },
  };
}

/** What the chain was found to carry unrecorded before, and is so still. */
async function stillUnrecorded(tx: Tx, open: DifferenceLetter[]): Promise<Finding[]> {
  const letters = open.filter(({ detail }) => detail.signed_by !== undefined);
  const signatures = letters.map(({ signature }) => signature);
  const told = await findToldTransactions(tx, signatures);
  return letters
    .filter(({ signature }) => !told.has(signature))
    .map(({ signature, slot, detail }) => ({ signature, slot, detail: detail as DifferenceDetail }));
}

/** Brings the dead letters to what was found; those that are open then. */
async function writeLetters(
  ctx: Context,
  tx: Tx,
  found: Finding[],
  undecided: ReadonlySet<string>,
  at: Date,
): Promise<Pick<DifferenceLetter, 'signature' | 'detail'>[]> {
  const findings = new Map(found.map((finding) => [finding.signature, finding]));
  const letters = await findDifferenceLetters(tx, [...findings.keys()]);
  const known = new Map(letters.map((letter) => [letter.signature, letter]));
  const open: Pick<DifferenceLetter, 'signature' | 'detail'>[] = [];
  const settled = letters.filter(
    ({ signature, resolvedAt }) =>
      resolvedAt === null && !findings.has(signature) && !undecided.has(signature),
  );
  await settleDifferenceLetters(
    tx,
    settled.map(({ id }) => id),
    at,
  );
  let written = 0;
  for (const finding of findings.values()) {
    const letter = known.get(finding.signature);
    const same = letter !== undefined && isSame(letter.detail, finding.detail);
    // A person has said what it is about.
    if (same && letter.resolution !== null) continue;
    open.push(finding);
    if (same && letter.resolvedAt === null) continue;
    if (written >= lettersPerRun) continue;
    written += 1;
    ctx.log.error({ ...finding.detail, about: finding.signature }, 'chain and records differ');
    if (letter) await reopenDifferenceLetter(tx, letter.id, finding.detail);
    else await insertDifferenceLetter(tx, finding, at);
  }
  open.push(
    ...letters.filter(({ signature, resolvedAt }) => resolvedAt === null && undecided.has(signature)),
  );
  return open;
}

function differencesOf(letters: { detail: Record<string, unknown> }[]) {
  const { gold, usdc } = sumUnexplained(letters.map(({ detail }) => detail));
  return { goldDifference: gold, usdcDifference: usdc };
}

function countKinds(letters: { detail: Record<string, unknown> }[]): ReconciliationReport['kinds'] {
  const counts: ReconciliationReport['kinds'] = {};
  for (const { detail } of letters) {
    for (const kind of (detail as DifferenceDetail).kinds) counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

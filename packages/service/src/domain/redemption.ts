import { AppError, type ErrorCode } from '../errors.js';
import { caseFolded } from './case-folding.js';
import { goldUnits } from './money.js';
import type { OraclePrice } from './quote.js';
import { troyOunce, weightDecimals } from './weight.js';

/** How long before its user can reclaim a redemption no gold is handed out for it, ms: two people may take a day to announce its burn. */
export const handOverMarginMs = 48 * 3_600_000;

/**
 * Returns whether the cancellation of an announced burn may give the tokens back to a user who has the gold: it was handed out, and two
 * people may not announce the burn again in time.
 */
export function mayLoseBurn(
  { status, reclaimableAt }: { status: RedemptionStatus; reclaimableAt: Date | null },
  now: number,
): boolean {
  return (
    status === 'collected' && reclaimableAt !== null && now >= reclaimableAt.getTime() - handOverMarginMs
  );
}

/** What a caller may see; in the order in which a redemption goes through them. */
export const visibleRedemptionStatuses = [
  'submitted',
  'preparing',
  'ready',
  'collected',
  'cancellation_requested',
  'cancelled',
  'failed',
] as const;

/**
 * `quoted` and `lapsed` are internal: a quote whose transaction may still land, and one whose transaction no longer
 * can. Callers see neither.
 */
export const redemptionStatuses = ['quoted', ...visibleRedemptionStatuses, 'lapsed'] as const;

export type VisibleRedemptionStatus = (typeof visibleRedemptionStatuses)[number];
export type RedemptionStatus = (typeof redemptionStatuses)[number];

/** What can happen to a redemption: the chain's four, the partner's one, the operators' four. */
export type RedemptionEvent =
  | 'land'
  | 'revert'
  | 'lapse'
  /** Its user has taken the tokens back out of escrow, which the program allows once it took too long. */
  | 'reclaim'
  | 'request_cancellation'
  | 'prepare'
  | 'ready'
  | 'collect'
  | 'cancel';

export const operatorMoves = ['prepare', 'ready', 'collect', 'cancel'] as const satisfies RedemptionEvent[];
export type OperatorMove = (typeof operatorMoves)[number];

/**
 * Quotes of a partner whose transactions may still land, at most. Each counts with its rent towards what the service key may
 * cost in an hour, whether it lands or not: one partner cannot use all of that up.
 */
export const maxOpenQuotes = 500;

/** Why a redemption is cancelled whose user has reclaimed it. */
export const reclaimedReason = 'reclaimed on chain';

/** What becomes of the tokens in escrow when a redemption has ended: they go back, or are burned. */
export const settlementKinds = ['refund', 'burn'] as const;
export type SettlementKind = (typeof settlementKinds)[number];

/** All that operators can do with a redemption: each is the last part of a path. */
export const operatorActions = [...operatorMoves, 'reissue-code', ...settlementKinds, 'cancel-burn'] as const;
export type OperatorAction = (typeof operatorActions)[number];

const transitions: Record<RedemptionStatus, Partial<Record<RedemptionEvent, RedemptionStatus>>> = {
  quoted: { land: 'submitted', revert: 'failed', lapse: 'lapsed' },
  submitted: { request_cancellation: 'cancellation_requested', prepare: 'preparing', reclaim: 'cancelled' },
  preparing: { ready: 'ready', reclaim: 'cancelled' },
  ready: { collect: 'collected', reclaim: 'cancelled' },
  collected: {},
  cancellation_requested: { cancel: 'cancelled', reclaim: 'cancelled' },
  cancelled: {},
  failed: {},
  lapsed: {},
};

/** The states out of which a redemption can be reclaimed: its tokens are in escrow, and its gold is not handed over. */
export const reclaimableStatuses = redemptionStatuses.filter(
  (status) => transitions[status].reclaim !== undefined,
);

/** Returns whether something may still happen to a redemption, other than the settlement of its tokens. */
export function isOpen(status: RedemptionStatus): boolean {
  return Object.keys(transitions[status]).length > 0;
}

/** How a move is refused. Those of the chain never come from a caller: a wrong one is a mistake of the service. */
const refusal: Record<RedemptionEvent, ErrorCode> = {
  land: 'internal_error',
  revert: 'internal_error',
  lapse: 'internal_error',
  reclaim: 'internal_error',
  request_cancellation: 'cancellation_not_allowed',
  prepare: 'transition_not_allowed',
  ready: 'transition_not_allowed',
  collect: 'transition_not_allowed',
  cancel: 'transition_not_allowed',
};

const desired: Record<RedemptionEvent, string> = {
  land: 'be submitted',
  revert: 'fail',
  lapse: 'lapse',
  reclaim: 'be reclaimed',
  request_cancellation: 'be cancelled',
  prepare: 'be prepared',
  ready: 'be made ready',
  collect: 'be collected',
  cancel: 'be marked cancelled',
};

/** Returns the state that `event` leads to, or undefined where it leads nowhere. */
export function findNextStatus(
  status: RedemptionStatus,
  event: RedemptionEvent,
): RedemptionStatus | undefined {
  return transitions[status][event];
}

/** Returns whether anything that can happen leads from one state to the other. */
export function isRedemptionMove(from: RedemptionStatus, to: RedemptionStatus): boolean {
  return Object.values(transitions[from] ?? {}).includes(to);
}

/** Returns the state that `event` leads to. Throws the event's refusal, naming the state that forbids it. */
export function nextStatus(status: RedemptionStatus, event: RedemptionEvent): RedemptionStatus {
  const next = findNextStatus(status, event);
  if (next !== undefined) return next;
  throw new AppError(refusal[event], `A redemption that is ${status} cannot ${desired[event]}.`);
}

/** Returns the settlement of a redemption's tokens that its state requires, if any. */
export function settlementOf(status: RedemptionStatus): SettlementKind | undefined {
  return settlements[status];
}

const settlements: Partial<Record<RedemptionStatus, SettlementKind>> = {
  cancelled: 'refund',
  collected: 'burn',
};

/** What each settlement puts an end to. Once burned, a hand-over without a code, which takes two people, can still be entered. */
const endedBy: Record<SettlementKind, OperatorAction[]> = {
  refund: ['prepare', 'ready', 'collect', 'reissue-code'],
  burn: ['prepare', 'reissue-code'],
};

/**
 * Returns whether an action may no longer happen because the tokens of a redemption have left escrow or are on their way:
 * refunded, they pay for no gold; burned, their gold is taken to be handed over, and no code opens the vault again.
 */
export function isEndedBy(
  settled: SettlementKind | undefined,
  action: OperatorAction | 'collect_by_code',
): boolean {
  if (settled === undefined) return false;
  return action === 'collect_by_code' || endedBy[settled].includes(action);
}

/**
 * Returns what an operator who may fulfil can do with a redemption now, by the records: the program's account decides.
 * @param tokens.settled how its tokens have left escrow or are about to.
 * @param tokens.awaitsApproval whether an approval of that is pending.
 * @param tokens.isBurnAnnounced whether their burn is announced, and has to be cancelled before all else.
 */
export function availableActions(
  redemption: { status: RedemptionStatus; finalized: boolean },
  {
    settled,
    awaitsApproval,
    isBurnAnnounced,
  }: { settled: SettlementKind | undefined; awaitsApproval: boolean; isBurnAnnounced: boolean },
): OperatorAction[] {
  const { status, finalized } = redemption;
  // Until the chain can no longer undo the payment, it pays for no gold.
  const actions: OperatorAction[] = operatorMoves.filter(
    (move) => findNextStatus(status, move) !== undefined && (finalized || move !== 'prepare'),
  );
  if (status === 'ready') actions.push('reissue-code');
  const settlement = settlementOf(status);
  // Tokens leave escrow once it is certain that they came. Whatever became of the gold, an announced burn has to be cancelled first.
  const next = isBurnAnnounced ? 'cancel-burn' : settlement;
  if (next !== undefined && settled === undefined && !awaitsApproval && finalized) actions.push(next);
  return actions.filter((action) => !isEndedBy(settled, action));
}

/** Returns whether operators have still something to do with a redemption, or with its tokens: then it can be one operator's. */
export function isAssignable({ status, settled }: { status: RedemptionStatus; settled: boolean }): boolean {
  return isOpen(status) || (settlementOf(status) !== undefined && !settled);
}

const dayMs = 86_400_000;
/** How long a customer may wait, ms, before a redemption is late, and before it is overdue: from the quote to the hand-over. */
export const lateAfterMs = dayMs;
export const overdueAfterMs = 3 * dayMs;

/** How a redemption that waits stands with that. */
export const waitingAges = ['on_time', 'late', 'overdue'] as const;
export type WaitingAge = (typeof waitingAges)[number];

/** Returns how long a redemption has waited by now, in words; null for one that has ended. */
export function ageOf(
  { status, createdAt }: { status: RedemptionStatus; createdAt: Date },
  nowMs: number,
): WaitingAge | null {
  if (!isOpen(status)) return null;
  const waitedMs = nowMs - createdAt.getTime();
  if (waitedMs > overdueAfterMs) return 'overdue';
  return waitedMs > lateAfterMs ? 'late' : 'on_time';
}

/** Returns whether callers may know of a redemption in that state. */
export function isVisible(status: RedemptionStatus): status is VisibleRedemptionStatus {
  return (visibleRedemptionStatuses as readonly string[]).includes(status);
}

/** Returns the key by which cities are compared: without case, and without regard to how an accent was typed. */
export const cityKey = caseFolded;

export interface RedemptionTerms extends OraclePrice {
  /** Grams as plain decimal text. */
  weightG: string;
  /** The partner's fee as a fraction in plain decimal text: 0.015 is 1.5 %. */
  feePercentage: string;
}

/** An exact fraction; the denominator is positive. */
interface Ratio {
  numerator: bigint;
  denominator: bigint;
}

const gramsPerTroyOunce: Ratio = { numerator: troyOunce, denominator: 10n ** BigInt(weightDecimals) };
const millionths: Ratio = { numerator: 1_000_000n, denominator: 1n };

/**
 * Returns what a redemption costs, GOLD in base units and dollars in millionths:
 * `ounces = weight_g / 31.1034768`; `tokens_required = round(ounces x (1 + fee_percentage), 6)`;
 * `gold_value_usd = round(ounces x spot, 6)`; `fee_usd = round(fee_percentage x gold_value_usd, 6)`;
 * `total_usd = gold_value_usd + fee_usd`, each half away from zero. Tokens never come from rounded dollars.
 * Throws when a text is no plain decimal.
 */
export function quoteRedemption(terms: RedemptionTerms) {
  const ounces = ouncesOf(terms.weightG);
  const fee = readRatio(terms.feePercentage);
  const onePlusFee = { numerator: fee.denominator + fee.numerator, denominator: fee.denominator };
  const spot = { numerator: terms.price, denominator: 10n ** BigInt(-terms.exponent) };
  const goldValueUsd = roundedProduct(ounces, spot, millionths);
  const feeUsd = roundedProduct(fee, { numerator: goldValueUsd, denominator: 1n });
  return {
    tokensRequired: goldUnits(roundedProduct(ounces, onePlusFee, millionths)),
    goldValueUsd,
    feeUsd,
    totalUsd: goldValueUsd + feeUsd,
  };
}

/** Troy ounces of a weight in grams, in millionths, half away from zero. */
export function weightTroyOz(weightG: string): bigint {
  return roundedProduct(ouncesOf(weightG), millionths);
}

function ouncesOf(weightG: string): Ratio {
  const grams = readRatio(weightG);
  return {
    numerator: grams.numerator * gramsPerTroyOunce.denominator,
    denominator: grams.denominator * gramsPerTroyOunce.numerator,
  };
}

/** Reads a decimal without a sign: nothing here is ever negative. */
function readRatio(text: string): Ratio {
  const match = /^(\d+)(?:\.(\d+))?$/.exec(text);
  if (!match) throw new Error(`${text} is not a decimal`);
  const [, whole = '', fraction = ''] = match;
  return { numerator: BigInt(whole + fraction), denominator: 10n ** BigInt(fraction.length) };
}

/** Returns the product of fractions that are not negative, rounded once, half away from zero. */
function roundedProduct(...ratios: Ratio[]): bigint {
  const numerator = ratios.reduce((product, ratio) => product * ratio.numerator, 1n);
  const denominator = ratios.reduce((product, ratio) => product * ratio.denominator, 1n);
  return (2n * numerator + denominator) / (2n * denominator);
}

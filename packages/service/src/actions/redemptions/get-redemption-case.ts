import type { Context } from '../../context.js';
import { type Bar, findBarOf } from '../../db/bars/bars.js';
import { findActiveOperators } from '../../db/operators/operators.js';
import { type Burn, findAnnouncement, isVoid } from '../../db/redemptions/burns.js';
import { findPickupCode, type PickupCode } from '../../db/redemptions/pickup-codes.js';
import { findRedemptionNames, type RedemptionNames } from '../../db/redemptions/redemption-names.js';
import {
  findHistory,
  type NamedHistoryEntry,
  type VisibleRedemption,
} from '../../db/redemptions/redemptions.js';
import { findSettlement, findSettlementApproval, type Settlement } from '../../db/redemptions/settlements.js';
import { findUser } from '../../db/users.js';
import type { Uuid } from '../../domain/ids.js';
import { idDocumentOf, maskedNumber } from '../../domain/kyc.js';
import { mayOperator, type Operator, rolesWith } from '../../domain/operator.js';
import { pickupTries } from '../../domain/pickup-code.js';
import {
  availableActions,
  isAssignable,
  isVisible,
  type OperatorAction,
  type VisibleRedemptionStatus,
} from '../../domain/redemption.js';
import { getVisibleRedemption } from './get-redemption.js';
import { isUnderWay } from './settled.js';

/** A status change between states that callers may see; from null where it came from another. */
export type VisibleHistoryEntry = NamedHistoryEntry &
  Record<'to', VisibleRedemptionStatus> &
  Record<'from', VisibleRedemptionStatus | null>;

/** Everything that an operator has to know of a redemption to go on with it. */
export interface RedemptionCase {
  redemption: VisibleRedemption;
  /** In its order, from the payment on: internal steps are not part of it. */
  history: VisibleHistoryEntry[];
  settlement: Settlement | undefined;
  /** Its burn, if that is announced and can still be done. */
  burn: Burn | undefined;
  /** A pending approval of its settlement. */
  approvalId: Uuid | undefined;
  /** What this operator can do with it now. */
  actions: OperatorAction[];
  names: RedemptionNames | undefined;
  /** Whom this operator can have see to it. */
  assignableTo: { id: Uuid; name: string }[];
  /** Whose it is, for operators who may hand it over; null for all others. */
  customer: Customer | null;
  /** The bar that is reserved for it or was handed over. */
  bar: Bar | undefined;
  /** Its pickup code, which is nowhere readable here; undefined while it has none. */
  pickup: PickupState | undefined;
}

/** A customer as the people of a vault see one. */
export interface Customer {
  /** The partner's own id. */
  userId: string;
  fullName: string | null;
  country: string | null;
  idType: string | null;
  idNumberMasked: string | null;
}

/** How it stands with a pickup code. */
export interface PickupState {
  codeIssuedAt: Date;
  attemptsLeft: number;
  locked: boolean;
}

/** Returns a redemption as an operator sees it. Throws `redemption_not_found`, also for a quote that has not landed. */
export async function getRedemptionCase(
  ctx: Context,
  { role }: Operator,
  redemptionId: string,
): Promise<RedemptionCase> {
  const redemption = await getVisibleRedemption(ctx.db, redemptionId);
  const { id } = redemption;
  const mayFulfil = mayOperator(role, 'fulfil');
  const now = new Date(ctx.clock.now());
  const mayAssign = mayFulfil && isAssignable(redemption);
  const [history, settlement, announced, approvalId, customer, bar, code, assignableTo, names] =
    await Promise.all([
      findHistory(ctx.db, id),
      findSettlement(ctx.db, id),
      findAnnouncement(ctx.db, id),
      findSettlementApproval(ctx.db, id, now),
      mayFulfil ? readCustomer(ctx, redemption) : null,
      findBarOf(ctx.db, id),
      findPickupCode(ctx.db, id),
      mayAssign ? findActiveOperators(ctx.db, rolesWith('fulfil')) : [],
      findRedemptionNames(ctx.db, [id]),
    ]);
  const burn = announced && !isVoid(announced, now) ? announced : undefined;
  const tokens = {
    settled: isUnderWay(settlement) ? settlement.kind : undefined,
    awaitsApproval: approvalId !== undefined,
    // One that is void is announced again, or cancelled where the gold was not handed out.
    isBurnAnnounced: (redemption.status === 'collected' ? burn : announced) !== undefined,
  };
  return {
    redemption,
    history: history.flatMap(visibleEntry),
    settlement,
    burn,
    approvalId,
    actions: mayFulfil ? availableActions(redemption, tokens) : [],
    names: names.get(id),
    assignableTo,
    customer,
    bar,
    pickup: code && toPickupState(code),
  };
}

/** Reads the customer of a redemption; null for a user who is gone. */
export async function readCustomer(
  ctx: Pick<Context, 'db' | 'kyc'>,
  { userId }: Pick<VisibleRedemption, 'userId'>,
): Promise<Customer | null> {
  const found = await findUser(ctx.db, userId);
  if (!found) return null;
  const { user } = found;
  const kyc = found.kyc && (await ctx.kyc.open(found.kyc));
  const { idType, idNumber } = idDocumentOf(kyc?.kycData ?? null);
  return {
    userId: user.partnerUserId,
    fullName: kyc?.fullName ?? null,
    country: kyc?.country ?? null,
    idType,
    idNumberMasked: idNumber === null ? null : maskedNumber(idNumber),
  };
}

function toPickupState({ issuedAt, tries }: PickupCode): PickupState {
  const attemptsLeft = pickupTries - tries;
  return { codeIssuedAt: issuedAt, attemptsLeft, locked: attemptsLeft === 0 };
}

function visibleEntry(entry: NamedHistoryEntry): VisibleHistoryEntry[] {
  const { from, to } = entry;
  return isVisible(to) ? [{ ...entry, to, from: from !== null && isVisible(from) ? from : null }] : [];
}

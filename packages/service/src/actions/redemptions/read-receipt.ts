import type { Context } from '../../context.js';
import { type Bar, findBarOf } from '../../db/bars/bars.js';
import { findPartner, type Partner } from '../../db/partners/partners.js';
import {
  findHistory,
  type NamedHistoryEntry,
  type VisibleRedemption,
} from '../../db/redemptions/redemptions.js';
import type { RedemptionStatus } from '../../domain/redemption.js';
import { notAllowed } from '../../errors.js';
import { getVisibleRedemption } from './get-redemption.js';
import { type Customer, readCustomer } from './get-redemption-case.js';

/** Everything that stands on the receipt of a hand-over. */
export interface Receipt {
  redemption: VisibleRedemption;
  partner: Partner | undefined;
  customer: Customer | null;
  bar: Bar | undefined;
  /** When and by whom it came to a status; undefined before. */
  step(status: RedemptionStatus): NamedHistoryEntry | undefined;
  at: Date;
}

/**
 * Returns the receipt of a redemption that is ready or collected. Throws `redemption_not_found` and
 * `transition_not_allowed`.
 */
export async function readReceipt(ctx: Context, redemptionId: string): Promise<Receipt> {
  const redemption = await getVisibleRedemption(ctx.db, redemptionId);
  const { id, status } = redemption;
  if (status !== 'ready' && status !== 'collected') {
    throw notAllowed(`A redemption that is ${status} has no receipt yet.`);
  }
  const [partner, customer, bar, history] = await Promise.all([
    findPartner(ctx.db, redemption.partnerId),
    readCustomer(ctx, redemption),
    findBarOf(ctx.db, id),
    findHistory(ctx.db, id),
  ]);
  const step = (wanted: RedemptionStatus) => history.find(({ to }) => to === wanted);
  return { redemption, partner, customer, bar, step, at: new Date(ctx.clock.now()) };
}

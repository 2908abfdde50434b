import { type Bar, lockBar, updateBar } from '../../db/bars/bars.js';
import { findDenominationsById, findPickupCity } from '../../db/catalogue/denominations.js';
import type { Tx } from '../../db/client.js';
import type { AuditAction } from '../../domain/audit.js';
import {
  type BarStatus,
  readBarWeight,
  readFineness,
  readWeight,
  requireBarTransition,
} from '../../domain/bar.js';
import { asUuid } from '../../domain/ids.js';
import { cityKey } from '../../domain/redemption.js';
import { AppError, invalidField, notAllowed } from '../../errors.js';
import { isSame, recordChange } from '../audit.js';
import type { ChangeTx } from '../change.js';
import { toAuditedBar, unknownCity } from './add-bars.js';

export interface BarChanges {
  barId: string;
  /** Back in stock, or out of it for good. The other statuses follow from redemptions. */
  status?: Extract<BarStatus, 'in_stock' | 'withdrawn'> | undefined;
  /** Parts per thousand, a number as it came. */
  fineness?: number | undefined;
  /** Grams, a number as it came. */
  weightG?: number | undefined;
  city?: string | undefined;
  /** Needed to withdraw a bar. */
  reason?: string | undefined;
}

/**
 * Corrects or moves a bar, takes a reserved one back into stock, or withdraws one. What is as wanted already is no change
 * and leaves no trace. Throws `not_found`, `invalid_request`, `invalid_city`, or `transition_not_allowed` naming the status.
 */
export async function changeBar({ tx, by, at }: ChangeTx, changes: BarChanges): Promise<Bar> {
  const { status, fineness, weightG, city, reason } = changes;
  if (status === 'withdrawn' && reason === undefined) {
    throw invalidField('reason', 'reason is required to withdraw a bar.');
  }
  const nextFineness = fineness === undefined ? undefined : readFineness(fineness);
  if (weightG !== undefined) readWeight(weightG);
  const bar = await getBarForChange(tx, changes.barId);
  const [denomination] = (await findDenominationsById(tx, [bar.denominationId])).values();
  const pickupCity = city === undefined ? bar.city : await findPickupCity(tx, city.trim());
  if (pickupCity === undefined) throw unknownCity();
  const wanted: Bar = {
    ...bar,
    fineness: nextFineness ?? bar.fineness,
    weightG: weightG === undefined ? bar.weightG : readBarWeight(weightG, denomination?.weightG ?? '0'),
    city: pickupCity,
    cityKey: cityKey(pickupCity),
    status: status ?? bar.status,
  };
  if (status !== undefined && status !== bar.status) requireBarTransition(bar.status, status);
  const [before, after] = [toAuditedBar(bar), toAuditedBar(wanted)];
  if (isSame(before, after)) return bar;
  if (wanted.status === bar.status && bar.status !== 'in_stock') {
    throw notAllowed(`A bar that is ${bar.status} cannot be changed.`);
  }
  const left = {
    redemptionId: wanted.status === 'in_stock' ? null : bar.redemptionId,
    reason: wanted.status === 'withdrawn' ? (reason ?? null) : null,
  };
  const next = { ...wanted, ...left, updatedAt: at };
  const columns = { fineness: next.fineness, weightG: next.weightG, city: next.city, status: next.status };
  await updateBar(tx, bar, { ...columns, ...left }, at);
  const action: AuditAction = next.status === bar.status ? 'bar.change' : barActions[next.status];
  const change = { action, objectType: 'bar', objectId: bar.id, reason: reason ?? null };
  await recordChange(tx, by, { ...change, before, after: toAuditedBar(next) }, at);
  return next;
}

/** What brings a bar to a status, as the audit log names it. */
export const barActions: Record<BarStatus, AuditAction> = {
  in_stock: 'bar.release',
  reserved: 'bar.reserve',
  handed_over: 'bar.hand_over',
  withdrawn: 'bar.withdraw',
};

async function getBarForChange(tx: Tx, text: string): Promise<Bar> {
  const id = asUuid(text);
  const bar = id && (await lockBar(tx, id));
  if (bar) return bar;
  throw barNotFound();
}

export function barNotFound(): AppError {
  return new AppError('not_found', 'There is no bar with this id.');
}

import { type Bar, lockBar, updateBar } from '../../db/bars/bars.js';
import {
  type Denomination,
  findDenominationsById,
  findPickupCity,
} from '../../db/catalogue/denominations.js';
import type { Tx } from '../../db/client.js';
import type { AuditAction } from '../../domain/audit.js';
import {
  type BarStatus,
  readBarWeight,
  readFineness,
  readWeight,
  requireBarTransition,
} from '../../domain/bar.js';
import { isStorable } from '../../domain/encoding.js';
import { asUuid } from '../../domain/ids.js';
import { cityKey } from '../../domain/redemption.js';
import { AppError, invalidField, notAllowed } from '../../errors.js';
import { isSame, recordChange } from '../audit.js';
import type { ChangeTx } from '../change.js';
import { toAuditedBar, unknownCity, unknownDenomination } from './add-bars.js';

export interface BarChanges {
  barId: string;
  /** Back in stock, or out of it for good. The other statuses follow from redemptions. */
  status?: Extract<BarStatus, 'in_stock' | 'withdrawn'> | undefined;
  /** Parts per thousand, a number as it came. */
  fineness?: number | undefined;
  /** Grams, a number as it came. */
  weightG?: number | undefined;
  city?: string | undefined;
  /** One of the same weight, such as that of the city which the bar is moved to. */
  denominationId?: string | undefined;
  /** Needed to withdraw a bar. */
  reason?: string | undefined;
}

/** A bar, locked until the transaction ends, and what a change would make of it: the same where it changes nothing. */
export interface WantedBar {
  bar: Bar;
  wanted: Bar;
}

/** Decides about a change of a bar. Throws as `changeBar` does. */
export async function readBarChange(tx: Tx, changes: BarChanges): Promise<WantedBar> {
  const { status, fineness, weightG, city, denominationId, reason } = changes;
  if (status === 'withdrawn' && reason === undefined) {
    throw invalidField('reason', 'reason is required to withdraw a bar.');
  }
  const nextFineness = fineness === undefined ? undefined : readFineness(fineness);
  if (weightG !== undefined) readWeight(weightG);
  const bar = await getBarForChange(tx, changes.barId);
  const denomination = await findSameWeight(tx, bar.denominationId, denominationId);
  const pickupCity = city === undefined ? bar.city : await findPickupCity(tx, city.trim());
  if (pickupCity === undefined) throw unknownCity();
  const wanted: Bar = {
    ...bar,
    denominationId: denomination.id,
    fineness: nextFineness ?? bar.fineness,
    weightG: weightG === undefined ? bar.weightG : readBarWeight(weightG, denomination.weightG),
    city: pickupCity,
    cityKey: cityKey(pickupCity),
    status: status ?? bar.status,
  };
  if (status !== undefined && status !== bar.status) requireBarTransition(bar.status, status);
  if (isSame(toAuditedBar(bar), toAuditedBar(wanted))) return { bar, wanted: bar };
  if (wanted.status === bar.status && bar.status !== 'in_stock') {
    throw notAllowed(`A bar that is ${bar.status} cannot be changed.`);
  }
  const left = {
    redemptionId: wanted.status === 'in_stock' ? null : bar.redemptionId,
    reason: wanted.status === 'withdrawn' ? (reason ?? null) : null,
  };
  return { bar, wanted: { ...wanted, ...left } };
}

/**
 * Corrects or moves a bar, takes a reserved one back into stock, or withdraws one. What is as wanted already is no change
 * and leaves no trace. Throws `not_found`, `invalid_request`, `invalid_city`,
 * `invalid_denomination`, or `transition_not_allowed` naming the status.
 */
export async function changeBar({ tx, by, at }: ChangeTx, changes: BarChanges): Promise<Bar> {
  const { bar, wanted } = await readBarChange(tx, changes);
  if (wanted === bar) return bar;
  const { denominationId, fineness, weightG, city, status, redemptionId, reason } = wanted;
  await updateBar(tx, bar, { denominationId, fineness, weightG, city, status, redemptionId, reason }, at);
  const action: AuditAction = status === bar.status ? 'bar.change' : barActions[status];
  const [before, after] = [toAuditedBar(bar), toAuditedBar(wanted)];
  await recordChange(tx, by, { action, objectId: bar.id, reason: changes.reason ?? null, before, after }, at);
  return { ...wanted, updatedAt: at };
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

/** Returns the denomination that a bar has or gets. Throws `invalid_denomination` for one that is unknown or of another weight. */
async function findSameWeight(tx: Tx, today: string, wanted = today): Promise<Denomination> {
  const found = await findDenominationsById(tx, [today, wanted].filter(isStorable));
  const [has, gets] = [found.get(today), found.get(wanted)];
  if (!gets) throw unknownDenomination();
  if (has && has.weightG === gets.weightG) return gets;
  const message = `${wanted} is of another weight than ${today}, which the bar is of.`;
  throw new AppError('invalid_denomination', message, { field: 'denomination_id' });
}

export function barNotFound(): AppError {
  return new AppError('not_found', 'There is no bar with this id.');
}

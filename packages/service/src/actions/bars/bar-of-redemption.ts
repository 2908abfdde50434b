import { type Bar, lockBarOf, lockBarsFor, updateBar } from '../../db/bars/bars.js';
import type { VisibleRedemption } from '../../db/redemptions/redemptions.js';
import { barName } from '../../domain/bar.js';
import { isStorable } from '../../domain/encoding.js';
import { cityKey } from '../../domain/redemption.js';
import { AppError } from '../../errors.js';
import type { Change } from '../audit.js';
import type { ChangeTx } from '../change.js';
import { toAuditedBar } from './add-bars.js';
import { barActions } from './change-bar.js';

/** A bar as a clerk names it. */
export interface NamedBar {
  serial: string;
  /** Needed when bars of several refiners have this serial. */
  refiner?: string | undefined;
}

/**
 * Reserves a bar for a redemption, in place of one that was reserved before, and returns what to write to the audit log.
 * Throws `bar_not_available` when there is no such bar in stock of the redemption's denomination and city.
 */
export async function reserveBar(
  { tx, at }: Pick<ChangeTx, 'tx' | 'at'>,
  redemption: Pick<VisibleRedemption, 'id' | 'denominationId' | 'denomination' | 'city'>,
  named: NamedBar,
): Promise<Change[]> {
  const serial = isStorable(named.serial) ? named.serial : undefined;
  const { present, found } = await lockBarsFor(tx, redemption.id, serial);
  const bar = chooseBar(found, redemption, named);
  if (bar.id === present?.id) return [];
  const released = present ? await moveBar({ tx, at }, present, 'in_stock') : [];
  const reserved = { status: 'reserved', redemptionId: redemption.id } as const;
  await updateBar(tx, bar, reserved, at);
  return [...released, changeOf(bar, { ...bar, ...reserved })];
}

/** Moves the bar of a redemption on, if it has one, and returns what to write to the audit log. */
export async function moveBarOf(
  { tx, at }: Pick<ChangeTx, 'tx' | 'at'>,
  redemption: Pick<VisibleRedemption, 'id'>,
  to: 'handed_over' | 'in_stock',
): Promise<Change[]> {
  const bar = await lockBarOf(tx, redemption.id);
  return bar ? moveBar({ tx, at }, bar, to) : [];
}

async function moveBar(
  { tx, at }: Pick<ChangeTx, 'tx' | 'at'>,
  bar: Bar,
  status: 'handed_over' | 'in_stock',
): Promise<Change[]> {
  const changes = status === 'in_stock' ? { status, redemptionId: null } : { status };
  await updateBar(tx, bar, changes, at);
  return [changeOf(bar, { ...bar, ...changes })];
}

function changeOf(before: Bar, after: Bar): Change {
  return {
    action: barActions[after.status],
    objectType: 'bar',
    objectId: before.id,
    before: toAuditedBar(before),
    after: toAuditedBar(after),
  };
}

/** Returns the one bar that is meant. Throws `bar_not_available`, saying why there is none. */
function chooseBar(
  found: Bar[],
  redemption: Pick<VisibleRedemption, 'id' | 'denominationId' | 'denomination' | 'city'>,
  { serial, refiner }: NamedBar,
): Bar {
  const wanted = refiner === undefined ? undefined : barName(refiner).toLowerCase();
  const named = found.filter((bar) => wanted === undefined || bar.refiner.toLowerCase() === wanted);
  const fitting = named.filter(
    (bar) =>
      bar.denominationId === redemption.denominationId &&
      bar.cityKey === cityKey(redemption.city) &&
      (bar.status === 'in_stock' || (bar.status === 'reserved' && bar.redemptionId === redemption.id)),
  );
  const [bar, other] = fitting;
  if (bar && !other) return bar;
  if (bar) throw notAvailable(`Bars of several refiners are ${serial}: name the refiner as well.`);
  const [one] = named;
  if (!one) throw notAvailable(`There is no bar ${serial}.`);
  if (one.denominationId !== redemption.denominationId)
    throw notAvailable(`The bar ${serial} is no ${redemption.denomination}.`);
  if (one.cityKey !== cityKey(redemption.city))
    throw notAvailable(`The bar ${serial} is in ${one.city}, not in ${redemption.city}.`);
  throw notAvailable(`The bar ${serial} is ${one.status}.`);
}

function notAvailable(message: string): AppError {
  return new AppError('bar_not_available', message, { field: 'bar_serial' });
}

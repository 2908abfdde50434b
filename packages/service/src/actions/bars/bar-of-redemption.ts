import { type Bar, findBarsFor, lockBarOf, lockBarsFor, updateBar } from '../../db/bars/bars.js';
import type { Tx } from '../../db/client.js';
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

type Receiver = Pick<VisibleRedemption, 'id' | 'denominationId' | 'denomination' | 'city'>;

/**
 * Throws `bar_required` where a redemption has no bar and none is named, and `bar_not_available` where the named one cannot be
 * had. Takes nothing yet.
 */
export async function requireBar(tx: Tx, redemption: Receiver, named: NamedBar | undefined): Promise<void> {
  const { present, found } = await findBarsFor(tx, redemption.id, named && serialOf(named));
  if (named) chooseBar(found, redemption, named);
  else if (!present) throw barRequired(redemption);
}

/**
 * Reserves the bar that a redemption cannot go without: the named one, or else the one that it has. Returns what to write to the
 * audit log. Throws as `requireBar` does.
 */
export async function takeBar(
  change: Pick<ChangeTx, 'tx' | 'at'>,
  redemption: Receiver,
  named: NamedBar | undefined,
): Promise<Change[]> {
  if (named) return reserveBar(change, redemption, named);
  if (!(await lockBarOf(change.tx, redemption.id))) throw barRequired(redemption);
  return [];
}

/**
 * Reserves a bar for a redemption, in place of one that was reserved before, and returns what to write to the audit log.
 * Throws `bar_not_available` when there is no such bar in stock of the redemption's denomination and city.
 */
export async function reserveBar(
  { tx, at }: Pick<ChangeTx, 'tx' | 'at'>,
  redemption: Receiver,
  named: NamedBar,
): Promise<Change[]> {
  const { present, found } = await lockBarsFor(tx, redemption.id, serialOf(named));
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
    objectId: before.id,
    before: toAuditedBar(before),
    after: toAuditedBar(after),
  };
}

/** What cannot be stored is the serial of no bar. */
const serialOf = ({ serial }: NamedBar) => (isStorable(serial) ? serial : undefined);

/** Returns the one bar that is meant. Throws `bar_not_available`, saying why there is none. */
function chooseBar(found: Bar[], redemption: Receiver, { serial, refiner }: NamedBar): Bar {
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

function barRequired({ denomination, city }: Receiver): AppError {
  const message = `A ${denomination} in ${city} is needed: name the bar.`;
  return new AppError('bar_required', message, { field: 'bar_serial' });
}

function notAvailable(message: string): AppError {
  return new AppError('bar_not_available', message, { field: 'bar_serial' });
}

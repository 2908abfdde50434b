import { type Bar, findTakenPlaces, insertBars, type NewBar } from '../../db/bars/bars.js';
import {
  type Denomination,
  findDenominationsById,
  findPickupCity,
} from '../../db/catalogue/denominations.js';
import type { Tx } from '../../db/client.js';
import { barName, readBarName, readBarWeight, readFineness } from '../../domain/bar.js';
import { isStorable } from '../../domain/encoding.js';
import { decimalNumber } from '../../domain/money.js';
import { cityKey } from '../../domain/redemption.js';
import { AppError } from '../../errors.js';
import { recordChanges } from '../audit.js';
import type { ChangeTx } from '../change.js';

/** A bar as a vault reports it; numbers as they came. */
export interface ReportedBar {
  serial: string;
  refiner: string;
  /** Parts per thousand. */
  fineness: number;
  weightG: number;
  denominationId: string;
  city: string;
}

/** Returns a bar as a request or an approval has it as one that is reported. */
export function toReported({
  weight_g: weightG,
  denomination_id: denominationId,
  ...bar
}: Omit<ReportedBar, 'weightG' | 'denominationId'> & {
  weight_g: number;
  denomination_id: string;
}): ReportedBar {
  return { ...bar, weightG, denominationId };
}

/** Why a bar was not taken, and its place among those that were reported. */
export interface RefusedBar {
  index: number;
  bar: ReportedBar;
  refusal: AppError;
}

export interface AddedBars {
  taken: Bar[];
  refused: RefusedBar[];
}

export interface SortedBars {
  /** Those that can be taken now. */
  rows: { index: number; bar: ReportedBar; row: NewBar }[];
  refused: RefusedBar[];
}

/**
 * Sorts bars into those that can be taken into stock and the others, each for itself: one that is malformed, of an unknown
 * denomination or city, or there already, is refused.
 */
export async function sortBars(tx: Tx, reported: ReportedBar[]): Promise<SortedBars> {
  const read = await readerOf(tx, reported);
  const rows: SortedBars['rows'] = [];
  const refused: RefusedBar[] = [];
  for (const [index, bar] of reported.entries()) {
    try {
      rows.push({ index, bar, row: read(bar) });
    } catch (refusal) {
      if (!(refusal instanceof AppError)) throw refusal;
      refused.push({ index, bar, refusal });
    }
  }
  const taken = await findTakenPlaces(
    tx,
    rows.map(({ row }) => row),
  );
  for (const place of taken) {
    const there = rows[place];
    if (there) refused.push({ index: there.index, bar: there.bar, refusal: barExists(there.bar) });
  }
  return {
    rows: rows.filter((_, place) => !taken.has(place)),
    refused: refused.toSorted((a, b) => a.index - b.index),
  };
}

/** Takes sorted bars into stock: no other ones than were sorted so, and of those the ones that are not there by now. */
export async function addBars({ tx, by, at }: ChangeTx, { rows, refused }: SortedBars): Promise<AddedBars> {
  const written = await insertBars(
    tx,
    rows.map(({ row }) => row),
    at,
  );
  const taken = written.flatMap((bar) => bar ?? []);
  // Another request was first.
  const late = rows.filter((_, place) => !written[place]);
  const lost = late.map(({ index, bar }) => ({ index, bar, refusal: barExists(bar) }));
  const change = { action: 'bar.add' as const };
  const changes = taken.map((bar) => ({ ...change, objectId: bar.id, after: toAuditedBar(bar) }));
  await recordChanges(tx, by, changes, at);
  return { taken, refused: [...refused, ...lost].toSorted((a, b) => a.index - b.index) };
}

/** Returns what reads a reported bar, and throws why it cannot be taken, with the field to blame. */
async function readerOf(tx: Tx, reported: ReportedBar[]): Promise<(bar: ReportedBar) => NewBar> {
  const ids = new Set(reported.map(({ denominationId }) => denominationId).filter(isStorable));
  const denominations = await findDenominationsById(tx, [...ids]);
  const cities = new Map<string, string>();
  for (const city of new Set(reported.map((bar) => bar.city.trim()).filter(isStorable))) {
    const known = await findPickupCity(tx, city);
    if (known !== undefined) cities.set(cityKey(city), known);
  }
  return ({ serial, refiner, fineness, weightG, denominationId, city }) => {
    const denomination: Denomination | undefined = denominations.get(denominationId);
    if (!denomination) throw unknownDenomination();
    const pickupCity = cities.get(cityKey(city.trim()));
    if (pickupCity === undefined) throw unknownCity();
    return {
      serial: readBarName('serial', serial, 64),
      refiner: readBarName('refiner', refiner, 100),
      fineness: readFineness(fineness),
      weightG: readBarWeight(weightG, denomination.weightG),
      denominationId,
      city: pickupCity,
    };
  };
}

export function unknownDenomination(): AppError {
  return new AppError('invalid_denomination', 'There is no such denomination.', { field: 'denomination_id' });
}

export function unknownCity(): AppError {
  const message = 'No denomination is handed over in this city.';
  return new AppError('invalid_city', message, { field: 'city' });
}

function barExists({ serial, refiner }: ReportedBar): AppError {
  const message = `The bar ${barName(serial)} of ${barName(refiner)} is already there.`;
  return new AppError('already_exists', message, { field: 'serial' });
}

/** Returns a bar as the audit log shows it. */
export function toAuditedBar(bar: Omit<Bar, 'cityKey' | 'createdAt' | 'updatedAt'>): Record<string, unknown> {
  return {
    serial: bar.serial,
    refiner: bar.refiner,
    fineness: decimalNumber(bar.fineness),
    weight_g: decimalNumber(bar.weightG),
    denomination_id: bar.denominationId,
    city: bar.city,
    status: bar.status,
    redemption_id: bar.redemptionId,
  };
}

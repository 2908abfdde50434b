import { toInteger } from './integer.js';
import { type MarketCalendar, newYorkTime } from './market-calendar.js';

/** A file of holidays that cannot be used; the message names the place and what is wrong there. */
export class MarketHolidaysError extends Error {
  override name = 'MarketHolidaysError';
}

/** How long before a year begins its holidays should be known. */
const noticeMs = 30 * 24 * 3_600_000;

/**
 * Reads the JSON of a holidays file: `years` that are complete, `closed` days and days of an `early_close`, whose `time`
 * is of New York. Throws a `MarketHolidaysError` for everything that is not exactly that, such as a day that does not
 * exist, stands twice, is a weekend's (and so most likely another day is meant) or belongs to none of the years.
 */
export function parseMarketHolidays(text: string): Omit<MarketCalendar, 'always'> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new MarketHolidaysError('it is not JSON');
  }
  const file = membersOf(parsed, 'it', ['years', 'closed', 'early_close']);
  const years = new Set(listOf(file.years, 'years').map(readYear));
  if (years.size === 0) throw new MarketHolidaysError('years is empty');
  const seen = new Set<string>();
  const closed = listOf(file.closed, 'closed').map((entry, index) => {
    const place = `closed[${index}]`;
    const { date } = membersOf(entry, place, ['date', 'name']);
    return readDate(date, place, years, seen);
  });
  const early = listOf(file.early_close, 'early_close').map((entry, index) => {
    const place = `early_close[${index}]`;
    const { date, time } = membersOf(entry, place, ['date', 'time', 'name']);
    return [readDate(date, place, years, seen), readMinute(time, place)] as const;
  });
  return { years, closed: new Set(closed), earlyCloseMinutes: new Map(early) };
}

/** Returns why the holidays of now, or of what comes soon, are not known; undefined when they are. */
export function missingHolidays(ms: number, calendar: MarketCalendar): string | undefined {
  const missing = [ms, ms + noticeMs].map(yearOf).find((year) => !calendar.years.has(year));
  if (calendar.always || missing === undefined) return undefined;
  return `The holidays of ${missing} are not in the file of holidays: the market will be taken for open on them.`;
}

function yearOf(ms: number): number {
  return toInteger(newYorkTime(ms).date.slice(0, 4));
}

function membersOf<T extends string>(value: unknown, place: string, names: T[]): Record<T, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new MarketHolidaysError(`${place} is not an object`);
  }
  const given = Object.keys(value);
  if (given.length !== names.length || !names.every((name) => given.includes(name))) {
    throw new MarketHolidaysError(`${place} must have exactly the fields ${names.join(', ')}`);
  }
  return value as Record<T, unknown>;
}

function listOf(value: unknown, place: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw new MarketHolidaysError(`${place} is not an array`);
}

function readYear(value: unknown): number {
  if (Number.isInteger(value) && toInteger(value) >= 2000 && toInteger(value) <= 9999)
    return toInteger(value);
  throw new MarketHolidaysError('years must be whole numbers such as 2026');
}

function readDate(value: unknown, place: string, years: Set<number>, seen: Set<string>): string {
  const ms = typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) ? Date.parse(value) : Number.NaN;
  // Some engines take the 30th of February for the 2nd of March.
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== value) {
    throw new MarketHolidaysError(`${place}.date must be a day such as 2026-12-25`);
  }
  const date = value as string;
  const weekday = new Date(ms).getUTCDay();
  if (weekday === 0 || weekday === 6) throw new MarketHolidaysError(`${place}.date is a weekend's`);
  if (!years.has(toInteger(date.slice(0, 4))))
    throw new MarketHolidaysError(`${place}.date is in none of the years`);
  if (seen.has(date)) throw new MarketHolidaysError(`${place}.date stands there twice`);
  seen.add(date);
  return date;
}

function readMinute(value: unknown, place: string): number {
  const [, hours, minutes] = (typeof value === 'string' && /^(\d\d):([0-5]\d)$/.exec(value)) || [];
  const minute = toInteger(hours) * 60 + toInteger(minutes);
  if (minute >= 0 && minute < 17 * 60) return minute;
  throw new MarketHolidaysError(`${place}.time must be a time before 17:00 such as 13:45`);
}

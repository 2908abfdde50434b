import { toInteger } from './integer.js';

/**
 * Date and time of day with an offset, in the basic and the extended format of ISO 8601: calendar dates, weeks, days of the
 * year; times cut off at hours or minutes; fractions of the last part behind a point or a comma. Formats of date, time and
 * offset may differ, as in `2025-03-01T12:00:00+0500`.
 */
const pattern = new RegExp(
  [
    String.raw`^(?<year>\d{4})(?<dash>-?)`,
    String.raw`(?:(?<month>\d{2})\k<dash>(?<day>\d{2})|W(?<week>\d{2})\k<dash>(?<weekday>[1-7])|(?<ordinal>\d{3}))`,
    String.raw`T(?<hour>\d{2})(?:(?<colon>:?)(?<minute>\d{2})(?:\k<colon>(?<second>\d{2}))?)?(?:[.,](?<fraction>\d+))?`,
    String.raw`(?:Z|(?<sign>[+\-−])(?<offsetHours>\d{2})(?::?(?<offsetMinutes>\d{2}))?)$`,
  ].join(''),
);

/** ISO 8601 leaves the years before the Gregorian calendar to mutual agreement. */
const firstYear = 1583;
const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Parts of a timestamp by name; what is not there is NaN. */
type Parts = Record<string, number>;

/**
 * Returns the moment of an ISO 8601 timestamp with an offset, such as `2025-03-01T12:00:00+05:00` or `20250301T1200+0500`;
 * undefined for any other text and for days and times that do not exist, such as 30 February. More than milliseconds are
 * cut off. A leap second is the second after it.
 */
export function parseTimestamp(text: string): Date | undefined {
  const groups = pattern.exec(text)?.groups;
  if (!groups) return undefined;
  const parts = Object.fromEntries(
    Object.entries(groups).map(([name, part]) => [name, Number.parseInt(part ?? '', 10)]),
  );
  const day = dayOf(parts);
  const time = timeOf(parts, groups.fraction ?? '');
  const offset = offsetOf(parts, groups.sign);
  if (day === undefined || time === undefined || offset === undefined) return undefined;
  const moment = new Date(day + time - offset);
  // Leap seconds are put in at the end of a day of UTC.
  if (parts.second === 60 && (moment.getTime() - (time % secondMs)) % dayMs !== 0) return undefined;
  return moment;
}

/** Returns why a text is no timestamp, as the rest of a sentence about it. */
export function timestampFault(text: string): string {
  const year = pattern.exec(text)?.groups?.year;
  if (year !== undefined)
    return Number.parseInt(year, 10) < firstYear
      ? `its year is ${year}, before ${firstYear}`
      : 'there is no such day or time';
  if (/^\d{9,13}$/.test(text)) return 'it is Unix time';
  if (parseTimestamp(`${text}Z`))
    return 'it has no offset: end it with Z for UTC, or with one such as +05:00';
  if (parseTimestamp(`${text}T00:00Z`)) return 'it is a date without a time';
  if (/T.* \d{2}:?\d{2}$/.test(text)) return 'it has a space before the offset: in a query, write + as %2B';
  if (parseTimestamp(text.replace(' ', 'T'))) return 'a T has to stand between date and time';
  return 'it is not written so';
}

/** Returns the moment that many seconds after 1970, as programs on chain write it; an invalid date outside of what dates can say. */
export function momentOf(seconds: bigint): Date {
  return new Date(toInteger(seconds) * secondMs);
}

/** Returns the beginning of the day in UTC, milliseconds; undefined for a day that the calendar lacks. */
function dayOf({ year = Number.NaN, month, day, week, weekday, ordinal }: Parts): number | undefined {
  if (year < firstYear) return undefined;
  const newYear = Date.UTC(year, 0, 1);
  if (month && day) {
    const date = new Date(Date.UTC(year, month - 1, day));
    return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() : undefined;
  }
  if (week && weekday) {
    // Week 1 is that of 4 January, and begins on a Monday.
    const mondayOf = (ofYear: number) => {
      const fourth = Date.UTC(ofYear, 0, 4);
      return fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * dayMs;
    };
    const date = mondayOf(year) + ((week - 1) * 7 + weekday - 1) * dayMs;
    return date < mondayOf(year + 1) ? date : undefined;
  }
  if (!ordinal) return undefined;
  const date = newYear + (ordinal - 1) * dayMs;
  return date < Date.UTC(year + 1, 0, 1) ? date : undefined;
}

/** Milliseconds since midnight; undefined for a time that no day has. */
function timeOf({ hour = Number.NaN, minute, second }: Parts, fraction: string): number | undefined {
  const [minutes, seconds] = [minute || 0, second || 0];
  // A fraction is one of the last part that is there.
  const unit = Number.isNaN(minute) ? hourMs : Number.isNaN(second) ? minuteMs : secondMs;
  const billionths = Number.parseInt(fraction.slice(0, 9).padEnd(9, '0'), 10);
  const fractionMs = Math.floor((billionths * unit) / 1e9);
  const ms = hour * hourMs + minutes * minuteMs + seconds * secondMs + fractionMs;
  // 24:00 is the end of a day.
  const exists = minutes <= 59 && seconds <= 60 && (hour <= 23 || ms === dayMs);
  return exists ? ms : undefined;
}

/** Milliseconds that local time is ahead of UTC; undefined for an offset of a day or more. */
function offsetOf({ offsetHours, offsetMinutes }: Parts, sign: string | undefined): number | undefined {
  if (sign === undefined) return 0;
  const [hours, minutes] = [offsetHours || 0, offsetMinutes || 0];
  if (hours > 23 || minutes > 59) return undefined;
  return (sign === '+' ? 1 : -1) * (hours * hourMs + minutes * minuteMs);
}

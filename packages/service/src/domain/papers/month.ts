/** A month of UTC, such as `2026-11`. */
export type Month = `${number}-${number}`;

/** Returns the month that the text names, which is exactly `YYYY-MM`; undefined for any other text. */
export function asMonth(text: string): Month | undefined {
  return /^20\d\d-(0[1-9]|1[0-2])$/.test(text) ? (text as Month) : undefined;
}

/** Returns the month of a moment. */
export const monthOf = (at: Date): Month => at.toISOString().slice(0, 7) as Month;

/** Returns when a month begins. */
export const startOf = (month: Month): Date => new Date(`${month}-01T00:00:00.000Z`);

/** Returns when a month is over: the first moment of the next. */
export function endOf(month: Month): Date {
  const start = startOf(month);
  return new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 1));
}

/** Returns the month after one. */
export const monthAfter = (month: Month): Month => monthOf(endOf(month));

/** Returns the month before one. */
export const monthBefore = (month: Month): Month => monthOf(new Date(startOf(month).getTime() - 1));

/** Returns the months from one to another, both included, oldest first. */
export function monthsBetween(first: Month, last: Month): Month[] {
  const months: Month[] = [];
  for (let month = first; month <= last; month = monthAfter(month)) months.push(month);
  return months;
}

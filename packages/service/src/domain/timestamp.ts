const pattern =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(?:Z|[+-](\d{2}):(\d{2}))$/;

/** Earlier than anything that is recorded here, and safely inside what PostgreSQL can store. */
const firstYear = 1900;

/**
 * The moment of an ISO-8601 timestamp with an offset, such as `2025-03-01T12:00:00+05:00`; undefined for any other
 * text and for days and times that do not exist, such as 30 February. More than milliseconds are cut off.
 */
export function parseTimestamp(text: string): Date | undefined {
  const match = pattern.exec(text);
  if (!match) return undefined;
  const [year, month, day, hour, minute, second, , offsetHours, offsetMinutes] = match
    .slice(1)
    .map((part) => Number.parseInt(part ?? '0', 10)) as [
    number,
    number,
    number,
    number,
    number,
    number,
    ...number[],
  ];
  const exists =
    year >= firstYear &&
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= new Date(Date.UTC(year, month, 0)).getUTCDate() &&
    hour <= 23 &&
    minute <= 59 &&
    second <= 59 &&
    (offsetHours ?? 0) <= 14 &&
    (offsetMinutes ?? 0) <= 59;
  return exists ? new Date(text) : undefined;
}

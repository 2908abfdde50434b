/** Requests are kept this long, by the clock of the service. */
export const requestsKeptMs = 7 * 24 * 60 * 60_000;
/** Requests of a partner that are written down for one day (UTC), at most; the others are counted. */
export const maxLoggedPerDay = 100_000;
/** Share of them that quotes may take, of which there are the most: so what failed later in a day is still found. */
const quotesShare = 0.9;
/** Bytes of a body, at most; a longer one is cut. */
export const maxLoggedBodyBytes = 16 * 1024;
/** Ends a body that was cut. */
const cutMark = '…';

const dayMs = 24 * 60 * 60_000;

/** Returns when the day (UTC) of a moment began, Unix milliseconds. */
export const dayOf = (ms: number): number => ms - (ms % dayMs);

/** Returns how many requests of a kind a day's log takes. */
const roomFor = (isQuote: boolean, maxPerDay: number): number =>
  isQuote ? Math.floor(maxPerDay * quotesShare) : maxPerDay;

/** Returns whether a day of a partner that has `logged` requests takes one more of that kind. */
export const hasRoom = (logged: number, isQuote: boolean, maxPerDay: number): boolean =>
  logged < roomFor(isQuote, maxPerDay);

/** Returns a text of at most `maxLoggedBodyBytes` in UTF-8: whole characters, and a mark where something is missing. */
export function cutBody(text: string): string {
  // No character takes more than three bytes for each of its units.
  if (text.length * 3 <= maxLoggedBodyBytes) return text;
  const bytes = Buffer.from(text);
  if (bytes.length <= maxLoggedBodyBytes) return text;
  let end = maxLoggedBodyBytes - Buffer.byteLength(cutMark);
  // Bytes of a character behind its first begin with the bits 10.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end) + cutMark;
}

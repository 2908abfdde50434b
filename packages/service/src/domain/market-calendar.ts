import { toInteger } from './integer.js';
export type MarketState = 'open' | 'closed';

/** A day of New York, `YYYY-MM-DD`. */
export type NewYorkDate = string;

export interface MarketCalendar {
  /** Open at all hours, whatever the other fields are. */
  always: boolean;
  /** Years whose holidays are all here. */
  years: ReadonlySet<number>;
  /** Days without a session: it would begin at 18:00 of the day before and end at 17:00. */
  closed: ReadonlySet<NewYorkDate>;
  /** Days whose session ends before 17:00, with the minute of the day at which it does. */
  earlyCloseMinutes: ReadonlyMap<NewYorkDate, number>;
}

/** An operator's word that stands against the calendar. */
export interface MarketOverride {
  market: MarketState;
  /** Unix milliseconds from which the calendar decides again; undefined: an operator takes it back. */
  untilMs: number | undefined;
}

/** A time in which the market is closed; Unix milliseconds, its end not included. */
export interface Closure {
  fromMs: number;
  toMs: number;
}

export interface MarketChange {
  /** Unix milliseconds: the first of the new state. */
  atMs: number;
  market: MarketState;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** The daily session ends and the next one begins; minutes of the day in New York. */
const closeMinute = 17 * 60;
const openMinute = 18 * 60;
/** Behind Greenwich: daylight saving time, standard time. */
const newYorkOffsetsMs = [4 * hourMs, 5 * hourMs];
/** A calendar without any change for so long is not one of a market. */
const maxDaysAhead = 366;

const newYork = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/New_York',
  calendar: 'gregory',
  numberingSystem: 'latn',
  hourCycle: 'h23',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
});

/** Returns what clocks and calendars in New York show at a moment. */
export function newYorkTime(ms: number): { date: NewYorkDate; minute: number } {
  const parts: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {};
  for (const { type, value } of newYork.formatToParts(ms)) parts[type] = value;
  const { year = '', month = '', day = '', hour = '', minute = '' } = parts;
  return {
    date: `${year.padStart(4, '0')}-${month}-${day}`,
    minute: toInteger(hour) * 60 + toInteger(minute),
  };
}

/**
 * Returns whether gold is traded at a moment: sessions of Monday to Friday begin at 18:00 New York time of the day
 * before and end at 17:00, but for the holidays of the calendar.
 */
export function marketStateAt(ms: number, calendar: MarketCalendar): MarketState {
  if (calendar.always) return 'open';
  const { date, minute } = newYorkTime(ms);
  if (minute >= openMinute) return hasSession(nextDate(date), calendar) ? 'open' : 'closed';
  const endMinute = calendar.earlyCloseMinutes.get(date) ?? closeMinute;
  return minute < endMinute && hasSession(date, calendar) ? 'open' : 'closed';
}

/** Returns the next moment at which the market opens or closes; undefined when it never does. */
export function nextMarketChange(ms: number, calendar: MarketCalendar): MarketChange | undefined {
  if (calendar.always) return undefined;
  const now = marketStateAt(ms, calendar);
  let { date } = newYorkTime(ms);
  for (let days = 0; days <= maxDaysAhead; days += 1) {
    const early = calendar.earlyCloseMinutes.get(date);
    for (const minute of [...(early === undefined ? [] : [early]), closeMinute, openMinute]) {
      const atMs = momentOf(date, minute);
      if (atMs <= ms) continue;
      const market = marketStateAt(atMs, calendar);
      if (market !== now) return { atMs, market };
    }
    date = nextDate(date);
  }
  return undefined;
}

/** Returns the state that the market should be in: an operator's word while it stands, else the calendar's. */
export function wantedMarket(
  ms: number,
  calendar: MarketCalendar,
  override: MarketOverride | undefined,
): MarketState {
  const stands = override && (override.untilMs === undefined || ms < override.untilMs);
  return stands ? override.market : marketStateAt(ms, calendar);
}

/**
 * Returns the next moment at which `wantedMarket` changes, as far as it is known; undefined when it never does, or not
 * before an operator takes back what stands.
 */
export function nextWantedChange(
  ms: number,
  calendar: MarketCalendar,
  override: MarketOverride | undefined,
): MarketChange | undefined {
  const now = wantedMarket(ms, calendar, override);
  const stands = override && (override.untilMs === undefined || ms < override.untilMs);
  if (!stands) return nextMarketChange(ms, calendar);
  if (override.untilMs === undefined) return undefined;
  const atMs = override.untilMs;
  const after = marketStateAt(atMs, calendar);
  return after === now ? nextMarketChange(atMs, calendar) : { atMs, market: after };
}

/**
 * Returns the times between two moments in which the market is closed, in their order: by the calendar, and since `sinceMs`
 * by an operator's word while that stands. Earlier words are not known any more.
 */
export function closuresBetween(
  fromMs: number,
  toMs: number,
  calendar: MarketCalendar,
  override: (MarketOverride & { sinceMs: number }) | undefined,
): Closure[] {
  const closures: Closure[] = [];
  for (let atMs = fromMs; atMs < toMs; ) {
    const stands = override && override.sinceMs <= atMs ? override : undefined;
    const changes = [nextMarketChange(atMs, calendar)?.atMs, override?.sinceMs, override?.untilMs];
    const endMs = Math.min(toMs, ...changes.filter((ms) => ms !== undefined).filter((ms) => ms > atMs));
    const last = closures.at(-1);
    const isClosed = wantedMarket(atMs, calendar, stands) === 'closed';
    if (isClosed && last?.toMs === atMs) last.toMs = endMs;
    else if (isClosed) closures.push({ fromMs: atMs, toMs: endMs });
    atMs = endMs;
  }
  return closures;
}

/**
 * Returns what an operator's wish means: `closed` stands until it is taken back; `open` stands against a closure of the
 * calendar until the calendar opens by itself; `auto`, and `open` while the calendar is, leave it to the calendar.
 */
export function overrideOf(
  desired: MarketState | 'auto',
  ms: number,
  calendar: MarketCalendar,
): MarketOverride | undefined {
  if (desired === 'closed') return { market: 'closed', untilMs: undefined };
  if (desired === 'auto' || marketStateAt(ms, calendar) === 'open') return undefined;
  return { market: 'open', untilMs: nextMarketChange(ms, calendar)?.atMs ?? ms + dayMs };
}

function hasSession(date: NewYorkDate, calendar: MarketCalendar): boolean {
  const weekday = new Date(`${date}T00:00:00Z`).getUTCDay();
  return weekday >= 1 && weekday <= 5 && !calendar.closed.has(date);
}

function nextDate(date: NewYorkDate): NewYorkDate {
  return new Date(Date.parse(`${date}T00:00:00Z`) + dayMs).toISOString().slice(0, 10);
}

/** Returns the moment at which a clock in New York shows this; for hours at which clocks are never changed. */
function momentOf(date: NewYorkDate, minute: number): number {
  const asUtcMs = Date.parse(`${date}T00:00:00Z`) + minute * minuteMs;
  for (const offsetMs of newYorkOffsetsMs) {
    const shown = newYorkTime(asUtcMs + offsetMs);
    if (shown.date === date && shown.minute === minute) return asUtcMs + offsetMs;
  }
  throw new Error(`no clock in New York shows minute ${minute} of ${date}`);
}

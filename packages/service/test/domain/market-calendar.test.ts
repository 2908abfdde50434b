import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  closuresBetween,
  type MarketCalendar,
  type MarketChange,
  type MarketState,
  marketStateAt,
  nextMarketChange,
  overrideOf,
  wantedMarket,
} from '../../src/domain/market-calendar.js';
import {
  MarketHolidaysError,
  missingHolidays,
  parseMarketHolidays,
} from '../../src/domain/market-holidays.js';

const fileText = readFileSync(new URL('../../market-holidays.json', import.meta.url), 'utf8');
const calendar: MarketCalendar = { always: false, ...parseMarketHolidays(fileText) };
const minuteMs = 60_000;

/**
 * The same rules a second time, by other means: minutes counted from a Sunday in plain integers, daylight saving by the
 * law of 2005 (second Sunday of March to first Sunday of November, at 2:00), holidays cut out of the week as stretches.
 */
function slowModel(fromYear: number, toYear: number) {
  const dayMinutes = 24 * 60;
  const days = (year: number, month: number, day: number) => Date.UTC(year, month - 1, day) / 86_400_000;
  /** 1970-01-01 was a Thursday. */
  const weekday = (day: number) => (day + 4) % 7;
  const nthSunday = (n: number, year: number, month: number) => {
    const first = days(year, month, 1);
    return first + ((7 - weekday(first)) % 7) + 7 * (n - 1);
  };
  const summers = Array.from({ length: toYear - fromYear + 3 }, (_, index) => fromYear - 1 + index).map(
    (year) => ({
      from: nthSunday(2, year, 3) * dayMinutes + 7 * 60,
      to: nthSunday(1, year, 11) * dayMinutes + 6 * 60,
    }),
  );
  const shut: { from: number; to: number }[] = [];
  for (const date of calendar.closed) {
    const day = Date.parse(date) / minuteMs;
    shut.push({ from: day - 6 * 60, to: day + 17 * 60 });
  }
  for (const [date, minute] of calendar.earlyCloseMinutes) {
    const day = Date.parse(date) / minuteMs;
    shut.push({ from: day + minute, to: day + 17 * 60 });
  }
  const within = (ranges: { from: number; to: number }[], at: number) =>
    ranges.some(({ from, to }) => at >= from && at < to);
  return {
    fromMs: Date.UTC(fromYear, 0, 1),
    toMs: Date.UTC(toYear + 1, 0, 1),
    stateAt(ms: number): MarketState {
      const utc = Math.floor(ms / minuteMs);
      const local = utc - (within(summers, utc) ? 4 : 5) * 60;
      const ofWeek = weekday(Math.floor(local / dayMinutes)) * dayMinutes + (local % dayMinutes);
      const trading = ofWeek >= 18 * 60 && ofWeek < 5 * dayMinutes + 17 * 60;
      const pause = Math.floor((local % dayMinutes) / 60) === 17;
      return trading && !pause && !within(shut, local) ? 'open' : 'closed';
    },
  };
}

const model = slowModel(2026, 2028);
const at = (text: string) => Date.parse(text);
const stateAt = (text: string) => marketStateAt(at(text), calendar);

describe('the market of gold', () => {
  test('the market of gold opens and closes exactly when a walk through every minute of three years does', () => {
    const walked: MarketChange[] = [];
    let before = model.stateAt(model.fromMs);
    for (let ms = model.fromMs + minuteMs; ms < model.toMs; ms += minuteMs) {
      const market = model.stateAt(ms);
      if (market !== before) walked.push({ atMs: ms, market });
      before = market;
    }
    const found: MarketChange[] = [];
    for (let ms = model.fromMs; ; ) {
      const next = nextMarketChange(ms, calendar);
      if (!next || next.atMs >= model.toMs) break;
      found.push(next);
      ms = next.atMs;
    }
    expect(walked.length).toBeGreaterThan(1_500);
    expect(found).toEqual(walked);
    // To the millisecond.
    for (const { atMs, market } of found) {
      expect(marketStateAt(atMs, calendar)).toBe(market);
      expect(marketStateAt(atMs - 1, calendar)).not.toBe(market);
      expect(nextMarketChange(atMs - 1, calendar)?.atMs).toBe(atMs);
    }
  });

  test('the market of gold is in the state of the model at any millisecond', () => {
    const moments = fc.integer({ min: model.fromMs, max: model.toMs - 1 });
    fc.assert(
      fc.property(moments, (ms) => marketStateAt(ms, calendar) === model.stateAt(ms)),
      { numRuns: 20_000 },
    );
  });

  test.each([
    ['Friday 17:00 in winter', '2026-03-06T22:00:00Z', 'closed'],
    ['Sunday 18:00 on the day that summer time begins', '2026-03-08T22:00:00Z', 'open'],
    ['Monday 17:00 in summer', '2026-03-09T21:00:00Z', 'closed'],
    ['Friday 17:00 in summer', '2026-10-30T21:00:00Z', 'closed'],
    ['Sunday 18:00 on the day that summer time ends', '2026-11-01T23:00:00Z', 'open'],
    ['Tuesday 18:00, a leap day', '2028-02-29T23:00:00Z', 'open'],
    ['17:00 on the eve of Good Friday', '2026-04-02T21:00:00Z', 'closed'],
    ['Easter Sunday 18:00', '2026-04-05T22:00:00Z', 'open'],
    ['13:45 on Christmas Eve', '2026-12-24T18:45:00Z', 'closed'],
    ['Sunday 18:00 after Christmas', '2026-12-27T23:00:00Z', 'open'],
    ['17:00 on New Year’s Eve', '2026-12-31T22:00:00Z', 'closed'],
    ['14:30 on Thanksgiving', '2026-11-26T19:30:00Z', 'closed'],
    ['18:00 on Thanksgiving', '2026-11-26T23:00:00Z', 'open'],
  ] as const)('%s: the first millisecond of a new state', (_, text, market) => {
    expect(stateAt(text)).toBe(market);
    expect(marketStateAt(at(text) - 1, calendar)).not.toBe(market);
  });

  test('closures are the times between two moments at which the market is closed', () => {
    const month = (override?: Parameters<typeof closuresBetween>[3]) =>
      closuresBetween(at('2026-03-01T00:00:00Z'), at('2026-04-06T00:00:00Z'), calendar, override);
    const isIn = (closures: ReturnType<typeof month>, ms: number) =>
      closures.some(({ fromMs, toMs }) => fromMs <= ms && ms < toMs);
    const closures = month();
    for (let ms = at('2026-03-01T00:00:00Z'); ms < at('2026-04-06T00:00:00Z'); ms += 5 * minuteMs)
      expect(isIn(closures, ms), new Date(ms).toISOString()).toBe(model.stateAt(ms) === 'closed');
    // Of the weekends at both ends, what is within; and Good Friday.
    expect([closures[0], closures.at(-1)]).toEqual([
      { fromMs: at('2026-03-01T00:00:00Z'), toMs: at('2026-03-01T23:00:00Z') },
      { fromMs: at('2026-04-02T21:00:00Z'), toMs: at('2026-04-05T22:00:00Z') },
    ]);
    expect(closures.length).toBe(25);
  });

  test('closures since an operator closed the market last until the word is taken back or ends', () => {
    const [fromMs, toMs] = [at('2026-03-03T12:00:00Z'), at('2026-03-04T12:00:00Z')];
    const between = (override: Parameters<typeof closuresBetween>[3]) =>
      closuresBetween(fromMs, toMs, calendar, override).map(({ fromMs, toMs }) =>
        [fromMs, toMs].map((ms) => new Date(ms).toISOString().slice(5, 16)),
      );
    const pause = ['03-03T22:00', '03-03T23:00'];
    const closed = { market: 'closed', sinceMs: at('2026-03-03T20:00:00Z') } as const;
    expect(between(undefined)).toEqual([pause]);
    expect(between({ ...closed, untilMs: undefined })).toEqual([['03-03T20:00', '03-04T12:00']]);
    expect(between({ ...closed, untilMs: at('2026-03-03T21:00:00Z') })).toEqual([
      ['03-03T20:00', '03-03T21:00'],
      pause,
    ]);
    const open = { market: 'open', sinceMs: at('2026-03-03T22:30:00Z'), untilMs: at('2026-03-03T23:00:00Z') };
    expect(between({ ...open, market: 'open' })).toEqual([['03-03T22:00', '03-03T22:30']]);
    expect(closuresBetween(fromMs, toMs, { ...calendar, always: true }, undefined)).toEqual([]);
  });

  test('the market of gold stays closed through a holiday, and from Friday to Sunday', () => {
    const through = (from: string, to: string) =>
      expect(nextMarketChange(at(from), calendar)).toEqual({ atMs: at(to), market: 'open' });
    through('2026-12-24T18:45:00Z', '2026-12-27T23:00:00Z');
    through('2026-04-02T21:00:00Z', '2026-04-05T22:00:00Z');
    through('2026-10-30T21:00:00Z', '2026-11-01T23:00:00Z');
    expect(stateAt('2026-12-25T15:00:00Z')).toBe('closed');
  });

  test('a market that is open at all hours never changes', () => {
    const always = { ...calendar, always: true };
    expect(marketStateAt(at('2026-12-25T15:00:00Z'), always)).toBe('open');
    expect(nextMarketChange(at('2026-12-25T15:00:00Z'), always)).toBeUndefined();
  });
});

describe('an operator’s override', () => {
  const wednesday = at('2026-07-15T15:00:00Z');
  const saturday = at('2026-07-18T15:00:00Z');

  test('an operator’s override that closes the market stands until it is taken back', () => {
    const override = overrideOf('closed', wednesday, calendar);
    expect(override).toEqual({ market: 'closed', untilMs: undefined });
    expect(wantedMarket(wednesday + 100 * 86_400_000, calendar, override)).toBe('closed');
  });

  test('an operator’s override that opens it against the calendar ends when the calendar opens', () => {
    const override = overrideOf('open', saturday, calendar);
    const opening = at('2026-07-19T22:00:00Z');
    expect(override).toEqual({ market: 'open', untilMs: opening });
    expect(wantedMarket(saturday, calendar, override)).toBe('open');
    // So the next weekend is closed again, though no override was taken back.
    expect(wantedMarket(saturday + 7 * 86_400_000, calendar, override)).toBe('closed');
  });

  test('an operator’s override that agrees with the calendar leaves it to the calendar', () => {
    expect(overrideOf('open', wednesday, calendar)).toBeUndefined();
    expect(overrideOf('auto', saturday, calendar)).toBeUndefined();
    expect(wantedMarket(saturday, calendar, undefined)).toBe('closed');
    expect(wantedMarket(wednesday, calendar, undefined)).toBe('open');
  });
});

describe('a file of holidays', () => {
  const file = (change: object) => JSON.stringify({ years: [2026], closed: [], early_close: [], ...change });
  const day = (date: unknown) => ({ closed: [{ date, name: 'x' }] });
  const early = (time: unknown) => ({ early_close: [{ date: '2026-12-24', time, name: 'x' }] });

  test.each([
    ['no JSON', 'hello', 'it is not JSON'],
    ['an array', '[]', 'it is not an object'],
    ['a member too many', file({ open: [] }), 'it must have exactly the fields years, closed, early_close'],
    ['a member too few', '{"years":[2026]}', 'it must have exactly the fields years, closed, early_close'],
    ['no years', file({ years: [] }), 'years is empty'],
    ['a year in words', file({ years: ['2026'] }), 'years must be whole numbers such as 2026'],
    ['no list', file({ closed: {} }), 'closed is not an array'],
    ['a day that does not exist', file(day('2026-02-30')), 'closed[0].date must be a day such as 2026-12-25'],
    ['a day in another form', file(day('12/25/2026')), 'closed[0].date must be a day such as 2026-12-25'],
    ['a Saturday', file(day('2026-07-04')), "closed[0].date is a weekend's"],
    ['a year not named', file(day('2027-01-01')), 'closed[0].date is in none of the years'],
    [
      'a day twice',
      file({ ...day('2026-12-24'), ...early('13:45') }),
      'early_close[0].date stands there twice',
    ],
    ['a time after the close', file(early('17:00')), 'early_close[0].time must be a time before 17:00'],
    ['no time', file(early('1:45 PM')), 'early_close[0].time must be a time before 17:00'],
    ['a holiday without a name', file({ closed: [{ date: '2026-12-25' }] }), 'closed[0] must have exactly'],
  ])('a file of holidays with %s is refused', (_, text, message) => {
    expect(() => parseMarketHolidays(text)).toThrow(MarketHolidaysError);
    expect(() => parseMarketHolidays(text)).toThrow(message);
  });

  test('a file of holidays reports in time that the next year is missing', () => {
    expect(missingHolidays(at('2027-12-01T12:00:00Z'), calendar)).toBeUndefined();
    expect(missingHolidays(at('2027-12-03T12:00:00Z'), calendar)).toContain('The holidays of 2028 are not');
    expect(missingHolidays(at('2025-06-01T12:00:00Z'), calendar)).toContain('The holidays of 2025 are not');
    expect(missingHolidays(at('2029-06-01T12:00:00Z'), { ...calendar, always: true })).toBeUndefined();
  });
});

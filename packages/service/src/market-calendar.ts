import { readFileSync } from 'node:fs';
import { type Config, ConfigError } from './config.js';
import type { MarketCalendar } from './domain/market-calendar.js';
import { MarketHolidaysError, parseMarketHolidays } from './domain/market-holidays.js';

/** The file that comes with the service; `docs/operations/keeper.md` names its source. */
const ownHolidays = new URL('../market-holidays.json', import.meta.url);

/**
 * Returns the calendar that the configuration names. Throws a `ConfigError` for a file that is not there or cannot be
 * used.
 */
export function loadMarketCalendar({ marketHours }: Pick<Config, 'marketHours'>): MarketCalendar {
  const always = marketHours === 'always';
  const file = always || marketHours === 'calendar' ? ownHolidays : marketHours;
  try {
    return { always, ...parseMarketHolidays(readFileSync(file, 'utf8')) };
  } catch (error) {
    const reason = error instanceof MarketHolidaysError ? error.message : 'it cannot be read';
    throw new ConfigError(`KARAT_MARKET_HOURS does not name a usable holidays file: ${reason}`);
  }
}

import { text } from '../text';

const locale = 'en-GB';
const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
const thisYear = new Intl.DateTimeFormat(locale, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});

/** A time in the zone of the person who reads it, with the year unless it is this one. */
export function formatTime(iso: string): string {
  const at = new Date(iso);
  return (at.getFullYear() === new Date().getFullYear() ? thisYear : dateTime).format(at);
}

const clock = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' });

/** A moment by the clock of the person who reads it, with the day unless it is today. */
export function formatClock(atMs: number): string {
  const at = new Date(atMs);
  return at.toDateString() === new Date().toDateString() ? clock.format(at) : formatTime(at.toISOString());
}

/** The same time in UTC, to the second. */
export const formatUtc = (iso: string) => `${new Date(iso).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

const counts = new Intl.NumberFormat(locale);

/** A number of things. */
export const formatCount = (count: number) => counts.format(count);

const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
] as const;

/** A duration in its largest unit: `3 h`. */
export function formatSeconds(seconds: number): string {
  for (const [unit, size] of units) if (seconds >= size) return `${Math.floor(seconds / size)} ${unit}`;
  return `${Math.max(0, Math.round(seconds))} s`;
}

export const secondsSince = (iso: string) => (Date.now() - Date.parse(iso)) / 1_000;

/**
 * An amount with separators. In a sentence it has as many places as it needs; a record has all of its unit, so that columns
 * can be compared, and a headline those that a person reads.
 */
export function formatAmount(value: number | string, unit: Unit, style?: keyof typeof styles): string {
  const digits = (style && styles[style][unit]) ?? places[unit];
  return new Intl.NumberFormat('en-US', {
    minimumFractionDigits: digits[0],
    maximumFractionDigits: digits[1],
  }).format(value as number);
}

type Places = readonly [least: number, most: number];
const places = {
  USD: [2, 2],
  USDC: [2, 6],
  GOLD: [0, 6],
  g: [0, 7],
  tola: [0, 4],
  bps: [0, 0],
  oz: [0, 6],
} as const satisfies Record<string, Places>;
export type Unit = keyof typeof places;
const styles: Record<'record' | 'headline', Partial<Record<Unit, Places>>> = {
  record: { USDC: [6, 6], GOLD: [6, 6] },
  headline: { USDC: [2, 2], GOLD: [2, 4] },
};

export const withUnit = (value: number | string, unit: Unit) => `${formatAmount(value, unit)} ${unit}`;

const countries = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' });

/** The name of a country by its code of two letters; what is none is shown as it is. */
export function countryName(code: string | null | undefined): string {
  if (!code) return text.common.none;
  return /^[A-Za-z]{2}$/.test(code) ? (countries.of(code.toUpperCase()) ?? code) : code;
}

/** Basis points in percent, with two places as fees have them: `0.50`. */
export const bpsToPercent = (bps: number) => (bps / 100).toFixed(2);

/** A limit as it is typed: an amount, or the word for none. */
export const limitOf = (typed: string | number | boolean | undefined): number | 'none' =>
  String(typed).trim().toLowerCase() === 'none' ? 'none' : Number(typed);

/** An id or address, short enough for a table; whole where it is copied. */
export function shorten(id: string, head = 8, tail = 4): string {
  return id.length <= head + tail + 1 ? id : `${id.slice(0, head)}…${id.slice(-tail)}`;
}

/** The name of a field of the API, as a person reads it. */
export const humanize = (field: string) => {
  const words = field.replaceAll('_', ' ').replaceAll('.', ': ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** The kind of an identity document, as clerks know it: those of Pakistan go by their initials. */
export const documentName = (type: string) =>
  /^(cnic|nicop)$/.test(type) ? type.toUpperCase() : humanize(type);

export const actionName = (action: string) => text.actions[action] ?? humanize(action);

/** The same of what waits for an approval: gold is handed over without one if the customer has a pickup code. */
export const approvalName = (action: string) =>
  action === 'redemption.collect' ? text.approvals.collect : actionName(action);

const browsers = { Edg: 'Edge', OPR: 'Opera', Firefox: 'Firefox', Chrome: 'Chrome', Safari: 'Safari' };
const systems = {
  Windows: 'Windows',
  iPhone: 'iPhone',
  iPad: 'iPad',
  'Mac OS X': 'macOS',
  Android: 'Android',
  Linux: 'Linux',
};

/** Returns a browser and its system as people call them, as far as its user agent says; a name of its own as it is. */
export function browserOf(userAgent: string | null): string | undefined {
  if (userAgent === null) return undefined;
  const named = (names: Record<string, string>, end = '') =>
    Object.entries(names).find(([sign]) => userAgent.includes(sign + end))?.[1];
  const browser = named(browsers, '/') ?? userAgent.split(/[/\s]/)[0];
  const system = named(systems);
  return system ? `${browser}, ${system}` : browser;
}

import type { Issuer } from '../config.js';

/** What papers show for no amount. */
export const none = '–';

/** A decimal as papers show it, with at least two places; a dash for none. */
export function shownAmount(amount: number | string): string {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(String(amount)) ?? [];
  if (/^0*$/.test(whole + fraction)) return none;
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return `${sign && '−'}${grouped}.${fraction.padEnd(2, '0')}`;
}

/** A moment as papers show it, `2026-11-29 19:40:12 UTC`. */
export const shownTime = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;

const months = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** `2026-11` as `November 2026`. */
export const shownMonth = (month: string): string => months.format(new Date(`${month}-01T00:00:00Z`));

/** What stands at the head of a paper. */
export function mastheadOf(issuer: Issuer | undefined): [string, string[]] {
  if (!issuer) return ['Karat', []];
  return [issuer.name, [issuer.address, `Registration number ${issuer.registrationNumber}`]];
}

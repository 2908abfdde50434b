export type Language = 'en' | 'ar' | 'ur';

export const languages: Record<Language, { name: string; dir: 'ltr' | 'rtl'; locale: string }>;
export const gramsPerTola: number;
export function chooseLanguage(wanted: readonly string[]): Language;
export function fill(template: string, values: Record<string, string | number>): string;
export function fillIn(language: Language, template: string, values: Record<string, string | number>): string;
export function plainDigits(text: string): string;

export interface Formats {
  number(value: number | string, digits?: number): string;
  usd(value: number | string): string;
  /** `timeZone` is that of the reader unless it is given. */
  time(at: string | number | Date, timeZone?: string): string;
  /** The name of a country by its two letters. */
  country(code: string): string;
}
export function formatsOf(language: Language): Formats;

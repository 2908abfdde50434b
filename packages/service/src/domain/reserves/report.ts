import { isUtf8 } from 'node:buffer';

/** What a report of the attestor may be: files that every browser opens, and that run nothing. */
export const reportTypes = ['application/pdf', 'text/plain'] as const;
export type ReportType = (typeof reportTypes)[number];

export const maxReportBytes = 10 * 1_024 * 1_024;

/** Returns what a file is, by its content; undefined for what is no report. */
export function reportTypeOf(content: Uint8Array): ReportType | undefined {
  if (Buffer.from(content.subarray(0, 5)).toString('latin1') === '%PDF-') return 'application/pdf';
  return content.length > 0 && isUtf8(content) && !content.includes(0) ? 'text/plain' : undefined;
}

/** Returns a line of a table (RFC 4180), with its end. */
export function csvLine(cells: readonly unknown[]): string {
  return `${cells.map((cell) => quoted(textOf(cell))).join(',')}\r\n`;
}

/**
 * Returns the first line of a table, behind a byte order mark: without one, spreadsheets take UTF-8 for the machine's own
 * code page, and show `Zürich` as `ZÃ¼rich`.
 */
export const csvHeader = (columns: readonly string[]): string => `\ufeff${csvLine(columns)}`;

/** Text that a spreadsheet may take for a formula, including the full-width forms of Chinese and Japanese. */
const formula = /^[=+\-@\t\r\n＝＋－＠]/u;

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'object') return JSON.stringify(value);
  if (typeof value !== 'string') return String(value);
  return formula.test(value) ? `'${value}` : value;
}

function quoted(cell: string): string {
  return /[",\r\n\t']/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

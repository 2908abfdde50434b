/** A file that is too large to look through is not read whole. */
const maxRows = 5_000;

/** A cell that a spreadsheet would take for a formula is quoted by an apostrophe. */
function cell(value: unknown): string {
  const raw = value === null || value === undefined ? '' : String(value);
  const harmless = typeof value !== 'number' && /^[=+\-@\t\r]/.test(raw) ? `'${raw}` : raw;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** Saves rows as a CSV file; the columns are the fields of the first row. */
export function saveCsv(name: string, rows: object[]): void {
  const columns = Object.keys(rows[0] ?? {});
  const lines = rows.map((row) => columns.map((column) => cell(row[column as keyof typeof row])).join(','));
  const file = new Blob([[columns.join(','), ...lines, ''].join('\r\n')], { type: 'text/csv' });
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = `${name}.csv`;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Reads a list to its end, or up to 5,000 rows. */
export async function readAll<Page extends { next_cursor: string | null }, Row>(
  read: (cursor: string | undefined) => Promise<Page>,
  rowsOf: (page: Page) => Row[],
): Promise<Row[]> {
  const all: Row[] = [];
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    all.push(...rowsOf(page));
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined && all.length < maxRows);
  return all;
}

/** Splits CSV text into rows of cells; quotes may hold separators and line breaks. Semicolons and tabs separate too. */
export function parseCsv(text: string): string[][] {
  const head = text.slice(0, text.search(/[\r\n]|$/));
  const separator = [',', ';', '\t'].find((one) => head.includes(one)) ?? ',';
  const rows: string[][] = [];
  let row: string[] = [];
  let value = '';
  let quoted = false;
  const endCell = () => {
    row.push(value.trim());
    value = '';
  };
  const endRow = () => {
    endCell();
    if (row.some((one) => one !== '')) rows.push(row);
    row = [];
  };
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (quoted) {
      if (sign !== '"') value += sign;
      else if (text[at + 1] === '"') {
        value += '"';
        at += 1;
      } else quoted = false;
    } else if (sign === '"' && value.trim() === '') {
      value = '';
      quoted = true;
    } else if (sign === separator) endCell();
    else if (sign === '\n') endRow();
    else if (sign !== '\r' && sign !== '\uFEFF') value += sign;
  }
  endRow();
  return rows;
}

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

type Cells = [column: string, value: unknown][];

/** The fields of a row, those of inner objects with a dot, as the lists of operators have them. */
function cellsOf(row: object, path = ''): Cells {
  return Object.entries(row).flatMap(([name, value]): Cells => {
    const column = `${path}${name}`;
    return value !== null && typeof value === 'object' && !Array.isArray(value)
      ? cellsOf(value, `${column}.`)
      : [[column, value]];
  });
}

/** What begins a formula where the table is opened is text there with an apostrophe before it. */
function quote(value: unknown): string {
  if (value === null || value === undefined) return '';
  const plain = String(value);
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(plain) ? `'${plain}` : plain;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Returns rows as CSV: a header, and a line for each row. */
export function formatCsv(rows: object[]): string {
  const cells = rows.map((row) => new Map(cellsOf(row)));
  const columns = [...new Set(cells.flatMap((row) => [...row.keys()]))];
  const lines = cells.map((row) => columns.map((column) => quote(row.get(column))));
  return [columns, ...lines].map((line) => `${line.join(',')}\r\n`).join('');
}

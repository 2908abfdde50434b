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

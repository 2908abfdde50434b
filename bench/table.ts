import { type Figure, isMet, shown } from './figures.js';

/** Prints the figures of all groups, one line each. */
export function printTable(results: Record<string, Figure[]>): void {
  const head = ['Figure', 'Measured', 'Ratio', 'Required', 'Aim', ''];
  const rows = Object.values(results).flat().map(cellsOf);
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: string[]) =>
    cells
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ');
  process.stdout.write(`\n${[head, ...rows].map(line).join('\n')}\n`);
}

/** Returns a figure as the cells of its row. */
export function cellsOf(figure: Figure): string[] {
  const { name, value, unit, ratio, required, aim } = figure;
  const met = isMet(figure);
  return [
    name,
    `${shown(value)} ${unit}`,
    ratio ? `${shown(ratio.value)}` : '',
    required === undefined ? '' : shown(required),
    aim === undefined ? '' : shown(aim),
    met === undefined ? '' : met ? 'met' : 'missed',
  ];
}

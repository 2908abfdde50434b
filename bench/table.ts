import { type Figure, isMet, shown } from './figures.js';

const head = ['Figure', 'Measured', 'Ratio', 'Required', 'Aim', ''];

/** Prints the figures of all groups, one line each. */
export function printTable(results: Record<string, Figure[]>): void {
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

/** Returns the same table as a page. */
export function tableAsMarkdown(title: string, results: Record<string, Figure[]>): string {
  const table = markdownOf(Object.values(results).flat());
  return `# Figures\n\n${title}\n\n![what is required, and how far each figure is](latest.svg)\n\n${table}\n`;
}

const [begin, end] = ['<!-- figures -->', '<!-- end of figures -->'];

/** Returns a page with what is measured and required in place of what stands between its two marks. Throws without them. */
export function withFigures(page: string, title: string, results: Record<string, Figure[]>): string {
  const [before, after] = [page.indexOf(begin), page.indexOf(end)];
  if (before < 0 || after < before) throw new Error(`the page has no ${begin} … ${end}`);
  const held = Object.values(results)
    .flat()
    .filter(({ required }) => required !== undefined);
  return `${page.slice(0, before)}${begin}\n${title}\n\n${markdownOf(held)}\n${page.slice(after)}`;
}

function markdownOf(figures: readonly Figure[]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [head, head.map(() => '---'), ...figures.map(cellsOf)].map(line).join('\n');
}

function cellsOf(figure: Figure): string[] {
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

import { type Figure, isMet, shown } from './figures.js';

const [labelWidth, barWidth, rowHeight] = [470, 300, 26];

/**
 * Draws the figures that something is required of: a bar shows how far each has come towards what is required, which is
 * the line, on a logarithmic scale from a hundredth to a hundred times.
 */
export function drawChart(results: Record<string, Figure[]>): string {
  const figures = Object.values(results)
    .flat()
    .filter(({ required }) => required !== undefined);
  const width = labelWidth + barWidth + 210;
  const height = 54 + figures.length * rowHeight;
  const line = labelWidth + barWidth / 2;
  const rows = figures.map((figure, row) => drawRow(figure, 40 + row * rowHeight));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="13">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    `<text x="${line}" y="20" text-anchor="middle" fill="#555555">required</text>`,
    ...rows,
    `<line x1="${line}" y1="28" x2="${line}" y2="${height - 12}" stroke="#555555"/>`,
    '</svg>',
    '',
  ].join('\n');
}

function drawRow(figure: Figure, y: number): string {
  const { name, value, unit, ratio, required = Number.NaN, better } = figure;
  const judged = ratio?.value ?? value;
  const share = better === 'higher' ? judged / required : required / judged;
  // Of what may not be at all, there is none or too much; memory may even shrink.
  const decades = required > 0 && judged > 0 ? Math.log10(share) : isMet(figure) ? 2 : -2;
  const reach = (Math.min(Math.max(decades, -2), 2) + 2) / 4;
  const colour = isMet(figure) ? '#2f7d4f' : '#b3541e';
  const measured = ratio
    ? `${shown(ratio.value)} (${shown(required)})`
    : `${shown(value)} ${unit} (${shown(required)})`;
  return [
    `<text x="${labelWidth - 10}" y="${y + 14}" text-anchor="end" fill="#222222">${escapeXml(name)}</text>`,
    `<rect x="${labelWidth}" y="${y + 2}" width="${(reach * barWidth).toFixed(1)}" height="${rowHeight - 8}" fill="${colour}"/>`,
    `<text x="${labelWidth + barWidth + 10}" y="${y + 14}" fill="#222222">${escapeXml(measured)}</text>`,
  ].join('\n');
}

const escapeXml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

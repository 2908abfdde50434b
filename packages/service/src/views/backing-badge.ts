import { goldLogo } from '../domain/gold-logo.js';
import { formatDecimal, tokenDecimals } from '../domain/money.js';

/** What the badge shows. Base units of GOLD. */
export interface BadgeFigures {
  gold: bigint;
  tokens: bigint;
  covered: boolean;
  at: Date;
  /** Whether it is the last statement, because the present is not known. */
  isStatement: boolean;
}

/** The size of the badge, in pixels. */
export const badgeSize = { width: 320, height: 80 };

/**
 * Returns the badge about the reserves, an image (SVG) for pages of others: the gold, the tokens, whether they are covered, and
 * when that was, since the image may be kept by caches. It loads nothing, and holds no text but ours. Without figures, it reports that nothing is known.
 */
export function backingBadge(figures: BadgeFigures | undefined): string {
  const [state, first, second] = linesOf(figures);
  const { width, height } = badgeSize;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${state}. ${first}. ${second}.">
  <style>
    .paper { fill: #fff; stroke: #8a8a8f }
    text { font: 13px system-ui, sans-serif; fill: #55555c }
    .strong { font-size: 15px; font-weight: 700; fill: #1b1b1f }
    .good { fill: #18794e }
    .bad { fill: #b8272c }
    @media (prefers-color-scheme: dark) {
      .paper { fill: #1b1b1f; stroke: #6a6a71 }
      text { fill: #a8a8b0 }
      .strong { fill: #f2f2f4 }
      .good { fill: #3dd68c }
      .bad { fill: #f66f81 }
    }
  </style>
  <rect class="paper" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="10"/>
  <g aria-hidden="true">${goldLogo.trim().replace('<svg ', '<svg x="14" y="16" width="48" height="48" ')}</g>
  <text class="strong ${figures?.covered ? 'good' : 'bad'}" x="76" y="26">${figures?.covered ? '✓ ' : ''}${state}</text>
  <text class="strong" x="76" y="47">${first}</text>
  <text x="76" y="66">${second}</text>
</svg>
`;
}

function linesOf(figures: BadgeFigures | undefined): [state: string, first: string, second: string] {
  if (!figures) return ['Gold reserves: not known', 'The figures cannot be read', 'Try again in a minute'];
  const { gold, tokens, covered, at, isStatement } = figures;
  return [
    `Gold reserves: ${covered ? 'covered' : 'not covered'}`,
    `${amount(gold)} oz for ${amount(tokens)} GOLD`,
    `${isStatement ? 'Statement of ' : ''}${time.format(at)} UTC`,
  ];
}

const digits = new Intl.NumberFormat('en', { maximumFractionDigits: 2, roundingMode: 'floor' });
const time = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

/** Base units as whole tokens with two decimals, rounded down. */
const amount = (baseUnits: bigint) =>
  digits.format(formatDecimal(baseUnits, tokenDecimals) as Intl.StringNumericLiteral);

/**
 * Returns the badge as a page to be framed by others, with a link to the page about the reserves at `path`. It has no script.
 */
export function badgePage(badge: string, path: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Gold reserves</title>
<style>body, h1 { margin: 0 } a, svg { display: block }</style>
</head>
<body><main><h1><a href="${path}" target="_blank" rel="noopener">${badge}</a></h1></main></body>
</html>
`;
}

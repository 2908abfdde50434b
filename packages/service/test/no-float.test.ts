import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/**
 * Money is `bigint` base units. The compiler refuses to mix `bigint` with numbers, so a float can touch money only where
 * code turns one into the other. Every such place in the source stands in this list, with the reason why it is none.
 */
const reviewed: { file: RegExp; line: RegExp; why: string }[] = [
  // The doors between JSON numbers and base units; all go through decimal text.
  {
    file: /^domain\/money/,
    line: /^return Number\(formatDecimal\(baseUnits, tokenDecimals\)\);$/,
    why: 'exact text',
  },
  {
    file: /^domain\/money/,
    line: /^if \(parsed === undefined\) return Math\.abs\(value\) > 1e10 /,
    why: 'picks the error',
  },
  { file: /^domain\/money/, line: /^const exponent = Number\(exponentText\);$/, why: 'a count of zeros' },
  {
    file: /^domain\/quote/,
    line: /^return Number\(priceText\(price\)\);$/,
    why: 'exact text',
  },
  {
    file: /^http\//,
    line: /weight(G|_g): Number\((row|redemption|quoted)\.weightG\)/,
    why: 'exact text of a numeric column',
  },
  {
    file: /^domain\/free-json/,
    line: /^if \(typeof value === # && Math\.abs\(value\) > Number\.MAX_SAFE_INTEGER\) \{$/,
    why: 'refuses what was rounded already',
  },
  // No money.
  {
    file: /^http\/view/,
    line: /^return isCount \? Number\(value\) : amountNumber\(value\);$/,
    why: 'counts and slots',
  },
  {
    file: /^domain\/timestamp/,
    line: /Number\.(parseInt|NaN|isNaN)|^const fractionMs = Math\.floor/,
    why: 'parts of a date',
  },
  { file: /^domain\/timestamp/, line: /^return new Date\(Number\(seconds\) \* secondMs\);$/, why: 'seconds' },
  {
    file: /^actions\/admit-open-request/,
    line: /^remaining: Math\.max\(0, limit - used\),$/,
    why: 'requests',
  },
  { file: /^db\/auth-attempts/, line: /oldestMs: Number\(row\.(oldest|started)\)/, why: 'milliseconds' },
  {
    file: /^db\//,
    line: /^check\(#, sql`[^`]* between [\d. and]+`\),$/,
    why: 'bounds of a numeric column, in SQL',
  },
  {
    file: /^http\/lists/,
    line: /^const limit = # *\.test\(text\) \? Number\(text\) : 0;$/,
    why: 'rows of a page',
  },
  { file: /^http\/lists/, line: /createdAt: new Date\(Number\(match/, why: 'milliseconds' },
  { file: /^http\/server/, line: /^const ms = Math\.round\(reply\.elapsedTime\);$/, why: 'milliseconds' },
  { file: /^http\/server/, line: /^`HTTP\/1\.1 /, why: 'a protocol' },
  {
    file: /^db\/migration-state/,
    line: /^return \{ version: Number\(row\?\.version\), aheadMs: Number\(row\?\.now_ms\) - Date\.now\(\) \};$/,
    why: 'a version, and milliseconds',
  },
  { file: /^db\/keeper-reports/, line: /ageMs: Number\(age\) \}\)\);$/, why: 'milliseconds' },
  {
    file: /^domain\/market-(calendar|holidays)/,
    line: /minute[:=\s]+Number\(hours?\) \* 60 \+ Number\(minutes?\)|years?\b|Number\.(isInteger|isNaN|NaN)|\.slice\(0, 4\)/,
    why: 'dates and times of day',
  },
  {
    file: /^http\/operator\/audit/,
    line: /after: after === undefined \? undefined : Number\(after\) \},$/,
    why: 'the number of an entry',
  },
  {
    file: /^http\/operator\/(dead-letters|indexer|treasury)/,
    line: /(^| )\w*slot: .*Number\((\w+\.)?slot\)/,
    why: 'numbers of slots',
  },
  {
    file: /^actions\/read-price/,
    line: /Number\.isNaN\(at\.getTime\(\)\)/,
    why: 'whether a date is one',
  },
  { file: /^http\/partner/, line: /^last_valid_block_height: Number\(/, why: 'a block height' },
  {
    file: /^http\/(openapi\/(partner|tradebook)-api|(partner|tradebook)\/(order-)?fields|tradebook\/prices|operator\/(record|house)-fields)/,
    line: /(about|estimateView|gold|usdc)\(.*, [\d_.]+\),$|^[\d_.]+,$|^USDC, and redeem|^who may act as/,
    why: 'texts and examples of the reference',
  },
  { file: /^db\/callers/, line: /`asked\.position`\.mapWith\(Number\),$/, why: 'a place in a list' },
  { file: /^db\/indexer-rounds/, line: /lastRoundAgeMs: .* Number\(ageMs\)/, why: 'milliseconds' },
  { file: /^db\/key-budgets/, line: /^const first = Math\.min\(input\.wanted, limit\);$/, why: 'requests' },
  { file: /^db\/key-budgets/, line: /startedAt: new Date\(Number\(row\.started_ms\)\)/, why: 'milliseconds' },
  {
    file: /^http\/leased-budget/,
    line: /Math\.(ceil|max)\((this\.limit|this\.leaseSize|0, this\.limit)/,
    why: 'requests',
  },
];

const source = fileURLToPath(new URL('../src', import.meta.url));
/** Where money is computed, carried, stored or shown; what only moves bytes about is left out. */
const carriesMoney =
  /^(domain|actions|db|http)\/|^chain\/(build|inspect|message-template|wire|price)|^indexer\/(decode|apply|trade-call|token-transfers|redemption)/;
/** Ways from text or `bigint` to a float, float arithmetic, and float literals. */
const suspicious =
  /\bparseFloat\b|\bparseInt\b|\bNumber\b(?!\.NEGATIVE_INFINITY|\.isInteger|\.isFinite|\.isSafeInteger|\.MAX_SAFE)|\bMath\.|\.toFixed\b|\.toPrecision\b|\basNumber\b|\d\.\d|\d[eE][+-]?\d/;
/** Milliseconds and seconds are numbers here, and their names say so. */
const aboutTime = /Math\.(floor|ceil|round|max|min)\([^;]*(Ms\b|Seconds\b|clock\.now\(\))/;

/** Code without comments, with every literal but float literals replaced by `#`. */
function bareLines(code: string): string[] {
  return code
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ''))
    .replace(/(^|\s)\/\/.*$/gm, '$1')
    .replace(/'(?:[^'\\\n]|\\.)*'/g, '#')
    .replace(/\/(?![/*\s])(?:[^/\\\n]|\\.)+\/[a-z]*(?=[.,)\s;])/g, '#')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => !/^import |Type\.Number\(|^Type\./.test(line));
}

test('no float touches money: every conversion to a number is a reviewed one', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && carriesMoney.test(name),
  );
  const unseen = new Set(reviewed);
  const strange: string[] = [];
  for (const file of files) {
    for (const line of bareLines(readFileSync(join(source, file), 'utf8'))) {
      if (!suspicious.test(line) || aboutTime.test(line)) continue;
      const known = reviewed.find((entry) => entry.file.test(file) && entry.line.test(line));
      if (known) unseen.delete(known);
      else strange.push(`${file}: ${line}`);
    }
  }
  expect(strange).toEqual([]);
  expect([...unseen]).toEqual([]);
});

test('no column holds a float', () => {
  const folder = fileURLToPath(new URL('../drizzle', import.meta.url));
  const files = readdirSync(folder).filter((name) => name.endsWith('.sql'));
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) {
    expect(readFileSync(join(folder, file), 'utf8')).not.toMatch(
      /\b(real|double precision|float\d*|money)\b/i,
    );
  }
});

test.each([
  'const x = Number(text);',
  'const x = parseFloat(text);',
  'x = amount * 1.5;',
  'y = v.toFixed(6);',
  'z = Math.round(a * 100);',
])('the scan sees %s', (line) => {
  const [bare = ''] = bareLines(line);
  expect(suspicious.test(bare) && !aboutTime.test(bare)).toBe(true);
});

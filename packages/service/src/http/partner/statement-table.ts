import type { AccountStatement, StatementLine } from '../../domain/papers/statement.js';
import { csvHeader, csvLine } from '../server/csv-line.js';

const columns = [
  'at',
  'kind',
  'id',
  'gold',
  'usdc',
  'fee_usd',
  'customer_gold',
  'customer_usdc',
  'tx_hash',
] as const satisfies readonly (keyof StatementLine)[];

/** How a table of a statement was signed, as text; undefined for a provisional one. */
export interface TableSignature {
  sha256: string;
  public_key: string;
  signature: string;
  verify: string;
}

/**
 * Returns a statement as a table: a line for each entry, an empty line, and below it the rest, each with its name: balances and
 * totals, the whole statement without its lines as JSON, and how it was signed. Nothing is lost, so that it can be verified alone.
 */
export function toStatementTable(
  { lines, ...statement }: AccountStatement,
  signature: TableSignature | undefined,
): string {
  const { opening, closing, totals, difference } = statement;
  const balance = ({ gold, usdc }: { gold: number; usdc: number }) => [gold, usdc];
  const rest: [string, ...unknown[]][] = [
    ['number', statement.number],
    ['month', statement.month],
    ['opening', ...balance(opening)],
    ['closing', ...balance(closing)],
    ['totals', ...balance(totals), totals.fee_usd],
    ['difference', ...balance(difference)],
    ['statement', JSON.stringify(statement)],
    ...(signature ? Object.entries(signature) : []),
  ];
  const rows = lines.map((line) => csvLine(columns.map((name) => line[name])));
  return [csvHeader(columns), ...rows, '\r\n', ...rest.map(csvLine)].join('');
}

import type { Issuer } from '../config.js';
import {
  type AccountStatement,
  type LineKind,
  lineKinds,
  type StatementLine,
} from '../domain/papers/statement.js';
import { type Column, ink, type Row, Sheet } from './sheet.js';
import { mastheadOf, none, shownAmount, shownMonth, shownTime } from './words.js';

/** What stands on a statement in addition to what was signed. */
export interface StatementPaper {
  statement: AccountStatement;
  /** SHA-256 of what was signed; undefined for a provisional one. */
  hash: string | undefined;
  /** Where it is verified. */
  link: string;
  issuer: Issuer | undefined;
  /** Of a provisional one: when it was read. */
  readAt: Date;
}

const kindNames: Record<LineKind, string> = {
  buy: 'Customer buys',
  sell: 'Customer sells',
  purchase: 'Purchase',
  sale: 'Sale',
  withdrawal: 'Withdrawal',
  deposit: 'Deposit',
  redemption: 'Redemption',
  refund: 'Refund',
};

const amounts: readonly Column[] = [
  { title: 'VAULT GOLD', width: 76, align: 'right' },
  { title: 'VAULT USDC', width: 80, align: 'right' },
  { title: 'CUSTOMER GOLD', width: 78, align: 'right' },
  { title: 'CUSTOMER USDC', width: 82, align: 'right' },
  { title: 'FEE USD', width: 60, align: 'right' },
];
const lineColumns: readonly Column[] = [
  { title: 'TIME (UTC)', width: 58 },
  { title: 'ENTRY', width: 65 },
  ...amounts,
];
const sumColumns: readonly Column[] = [{ title: '', width: 123 }, ...amounts];

type Sums = Pick<StatementLine, 'gold' | 'usdc' | 'customer_gold' | 'customer_usdc' | 'fee_usd'>;

const cellsOf = (of: Sums): string[] =>
  [of.gold, of.usdc, of.customer_gold, of.customer_usdc, of.fee_usd].map(shownAmount);

/** The most entries that a paper lists: more of them are for a program, and are in the other formats. */
export const maxEntriesOnPaper = 1_000;

/** Returns a statement as a PDF: the same bytes for the same paper. */
export async function statementPdf(paper: StatementPaper): Promise<Buffer> {
  const { statement, hash, link, issuer, readAt } = paper;
  const { number, month, partner_name: partner } = statement;
  const name = number === null ? 'Provisional statement' : `Statement no. ${number}`;
  const title = `${name}, ${shownMonth(month)}`;
  const at = new Date(statement.issued_at ?? readAt);
  const [masthead, address] = mastheadOf(issuer);
  const sheet = await Sheet.begin(
    { title: `${title}, ${partner}`, author: masthead, at },
    `${title} · ${partner}`,
  );
  sheet.masthead(masthead, address);
  sheet.text('H1', title, { size: 20, weight: 600 });
  sheet.y += 8;
  sheet.facts(factsOf(paper));
  sheet.y += 8;
  sheet.text('H2', 'Balances', { size: 11, weight: 600 });
  sheet.y += 4;
  await sheet.table(sumColumns, sumRows(statement));
  for (const cause of statement.causes) sheet.text('P', cause, { size: 8.5, colour: ink.muted });
  sheet.y += 8;
  sheet.text('H2', 'Entries', { size: 11, weight: 600 });
  sheet.y += 4;
  if (statement.lines.length === 0) sheet.text('P', 'None in this month.', { colour: ink.muted });
  else await sheet.table(lineColumns, lineRows(statement.lines.slice(0, maxEntriesOnPaper)));
  const left = statement.lines.length - maxEntriesOnPaper;
  if (left > 0)
    sheet.text(
      'P',
      `${left.toLocaleString('en-US')} more entries are not on this paper; the sums above contain them. The same statement as CSV or JSON lists all.`,
    );
  sheet.y += 6;
  const meaning = `QR code: opens ${link.split('#')[0]}, which verifies this statement`;
  sheet.code(link, meaning, verifyWords(hash));
  return sheet.end();
}

function factsOf({ statement, readAt }: StatementPaper): [string, string][] {
  const { issued_at: issuedAt, corrects, vault } = statement;
  return [
    ['Partner', statement.partner_name],
    ['Vault', vault ?? 'none on chain'],
    issuedAt === null
      ? ['As of', `${shownTime(readAt.toISOString())}; provisional, not signed`]
      : ['Issued', shownTime(issuedAt)],
    ...(corrects === null ? [] : [['Corrects', `statement no. ${corrects}`] as [string, string]]),
  ];
}

function sumRows({ lines, opening, closing, difference, totals }: AccountStatement): Row[] {
  const noOthers = { customer_gold: 0, customer_usdc: 0, fee_usd: 0 };
  const rows: Row[] = [{ cells: ['Opening balance', ...cellsOf({ ...opening, ...noOthers })], strong: true }];
  for (const kind of lineKinds) {
    const of = lines.filter((line) => line.kind === kind);
    if (of.length === 0) continue;
    const sum = (name: keyof Sums) =>
      of.reduce((total, line) => total + Math.round(line[name] * 1e6), 0) / 1e6;
    const sums = {
      gold: sum('gold'),
      usdc: sum('usdc'),
      customer_gold: sum('customer_gold'),
      customer_usdc: sum('customer_usdc'),
      fee_usd: sum('fee_usd'),
    };
    rows.push({ cells: [`${kindNames[kind]} (${of.length.toLocaleString('en-US')})`, ...cellsOf(sums)] });
  }
  rows.push({ cells: ['All entries', ...cellsOf(totals)] });
  if (difference.gold !== 0 || difference.usdc !== 0)
    rows.push({ cells: ['Not explained', ...cellsOf({ ...difference, ...noOthers })] });
  rows.push({ cells: ['Closing balance', ...cellsOf({ ...closing, ...noOthers })], strong: true });
  return rows;
}

function* lineRows(lines: readonly StatementLine[]): Generator<Row> {
  for (const line of lines) {
    const time = `${line.at.slice(5, 10)} ${line.at.slice(11, 19)}`;
    const note = line.id === null ? line.tx_hash : `${line.id}  ·  ${line.tx_hash}`;
    const amounts = cellsOf(line).map((cell) => (cell === none ? '' : cell));
    yield { cells: [time, kindNames[line.kind], ...amounts], note };
  }
}

function verifyWords(hash: string | undefined): string[] {
  if (hash === undefined)
    return [
      'This statement is provisional: the month is not over or not issued yet. It has no number and no signature.',
    ];
  return [
    'Scan the code to verify this statement in a browser: its number, balances, totals and signature. To verify each entry, give the page the same statement as JSON or CSV.',
    `SHA-256 of the statement: ${hash}`,
  ];
}

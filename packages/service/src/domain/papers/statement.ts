import { canonicalJson } from '../canonical-json.js';
import type { Uuid } from '../ids.js';
import { amountNumber } from '../money.js';
import { type Month, monthOf } from './month.js';

/** The form of what is signed of a partner's month. */
export const statementFormat = 'karat.statement/1';
/** The form of its summary, which is signed as well: it has room in a QR code. */
export const sealFormat = 'karat.statement-seal/1';

/** What a line of a statement is about. The first two are customers' trades, and `redemption` and `refund` are customers' too. */
export const lineKinds = [
  'buy',
  'sell',
  'purchase',
  'sale',
  'withdrawal',
  'deposit',
  'redemption',
  'refund',
] as const;
export type LineKind = (typeof lineKinds)[number];

/** A line as the records have it; amounts in base units, those that leave are negative. */
export interface RecordedLine {
  at: Date;
  kind: LineKind;
  /** Of the trade, the order or the redemption; null for a deposit. */
  id: string | null;
  txHash: string;
  /** By how much it changed the partner's vault. */
  gold: bigint;
  usdc: bigint;
  /** Dollars in millionths; negative where a fee was returned. */
  feeUsd: bigint;
  /** By how much it changed the customer's wallet. */
  customerGold: bigint;
  customerUsdc: bigint;
}

/** What a vault holds, or by how much; base units. */
export interface Amounts {
  gold: bigint;
  usdc: bigint;
}

/** What is known of a month. */
export interface StatementFacts {
  partner: { id: Uuid; name: string };
  /** The partner's vault; null for a partner that is not on chain. */
  vault: string | null;
  month: Month;
  opening: Amounts;
  closing: Amounts;
  lines: readonly RecordedLine[];
  /** Records of the month that could not be read, which a person has to resolve. */
  deadLetters: number;
  /** Whether the vault was compared with the chain. */
  isCompared: boolean;
}

/** What a statement has once it is issued. */
export interface Issue {
  /** From 1, without gaps, of each partner. */
  number: number;
  issuedAt: Date;
  /** Number of the statement that this one corrects; null for the first of its month. */
  corrects: number | null;
}

interface Balance {
  gold: number;
  usdc: number;
}

/** A line of a statement. */
export interface StatementLine extends Balance {
  at: string;
  kind: LineKind;
  id: string | null;
  fee_usd: number;
  customer_gold: number;
  customer_usdc: number;
  tx_hash: string;
}

/** Sums over the lines. */
export interface StatementTotals extends Balance {
  lines: number;
  fee_usd: number;
  customer_gold: number;
  customer_usdc: number;
}

/** A partner's month, as JSON. Amounts are numbers with up to 6 decimals. */
export interface AccountStatement {
  format: typeof statementFormat;
  /** Null while it is provisional, as the next two are. */
  number: number | null;
  issued_at: string | null;
  corrects: number | null;
  month: Month;
  provisional: boolean;
  partner_id: Uuid;
  partner_name: string;
  vault: string | null;
  opening: Balance;
  closing: Balance;
  lines: StatementLine[];
  totals: StatementTotals;
  /** Closing less opening less the lines: what no line explains. */
  difference: Balance;
  /** Why there is a difference, in sentences. */
  causes: string[];
}

/** The summary of a statement, with the SHA-256 of its JSON. */
export type StatementSeal = Omit<AccountStatement, 'format' | 'lines' | 'provisional' | 'causes'> & {
  format: typeof sealFormat;
  /** SHA-256 of the statement, hexadecimal. */
  sha256: string;
};

const numbersOf = ({ gold, usdc }: Amounts): Balance => ({
  gold: amountNumber(gold),
  usdc: amountNumber(usdc),
});

/** Makes the statement of a month; a provisional one without an issue. */
export function makeStatement(facts: StatementFacts, issue?: Issue): AccountStatement {
  const { partner, month, lines, opening, closing } = facts;
  const sum = (of: (line: RecordedLine) => bigint) => lines.reduce((total, line) => total + of(line), 0n);
  const moved = { gold: sum(({ gold }) => gold), usdc: sum(({ usdc }) => usdc) };
  const difference = {
    gold: closing.gold - opening.gold - moved.gold,
    usdc: closing.usdc - opening.usdc - moved.usdc,
  };
  return {
    format: statementFormat,
    number: issue?.number ?? null,
    issued_at: issue?.issuedAt.toISOString() ?? null,
    corrects: issue?.corrects ?? null,
    month,
    provisional: issue === undefined,
    partner_id: partner.id,
    partner_name: partner.name,
    vault: facts.vault,
    opening: numbersOf(opening),
    closing: numbersOf(closing),
    lines: lines.map(toLine),
    totals: {
      lines: lines.length,
      ...numbersOf(moved),
      fee_usd: amountNumber(sum(({ feeUsd }) => feeUsd)),
      customer_gold: amountNumber(sum(({ customerGold }) => customerGold)),
      customer_usdc: amountNumber(sum(({ customerUsdc }) => customerUsdc)),
    },
    difference: numbersOf(difference),
    causes: causesOf(facts, difference),
  };
}

const toLine = (line: RecordedLine): StatementLine => ({
  at: line.at.toISOString(),
  kind: line.kind,
  id: line.id,
  ...numbersOf(line),
  fee_usd: amountNumber(line.feeUsd),
  customer_gold: amountNumber(line.customerGold),
  customer_usdc: amountNumber(line.customerUsdc),
  tx_hash: line.txHash,
});

function causesOf({ deadLetters, isCompared }: StatementFacts, { gold, usdc }: Amounts): string[] {
  const causes: string[] = [];
  if (!isCompared) causes.push('The vault has not been compared with the chain yet.');
  if (gold === 0n && usdc === 0n) return causes;
  causes.push('The balance of the vault on chain differs from what the lines explain.');
  if (deadLetters > 0) {
    const records = deadLetters === 1 ? 'One transaction' : `${deadLetters} transactions`;
    causes.push(`${records} of the month could not be recorded and await a person.`);
  } else {
    causes.push('No transaction that the Solana nodes still list explains it.');
  }
  return causes;
}

/** Returns whether two statements say the same of their month, whenever they were issued. */
export function isSameContent(one: AccountStatement, other: AccountStatement): boolean {
  const contentOf = ({
    number,
    issued_at,
    corrects,
    provisional,
    partner_name,
    causes,
    ...content
  }: AccountStatement) => canonicalJson(content);
  return contentOf(one) === contentOf(other);
}

/** Returns the summary of a statement, `sha256` being that of its JSON. */
export function sealOf(statement: AccountStatement, sha256: string): StatementSeal {
  const { lines, provisional, causes, ...summary } = statement;
  return { ...summary, format: sealFormat, sha256 };
}

/** Returns the name of the file that a statement is saved as, without its ending. */
export const statementFileName = ({ month, number }: Pick<AccountStatement, 'month' | 'number'>): string =>
  `statement-${month}-${number === null ? 'provisional' : `no-${number}`}`;

/** Returns the first month of which a partner has a statement. */
export const firstMonthOf = ({ createdAt }: { createdAt: Date }): Month => monthOf(createdAt);

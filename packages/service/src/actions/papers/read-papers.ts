import type { Context } from '../../context.js';
import { hasOldRequest, insertPaperRequest } from '../../db/papers/paper-requests.js';
import { findPaper, type Paper, type PaperSubject } from '../../db/papers/papers.js';
import { findPartner, type Partner } from '../../db/partners/partners.js';
import { canonicalJson } from '../../domain/canonical-json.js';
import type { Uuid } from '../../domain/ids.js';
import { asMonth, type Month, monthOf } from '../../domain/papers/month.js';
import type { SignedReceipt } from '../../domain/papers/receipt.js';
import { type AccountStatement, firstMonthOf, makeStatement } from '../../domain/papers/statement.js';
import { AppError, invalidField } from '../../errors.js';
import { pause } from '../../runtime/time.js';
import { draftReceipt } from './draft-receipt.js';
import { draftStatement } from './draft-statement.js';

/** How long a caller waits for a signature, so that time is left to make the paper before the deadline of requests, and how often it looks. */
const signedWithinMs = 2_000;
const lookMs = 100;
/** A statement is looked through for changes at most so often, for each process. */
const lookThroughMs = 60_000;

/** A statement, and how it was signed; a provisional one is not. */
export interface ReadStatement {
  statement: AccountStatement;
  /** Exactly what was signed. */
  body: string;
  paper: Paper | undefined;
}

/** Returns statements of a partner's months. */
export class StatementReader {
  readonly #ctx: Pick<Context, 'db' | 'chain' | 'clock'>;
  readonly #lookedThroughMs = new Map<string, number>();

  constructor(ctx: Pick<Context, 'db' | 'chain' | 'clock'>) {
    this.#ctx = ctx;
  }

  /**
   * Returns the newest statement of a month as it was issued, or a provisional one. Reading one has it looked through for records
   * that changed since, which are corrected by another one. Throws `invalid_request` for a month that has not begun, and
   * `statement_not_found` for one in which there was no such partner.
   */
  async read(partnerId: Uuid, text: string): Promise<ReadStatement> {
    const { db, clock } = this.#ctx;
    const month = readMonth(text, new Date(clock.now()));
    const partner = await findPartner(db, partnerId);
    if (!partner || month < firstMonthOf(partner))
      throw new AppError('statement_not_found', `In ${month} the partner was not with Karat yet.`);
    const about = { partnerId, kind: 'statement', subject: month } as const;
    const paper = await findPaper(db, about);
    if (!paper) {
      const statement = makeStatement(await draftStatement(this.#ctx, partner, month));
      return { statement, body: canonicalJson(statement), paper };
    }
    await this.#lookThrough(about);
    return { statement: JSON.parse(paper.body) as AccountStatement, body: paper.body, paper };
  }

  async #lookThrough(about: PaperSubject): Promise<void> {
    const key = `${about.partnerId} ${about.subject}`;
    const nowMs = this.#ctx.clock.now();
    if (nowMs - (this.#lookedThroughMs.get(key) ?? Number.NEGATIVE_INFINITY) < lookThroughMs) return;
    if (this.#lookedThroughMs.size >= 10_000) this.#lookedThroughMs.clear();
    this.#lookedThroughMs.set(key, nowMs);
    await request(this.#ctx, about);
  }
}

function readMonth(text: string, now: Date): Month {
  const month = asMonth(text);
  if (!month) throw invalidField('month', 'month must be a year and a month, such as 2026-11.');
  if (month > monthOf(now)) throw invalidField('month', `${month} has not begun.`);
  return month;
}

function request({ db, clock }: Pick<Context, 'db' | 'clock'>, about: PaperSubject): Promise<void> {
  const { partnerId, kind, subject } = about;
  const requestedAt = new Date(clock.now());
  return db.transaction((tx) => insertPaperRequest(tx, { partnerId, kind, subject, requestedAt }));
}

/** A receipt, and how it was signed. */
export interface ReadReceipt {
  receipt: SignedReceipt;
  body: string;
  /** Undefined while no process has signed it. */
  paper: Paper | undefined;
}

/**
 * Returns the receipt of a trade or a hand-over of a partner, signed where a process signs such papers: the first reader waits for
 * that, and gets it unsigned after a few seconds. Throws `receipt_not_ready` while there is nothing final to receipt.
 */
export async function readPaperReceipt(
  ctx: Pick<Context, 'db' | 'clock'>,
  partner: Partner,
  { kind, subject }: Pick<PaperSubject, 'kind' | 'subject'>,
): Promise<ReadReceipt> {
  const { db, clock } = ctx;
  const about = { partnerId: partner.id, kind, subject };
  let paper = await findPaper(db, about);
  if (!paper) {
    const issuedAt = new Date(clock.now());
    const receipt = await draftReceipt(db, partner, { kind, subject, issuedAt });
    if (!receipt) throw notReady(kind);
    const isSigning = !(await hasOldRequest(db, new Date(clock.now() - signedWithinMs)));
    await request(ctx, about);
    const endMs = performance.now() + signedWithinMs;
    while (!paper && isSigning && performance.now() < endMs) {
      await pause(lookMs, undefined);
      paper = await findPaper(db, about);
    }
    if (!paper) return { receipt, body: canonicalJson(receipt), paper };
  }
  return { receipt: JSON.parse(paper.body) as SignedReceipt, body: paper.body, paper };
}

const notReady = (kind: PaperSubject['kind']) =>
  new AppError(
    'receipt_not_ready',
    kind === 'trade'
      ? 'A trade has a receipt once it has succeeded and is final, about half a minute after it landed.'
      : 'A redemption has a receipt once its gold was handed over.',
  );

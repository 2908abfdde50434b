import { createHash } from 'node:crypto';
import { type Signer, verifySignature } from '../../chain/sign/signer.js';
import type { Context } from '../../context.js';
import { findProgress } from '../../db/indexing/indexer-progress.js';
import { deletePaperRequest, findPaperRequests, type PaperRequest } from '../../db/papers/paper-requests.js';
import {
  findLastNumber,
  findPaper,
  findStatedMonths,
  insertPaper,
  lockPapers,
  type Paper,
  type PaperSubject,
} from '../../db/papers/papers.js';
import { hasUnfinalized } from '../../db/papers/statement-lines.js';
import { findLastMonthEnd, isMonthRead } from '../../db/papers/vault-books.js';
import { findAllPartners, findPartner, type Partner } from '../../db/partners/partners.js';
import { canonicalJson } from '../../domain/canonical-json.js';
import { newUuid } from '../../domain/ids.js';
import { asMonth, type Month, monthsBetween } from '../../domain/papers/month.js';
import {
  type AccountStatement,
  firstMonthOf,
  isSameContent,
  makeStatement,
  sealOf,
} from '../../domain/papers/statement.js';
import { addressToBytes } from '../../domain/solana.js';
import { unavailable } from '../../errors.js';
import { draftReceipt } from './draft-receipt.js';
import { type Draft, draftStatement } from './draft-statement.js';

/** Papers that are issued in a round, so that those that are requested meanwhile do not wait for all of them. */
const issuedInRound = 50;

type IssueContext = Pick<Context, 'db' | 'clock' | 'chain' | 'config' | 'log'>;

/** Issues every statement of a month that is over, where there is none, as far as it can be. */
export async function issueDueStatements(ctx: IssueContext, signer: Signer): Promise<void> {
  const last = await findLastMonthEnd(ctx.db);
  if (!last) return;
  const stated = await findStatedMonths(ctx.db);
  let issued = 0;
  for (const partner of await findAllPartners(ctx.db)) {
    for (const month of monthsBetween(firstMonthOf(partner), last.month)) {
      if (stated.get(partner.id)?.has(month)) continue;
      // Its statements are numbered in the order of their months.
      if (!(await issueStatement(ctx, signer, partner, month))) break;
      issued += 1;
      if (issued === issuedInRound) return;
    }
  }
}

/** Issues the papers that were requested: receipts, and statements whose records have changed. */
export async function issueRequested(ctx: IssueContext, signer: Signer): Promise<void> {
  for (const request of await findPaperRequests(ctx.db, issuedInRound)) {
    try {
      await issueOne(ctx, signer, request);
    } catch (err) {
      ctx.log.warn({ err, kind: request.kind, subject: request.subject }, 'a paper could not be issued');
    }
    // One that fails is requested again by its next reader.
    await ctx.db.transaction((tx) => deletePaperRequest(tx, request));
  }
}

async function issueOne(ctx: IssueContext, signer: Signer, request: PaperRequest): Promise<void> {
  const { partnerId, kind, subject } = request;
  const partner = await findPartner(ctx.db, partnerId);
  if (!partner) return;
  const month = asMonth(subject);
  if (kind === 'statement') {
    if (month) await issueStatement(ctx, signer, partner, month);
    return;
  }
  if (await findPaper(ctx.db, request)) return;
  const issuedAt = new Date(ctx.clock.now());
  const receipt = await draftReceipt(ctx.db, partner, { kind, subject, issuedAt });
  if (!receipt) return;
  const body = canonicalJson(receipt);
  const paper = { ...(await signed(signer, request, body, issuedAt)), sealSignature: null };
  await insertIfNew(ctx, { ...paper, number: null, corrects: null }, undefined);
}

/**
 * Issues the statement of a month: the first one, or the correction of one that says something else. Returns false while the month
 * cannot be stated yet: its end is not final, not everything up to it is recorded, or the vault was not read since.
 */
export async function issueStatement(
  ctx: IssueContext,
  signer: Signer,
  partner: Partner,
  month: Month,
): Promise<boolean> {
  const draft = await draftStatement(ctx, partner, month);
  if (!(await isReady(ctx, draft))) return false;
  const about: PaperSubject = { partnerId: partner.id, kind: 'statement', subject: month };
  const newest = await findPaper(ctx.db, about);
  if (newest && isSameContent(JSON.parse(newest.body) as AccountStatement, makeStatement(draft))) return true;
  const number = (await findLastNumber(ctx.db, partner.id)) + 1;
  const issuedAt = new Date(ctx.clock.now());
  const corrects = newest?.number ?? null;
  const statement = makeStatement(draft, { number, issuedAt, corrects });
  const body = canonicalJson(statement);
  // Outside of a transaction, which the database ends while a signer that is far away keeps it waiting.
  const paper = await signed(signer, about, body, issuedAt);
  const sealSignature = await signText(signer, canonicalJson(sealOf(statement, paper.hash)));
  return insertIfNew(ctx, { ...paper, number, corrects, sealSignature }, newest);
}

async function isReady(
  { db }: IssueContext,
  { slots: { upTo }, partner, month, vault }: Draft,
): Promise<boolean> {
  if (upTo === undefined || (await hasUnfinalized(db, upTo))) return false;
  const { completeSlot = -1n } = (await findProgress(db)) ?? {};
  if (completeSlot < upTo) return false;
  return vault === null || isMonthRead(db, partner.id, month, upTo);
}

/** Writes a paper if no other process has issued one of its subject or number meanwhile. */
async function insertIfNew({ db }: IssueContext, paper: Paper, newest: Paper | undefined): Promise<boolean> {
  return db.transaction(async (tx) => {
    await lockPapers(tx);
    if ((await findPaper(tx, paper))?.id !== newest?.id) return false;
    if (paper.number !== null && (await findLastNumber(tx, paper.partnerId)) + 1 !== paper.number)
      return false;
    await insertPaper(tx, paper);
    return true;
  });
}

async function signed(
  signer: Signer,
  { partnerId, kind, subject }: PaperSubject,
  body: string,
  issuedAt: Date,
): Promise<Omit<Paper, 'number' | 'corrects' | 'sealSignature'>> {
  return {
    id: newUuid(),
    ...{ partnerId, kind, subject, issuedAt, body },
    hash: createHash('sha256').update(body).digest('hex'),
    publicKey: addressToBytes(signer.address),
    signature: await signText(signer, body),
  };
}

async function signText(signer: Signer, text: string): Promise<Uint8Array> {
  const bytes = Buffer.from(text);
  const signature = await signer.sign(bytes);
  if (!verifySignature(addressToBytes(signer.address), bytes, signature))
    throw unavailable('The signer of the reserves returned a signature that is not valid.');
  return signature;
}

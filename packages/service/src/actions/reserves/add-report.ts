import { createHash } from 'node:crypto';
import { readBackingOfChain } from '../../chain/program/reserve-snapshot.js';
import type { Context } from '../../context.js';
import { insertReport } from '../../db/reserves/reports.js';
import { hasStatementWithReport } from '../../db/reserves/statements.js';
import { attestationCounts } from '../../domain/attestation.js';
import { maxReportBytes, reportTypeOf } from '../../domain/reserves/report.js';
import { invalidField, nodeUnavailable, notAllowed } from '../../errors.js';

type ReportContext = Pick<Context, 'db' | 'clock' | 'chain'>;

const readWithinMs = 10_000;

/**
 * Publishes a report of the attestor: the file whose SHA-256 the attestation on the chain has, or that of a signed statement. One
 * that is published already stays as it is. Returns its SHA-256, hexadecimal. Throws `invalid_request` for a file that is neither
 * PDF nor text or too large, `transition_not_allowed` for one that no attestation names, and `service_unavailable` when the node does not respond.
 */
export async function addReport(ctx: ReportContext, content: Uint8Array): Promise<string> {
  if (content.length > maxReportBytes)
    throw invalidField('report', `The report may have ${maxReportBytes / 1_024 / 1_024} MiB.`);
  const type = reportTypeOf(content);
  if (!type) throw invalidField('report', 'The report must be a PDF or a text.');
  const hash = createHash('sha256').update(content).digest('hex');
  if (!(await isAttested(ctx, hash)))
    throw notAllowed(
      `No attestation names this file: its SHA-256 is ${hash}, and attestations are made with karat reserve attest. ${attestationCounts}`,
    );
  return ctx.db.transaction((tx) => insertReport(tx, { content, type }, new Date(ctx.clock.now())));
}

/** Whether the attestation on the chain, or one that a statement was signed with, is of this report. */
async function isAttested({ db, chain }: ReportContext, hash: string): Promise<boolean> {
  if (await hasStatementWithReport(db, hash)) return true;
  const { attestation } = await readBackingOfChain(chain, AbortSignal.timeout(readWithinMs)).catch(
    (cause: unknown) => {
      throw nodeUnavailable('The Solana node does not report the attestation; try again shortly.', cause);
    },
  );
  return attestation?.reportHash === hash;
}

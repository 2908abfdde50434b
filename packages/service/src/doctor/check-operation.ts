import type { DbHandle } from '../db/client.js';
import { findIndexingState } from '../db/indexing/indexer-progress.js';
import { countOpenDeadLetters } from '../db/indexing/observed-state.js';
import { findKeeperReports } from '../db/market/keeper-reports.js';
import { type Finding, findingsOf } from './finding.js';

const { ok, warning, skipped } = findingsOf('operation');

/** Rounds are noted every 2 s while somebody indexes. */
const indexerSilentMs = 15_000;
/** A keeper looks every few seconds. */
const keeperSilentMs = 60_000;

/**
 * Checks what the processes that run left in the database: that somebody indexes and keeps, and what was found wrong.
 */
export async function checkOperation(database: DbHandle | undefined): Promise<Finding[]> {
  if (!database) return [skipped('Without a database, the processes cannot be checked.')];
  const { db } = database;
  const findings: Finding[] = [];
  const { led, lastRoundAgeMs, missing } = await findIndexingState(db);
  if (!led) {
    findings.push(warning('No process is indexing: nothing is recorded.', 'Start one with karat index.'));
  } else if (lastRoundAgeMs === undefined || lastRoundAgeMs > indexerSilentMs) {
    findings.push(warning('The indexer makes no progress.', 'The log of its process shows why.'));
  } else {
    findings.push(ok('The indexer makes progress.'));
  }
  if (missing) {
    const next = 'The indexer looks for it on every node; docs/indexing.md shows what to do if none has it.';
    findings.push(warning(missing.text, next));
  }
  const reports = await findKeeperReports(db);
  const youngestMs = Math.min(...reports.map(({ ageMs }) => ageMs));
  if (youngestMs > keeperSilentMs) {
    findings.push(
      warning('No keeper is running, so the state of the market is not set.', 'Start one with karat keep.'),
    );
  } else {
    findings.push(ok('A keeper is running.'));
  }
  const books = reports.find(({ name }) => name === 'reconciliation_differences');
  if (books && books.status !== 'ok') {
    findings.push(
      warning(
        books.detail,
        'docs/operations/dead-letters.md explains what is compared and what each difference means.',
      ),
    );
  }
  const deadLetters = await countOpenDeadLetters(db);
  for (const { reason, count } of deadLetters) {
    findings.push(
      warning(
        `${count} dead letters with the reason ${reason} are open.`,
        'GET /operator/v1/dead-letters shows them; docs/operations/dead-letters.md explains each reason.',
      ),
    );
  }
  return findings;
}

import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { verifyAuditRows } from '../actions/audit.js';
import { verifyAuditAnchors } from '../actions/audit-anchors.js';
import { readConfig } from '../chain/program/program-snapshot.js';
import { verifySignature } from '../chain/sign/signer.js';
import type { Context } from '../context.js';
import type { Tx } from '../db/client.js';
import { findStatementBars, findStatementsAfter, type StoredStatement } from '../db/reserves/statements.js';
import { canonicalJson } from '../domain/canonical-json.js';
import { MerkleTree } from '../domain/reserves/merkle.js';
import { type Statement, statementHash } from '../domain/reserves/statement.js';
import { type Broken, counted, type Verdict, verdictOf } from './verdict.js';

const decompress = promisify(gunzip);

/** Verifies every statement of the reserves as a reader would: hash, signatures, the list of its bars, and the one before it. */
export async function checkStatements(tx: Tx): Promise<Verdict> {
  const statements = await findStatementsAfter(tx, 0);
  const broken: Broken[] = [];
  let previous: StoredStatement | undefined;
  for (const stored of statements) {
    const fault = (await faultOfStatement(tx, stored, previous)) ?? faultOfSignatures(stored);
    if (fault !== undefined) broken.push({ row: `reserve_statements ${stored.id}`, fault });
    previous = stored;
  }
  const count = counted(statements.length, 'statement');
  return verdictOf('statements', `Every statement of the reserves verifies: ${count}.`, broken);
}

async function faultOfStatement(
  tx: Tx,
  { id, sequence, body, hash }: StoredStatement,
  previous: StoredStatement | undefined,
): Promise<string | undefined> {
  if (statementHash(Buffer.from(body)) !== hash) return 'has another hash than its text';
  const statement = JSON.parse(body) as Statement;
  if (canonicalJson(statement) !== body) return 'is not in its canonical form';
  if (statement.statement_id !== id || statement.sequence !== sequence)
    return 'has the text of another statement';
  if (sequence !== (previous?.sequence ?? 0) + 1) return `does not follow number ${previous?.sequence ?? 0}`;
  if (statement.previous !== (previous?.hash ?? null))
    return 'does not name the hash of the statement before it';
  const lines = await readLines(tx, id);
  if (!lines) return 'has lost its list of bars';
  const root = Buffer.from(new MerkleTree(lines.map((line) => Buffer.from(line))).root).toString('hex');
  if (root !== statement.bars.merkle_root) return 'has another list of bars than its Merkle root is of';
  if (lines.length !== statement.bars.count)
    return `lists ${lines.length} bars and counts ${statement.bars.count}`;
  return undefined;
}

async function readLines(tx: Tx, id: StoredStatement['id']): Promise<string[] | undefined> {
  const compressed = await findStatementBars(tx, id);
  if (!compressed) return undefined;
  const text = (await decompress(compressed).catch(() => undefined))?.toString('utf8');
  return text === '' ? [] : text?.slice(0, -1).split('\n');
}

function faultOfSignatures({
  body,
  publicKey,
  signature,
  countersignatures,
}: StoredStatement): string | undefined {
  const bytes = Buffer.from(body);
  if (!verifySignature(publicKey, bytes, signature)) return 'has a signature that is not valid';
  const wrong = countersignatures.find(
    ({ public_key, signature: other }) =>
      !verifySignature(Buffer.from(public_key, 'hex'), bytes, Buffer.from(other, 'base64')),
  );
  return wrong && `has a countersignature by ${wrong.public_key} that is not valid`;
}

/** Walks the audit log by its own hashes. */
export async function checkAuditLog(tx: Tx): Promise<Verdict> {
  const { ok, rows, firstBad } = await verifyAuditRows(tx);
  const broken = ok
    ? []
    : [{ row: `audit_log ${firstBad}`, fault: 'is not as it was written, or is missing' }];
  return verdictOf(
    'audit_log',
    `Every entry of the audit log is as it was written: ${counted(rows, 'entry', 'entries')}.`,
    broken,
  );
}

/** Compares the audit log with the hashes that the market key wrote to the chain. Rejects when the node fails. */
export async function checkAuditAnchors(
  ctx: Pick<Context, 'db' | 'chain'>,
  signal: AbortSignal,
): Promise<Verdict> {
  const signer = (await readConfig(ctx.chain, 'confirmed', signal)).hotKeys.market;
  const { anchors, broken } = await verifyAuditAnchors(ctx, signer, signal);
  const detail = `The audit log is what its hashes on chain are of: ${counted(anchors, 'hash', 'hashes')}.`;
  const fault = `is not the entry that ${broken?.txHash} keeps on chain: entries up to it were rewritten or cut off`;
  return verdictOf('audit_anchors', detail, broken ? [{ row: `audit_log ${broken.seq}`, fault }] : []);
}

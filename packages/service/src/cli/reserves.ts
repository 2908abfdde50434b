import { readFileSync } from 'node:fs';
import { addReport } from '../actions/reserves/add-report.js';
import { countersign as addCountersignature } from '../actions/reserves/countersign.js';
import { publishStatement } from '../actions/reserves/publish-statement.js';
import { systemClock } from '../clock.js';
import { findStatement } from '../db/reserves/statements.js';
import { asStatementId } from '../domain/ids.js';
import type { Statement } from '../domain/reserves/statement.js';
import { addressToBytes } from '../domain/solana.js';
import { type Call, CommandError, done, type Outcome, UsageError } from './command.js';
import { readKeyFile } from './keys.js';
import { quoted } from './parse.js';
import { mustBe } from './texts.js';
import { withContext, withDatabase } from './with-database.js';

/** `reserves statement` */
export async function publish(call: Call): Promise<Outcome> {
  const made = await withContext(call, async (ctx) => {
    if (!ctx.reservesSigner)
      throw new CommandError('KARAT_RESERVES_SIGNER is not set: its key signs the statement');
    return publishStatement({ ...ctx, clock: systemClock }, ctx.reservesSigner);
  });
  if (!made) throw new CommandError('No statement was made');
  const { assertion, coverage, network } = JSON.parse(made.body) as Statement;
  return done({
    assertion,
    statement_id: made.id,
    sequence: made.sequence,
    slot: network.slot,
    hash: made.hash,
    coverage,
  });
}

export async function countersign(call: Call): Promise<Outcome> {
  const statementId = call.get('statement');
  const auditor = readKeyFile(call, 'auditor-keypair');
  const by = await withDatabase(call, async (ctx) => {
    const id = asStatementId(statementId);
    const statement = id && (await findStatement(ctx.db, id));
    if (!statement) throw new CommandError(`There is no statement ${statementId}`);
    const given = auditor
      ? {
          publicKey: addressToBytes(auditor.address),
          signature: await auditor.sign(Buffer.from(statement.body)),
        }
      : readSignature(call);
    await addCountersignature(ctx, { statementId, ...given });
    return given.publicKey;
  });
  return done({ statement_id: statementId, public_key: Buffer.from(by).toString('hex') });
}

/** `reserves report` */
export async function publishReport(call: Call): Promise<Outcome> {
  const content = readReport(call);
  const hash = await withContext(call, (ctx) => addReport({ ...ctx, clock: systemClock }, content));
  return done({ report_hash: hash, bytes: content.length });
}

function readReport(call: Call): Buffer {
  const path = call.get('report');
  try {
    return readFileSync(path);
  } catch {
    throw new CommandError(`${call.sourceOf('report')}: ${quoted(path)} cannot be read`);
  }
}

/** A signature that was made elsewhere. */
function readSignature(call: Call) {
  if (call.find('public-key') === undefined || call.find('signature') === undefined)
    throw new UsageError('Give --auditor-keypair, or --public-key and --signature');
  const publicKey = Buffer.from(call.get('public-key'), 'hex');
  if (publicKey.length !== 32 || !/^[0-9a-f]{64}$/i.test(call.get('public-key')))
    throw mustBe(call, 'public-key', '64 hexadecimal digits');
  const signature = Buffer.from(call.get('signature'), 'base64');
  if (signature.length !== 64) throw mustBe(call, 'signature', 'base64 of 64 bytes');
  return { publicKey, signature };
}

import type { FastifyInstance } from 'fastify';
import { readAuditLogBehind } from '../../actions/audit.js';
import type { Context } from '../../context.js';
import { type AuditHead, findAuditHead } from '../../db/operators/audit-log.js';

const lookEveryMs = 5_000;

/**
 * Writes number and hash of every entry of the audit log to the service's own log, which the owner of the database does not
 * own: after each change that is made here, and every 5 s for those of other processes and the command line. Only what is
 * committed is seen. From a start on it begins with the last entry, whose hash covers all before it. That an entry is not
 * there any more which was, is an error in the log.
 */
export function anchorAuditLog(ctx: Context, app: FastifyInstance): void {
  let known: AuditHead | undefined;
  let looking: Promise<void> | undefined;
  let again = false;

  async function look(): Promise<void> {
    const rows = known && (await readAuditLogBehind(ctx.db, known));
    if (known && !rows) {
      ctx.log.error(shown(known), 'the audit log no longer contains an entry that was written to it');
    }
    if (rows) for (const row of rows) logRow(row);
    else await begin();
    if (rows && rows.length > 0) await look();
  }

  async function begin(): Promise<void> {
    const head = await findAuditHead(ctx.db);
    if (head) logRow(head);
  }

  function logRow(row: AuditHead): void {
    ctx.log.info(shown(row), 'audit entry');
    known = { seq: row.seq, hash: row.hash };
  }

  /** Looks run one after the other: a request during one is served by the next. */
  function requestLook(): void {
    again = looking !== undefined;
    looking ??= look()
      .catch((err: unknown) => ctx.log.warn({ err }, 'the end of the audit log was not read'))
      .finally(() => {
        looking = undefined;
        if (again) requestLook();
      });
  }

  const timer = setInterval(requestLook, lookEveryMs).unref();
  app.addHook('onReady', async () => requestLook());
  app.addHook('onResponse', async ({ method, routeOptions }) => {
    if (method !== 'GET' && method !== 'HEAD' && routeOptions.url) requestLook();
  });
  app.addHook('onClose', async () => {
    clearInterval(timer);
    again = false;
    await looking;
  });
}

function shown({ seq, hash }: AuditHead) {
  return { audit_seq: seq, audit_hash: Buffer.from(hash).toString('hex') };
}

import type { Context } from '../../context.js';
import { findLastAuditRow, lockAuditHead } from '../../db/operators/audit-log.js';
import { commandLine } from '../../domain/audit.js';
import { type Loop, startLoop } from '../../runtime/loop.js';
import type { ScreeningSource } from '../../screening/screening.js';
import { isSame, recordChange } from '../audit.js';

const lookEveryMs = 5_000;
const list = { objectType: 'sanctions_list', objectId: 'list' } as const;

/** Takes over new sanctions lists while a process serves, and writes each that comes into use into the audit log. */
export function followScreening(ctx: Context): Loop {
  let recorded: string | null | undefined;
  return startLoop({
    name: 'screening',
    intervalMs: lookEveryMs,
    log: ctx.log,
    async round() {
      await ctx.screening.refresh();
      const source = ctx.screening.source();
      const current = source?.sha256 ?? null;
      if (current === recorded) return;
      await recordSource(ctx, source);
      recorded = current;
    },
  });
}

/** Writes down by which list wallets are screened from now on, unless the audit log says so already. */
async function recordSource(ctx: Context, source: ScreeningSource | undefined): Promise<void> {
  const after = source ? { sha256: source.sha256, addresses: source.addresses } : null;
  await ctx.db.transaction(async (tx) => {
    const known = (await findLastAuditRow(tx, list))?.after ?? null;
    if (after === null ? known === null : isSame(known, after)) return;
    await lockAuditHead(tx);
    const before = (await findLastAuditRow(tx, list))?.after ?? null;
    if (after === null ? before === null : isSame(before, after)) return;
    const change = { action: 'screening.list' as const, ...list, before, after };
    await recordChange(tx, commandLine, change, new Date(ctx.clock.now()));
  });
}

import { type OnRefused, policyRules, type Refused, roles } from '@karat/signer';
import type { Context } from '../../context.js';
import { commandLine } from '../../domain/audit.js';
import { recordChange } from '../audit.js';

/** One row a minute of each kind: who makes a process ask for signatures must not fill the audit log. */
const rowEveryMs = 60_000;

/**
 * Returns what is done with a signature that the policy refuses: it is counted and logged, and the first of its kind in a
 * minute goes into the audit log, with how many came since the last row.
 */
export function refusalRecorder(ctx: Pick<Context, 'db' | 'clock' | 'log' | 'metrics'>): OnRefused {
  const { log, metrics } = ctx;
  const counter = metrics.counter(
    'karat_signatures_refused_total',
    'Signatures that the policy refused, by the role of the key and the rule',
    ['role', 'rule'],
  );
  // A counter that is there from the start shows its first refusal as an increase.
  for (const role of Object.values(roles)) for (const rule of policyRules) counter.inc({ role, rule }, 0);
  const kinds = new Map<string, { sinceMs: number; unwritten: number }>();
  return (refused) => {
    const { role, rule } = refused;
    counter.inc({ role, rule });
    log.error({ refused }, 'a signature was refused');
    const kind = `${role} ${rule}`;
    const nowMs = performance.now();
    const known = kinds.get(kind);
    if (known && nowMs - known.sinceMs < rowEveryMs) {
      known.unwritten += 1;
      return;
    }
    kinds.set(kind, { sinceMs: nowMs, unwritten: 0 });
    record(ctx, refused, known?.unwritten ?? 0).catch((err: unknown) => {
      log.error({ err }, 'a refused signature was not written into the audit log');
    });
  };
}

async function record(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  { role, key, rule, detail, messageHash }: Refused,
  earlier: number,
): Promise<void> {
  const change = {
    action: 'signature.refuse' as const,
    objectId: key,
    after: { role, rule, detail, message_sha256: messageHash, earlier_refusals: earlier },
  };
  await db.transaction((tx) => recordChange(tx, commandLine, change, new Date(clock.now())));
}

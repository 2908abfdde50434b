import { parseTimestamp } from '../domain/timestamp.js';
import { maxNamed, type TimedVerdict, type Verdict } from '../verify/verdict.js';
import { verify as look } from '../verify/verify.js';
import type { Call, Outcome, Terminal } from './command.js';
import { findSettings } from './find-sandbox.js';
import { mustBe } from './texts.js';
import { withContext } from './with-database.js';

/** How long the records may take to follow the chain: what is final is recorded within half a minute. */
const waitMs = 60_000;
/** A transaction that lands while it is looked at is recorded by then. */
const againMs = 3_000;
/** Something could not be compared, and nothing is red. */
const pendingCode = 3;

export async function verify(call: Call): Promise<Outcome> {
  const form = call.get('output');
  if (form !== 'text' && form !== 'json') throw mustBe(call, 'output', 'text or json');
  const since = readSince(call);
  const { env } = await findSettings(call);
  const verdicts = await withContext({ ...call, env }, (ctx) =>
    look(ctx, { since, waitMs, againMs }, new AbortController().signal),
  );
  const count = (wanted: Verdict['verdict']) => verdicts.filter(({ verdict }) => verdict === wanted).length;
  const counts = { green: count('green'), red: count('red'), pending: count('pending') };
  const exitCode = counts.red > 0 ? 1 : counts.pending > 0 ? pendingCode : 0;
  const lines =
    form === 'json'
      ? [JSON.stringify({ ok: exitCode === 0, ...counts, invariants: verdicts.map(toView) })]
      : toText(verdicts, counts, call.terminal.paint);
  return { exitCode, lines };
}

function readSince(call: Call): Date | undefined {
  const text = call.find('since');
  if (text === undefined) return undefined;
  const at = parseTimestamp(text);
  if (at) return at;
  throw mustBe(call, 'since', 'a time such as 2026-03-01T00:00:00Z');
}

const toView = ({ brokenCount, tookMs, ...verdict }: TimedVerdict) => ({
  ...verdict,
  broken_count: brokenCount,
  took_ms: tookMs,
});

const mark = { green: 'green', red: 'RED', pending: 'pending' } as const;
const style = { green: 'green', red: 'red', pending: 'yellow' } as const;
const indent = ' '.repeat(37);

function toText(
  verdicts: readonly TimedVerdict[],
  counts: Record<Verdict['verdict'], number>,
  paint: Terminal['paint'],
): string[] {
  const lines = verdicts.flatMap(({ invariant, verdict, detail, broken, brokenCount, tookMs }) => [
    `${paint(style[verdict], mark[verdict].padEnd(8))} ${invariant.padEnd(18)} ${`${tookMs} ms`.padStart(8)} ${verdict === 'red' ? `Broken by ${brokenCount}:` : detail}`,
    ...broken.map(({ row, fault }) => `${indent}-> ${row} ${fault}`),
    ...(brokenCount > maxNamed ? [`${indent}-> and ${brokenCount - broken.length} more`] : []),
  ]);
  const { green, red, pending } = counts;
  const waiting = pending === 0 ? '' : ` ${pending} could not be compared.`;
  const end =
    red > 0
      ? paint('red', `${red} of ${verdicts.length} invariants are broken.${waiting}`)
      : pending > 0
        ? paint('yellow', `${green} of ${verdicts.length} invariants hold.${waiting}`)
        : paint('green', `All ${verdicts.length} invariants hold.`);
  return [...lines, '', end];
}

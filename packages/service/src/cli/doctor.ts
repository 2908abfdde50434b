import { diagnose } from '../doctor/diagnose.js';
import type { Finding } from '../doctor/finding.js';
import type { Call, Outcome } from './command.js';
import { mustBe } from './texts.js';

export async function doctor(call: Call): Promise<Outcome> {
  const form = call.get('output');
  if (form !== 'text' && form !== 'json') {
    throw mustBe(call, 'output', 'text or json');
  }
  const findings = await diagnose(call.env);
  const isWell = findings.every(({ verdict }) => verdict === 'ok' || verdict === 'warning');
  const lines = form === 'json' ? [JSON.stringify({ ok: isWell, findings })] : toText(findings);
  return { exitCode: isWell ? 0 : 1, lines };
}

const mark = { ok: 'ok', warning: 'warning', failed: 'FAILED', skipped: 'skipped' } as const;

function toText(findings: Finding[]): string[] {
  const lines = findings.flatMap(({ check, verdict, says, remedy }) => [
    `${mark[verdict].padEnd(8)} ${check.padEnd(14)} ${says}`,
    ...(remedy === undefined ? [] : [`${' '.repeat(24)}-> ${remedy}`]),
  ]);
  const count = (wanted: Finding['verdict']) => findings.filter(({ verdict }) => verdict === wanted).length;
  const [failures, warnings] = [count('failed'), count('warning')];
  return [
    ...lines,
    '',
    failures === 0
      ? `Nothing keeps Karat from working${warnings === 0 ? '' : `; ${warnings} warnings`}.`
      : `${failures} failed, ${warnings} warnings.`,
  ];
}

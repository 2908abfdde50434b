import { parseCommands } from '../commands.js';
import { ownerUrlVariable } from '../config.js';
import { diagnose } from '../doctor/diagnose.js';
import { type Finding, findingsOf } from '../doctor/finding.js';
import type { Call, Outcome, Terminal } from './command.js';
import { findSettings } from './find-sandbox.js';
import { mustBe } from './texts.js';

const { ok, skipped } = findingsOf('configuration');

export async function doctor(call: Call): Promise<Outcome> {
  const form = call.get('output');
  if (form !== 'text' && form !== 'json') {
    throw mustBe(call, 'output', 'text or json');
  }
  const kinds = call.find('for');
  const wanted = kinds === undefined ? new Set<never>() : parseCommands([kinds]);
  if (!wanted)
    throw mustBe(
      call,
      'for',
      'serve, serve-partners, serve-operators, index, keep or deliver, or several with commas between them',
    );
  const { env, sandbox, missing } = await findSettings(call);
  const found =
    sandbox !== undefined
      ? [ok(`The settings are those of the sandbox on ${sandbox}.`)]
      : missing !== undefined
        ? [skipped(`No sandbox is running on ${missing}.`)]
        : [];
  const ownsTables = Boolean(call.terminal.env[ownerUrlVariable]);
  const findings = [...found, ...(await diagnose(env, wanted, { ownsTables }))];
  const isWell = findings.every(({ verdict }) => verdict === 'ok' || verdict === 'warning');
  const lines =
    form === 'json' ? [JSON.stringify({ ok: isWell, findings })] : toText(findings, call.terminal.paint);
  return { exitCode: isWell ? 0 : 1, lines };
}

const mark = { ok: 'ok', warning: 'warning', failed: 'FAILED', skipped: 'skipped' } as const;
const style = { ok: 'green', warning: 'yellow', failed: 'red', skipped: 'dim' } as const;

function toText(findings: Finding[], paint: Terminal['paint']): string[] {
  const lines = findings.flatMap(({ check, verdict, says, remedy }) => [
    `${paint(style[verdict], mark[verdict].padEnd(8))} ${check.padEnd(14)} ${says}`,
    ...(remedy === undefined ? [] : [`${' '.repeat(24)}-> ${remedy}`]),
  ]);
  const count = (wanted: Finding['verdict']) => findings.filter(({ verdict }) => verdict === wanted).length;
  const [failures, warnings] = [count('failed'), count('warning')];
  const warned = `${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`;
  return [
    ...lines,
    '',
    failures === 0
      ? paint('green', `Nothing keeps Karat from working${warnings === 0 ? '' : `; ${warned}`}.`)
      : paint('red', `${failures} failed, ${warned}.`),
  ];
}

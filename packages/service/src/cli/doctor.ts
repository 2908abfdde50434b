import { resolve } from 'node:path';
import { diagnose } from '../doctor/diagnose.js';
import { type Finding, findingsOf } from '../doctor/finding.js';
import type { Call, Outcome, Terminal } from './command.js';
import { findSandbox, noSandbox, settingsOf } from './find-sandbox.js';
import { mustBe } from './texts.js';

const { ok, skipped } = findingsOf('configuration');

export async function doctor(call: Call): Promise<Outcome> {
  const form = call.get('output');
  if (form !== 'text' && form !== 'json') {
    throw mustBe(call, 'output', 'text or json');
  }
  const { env, findings: found } = await settingsFor(call);
  const findings = [...found, ...(await diagnose(env))];
  const isWell = findings.every(({ verdict }) => verdict === 'ok' || verdict === 'warning');
  const lines =
    form === 'json' ? [JSON.stringify({ ok: isWell, findings })] : toText(findings, call.terminal.paint);
  return { exitCode: isWell ? 0 : 1, lines };
}

/** Without these, there is nothing to look at. */
const essential = ['DATABASE_URL', 'KARAT_RPC_URL', 'KARAT_PROGRAM_ID'];

/**
 * Returns the settings to check: those of the environment or, where it has none of the essential ones or a state folder is
 * given, those of the sandbox. Throws a `CommandError` for a given state folder on which none runs.
 */
async function settingsFor(call: Call): Promise<{ env: Call['env']; findings: Finding[] }> {
  const given = call.find('state-dir');
  const hasSettings = essential.some((name) => call.env[name]);
  if (hasSettings && (given === undefined || call.sourceOf('state-dir') !== '--state-dir')) {
    return { env: call.env, findings: [] };
  }
  const folder = resolve(given ?? '.karat');
  const sandbox = await findSandbox(folder);
  if (sandbox) {
    const findings = [ok(`The settings are those of the sandbox on ${folder}.`)];
    return { env: await settingsOf(folder, sandbox), findings };
  }
  if (given !== undefined) throw noSandbox(folder);
  return { env: call.env, findings: [skipped(`No sandbox is running on ${folder}.`)] };
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

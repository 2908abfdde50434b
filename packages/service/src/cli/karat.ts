import { ConfigError, ownerUrlVariable } from '../config.js';
import { codesOf, isDatabaseOutage } from '../db/outage.js';
import { missingTables, SchemaError } from '../db/schema-error.js';
import { AppError } from '../errors.js';
import { describeError } from '../log.js';
import { version } from '../version.js';
import { commands, groups } from './catalogue.js';
import { type Call, type Command, CommandError, type Outcome, type Terminal, UsageError } from './command.js';
import { helpText } from './help.js';
import { readRequest } from './parse.js';

/** What a run of `karat` printed and how it ended; `running` when it goes on. */
export type Ending = { exitCode: number; stdout: string[]; stderr: string[] } | 'running';

/**
 * Runs the command line `karat`. Never throws: whatever goes wrong is one line on standard error.
 * Exit codes: 0 done, 1 not done or something is wrong, 2 the command line is wrong.
 */
export async function karat(args: string[], terminal: Terminal): Promise<Ending> {
  let call: Call | undefined;
  try {
    const request = readRequest(args, terminal, commands);
    if (request.kind === 'version') return ended({ exitCode: 0, lines: [version] });
    if (request.kind === 'help') {
      return ended({ exitCode: 0, lines: helpText(request.about, groups, terminal.paint) });
    }
    call = request.call;
    return ended(await run(request.command, call));
  } catch (error) {
    const line = explain(error, call).replace(/\s*[\r\n]+\s*/g, ' ');
    return { exitCode: error instanceof UsageError ? 2 : 1, stdout: [], stderr: [line] };
  }
}

function run(command: Command, call: Call): Promise<Outcome> {
  if (command.isEndless) return command.run(call);
  return call.terminal.during(`karat ${command.name}`, () => command.run(call));
}

function ended(outcome: Outcome): Ending {
  return outcome === 'running' ? outcome : { exitCode: outcome.exitCode, stdout: outcome.lines, stderr: [] };
}

/** Returns what went wrong, for the person at the keyboard. Holds no value of a setting. */
function explain(error: unknown, call: Call | undefined): string {
  if (error instanceof UsageError || error instanceof CommandError) return error.message;
  if (error instanceof ConfigError || error instanceof SchemaError) return error.message;
  if (error instanceof AppError) return explainRefusal(error, call);
  const codes = codesOf(error);
  // SQLSTATE 42P01: no such table, 42703: no such column, 42704: no such type.
  if (codes.some((code) => /^42(P01|703|704)$/.test(code))) {
    return missingTables;
  }
  if (codes.includes('42501')) {
    return 'The role of DATABASE_URL lacks rights on the tables: run karat migrate as their owner, with --runtime-role';
  }
  // 28000 and 28P01: no such role, or not its password; 3D000: no such database.
  if (codes.some((code) => code.startsWith('28'))) {
    return `PostgreSQL refuses the user or the password of ${addressesOf(call)}: karat doctor shows what to do`;
  }
  if (codes.includes('3D000')) return `PostgreSQL does not have the database that ${addressesOf(call)} names`;
  if (isDatabaseOutage(error)) {
    return `No PostgreSQL responds at DATABASE_URL (${codes[0]}): karat doctor shows what to do`;
  }
  return `Karat failed: ${JSON.stringify(describeError(error))}`;
}

/** Returns the settings that name the database: a command may use either of them. */
function addressesOf(call: Call | undefined): string {
  return call?.terminal.env[ownerUrlVariable] ? `DATABASE_URL or ${ownerUrlVariable}` : 'DATABASE_URL';
}

/** Returns a refusal in the words of the API, with the option in place of the field. */
function explainRefusal({ code, message, field }: AppError, call: Call | undefined): string {
  if (field === undefined || !call) return `${code}: ${message}`;
  const option = optionOf(field, call);
  if (option === undefined) return `${code}: ${message}`;
  const words = message.startsWith(`${field} `) ? message.slice(field.length + 1) : undefined;
  return words === undefined ? `${code}: ${option}: ${message}` : `${code}: ${option} ${words}`;
}

function optionOf(field: string, call: Call): string | undefined {
  try {
    return call.sourceOf(field.replaceAll('_', '-'));
  } catch {
    return undefined;
  }
}

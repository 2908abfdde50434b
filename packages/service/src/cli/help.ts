import type { Command } from './command.js';

/** Returns the help of one command, of all that begin with a word, or of `karat` itself (`about` empty). */
export function helpText(about: string, commands: Command[]): string[] {
  const command = commands.find(({ name }) => name === about);
  if (command) return helpOf(command);
  const listed = commands.filter(({ name }) => about === '' || name.startsWith(`${about} `));
  return [
    `karat ${about === '' ? '' : `${about} `}<command> [options]`,
    '',
    ...table(listed.map(({ name, summary }) => [name, summary])),
    '',
    'karat <command> --help shows the options of a command. The settings of the service come from the environment:',
    'DATABASE_URL, KARAT_RPC_URL, KARAT_PROGRAM_ID, KARAT_SERVICE_SIGNER and others; docs/operations/README.md lists all.',
    'Exit codes: 0 done, 1 not done or something is wrong, 2 the command line is wrong.',
  ];
}

function helpOf({ name, summary, details = [], options }: Command): string[] {
  const rows = options.map((option) => {
    const extent =
      option.default === undefined ? (option.optional ? ' (optional)' : '') : ` [${option.default}]`;
    return [`--${option.name} ${option.placeholder}`, option.variable, `${option.help}${extent}`];
  });
  return [
    `karat ${name}${options.length > 0 ? ' [options]' : ''}: ${summary}`,
    ...(details.length > 0 ? ['', ...details] : []),
    '',
    ...table([...rows, ['--help', '', 'this text']]),
  ];
}

function table(rows: string[][]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  return rows.map((row) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd(),
  );
}

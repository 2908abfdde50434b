import type { Command, CommandGroup, Terminal } from './command.js';

type Paint = Terminal['paint'];

/** Returns the help of one command, of all that begin with a word, or of `karat` itself (`about` empty). */
export function helpText(about: string, groups: CommandGroup[], paint: Paint): string[] {
  const command = groups.flatMap(({ commands }) => commands).find(({ name }) => name === about);
  if (command) return helpOf(command, paint);
  const isListed = ({ name }: Command) => about === '' || name.startsWith(`${about} `);
  const listed = groups.flatMap(({ title, commands }) => {
    const shown = commands.filter(isListed);
    return shown.length === 0 ? [] : [{ title, shown }];
  });
  const rows = (commands: Command[]) => commands.map(({ name, summary }) => [name, summary]);
  const widths = widthsOf(rows(listed.flatMap(({ shown }) => shown)));
  return [
    paint('bold', `karat ${about === '' ? '' : `${about} `}<command> [options]`),
    ...listed.flatMap(({ title, shown }) => ['', paint('bold', title), ...table(rows(shown), widths, paint)]),
    '',
    'karat <command> --help shows the options of a command. The settings of the service come from the environment:',
    'DATABASE_URL, KARAT_RPC_URL, KARAT_PROGRAM_ID, KARAT_SERVICE_SIGNER and others; docs/operations/README.md lists all.',
    'Exit codes: 0 done, 1 not done or something is wrong, 2 the command line is wrong.',
  ];
}

function helpOf({ name, summary, details = [], options }: Command, paint: Paint): string[] {
  const rows = options.map((option) => {
    const extent =
      option.default === undefined ? (option.optional ? ' (optional)' : '') : ` [${option.default}]`;
    return [`--${option.name} ${option.placeholder}`, option.variable, `${option.help}${extent}`];
  });
  const all = [...rows, ['--help', '', 'this text']];
  return [
    `${paint('bold', `karat ${name}${options.length > 0 ? ' [options]' : ''}`)}: ${summary}`,
    ...(details.length > 0 ? ['', ...details] : []),
    '',
    ...table(all, widthsOf(all), paint),
  ];
}

function widthsOf(rows: string[][]): number[] {
  return (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
}

/** Lays out rows whose first cell is a name. */
function table(rows: string[][], widths: number[], paint: Paint): string[] {
  return rows.map(([name = '', ...cells]) => {
    const others = cells.map((cell, index) => cell.padEnd(widths[index + 1] ?? 0));
    // Spaces stay uncoloured, so that those at the end go.
    const space = ' '.repeat(Math.max(0, (widths[0] ?? 0) - name.length));
    return `  ${[`${paint('cyan', name)}${space}`, ...others].join('  ')}`.trimEnd();
  });
}

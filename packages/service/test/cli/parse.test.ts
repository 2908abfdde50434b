import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { commands, groups } from '../../src/cli/catalogue.js';
import { UsageError } from '../../src/cli/command.js';
import { readRequest } from '../../src/cli/parse.js';
import { readConfig } from '../../src/config.js';
import { version } from '../../src/version.js';
import { callKarat, type Env, silent } from './run-karat.js';

/** How a command line is understood, without doing it. */
function read(args: string[], env: Env = {}) {
  const stdin = Readable.from([]);
  const request = readRequest(args, { env, stdin, ...silent }, commands);
  if (request.kind !== 'run') throw new Error(`${request.kind} is no call`);
  return { name: request.command.name, ...request.call };
}

describe('a value', () => {
  const token = (...args: string[]) => ['operator', 'token', ...args];

  test('a value on the command line wins over the environment, and that over the default', () => {
    const env = { KARAT_OPERATOR_EMAIL: 'env@karat.test', KARAT_TOKEN_NAME: '' };
    const call = read(token(), env);
    expect([call.get('email'), call.sourceOf('email')]).toEqual(['env@karat.test', 'KARAT_OPERATOR_EMAIL']);
    expect(call.get('name')).toBe('command line');
    const given = read(token('--email=line@karat.test', '--name', 'x'), env);
    expect([given.get('email'), given.sourceOf('email')]).toEqual(['line@karat.test', '--email']);
    expect(given.get('name')).toBe('x');
  });

  test('a value may begin with a dash, and be empty', () => {
    expect(read(token('--email', '-x')).get('email')).toBe('-x');
    expect(read(token('--email=--x')).get('email')).toBe('--x');
    expect(read(token('--name=', '--email=a')).get('name')).toBe('');
  });

  test('a value that is missing is named with its variable', () => {
    expect(() => read(token()).get('email')).toThrow(
      new UsageError('--email ADDRESS is missing (or KARAT_OPERATOR_EMAIL in the environment)'),
    );
  });

  test('a value for a command is not shown to the service, which knows its own settings alone', () => {
    const variables = commands.flatMap(({ options }) => options.map(({ variable }) => [variable, 'x']));
    const env = {
      ...Object.fromEntries(variables),
      KARAT_OPERATOR_PASSWORD: 'x',
      KARAT_PROT: 'x',
      DATABASE_URL: 'y',
    };
    expect(read(['serve'], env).env).toEqual({ KARAT_PROT: 'x', DATABASE_URL: 'y' });
    // Nor may it have the name of one.
    for (const [variable = ''] of variables) {
      expect(() => readConfig({ [variable]: 'x' }), variable).toThrow(`unknown setting ${variable}`);
    }
  });
});

test('an invalid command line is refused in one line, exit code 2', async () => {
  const operators = commands.flatMap(({ name }) => /^operator (.+)/.exec(name)?.[1] ?? []).join(', ');
  expect(operators).toMatch(/^create, token, .*enable$/);
  const cases: [string[], string][] = [
    [[], 'karat takes a command: karat --help lists them'],
    [[''], 'karat has no command "": karat --help lists them'],
    [['fly'], 'karat has no command "fly": karat --help lists them'],
    [['constructor'], 'karat has no command "constructor": karat --help lists them'],
    [['__proto__', 'x'], 'karat has no command "__proto__": karat --help lists them'],
    [['-x'], 'karat has no command "-x": karat --help lists them'],
    [['a\nb\u001b[2J'], 'karat has no command "a\\nb\\u001b[2J": karat --help lists them'],
    [['x'.repeat(500)], `karat has no command "${'x'.repeat(100)}…": karat --help lists them`],
    [['operator'], `karat operator takes one of: ${operators}`],
    [['operator', 'redemption'], `karat operator takes one of: ${operators}`],
    [['operator', 'create', 'now'], 'karat operator create does not take "now": --help shows its options'],
    [
      ['operator', 'create', '--', '--email'],
      'karat operator create does not take "--email": --help shows its options',
    ],
    [
      ['operator', 'create', '--pass=secret'],
      'karat operator create has no option "--pass": --help lists those that it has',
    ],
    [
      ['operator', 'create', '--__proto__=1'],
      'karat operator create has no option "--__proto__": --help lists those that it has',
    ],
    [
      ['operator', 'create', '-e', 'x'],
      'karat operator create has no option "-e": --help lists those that it has',
    ],
    [['operator', 'create', '--email'], '--email takes a value: --email ADDRESS'],
    [['operator', 'create', '--email', '--name', 'x'], '--email takes a value: --email ADDRESS'],
    [['operator', 'token', '--email', 'a', '--email', 'b'], '--email is given twice'],
    [
      ['chain', 'status', '--only', 'trade'],
      'karat chain status has no option "--only": --help lists those that it has',
    ],
    [['operatr'], 'karat has no command "operatr": did you mean karat operator? karat --help lists them'],
    [
      ['operatr', 'disable'],
      'karat has no command "operatr": did you mean karat operator disable? karat --help lists them',
    ],
    [['operator', 'creat'], `karat operator takes one of: ${operators}; did you mean karat operator create?`],
    [['pause'], 'karat has no command "pause": did you mean karat chain pause? karat --help lists them'],
    [
      ['status'],
      'karat has no command "status": did you mean karat chain status or karat reserve status? karat --help lists them',
    ],
    [
      ['doctor', '--outptu', 'json'],
      'karat doctor has no option "--outptu": did you mean --output? --help lists those that it has',
    ],
    [['help', 'me'], 'karat has no command "me": karat --help lists them'],
  ];
  for (const [args, line] of cases) {
    expect(await callKarat(args), args.join(' ')).toEqual({ code: 2, stdout: '', stderr: `${line}\n` });
  }
});

test('help of every command names all its options and variables; nothing has to be set for it', async () => {
  const { code, stdout } = await callKarat(['--help']);
  expect(code).toBe(0);
  for (const command of commands) {
    expect(stdout).toContain(`  ${command.name} `);
    const help = await callKarat([...command.name.split(' '), '--help']);
    expect([help.code, help.stderr]).toEqual([0, '']);
    for (const { name, variable } of command.options) {
      expect(help.stdout, command.name).toMatch(new RegExp(`--${name} [^ ]+ +${variable} `));
    }
    for (const line of help.stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(160);
  }
  expect((await callKarat(['help'])).stdout).toBe(stdout);
  expect((await callKarat(['help', 'chain', 'pause'])).stdout).toMatch(/^karat chain pause/);
  for (const { title, commands: those } of groups) {
    expect(stdout).toContain(`\n\n${title}\n  ${those[0]?.name} `);
  }
  expect((await callKarat(['authority', '-h'])).stdout).not.toContain('Processes');
  expect((await callKarat(['chain', '-h'])).stdout).toContain('chain pause');
  expect((await callKarat(['chain', '-h'])).stdout).not.toContain('operator create');
  expect(await callKarat(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

test('a setting that is missing or misspelt is named, as for every process', async () => {
  const runs = [
    await callKarat(['operator', 'disable', '--email', 'a@b']),
    await callKarat(['operator', 'disable', '--email', 'a@b'], { DATABASE_URL: 'mysql://secret' }),
    await callKarat(['operator', 'disable', '--email', 'a@b'], {
      DATABASE_URL: 'postgres://u:secret@127.0.0.1:1/x',
    }),
    await callKarat(['chain', 'status'], { KARAT_PROT: 'secret' }),
  ];
  expect(runs.map(({ code, stderr }) => [code, stderr])).toEqual([
    [1, 'DATABASE_URL is not set\n'],
    [1, expect.stringMatching(/^DATABASE_URL must be a URL that starts with postgres/)],
    [1, 'No PostgreSQL responds at DATABASE_URL (ECONNREFUSED): karat doctor shows what to do\n'],
    [1, expect.stringMatching(/^unknown setting KARAT_PROT; did you mean KARAT_PORT\?$/m)],
  ]);
  for (const { stderr } of runs) expect(stderr).not.toContain('secret');
});

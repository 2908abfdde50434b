import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import {
  endOf,
  freePorts,
  killAtEnd,
  makeStateDir,
  newStateDir,
  type Run,
  readInfo,
  run,
} from './harness.js';

/** What a person at a terminal sees of a sandbox, its commands and the examples, while it runs and when it does not. */
const patience = { timeout: 300_000 };
const { stateDir, remove } = makeStateDir();
/** A folder as a sandbox that was killed leaves it: it names addresses where nothing listens any more. */
const left = mkdtempSync(join(tmpdir(), 'karat-left-'));
let sandbox: Run;

/** Runs a program of node at a terminal of its own, 100 columns wide. In its output, ␛ is the escape character. */
function atTerminal(args: string[], env: Record<string, string> = {}): Run {
  const command = ['stty cols 100;', 'exec', process.execPath, ...args].join(' ');
  const started = run('script', ['-qefc', command, '/dev/null'], { TERM: 'xterm-256color', ...env });
  return { ...started, output: () => started.output().replaceAll('\u001b', '␛') };
}

const shown = (started: Run, text: string | RegExp) =>
  vi.waitFor(() => expect(started.output()).toMatch(text), { timeout: 240_000, interval: 100 });

beforeAll(async () => {
  sandbox = atTerminal([inject('sandboxScripts').main, '--state-dir', stateDir, ...freePorts]);
  await shown(sandbox, 'Ctrl-C stops it');
  cpSync(join(stateDir, 'sandbox.json'), join(left, 'sandbox.json'));
  cpSync(join(stateDir, 'keys'), join(left, 'keys'), { recursive: true });
}, 300_000);
afterAll(async () => {
  await endOf(sandbox);
  rmSync(left, { recursive: true });
  remove();
});

/** Runs an example to its end, from a folder's sandbox; returns the exit code and the lines that it printed. */
async function example(name: string, folder: string, ...args: string[]) {
  const started = run(process.execPath, [`examples/${name}.mjs`, ...args], { KARAT_STATE_DIR: folder });
  const code = await started.exit;
  return { code, lines: started.output().trimEnd().split('\n') };
}

test('npm start at a terminal: parts that are being started are named with their time, then erased', () => {
  const output = sandbox.output();
  expect(output).toMatch(/␛\[2m {2}(database, chain|database|chain|service) … \d+\.\d s␛\[22m␛\[1G/);
  expect(output).toMatch(/␛\[0K {2}service {10}\d/);
  expect(output).toContain('␛[1mKarat is ready␛[22m\r\n');
  expect(output).toContain(`  console        ␛[36m${readInfo(stateDir).console_url}␛[39m`);
});

test('npm start prints an address of the console at which passkeys can be made', patience, async () => {
  const { console_url: url = '', operators } = readInfo(stateDir);
  const headers = { 'content-type': 'application/json', origin: new URL(url).origin };
  const { email, password } = operators[0] ?? {};
  const post = (path: string, body: object, more = {}) =>
    fetch(`${url}operator/v1${path}`, {
      method: 'POST',
      headers: { ...headers, ...more },
      body: JSON.stringify(body),
    });
  const signedIn = await post('/session', { email, password }, { 'x-karat-console': '1' });
  const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const options = await post(
    '/me/passkeys/options',
    { current_password: password },
    { cookie, 'x-karat-console': '1' },
  );
  expect([options.status, await options.json()]).toMatchObject([
    201,
    { passkey_options: { rp: { id: 'localhost' } } },
  ]);
});

test('karat doctor finds the sandbox by its state folder, and nothing wrong with it', patience, async () => {
  const { karat } = inject('sandboxScripts');
  const found = run(process.execPath, [karat, 'doctor', '--state-dir', stateDir]);
  expect([await found.exit, found.output()]).toEqual([
    0,
    expect.stringContaining(
      `ok       configuration  The settings are those of the sandbox on ${stateDir}.\nok       configuration  All settings are valid.\n`,
    ),
  ]);
  expect(found.output()).toMatch(/\nNothing keeps Karat from working; 1 warning\.\n$/);
  const nowhere = newStateDir();
  const none = run(process.execPath, [karat, 'doctor'], { KARAT_STATE_DIR: nowhere });
  expect([await none.exit, none.output()]).toEqual([
    1,
    `No sandbox is running on ${nowhere}; start one with: npm start\n`,
  ]);
});

test('the demo at a terminal: the step that runs is named with its time', patience, async () => {
  const demo = killAtEnd(atTerminal([inject('sandboxScripts').demo], { KARAT_STATE_DIR: stateDir }));
  await shown(demo, /␛\[2m {2}\d\.\d [A-Z][^\n]+ … \d+\.\d s␛\[22m␛\[1G/);
  await shown(demo, /␛\[1m1\. The partner gets an API key[^\n]+␛\[22m\r\n[^\n]*␛\[32m +\d+(\.\d+)? m?s/);
});

test('an example that the service refuses ends in one line with the reason', patience, async () => {
  expect((await example('first-trade', stateDir)).code).toBe(0);
  expect(await example('first-trade', stateDir)).toEqual({
    code: 1,
    lines: [expect.stringMatching('user_already_exists: This user_id is already registered.')],
  });
  const unsigned = 'examples/tradebook.mjs sign-order nowhere.json <<<';
  const refusal = `'{"error":{"code":"price_moved","message":"Quote again."}}'`;
  const order = run('bash', ['-c', `${process.execPath} ${unsigned} ${refusal}`]);
  expect([await order.exit, order.output()]).toEqual([1, 'price_moved: Quote again.\n']);
});

test('an example ends in one line when the service is away', patience, async () => {
  await endOf(sandbox);
  const { partner_api_url: api, partners } = readInfo(left);
  const line = (code: number, text: string | RegExp) => ({ code, lines: [expect.stringMatching(text)] });
  const nowhere = newStateDir();
  expect(await example('first-trade', nowhere)).toEqual(
    line(1, `No sandbox is running on ${nowhere}; start one with: npm start`),
  );
  expect(await example('first-trade', left)).toEqual(
    line(1, `network_error: The API at ${api} did not respond.`),
  );
  expect(await example('verify-reserves', left, api)).toEqual(
    line(2, /^It could not be checked: fetch failed: connect ECONNREFUSED /),
  );
  expect(await example('first-buy', left)).toEqual(line(1, /^usage: first-buy\.mjs address/));
  expect(await example('tradebook', left, 'address', 'nowhere.json')).toEqual(
    line(1, /^ENOENT: no such file/),
  );
  const handOver = run(
    process.execPath,
    [
      'examples/hand-over-authority.mjs',
      ...[partners[0]?.partner_id ?? '', 'wallet', join(left, 'keys/acme-wallet.json'), '1'.repeat(32)],
    ],
    { KARAT_RPC_URL: readInfo(left).rpc_url, KARAT_PROGRAM_ID: readInfo(left).chain.program_id },
  );
  expect([await handOver.exit, handOver.output()]).toEqual([
    1,
    expect.stringMatching(/^fetch failed: connect ECONNREFUSED [^\n]+\n$/),
  ]);
});

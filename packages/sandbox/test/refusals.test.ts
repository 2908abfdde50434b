import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { killAtEnd, newStateDir, readInfo, startDemo, startSandbox } from './harness.js';

/** Runs a sandbox that must refuse to start; its last line is the reason. */
async function refusal(stateDir: string, args: string[] = [], env: Record<string, string> = {}) {
  const run = killAtEnd(startSandbox(stateDir, args, env));
  const started = run.printed('Karat is ready').then(
    () => 'started',
    () => run.exit,
  );
  const code = await Promise.race([run.exit, started]);
  const lines = run.output().trim().split('\n');
  expect(lines.length, run.output()).toBeLessThanOrEqual(2);
  return { code, reason: lines.at(-1) };
}

function folderWith(files: Record<string, string>): string {
  const stateDir = newStateDir();
  mkdirSync(stateDir);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(stateDir, name), text);
  return stateDir;
}

const refused = (reason: string) => ({ code: 1, reason: expect.stringContaining(reason) });

test('folders that are not a sandbox of this version are left alone', { timeout: 120_000 }, async () => {
  const foreign = folderWith({ 'thesis.txt': 'mine' });
  const newer = folderWith({ 'state.json': '{"karat_sandbox":2}' });
  const file = join(folderWith({ plain: '' }), 'plain');
  const other = folderWith({ 'state.json': '{"name":"something else"}', 'state.json.bak': '{}' });
  expect(
    await Promise.all([
      refusal(foreign),
      refusal(foreign, ['--reset']),
      refusal(newer),
      refusal(file),
      refusal(other, ['--reset']),
    ]),
  ).toEqual([
    refused(`${foreign} is not empty and not a sandbox's folder; use another --state-dir`),
    refused(`${foreign} is not a sandbox's folder, so --reset leaves it alone; use another --state-dir`),
    refused(`${newer} was written by a newer Karat (layout 2, this one knows 1); update Karat,`),
    refused(`${file} is not a folder; use another --state-dir`),
    refused(`${other} is not a sandbox's folder, so --reset leaves it alone`),
  ]);
  expect(readdirSync(foreign)).toEqual(['thesis.txt']);
  expect(readFileSync(join(newer, 'state.json'), 'utf8')).toBe('{"karat_sandbox":2}');
});

test('bad options, settings and servers are refused before anything is made', {
  timeout: 120_000,
}, async () => {
  const stateDir = newStateDir();
  expect(
    await Promise.all([
      refusal(stateDir, ['--port', 'x']),
      refusal(stateDir, ['--nonsense']),
      refusal(stateDir, ['--host', '203.0.113.7', '--port', '18080']),
      refusal(newStateDir(), [], { KARAT_STATEDIR: '/tmp/x' }),
      refusal(newStateDir(), ['--database-url', 'postgres://127.0.0.1:1/karat']),
      refusal(newStateDir(), ['--rpc-url', 'http://127.0.0.1:1']),
    ]),
  ).toEqual([
    refused('--port must be a port from 0 to 65535, not "x"'),
    refused("Unknown option '--nonsense'. See --help"),
    refused('203.0.113.7 is no address of this machine; choose another with --host'),
    refused('unknown setting KARAT_STATEDIR'),
    refused('No PostgreSQL lets us in at --database-url'),
    refused('No Solana node answers at --rpc-url'),
  ]);
});

test('a folder in use, taken ports, and a demo without a sandbox are told in one line', {
  timeout: 120_000,
}, async () => {
  const stateDir = newStateDir();
  const running = killAtEnd(startSandbox(stateDir));
  const twin = killAtEnd(startSandbox(stateDir));
  // Of two that start at once on one folder, exactly one gets it.
  const loser = await Promise.race([running.exit.then(() => running), twin.exit.then(() => twin)]);
  const winner = loser === running ? twin : running;
  expect(loser.output()).toContain(
    `A sandbox is already running on ${stateDir} (process ${winner.child.pid})`,
  );
  await winner.printed('Karat is ready');

  const info = readInfo(stateDir);
  const [apiPort, rpcPort] = [new URL(info.partner_api_url).port, new URL(info.rpc_url).port];
  const above = createServer();
  const abovePort = await new Promise<number>((done) => {
    above.listen(0, '127.0.0.1', () => done((above.address() as { port: number }).port));
  });
  onTestFinished(() => new Promise<void>((done) => above.close(() => done())));
  const noDemo = startDemo(join(dirname(stateDir), 'nowhere'));
  expect(
    await Promise.all([
      refusal(stateDir, ['--port', apiPort]),
      refusal(stateDir, ['--reset']),
      refusal(newStateDir(), ['--port', apiPort]),
      refusal(newStateDir(), ['--rpc-port', rpcPort]),
      refusal(newStateDir(), ['--rpc-port', String(abovePort - 1)]),
    ]),
  ).toEqual([
    refused(
      `A sandbox is already running on ${stateDir} (process ${winner.child.pid}); stop it or use another`,
    ),
    refused(`A sandbox is already running on ${stateDir}`),
    refused(`Port ${apiPort} is in use; stop what listens there or choose another port with --port`),
    refused(`Port ${rpcPort} is in use; stop what listens there or choose another port with --rpc-port`),
    refused(`Port ${abovePort} is in use`),
  ]);
  expect(await noDemo.exit).toBe(1);
  expect(noDemo.output()).toMatch(/^No sandbox is running on \S+nowhere; start one with: npm start\n$/);
  expect((await fetch(`${info.partner_api_url}/ready`)).status).toBe(200);
  winner.child.kill('SIGTERM');
  expect(await winner.exit).toBe(0);
});

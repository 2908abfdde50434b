import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Env, karatArguments, runKarat } from './run-karat.js';

/** `karat` at a terminal of 100 columns, with all that this shows. */
function atTerminal(args: string[], env: Env = {}) {
  const command = ['stty cols 100;', process.execPath, ...karatArguments, ...args].join(' ');
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    env: { PATH: process.env.PATH, TERM: 'xterm-256color', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  onTestFinished(() => void child.kill());
  return { output: () => output, ended: once(child, 'close').then(([code]) => ({ code, output })) };
}

const escaped = '\u001b[';

test('karat at a terminal: verdicts and headings have colours, which NO_COLOR and a pipe take away', async () => {
  const red = `${escaped}31mFAILED  ${escaped}39m configuration  DATABASE_URL is not set.`;
  const plain = 'FAILED   configuration  DATABASE_URL is not set.';
  const [coloured, colourless, piped, help] = await Promise.all([
    atTerminal(['doctor']).ended,
    atTerminal(['doctor'], { NO_COLOR: '1' }).ended,
    runKarat(['doctor'], {}),
    atTerminal(['--help']).ended,
  ]);
  expect(coloured).toEqual({ code: 1, output: expect.stringContaining(red) });
  expect(colourless).toEqual({ code: 1, output: expect.stringContaining(plain) });
  expect(colourless.output).not.toContain(`${escaped}3`);
  expect(piped.stdout).toContain(plain);
  expect(piped.stdout + piped.stderr).not.toContain('\u001b');
  expect(help.output).toContain(
    `${escaped}1mTreasury and reserves${escaped}22m\r\n  ${escaped}36mtreasury fund`,
  );
  expect((await atTerminal(['operatr']).ended).output).toMatch(
    /^.\[31mkarat has no command .+them.\[39m\r\n$/,
  );
});

test('karat at a terminal: a command that takes long is named with its time, until it has ended', async () => {
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => void sockets.add(socket)).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => void silent.close());
  const address = silent.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const env = { DATABASE_URL: `postgres://u@127.0.0.1:${port}/x` };
  const { output, ended } = atTerminal(['doctor'], env);
  await vi.waitFor(() => expect(output()).toMatch(/ {2}karat doctor … \d+\.\d s/), { timeout: 30_000 });
  for (const socket of sockets) socket.destroy();
  silent.close();
  // The line is erased before the report.
  expect((await ended).output).toMatch(/karat doctor … [^\n]+.\[1G.\[0K[^\n]*FAILED/);
});

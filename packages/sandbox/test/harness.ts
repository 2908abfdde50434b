import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, inject, onTestFinished } from 'vitest';
import type { SandboxInfo } from '../src/info.js';
import { readOptions } from '../src/options.js';
import { preflight } from '../src/preflight.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The sandbox, its demo and the command line of the service as scripts that node runs as they are. */
    sandboxScripts: { main: string; demo: string; karat: string };
  }
}

export const root = fileURLToPath(new URL('../../..', import.meta.url));

/** A process that a test started, with all it has printed. */
export interface Run {
  child: ChildProcess;
  /** Standard output and standard error in the order they came. */
  output(): string;
  /** Waits until a line has been printed; throws, with the output, when the process ends before. */
  printed(line: string): Promise<void>;
  /** The exit code, or the signal's name. */
  exit: Promise<number | string>;
}

/** Runs a command in the repository's root; it is killed when the test ends. */
export function run(command: string, args: string[], env: Record<string, string> = {}): Run {
  const child = spawn(command, args, {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own, so that a test can press Ctrl-C as a terminal does: for the whole group.
    detached: true,
  });
  let text = '';
  const listeners = new Set<() => void>();
  const hear = (chunk: Buffer) => {
    text += chunk.toString();
    for (const listener of listeners) listener();
  };
  child.stdout?.on('data', hear);
  child.stderr?.on('data', hear);
  const exit = new Promise<number | string>((done, fail) => {
    child.once('error', fail);
    child.once('close', (code, signal) => done(code ?? signal ?? 'unknown'));
  });
  const printed = (line: string) =>
    new Promise<void>((done, fail) => {
      const look = () => {
        if (text.split('\n').includes(line)) done();
      };
      listeners.add(look);
      exit.then((code) => fail(new Error(`ended with ${code} before it printed "${line}":\n${text}`)), fail);
      look();
    });
  return { child, output: () => text, printed, exit };
}

/** Whatever else runs on the machine. */
export const freePorts = ['--port', '0', '--operator-port', '0', '--rpc-port', '0', '--shop-port', '0'];

/** Starts the sandbox on free ports; `args` may override them. */
export function startSandbox(stateDir: string, args: string[] = [], env: Record<string, string> = {}): Run {
  const main = [inject('sandboxScripts').main, '--state-dir', stateDir];
  return run(process.execPath, [...main, ...freePorts, ...args], env);
}

/** Runs the demo against the sandbox of a state folder. */
export function startDemo(stateDir: string): Run {
  return run(process.execPath, [inject('sandboxScripts').demo], { KARAT_STATE_DIR: stateDir });
}

export function readInfo(stateDir: string): SandboxInfo {
  return JSON.parse(readFileSync(join(stateDir, 'sandbox.json'), 'utf8'));
}

/** The path of a folder that does not exist yet, and what removes it with its parent. */
export function makeStateDir(): { stateDir: string; remove: () => void } {
  const parent = mkdtempSync(join(process.env.KARAT_TEST_FOLDER ?? tmpdir(), 'karat-sandbox-'));
  return {
    stateDir: resolve(parent, 'state'),
    remove: () => rmSync(parent, { recursive: true, force: true }),
  };
}

/** The path of a folder that does not exist yet; its parent goes away with the test. */
export function newStateDir(): string {
  const { stateDir, remove } = makeStateDir();
  onTestFinished(remove);
  return stateDir;
}

/** Ends a run that a test may have left behind, with everything in its process group. */
export function killAtEnd(started: Run): Run {
  onTestFinished(() => endOf(started));
  return started;
}

/** Ends a run, if it has not ended yet. */
export async function endOf(started: Run): Promise<void> {
  if (started.child.exitCode !== null || started.child.signalCode !== null) return;
  started.child.kill('SIGTERM');
  await started.exit;
}

/** Runs a sandbox that must refuse to start; its last line is the reason. */
export async function refusal(stateDir: string, args: string[] = [], env: Record<string, string> = {}) {
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

/** The same without a process: what is refused before anything is started, by the same calls as `npm start`. */
export async function refusedBeforeStart(
  stateDir: string,
  args: string[] = [],
  env: Record<string, string> = {},
): Promise<unknown> {
  try {
    const options = readOptions(['--state-dir', stateDir, ...freePorts, ...args], env);
    if (options === 'help') return 'help';
    (await preflight(options, env)).release();
    return 'not refused';
  } catch (error) {
    return error;
  }
}

/** What `refusedBeforeStart` gives for a reason that a person can put right. */
export const refused = (reason: string) =>
  expect.objectContaining({ name: 'UserError', message: expect.stringContaining(reason) });

/** Calls a node's JSON-RPC method; throws its error. */
export async function rpc<T>(url: string, method: string, ...params: unknown[]): Promise<T> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const parsed = (await response.json()) as { result: T; error?: { code: number; message: string } };
  if (parsed.error) throw new Error(`${parsed.error.code} ${parsed.error.message}`);
  return parsed.result;
}

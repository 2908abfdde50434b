import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import { karat } from '../../src/cli/karat.js';

const bin = fileURLToPath(new URL('../../bin/karat.mjs', import.meta.url));

export type Env = Record<string, string>;

export interface KaratRun {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The arguments of node that run the command line. */
export const karatArguments = [inject('serviceScript')];

/** `karat` as a process of its own; `input` is its standard input. */
export function runKarat(args: string[], env: Env, input = ''): Promise<KaratRun> {
  return runNode([...karatArguments, ...args], env, input);
}

/** The same by the file that is installed as the command. */
export function runInstalledKarat(args: string[], env: Env, input = ''): Promise<KaratRun> {
  return runNode([bin, ...args], env, input);
}

async function runNode(args: string[], env: Env, input: string): Promise<KaratRun> {
  const child: ChildProcess = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, ...env },
  });
  const run: KaratRun = { code: null, stdout: '', stderr: '' };
  child.stdout?.on('data', (chunk) => (run.stdout += chunk));
  child.stderr?.on('data', (chunk) => (run.stderr += chunk));
  child.stdin?.end(input);
  [run.code] = (await once(child, 'close')) as [number | null];
  return run;
}

/** A terminal that shows nothing by itself. */
export const silent = {
  stderr: { write: () => undefined },
  during: <T>(_: string, run: () => Promise<T>) => run(),
  paint: (_: unknown, text: string) => text,
};

/** The same within this process: what starting one would only make slower. */
export async function callKarat(args: string[], env: Env = {}, input = ''): Promise<KaratRun> {
  const stdin = Readable.from(input === '' ? [] : [Buffer.from(input)]);
  const ending = await karat(args, { env, stdin, ...silent });
  if (ending === 'running') throw new Error('karat goes on');
  const text = (lines: string[]) => lines.map((line) => `${line}\n`).join('');
  return { code: ending.exitCode, stdout: text(ending.stdout), stderr: text(ending.stderr) };
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { inject } from 'vitest';
import { outputOf, type ProcessOutput } from './process-output.js';

export interface SignerProcess extends Pick<ProcessOutput, 'output' | 'written'> {
  child: ChildProcess;
  kill(): Promise<void>;
}

/** A process of `karat-signer`, as soon as it signs. */
export async function startSigner(socket: string, env: Record<string, string>): Promise<SignerProcess> {
  const child = spawn(process.execPath, [inject('signerScript'), '--socket', socket], {
    env: { PATH: process.env.PATH, ...env },
  });
  const { output, written, ended } = outputOf(child);
  await written('"msg":"signs"');
  return {
    child,
    output,
    written,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Runs `karat-signer` until it ends; returns its exit code and what it wrote. */
export async function runSigner(args: string[], env: Record<string, string>) {
  const child = spawn(process.execPath, [inject('signerScript'), ...args], {
    env: { PATH: process.env.PATH, ...env },
  });
  const [out, err] = [[] as Buffer[], [] as Buffer[]];
  child.stdout.on('data', (chunk) => out.push(chunk));
  child.stderr.on('data', (chunk) => err.push(chunk));
  const [code] = await once(child, 'close');
  return { code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() };
}

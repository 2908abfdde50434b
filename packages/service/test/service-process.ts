import { type ChildProcess, spawn } from 'node:child_process';
import { inject } from 'vitest';
import type { ApiResponse, Client } from './harness.js';
import { eventually } from './karat-chain.js';
import { kycKeyFile } from './kyc-key.js';
import { outputOf, type ProcessOutput } from './process-output.js';

export interface ServiceProcess extends Pick<ProcessOutput, 'output' | 'written'> {
  url: string;
  child: ChildProcess;
  client(headers: Record<string, string>): Client;
  /** Ends it without a word to anybody, as a crash does. */
  kill(): Promise<void>;
  /** Ends it in order. */
  stop(): Promise<void>;
}

/** A real process of the service that serves; ready as soon as it listens. `commands`: of the service, or all arguments of Node. */
export async function startService(
  commands: string | string[],
  env: Record<string, string>,
): Promise<ServiceProcess> {
  const args = typeof commands === 'string' ? [inject('serviceScript'), commands] : commands;
  const child = spawn(process.execPath, args, {
    env: {
      PATH: process.env.PATH,
      KARAT_PORT: '0',
      KARAT_OPERATOR_PORT: '0',
      // As the test's own process has it, which leases of the same budgets and holds that for a second or two.
      KARAT_KEY_RATE_LIMIT: '1000000',
      KARAT_PICKUP_SECRET: 'p'.repeat(32),
      KARAT_KYC_KEY: kycKeyFile(),
      ...env,
    },
  });
  const { output, written, ended } = outputOf(child);
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await ended;
    // As of listeners that are added and never removed.
    if (output().includes('Warning: ')) throw new Error(`Node warned: ${output()}`);
  };
  // Of several ports the one that was asked for, else the first.
  const port = env.KARAT_PORT ?? '\\d+';
  const url = await eventually(() => {
    const found = new RegExp(`Server listening at (http://127\\.0\\.0\\.1:${port})"`).exec(output())?.[1];
    if (!found) throw new Error(`the service does not listen: ${output()}`);
    return found;
  }, 90_000);
  return {
    url,
    child,
    output,
    written,
    client: (headers) => httpClient(url, headers),
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  };
}

/** The client of the tests over real HTTP. */
function httpClient(url: string, base: Record<string, string>): Client {
  const ask = async (
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: string,
  ): Promise<ApiResponse> => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...base, ...headers },
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.timeout(15_000),
    });
    const text = await response.text();
    return {
      status: response.status,
      body: JSON.parse(text),
      headers: Object.fromEntries(response.headers),
      text,
    };
  };
  return {
    get: (path, headers) => ask('GET', path, headers),
    post: (path, body, headers = {}) =>
      body === undefined
        ? ask('POST', path, headers)
        : ask(
            'POST',
            path,
            { 'content-type': 'application/json', ...headers },
            typeof body === 'string' ? body : JSON.stringify(body),
          ),
    send: () => {
      throw new Error('only inside a process');
    },
  };
}

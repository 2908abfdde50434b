import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { processExists } from '@karat/localnet/lock';
import { createKeyPairSignerFromBytes, type KeyPairSigner } from '@solana/kit';
import { hasCode } from '../files.js';
import type { SandboxInfo } from '../info.js';
import { UserError } from '../user-error.js';

export interface RunningSandbox {
  info: SandboxInfo;
  /** Reads a key file that `sandbox.json` names. */
  key(file: string): Promise<KeyPairSigner>;
}

/** Finds the sandbox that runs on a state folder. Throws a `UserError` when there is none. */
export async function findSandbox(stateDir: string): Promise<RunningSandbox> {
  const folder = resolve(stateDir);
  const none = new UserError(`No sandbox is running on ${folder}; start one with: npm start`);
  let info: SandboxInfo;
  try {
    info = JSON.parse(await readFile(join(folder, 'sandbox.json'), 'utf8'));
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) throw none;
    throw error;
  }
  if (!processExists(info.pid)) throw none;
  return {
    info,
    key: async (file) => {
      const bytes = JSON.parse(await readFile(join(folder, file), 'utf8')) as number[];
      return createKeyPairSignerFromBytes(Uint8Array.from(bytes));
    },
  };
}

import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Call, CommandError } from './command.js';

/** The parts of `sandbox.json` that hold its service's settings. Key files are relative to its folder. */
export interface FoundSandbox {
  pid: number;
  database_url: string;
  rpc_url: string;
  ws_url: string;
  chain: {
    program_id: string;
    service_signer_keypair: string;
    admin_keypair: string;
    operations_keypair: string;
    guardian_keypair: string;
    market_keypair: string;
    reserves_keypair: string;
  };
}

/** Returns `sandbox.json` of the sandbox that runs on a state folder; undefined when none does. */
export async function findSandbox<Info extends FoundSandbox>(folder: string): Promise<Info | undefined> {
  try {
    const info = JSON.parse(await readFile(join(folder, 'sandbox.json'), 'utf8')) as Info;
    process.kill(info.pid, 0);
    return info;
  } catch {
    return undefined;
  }
}

export const noSandbox = (folder: string) =>
  new CommandError(`No sandbox is running on ${folder}; start one with: npm start`);

/** Returns the settings with which a sandbox runs its service, as far as they are known from outside. */
export async function settingsOf(folder: string, info: FoundSandbox): Promise<Record<string, string>> {
  const { chain } = info;
  const secret = (name: string) => readFile(join(folder, 'keys', name), 'utf8');
  return {
    DATABASE_URL: info.database_url,
    KARAT_RPC_URL: info.rpc_url,
    KARAT_WS_URL: info.ws_url,
    KARAT_PROGRAM_ID: chain.program_id,
    KARAT_SERVICE_SIGNER: join(folder, chain.service_signer_keypair),
    KARAT_ADMIN_SIGNER: join(folder, chain.admin_keypair),
    KARAT_OPERATIONS_SIGNER: join(folder, chain.operations_keypair),
    KARAT_GUARDIAN_SIGNER: join(folder, chain.guardian_keypair),
    KARAT_MARKET_SIGNER: join(folder, chain.market_keypair),
    KARAT_RESERVES_SIGNER: join(folder, chain.reserves_keypair),
    KARAT_KYC_KEY: join(folder, 'keys/kyc-key'),
    KARAT_PICKUP_SECRET: await secret('pickup-secret'),
    KARAT_TOTP_SECRET: await secret('totp-secret'),
    KARAT_NETWORK: 'localnet',
    KARAT_APPROVALS: '1',
    KARAT_SECOND_FACTOR: 'optional',
    KARAT_MARKET_HOURS: 'always',
  };
}

/** Without these, there is nothing to look at. */
const essential = ['DATABASE_URL', 'KARAT_RPC_URL', 'KARAT_PROGRAM_ID'];

/** The settings of a command, and where they are from: the folder of a sandbox, or one on which none runs. */
export interface FoundSettings {
  env: Call['env'];
  sandbox?: string;
  missing?: string;
}

/**
 * Returns the settings of the environment or, where it has none of the essential ones or `--state-dir` is given, those of the
 * sandbox. Throws a `CommandError` for a given state folder on which none runs.
 */
export async function findSettings(call: Call): Promise<FoundSettings> {
  const given = call.find('state-dir');
  const hasSettings = essential.some((name) => call.env[name]);
  if (hasSettings && (given === undefined || call.sourceOf('state-dir') !== '--state-dir')) {
    return { env: call.env };
  }
  const folder = resolve(given ?? '.karat');
  const sandbox = await findSandbox(folder);
  if (sandbox) return { env: await settingsOf(folder, sandbox), sandbox: folder };
  if (given !== undefined) throw noSandbox(folder);
  return { env: call.env, missing: folder };
}

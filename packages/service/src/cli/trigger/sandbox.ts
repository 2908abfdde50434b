import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  createKeyPairSignerFromBytes,
  getBase64EncodedWireTransaction,
  getTransactionDecoder,
  type KeyPairSigner,
  partiallySignTransaction,
} from '@solana/kit';
import { CommandError } from '../command.js';
import { type FoundSandbox, findSandbox, noSandbox } from '../find-sandbox.js';

/** What `sandbox.json` has of a partner. */
interface SandboxPartner {
  partner_id: string;
  api_key: string;
  wallet_keypair: string;
  executive_keypairs: string[];
  update_authority_keypair: string;
  withdrawal_authority_keypair: string;
  central_vault_address: string;
}

interface SandboxInfo extends FoundSandbox {
  partner_api_url: string;
  tradebook_api_url: string;
  operator_url: string;
  chain: FoundSandbox['chain'] & { usdc_mint: string; gold_mint: string };
  operators: { token: string }[];
  partners: SandboxPartner[];
  denominations: { id: string; city: string }[];
  /** Key file of the wallet that gives GOLD to new customers. */
  float_wallet: string;
}

/** Sends a request with the method, and returns what the response has. Throws a `Refusal` for anything but 2xx. */
export type Send = <T>(method: string, path: string, body?: object) => Promise<T>;

/** Says what is being done. */
type Note = (text: string) => void;

/** A running sandbox, with all of its keys. */
export interface Sandbox {
  info: SandboxInfo;
  /** The first partner. */
  partner: SandboxPartner;
  /** The partner API with the key of the first partner. */
  api: Send;
  /** The operator API; what needs a second person is approved by one. */
  operate: Send;
  /** Calls a method of the node. */
  rpc<T>(method: string, ...params: unknown[]): Promise<T>;
  /** Reads a key file that `sandbox.json` names. */
  key(file: string): Promise<KeyPairSigner>;
  note: Note;
}

/** A response that is no success. */
export class Refusal extends CommandError {
  readonly status: number;
  /** What the response is, as it came. */
  readonly text: string;
  /** When it is worth while to try again; undefined where the response does not name it. */
  readonly retryAfterSeconds: number | undefined;

  constructor(request: string, response: Response, text: string) {
    super(`${request} returned ${response.status}: ${text.slice(0, 500)}`);
    this.status = response.status;
    this.text = text;
    const seconds = response.headers.get('retry-after');
    this.retryAfterSeconds = seconds === null ? undefined : parseInt(seconds, 10);
  }
}

/** What has to wait longer is refused. */
const longestWaitSeconds = 60;

/**
 * Finds the sandbox that runs on a state folder. Throws a `CommandError` when there is none, or when what responds at its
 * address has a chain of another kind: nothing is ever triggered but in a sandbox.
 */
export async function openSandbox(stateDir: string, note: Note): Promise<Sandbox> {
  const folder = resolve(stateDir);
  const info = await findSandbox<SandboxInfo>(folder);
  if (!info) throw noSandbox(folder);
  const [partner, operators] = [info.partners[0], info.operators];
  if (!partner) throw new CommandError(`${folder}/sandbox.json names no partner`);
  const rpc = rpcOf(info.rpc_url, note);
  const api = clientOf(info.partner_api_url, note, { 'x-api-key': partner.api_key });
  await requireSandbox(folder, api, rpc);
  const bearers = operators.map(({ token }) =>
    clientOf(`${info.operator_url}/operator/v1`, note, { authorization: `Bearer ${token}` }),
  );
  return {
    info,
    partner,
    api,
    operate: (...request) => operate(bearers, ...request),
    rpc,
    key: async (file) =>
      createKeyPairSignerFromBytes(
        Uint8Array.from(JSON.parse(await readFile(join(folder, file), 'utf8')) as number[]),
      ),
    note,
  };
}

/** Throws unless the service is on a chain of its own whose node has the methods of a sandbox's. */
async function requireSandbox(folder: string, api: Send, rpc: Sandbox['rpc']): Promise<void> {
  const refused = (why: string) =>
    new CommandError(`karat trigger works only in a sandbox, and that of ${folder} is none: ${why}`);
  const { network, genesis_hash: genesis } = await api<{ network: string; genesis_hash: string }>(
    'GET',
    '/v1/network',
  );
  if (network !== 'localnet') throw refused(`its service is on ${network}`);
  if ((await rpc<string>('getGenesisHash')) !== genesis) throw refused('its service is on another chain');
  await rpc('karat_warp', { slots: 0 }).catch(() => {
    throw refused('its node is not the one of the sandbox');
  });
}

/**
 * Returns a client of an API, which waits where a limit is reached, as the routes of keys take ten requests a minute, and while the
 * service is too busy to begin on a request. A response that is no success is a `Refusal`, no response a `CommandError`.
 */
export function clientOf(baseUrl: string, note: Note, credentials: Record<string, string> = {}): Send {
  return async <T>(method: string, path: string, body?: object): Promise<T> => {
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    const init: RequestInit = {
      method,
      redirect: 'error',
      headers: { ...credentials, ...json },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
    for (;;) {
      const response = await fetch(`${baseUrl}${path}`, init).catch((error: unknown) => {
        const { cause = error } = error as { cause?: unknown };
        throw new CommandError(
          `${baseUrl} does not respond (${cause instanceof Error ? cause.message : cause})`,
        );
      });
      const text = await response.text();
      if (response.ok) return JSON.parse(text) as T;
      const refusal = new Refusal(`${method} ${path}`, response, text);
      const waits = response.status === 429 || response.status === 503;
      const { retryAfterSeconds: seconds = Number.POSITIVE_INFINITY } = refusal;
      if (!waits || seconds > longestWaitSeconds) throw refusal;
      note(`${method} ${path} is refused for now (${response.status}): waiting ${seconds} s`);
      await pause(seconds * 1_000);
    }
  };
}

function rpcOf(url: string, note: Note): Sandbox['rpc'] {
  const post = clientOf(url, note);
  return async <T>(method: string, ...params: unknown[]) => {
    const body = { jsonrpc: '2.0', id: 1, method, params };
    const { result, error } = await post<{ result: T; error?: { message: string } }>('POST', '', body);
    if (error) throw new CommandError(`${method}: ${error.message}`);
    return result;
  };
}

/** Does as the first operator; what has to be approved is approved by the second. */
async function operate<T>(operators: Send[], method: string, path: string, body?: object): Promise<T> {
  const [first, second] = operators;
  if (!first || !second) throw new CommandError('sandbox.json names less than two operators');
  const done = await first<T & { approval_id?: string; expires_at?: string }>(method, path, body);
  const waits = done.approval_id !== undefined && done.expires_at !== undefined;
  return waits ? second<T>('POST', `/approvals/${done.approval_id}/approve`) : done;
}

/** Returns a transaction (base64) with the signatures of all signers. */
export async function sign(transaction: string, signers: KeyPairSigner[]): Promise<string> {
  const decoded = getTransactionDecoder().decode(Buffer.from(transaction, 'base64'));
  const pairs = signers.map(({ keyPair }) => keyPair);
  return getBase64EncodedWireTransaction(await partiallySignTransaction(pairs, decoded));
}

/** Sends a transaction past the service and past the node's own check, so that it lands even if it must fail. */
export async function sendUnchecked({ rpc }: Sandbox, transaction: string): Promise<void> {
  const options = { encoding: 'base64', skipPreflight: true };
  const hash = await rpc<string>('sendTransaction', transaction, options);
  await until('the chain has the transaction', async () => {
    const { value } = await rpc<{ value: ({ err: unknown } | null)[] }>('getSignatureStatuses', [hash]);
    return value[0] ?? undefined;
  });
}

/** Moves the sandbox's clock on, and waits until the service has followed. `why` ends the sentence that says so. */
export async function passTime({ api, rpc, note }: Sandbox, seconds: number, why: string): Promise<void> {
  note(`moving the clock of the sandbox on by ${Math.ceil(seconds / 60)} minutes, ${why}`);
  await rpc('karat_warp', { seconds });
  await until('the service has read the chain of then', () =>
    api('GET', '/ready').catch((error: unknown) => {
      if (error instanceof Refusal && error.status === 503) return undefined;
      throw error;
    }),
  );
}

/** A transaction of now can no longer land after so long. */
export const lifetimeSeconds = 120;

const [patienceMs, pollMs] = [90_000, 300];

/** Waits until there is something. Throws a `CommandError` after 90 s. */
export async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  const end = performance.now() + patienceMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > end) throw new CommandError(`Waited 90 s until ${what}, in vain`);
    await pause(pollMs);
  }
}

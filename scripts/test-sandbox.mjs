// A sandbox as a process of its own, for scripts that call its APIs as their callers would, and keys for them.
import { spawn } from 'node:child_process';
import { createPrivateKey, sign } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/**
 * Starts a sandbox with its state in a folder and its limits of requests out of the way. When it is ready, gives what its
 * `sandbox.json` has, and `stop`.
 */
export async function startSandbox(state) {
  const limits = ['KEY', 'AUTH', 'OPEN', 'OPERATOR', 'CALLER_RPC'].map((name) => [
    `KARAT_${name}_RATE_LIMIT`,
    '1000000',
  ]);
  // The service refuses settings that it does not know.
  const { KARAT_THOROUGH: _, ...own } = process.env;
  const env = { ...own, ...Object.fromEntries(limits) };
  const ports = ['--port', '0', '--operator-port', '0', '--rpc-port', '0'];
  const command = ['run', '--silent', 'start', '--', '--state-dir', state, ...ports];
  const sandbox = spawn('npm', command, { env, detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  const stopped = once(sandbox, 'exit');
  for await (const line of createInterface({ input: sandbox.stdout })) {
    if (line.includes('Karat is ready')) break;
  }
  sandbox.stdout.resume();
  if (!existsSync(join(state, 'sandbox.json'))) throw new Error('the sandbox did not start');
  return {
    info: JSON.parse(readFileSync(join(state, 'sandbox.json'), 'utf8')),
    async stop() {
      if (sandbox.exitCode === null) process.kill(-sandbox.pid, 'SIGINT');
      await stopped;
    },
  };
}

const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Returns the base64 signature of a text by a key file of the Solana CLI, and the address that `info` does not name. */
function signed(keyFile, text) {
  const seed = Buffer.from(JSON.parse(readFileSync(keyFile, 'utf8'))).subarray(0, 32);
  const key = createPrivateKey({ key: Buffer.concat([pkcs8, seed]), format: 'der', type: 'pkcs8' });
  return sign(null, Buffer.from(text), key).toString('base64');
}

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

function addressOf(keyFile) {
  const key = Buffer.from(JSON.parse(readFileSync(keyFile, 'utf8'))).subarray(32);
  let text = '';
  for (let rest = BigInt(`0x${key.toString('hex')}`); rest > 0n; rest /= 58n)
    text = alphabet[Number(rest % 58n)] + text;
  return key.reduce(
    ({ text: all, zeros }, byte) =>
      zeros && byte === 0 ? { text: `1${all}`, zeros } : { text: all, zeros: false },
    {
      text,
      zeros: true,
    },
  ).text;
}

async function post(url, body) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return response.json();
}

/** Mints a key of the partner API, for the first partner of the sandbox. */
export async function mintPartnerKey(state, { partner_api_url: url, partners }) {
  const [{ partner_id, wallet_keypair }] = partners;
  const keyFile = join(state, wallet_keypair);
  const wallet_address = addressOf(keyFile);
  const { challenge_id, message } = await post(`${url}/v1/auth/challenge`, { partner_id, wallet_address });
  const signature = signed(keyFile, message);
  return (await post(`${url}/v1/auth/api-key`, { challenge_id, signature, key_name: 'script' })).api_key;
}

/** Mints a key of the tradebook API, for an executive of the first partner of the sandbox. */
export async function mintTradebookKey(state, { tradebook_api_url: url, partners }) {
  const [{ partner_id: partnerId, executive_keypairs }] = partners;
  const keyFile = join(state, executive_keypairs[0]);
  const requested = { walletAddress: addressOf(keyFile), keyType: 'PARTNER', partnerId };
  const { challengeId, message } = (await post(`${url}/api/auth/challenge`, requested)).data;
  const desired = { challengeId, signature: signed(keyFile, message), keyName: 'script' };
  return (await post(`${url}/api/auth/api-key`, desired)).data.apiKey;
}

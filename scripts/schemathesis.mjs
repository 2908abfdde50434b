// Tries the three published APIs with requests that schemathesis makes from their OpenAPI documents, examples included, against a
// sandbox of its own: no response may be a server error, or other than its document says. Takes about two minutes; installs
// schemathesis into a temporary folder, and on a bare Debian what Python needs for that. Fails when one of the APIs does.
import { spawn, spawnSync } from 'node:child_process';
import { createPrivateKey, sign } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const version = '4.32.5';
/** For each of the APIs. */
const seconds = process.env.SCHEMATHESIS_SECONDS ?? '25';
const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
];

const folder = mkdtempSync(join(tmpdir(), 'karat-schemathesis-'));
const state = join(folder, 'state');

function requireRun(command, args) {
  const { status } = spawnSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed`);
}

/** Returns the path of schemathesis, which it installs unless `SCHEMATHESIS` names one. */
function install() {
  if (process.env.SCHEMATHESIS) return process.env.SCHEMATHESIS;
  const venv = join(folder, 'venv');
  const made = spawnSync('python3', ['-m', 'venv', venv], { stdio: 'ignore' });
  if (made.status !== 0) {
    requireRun('apt-get', ['update', '-qq']);
    requireRun('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'python3', 'python3-venv']);
    requireRun('python3', ['-m', 'venv', '--clear', venv]);
  }
  requireRun(join(venv, 'bin', 'pip'), [
    'install',
    '--quiet',
    '--disable-pip-version-check',
    `schemathesis==${version}`,
  ]);
  return join(venv, 'bin', 'schemathesis');
}

/** Starts a sandbox whose limits of requests are out of the way; its process, when it is ready. */
async function startSandbox() {
  const limits = ['KEY', 'AUTH', 'OPEN', 'OPERATOR', 'CALLER_RPC'].map((name) => [
    `KARAT_${name}_RATE_LIMIT`,
    '1000000',
  ]);
  const env = { ...process.env, ...Object.fromEntries(limits) };
  const ports = ['--port', '0', '--operator-port', '0', '--rpc-port', '0'];
  const command = ['run', '--silent', 'start', '--', '--state-dir', state, ...ports];
  const sandbox = spawn('npm', command, { env, detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: sandbox.stdout })) {
    if (line.includes('Karat is ready')) break;
  }
  sandbox.stdout.resume();
  if (!existsSync(join(state, 'sandbox.json'))) throw new Error('the sandbox did not start');
  return sandbox;
}

const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Returns the base64 signature of a text by a key file of the Solana CLI, and the address that `info` does not name. */
function signed(keyFile, text) {
  const seed = Buffer.from(JSON.parse(readFileSync(join(state, keyFile), 'utf8'))).subarray(0, 32);
  const key = createPrivateKey({ key: Buffer.concat([pkcs8, seed]), format: 'der', type: 'pkcs8' });
  return sign(null, Buffer.from(text), key).toString('base64');
}

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

function addressOf(keyFile) {
  const key = Buffer.from(JSON.parse(readFileSync(join(state, keyFile), 'utf8'))).subarray(32);
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

async function partnerKey(url, { partner_id, wallet_keypair }) {
  const wallet_address = addressOf(wallet_keypair);
  const { challenge_id, message } = await post(`${url}/v1/auth/challenge`, { partner_id, wallet_address });
  const signature = signed(wallet_keypair, message);
  return (await post(`${url}/v1/auth/api-key`, { challenge_id, signature, key_name: 'schemathesis' }))
    .api_key;
}

async function tradebookKey(url, { partner_id: partnerId, executive_keypairs: [keyFile] }) {
  const requested = { walletAddress: addressOf(keyFile), keyType: 'PARTNER', partnerId };
  const { challengeId, message } = (await post(`${url}/api/auth/challenge`, requested)).data;
  const desired = { challengeId, signature: signed(keyFile, message), keyName: 'schemathesis' };
  return (await post(`${url}/api/auth/api-key`, desired)).data.apiKey;
}

/** Runs schemathesis over one document; whether everything was as it says, and every example of a read is taken. */
function tryApi(schemathesis, { document, url, header, exclude }) {
  console.log(`\n${document}`);
  const common = [
    ['--url', url],
    ['--header', header],
    // Two threads of one Python 3.11 can break its parser.
    ['--workers', '1'],
    // An operation may be waited for, up to 30 s.
    ['--request-timeout', '40'],
    ['--seed', '1'],
    ['--suppress-health-check', 'all'],
    ['--warnings', 'off'],
    ...exclude.map((path) => ['--exclude-path', path]),
  ];
  const run = (...options) => {
    const args = ['run', document, ...[...common, ...options].flat(), '--continue-on-failure'];
    const { status } = spawnSync(schemathesis, args, {
      cwd: folder,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    return status === 0;
  };
  const examples = run(
    ['--phases', 'examples'],
    ['--include-method', 'GET'],
    // No example can be an event of this partner's log.
    ['--exclude-path', '/v1/events'],
    ['--checks', 'positive_data_acceptance'],
  );
  const all = run(
    ['--phases', 'examples,coverage,fuzzing'],
    ['--checks', checks.join(',')],
    ['--max-time', seconds],
  );
  return examples && all;
}

let failed = true;
const schemathesis = install();
const sandbox = await startSandbox();
const stopped = once(sandbox, 'exit');
try {
  const info = JSON.parse(readFileSync(join(state, 'sandbox.json'), 'utf8'));
  const [partner] = info.partners;
  const place = (name) => join(process.cwd(), 'openapi', `${name}.json`);
  const apis = [
    {
      document: place('partner'),
      url: info.partner_api_url,
      header: `x-api-key: ${await partnerKey(info.partner_api_url, partner)}`,
      // A stream does not end, and each key has five.
      exclude: ['/v1/events/stream'],
    },
    {
      document: place('tradebook'),
      url: info.tradebook_api_url,
      header: `x-api-key: ${await tradebookKey(info.tradebook_api_url, partner)}`,
      exclude: [],
    },
    {
      document: place('operator'),
      url: info.operator_url,
      header: `authorization: Bearer ${info.operators[0].token}`,
      exclude: ['/operator/v1/stream'],
    },
  ];
  const results = apis.map((api) => tryApi(schemathesis, api));
  failed = results.includes(false);
} finally {
  if (sandbox.exitCode === null) process.kill(-sandbox.pid, 'SIGINT');
  await stopped;
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failed ? 1 : 0;

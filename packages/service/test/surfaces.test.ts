import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { decodeConfig, MarketState } from '@karat/program-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSigner } from '../src/chain/sign/open-signer.js';
import { callKarat, runKarat } from './cli/run-karat.js';
import { expectStatus } from './harness.js';
import { type Karat, startKarat } from './karat.js';
import { eventually } from './karat-chain.js';
import { kycKeyFile } from './kyc-key.js';
import { type Operators, operatorBase, startOperators } from './operators.js';
import { type ServiceProcess, startService } from './service-process.js';
import { type SignerProcess, startSigner } from './signer-process.js';

/** Partners and operators served by a process each, with a `karat-signer` of its own. */

const patience = { timeout: 150_000 };
/** As deployments have them: the caller is in a group to which alone its socket belongs. */
const callers = { uid: 65_532, partners: 65_541, operators: 65_542 };

let t: Karat;
let operators: Operators;
let folder: string;
let signers: SignerProcess[];
let forPartners: ServiceProcess;
let forOperators: ServiceProcess;
const socketOf = (audience: 'partners' | 'operators') => join(folder, audience, 'sign.sock');

beforeAll(async () => {
  t = await startKarat();
  operators = await startOperators(t.service);
  folder = mkdtempSync(join(tmpdir(), 'karat-surfaces-'));
  chmodSync(folder, 0o755);
  for (const audience of ['partners', 'operators'] as const) mkdirSync(dirname(socketOf(audience)), 0o750);
  const { keyFile, operations, market, config } = t.chain;
  const program = { KARAT_PROGRAM_ID: config.programId };
  signers = await Promise.all([
    startSigner(socketOf('partners'), { ...program, KARAT_SERVICE_SIGNER: config.serviceSignerUrl }),
    startSigner(socketOf('operators'), {
      ...program,
      KARAT_OPERATIONS_SIGNER: keyFile(operations),
      KARAT_MARKET_SIGNER: keyFile(market),
    }),
  ]);
  [forPartners, forOperators] = await Promise.all([
    startService('serve-partners', {
      ...common(),
      KARAT_SERVICE_SIGNER: `socket:${socketOf('partners')}`,
    }),
    startService('serve-operators', {
      ...common(),
      KARAT_APPROVALS: '1',
      KARAT_OPERATIONS_SIGNER: `socket:${socketOf('operators')}`,
      KARAT_MARKET_SIGNER: `socket:${socketOf('operators')}`,
    }),
  ]);
}, patience.timeout);
afterAll(async () => {
  await Promise.all([
    forPartners?.kill(),
    forOperators?.kill(),
    ...(signers ?? []).map((each) => each.kill()),
  ]);
  await operators?.close();
  await t?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const common = () => ({
  DATABASE_URL: t.service.databaseUrl,
  KARAT_RPC_URL: t.chain.config.rpcUrls.join(),
  KARAT_WS_URL: t.chain.config.wsUrls.join(),
  KARAT_PROGRAM_ID: t.chain.config.programId,
});

/** The ports on which a process listens. */
const portsOf = ({ output }: ServiceProcess) => output().match(/Server listening at/g) ?? [];

test(
  'serve-partners quotes by its own signer, and serves no route of operators on any port',
  patience,
  async () => {
    const client = forPartners.client({ 'x-api-key': t.partner.apiKey });
    const body = { service_user_id: t.user.id, usdc_amount: 10 };
    await eventually(async () => expectStatus(await client.post('/v1/buy', body), 200), 20_000);
    const { token } = operators.by.admin;
    const signedIn = forPartners.client({ authorization: `Bearer ${token}` });
    for (const { method, url } of operators.routes) {
      if (!url.startsWith(operatorBase) || method !== 'GET') continue;
      expect((await signedIn.get(url)).status, url).toBe(404);
    }
    expect(portsOf(forPartners)).toHaveLength(1);
  },
);

test(
  'serve-operators signs by its own signer without the key of quotes, and serves no route of partners',
  patience,
  async () => {
    const client = forOperators.client({ 'x-api-key': t.partner.apiKey });
    for (const path of ['/v1/users', '/v1/network', '/ready', '/api/prices'])
      expect((await client.get(path)).status, path).toBe(404);
    expect(portsOf(forOperators)).toHaveLength(1);
    const { token } = operators.by.admin;
    const signedIn = { authorization: `Bearer ${token}` };
    const health = await eventually(async () => {
      const { body } = await forOperators.client(signedIn).get(`${operatorBase}/summary`);
      expect(body.health.find(({ part }: { part: string }) => part === 'price')?.status).toBe('ok');
      return body.health as { part: string; status: string }[];
    }, 20_000);
    expect(health.find(({ part }) => part === 'chain')?.status).toBe('ok');
    const response = await fetch(`${forOperators.url}${operatorBase}/chain/status`, {
      method: 'PUT',
      headers: { ...signedIn, 'content-type': 'application/json' },
      body: JSON.stringify({ market: 'closed', reason: 'A test.' }),
    });
    expect(response.status, await response.text()).toBe(200);
    const address = t.chain.addresses.config;
    const account = t.chain.node.getAccount(address);
    if (!account) throw new Error('the program has no configuration');
    expect(decodeConfig({ ...account, address } as never).data.marketState).toBe(MarketState.Closed);
  },
);

test('each surface refuses the keys of the other one by their settings', patience, async () => {
  const serving = { ...common(), KARAT_PICKUP_SECRET: 'p'.repeat(32), KARAT_KYC_KEY: kycKeyFile() };
  const service = { KARAT_SERVICE_SIGNER: `socket:${socketOf('partners')}` };
  const foreign = (name: string) => ({ [name]: `socket:${socketOf('operators')}` });
  for (const name of ['OPERATIONS', 'MARKET', 'GUARDIAN', 'ADMIN', 'RESERVES']) {
    const variable = `KARAT_${name}_SIGNER`;
    const { code, stderr } = await callKarat(['serve-partners,index'], {
      ...serving,
      ...service,
      ...foreign(variable),
    });
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        `^${variable} is set, and its key is for karat [a-z -]+ alone: unset it for karat serve-partners\n$`,
      ),
    ]);
  }
  const { code, stderr } = await runKarat(['serve-operators'], { ...serving, ...service });
  expect([code, stderr]).toEqual([
    1,
    'KARAT_SERVICE_SIGNER is set, and its key is for karat serve-partners alone: unset it for karat serve-operators\n',
  ]);
  const without = await callKarat(['serve-operators'], { ...serving, KARAT_PICKUP_SECRET: '' });
  expect(without.stderr).toBe(
    'KARAT_PICKUP_SECRET is not set: karat serve-operators draws pickup codes from it\n',
  );
});

test('a signer gives neither address nor signature of a key of another audience', async () => {
  const absent = 'is of a process that does not hold this key';
  for (const name of ['operations', 'market', 'guardian', 'admin', 'reserves'] as const)
    await expect(openSigner(`socket:${socketOf('partners')}`, name), name).rejects.toThrow(absent);
  for (const name of ['service', 'otherService', 'reserves'] as const)
    await expect(openSigner(`socket:${socketOf('operators')}`, name), name).rejects.toThrow(absent);
});

/** Whether a process of a user and a group can open a socket: it prints `open` or the error. */
async function opening(path: string, gid: number): Promise<string> {
  const script = `require('node:net').connect(${JSON.stringify(path)}, () => { console.log('open'); process.exit(); })
    .on('error', ({ code }) => console.log(code))`;
  const child = spawn(process.execPath, ['-e', script], {
    uid: callers.uid,
    gid,
    env: { PATH: process.env.PATH },
  });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  await once(child, 'close');
  return output.trim();
}

// Only root can start processes as other users.
test.skipIf(process.getuid?.() !== 0)(
  "a process in the group of the partners' socket opens that one alone",
  patience,
  async () => {
    for (const audience of ['partners', 'operators'] as const) {
      for (const path of [dirname(socketOf(audience)), socketOf(audience)])
        chownSync(path, 0, callers[audience]);
    }
    expect(await opening(socketOf('partners'), callers.partners)).toBe('open');
    expect(await opening(socketOf('operators'), callers.partners)).toBe('EACCES');
    expect(await opening(socketOf('operators'), callers.operators)).toBe('open');
  },
);

test.skipIf(process.platform !== 'linux')(
  "the process of partners has none of the operators' settings in its environment",
  () => {
    const environment = readFileSync(`/proc/${forPartners.child.pid}/environ`, 'utf8');
    expect(environment).toContain('KARAT_SERVICE_SIGNER=socket:');
    expect(environment).not.toMatch(/KARAT_(OPERATIONS|MARKET|GUARDIAN|ADMIN|TOTP)_/);
  },
);

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { expectStatus, type Harness, harness, newWallet } from '../harness.js';
import { eventually } from '../karat-chain.js';
import { TcpProxy } from '../tcp-proxy.js';
import { callKarat, karatArguments } from './run-karat.js';

/** `karat listen` as a process, between the service and somebody's receiver. */

const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const patience = { timeout: 60_000 };

let h: Harness;
let api: string;
let hook: Server;
let hookUrl: string;
/** The receiver's next statuses; 200 after that. */
let statuses: number[];
/** What the receiver got, each verified as a receiver would. */
let received: { type: string; id: string }[];
let child: ChildProcess | undefined;
let output: string;

beforeAll(async () => {
  h = await harness();
  api = await h.app.listen({ host: '127.0.0.1', port: 0 });
  hook = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    received.push(new Webhook(secret).verify(body, request.headers as Record<string, string>) as never);
    response.writeHead(statuses.shift() ?? 200).end('thanks');
  });
  hook.listen(0, '127.0.0.1');
  await once(hook, 'listening');
  hookUrl = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/hook`;
});
afterAll(async () => {
  hook.close();
  await h.close();
});
beforeEach(() => {
  statuses = [];
  received = [];
  output = '';
});
afterEach(async () => {
  if (!child) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
  child = undefined;
});

async function listening(env: Record<string, string> = {}, url = api): Promise<void> {
  start(env, url);
  await eventually(async () => expect(output).toContain('Listening at'), 30_000);
}

function start(env: Record<string, string>, url: string): void {
  const args = [...karatArguments, 'listen', '--forward-to', hookUrl, '--api-url', url];
  const given = {
    PATH: process.env.PATH,
    KARAT_API_KEY: h.main.apiKey,
    KARAT_WEBHOOK_SECRET: secret,
    ...env,
  };
  child = spawn(process.execPath, args, { env: given });
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
}

const kyc = {
  country: 'PK',
  full_name: 'Sana Malik',
  kyc_provider: 'sumsub',
  kyc_level: 'full',
  kyc_verified_at: '2026-01-15T09:30:00Z',
};

/** Registers a user by the API, which is an event. */
async function register(): Promise<void> {
  const wallet = newWallet().address;
  const body = { user_id: `user-${wallet}`, wallet_address: wallet, kyc };
  expectStatus(await h.main.client.post('/v1/users', body), 201);
}

test(
  'karat listen forwards each event once, in order and signed, and prints the responses',
  patience,
  async () => {
    await listening();
    statuses = [200, 500];
    for (let n = 0; n < 3; n += 1) await register();
    const { events } = (await h.main.client.get('/v1/events?types=user.created')).body;
    expect(events).toHaveLength(3);
    await eventually(async () => expect(received).toHaveLength(3), 20_000);
    expect(received).toEqual(events);
    await eventually(async () => {
      for (const [index, { id }] of events.entries()) {
        expect(output).toMatch(
          new RegExp(`  user\\.created  ${id}  -> ${[200, 500, 200][index]}  \\(\\d+ ms\\)`),
        );
      }
    }, 20_000);
  },
);

test(
  'karat listen forwards what happened while the connection was lost, also before any event had come',
  patience,
  async () => {
    const proxy = new TcpProxy();
    proxy.target.port = Number(new URL(api).port);
    await proxy.open();
    await listening({}, `http://127.0.0.1:${proxy.port}`);
    await proxy.shut();
    await register();
    await eventually(async () => expect(output).toContain('The stream was lost'), 10_000);
    await proxy.open();
    await eventually(async () => expect(received).toMatchObject([{ type: 'user.created' }]), 20_000);
    await proxy.shut();
  },
);

test('karat listen does not follow a redirect, which would carry the key elsewhere', patience, async () => {
  const requested: (string | undefined)[] = [];
  const moved = createServer((request, response) => {
    requested.push(request.url);
    response.writeHead(307, { location: '/elsewhere' }).end();
  });
  await once(moved.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(moved.address() as AddressInfo).port}`;
  start({}, url);
  await eventually(async () => expect(output).toContain('The stream was lost (unexpected redirect)'), 30_000);
  expect(new Set(requested)).toEqual(new Set(['/v1/events/stream']));
  moved.close();
});

test('karat listen forwards only the types that are named', patience, async () => {
  await listening({ KARAT_EVENT_TYPES: 'api_key.created', KARAT_FORWARD_TO: hookUrl });
  await register();
  await h.mintKey(h.main);
  // Events come in their order.
  await eventually(() => expect(received).not.toEqual([]), 20_000);
  expect(received).toMatchObject([{ type: 'api_key.created' }]);
});

test('karat listen makes a secret where none is given', patience, async () => {
  await listening({ KARAT_WEBHOOK_SECRET: '' });
  expect(output).toMatch(/^Webhooks are signed with the secret whsec_[A-Za-z0-9+/]{32}$/m);
});

test('karat listen ends with one line where trying again mends nothing', async () => {
  const env = { KARAT_API_KEY: h.main.apiKey, KARAT_API_URL: api, KARAT_FORWARD_TO: hookUrl };
  const call = (more: Record<string, string>) => callKarat(['listen'], { ...env, ...more });
  expect(await call({ KARAT_API_KEY: '' })).toMatchObject({
    code: 2,
    stderr: "KARAT_API_KEY is not set: it takes a partner's key of scope PARTNER\n",
  });
  expect(await call({ KARAT_API_KEY: 'service_partner_nope' })).toMatchObject({
    code: 1,
    stderr: `${api}: Send a valid API key in the header x-api-key.\n`,
  });
  expect(await call({ KARAT_EVENT_TYPES: 'user.born' })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('types has "user.born", which is no type of events'),
  });
  expect(await call({ KARAT_FORWARD_TO: 'localhost:3000' })).toMatchObject({
    code: 2,
    stderr: 'KARAT_FORWARD_TO must be an address that begins with http:// or https://\n',
  });
  expect(await call({ KARAT_WEBHOOK_SECRET: 'whsec_%' })).toMatchObject({
    code: 2,
    stderr: "KARAT_WEBHOOK_SECRET must be whsec_ and base64, as an endpoint's secret is\n",
  });
});

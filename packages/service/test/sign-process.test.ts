import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSigner } from '../src/chain/sign/open-signer.js';
import { createContext, type OwnedContext } from '../src/create-context.js';
import { findAuditRowsAfter } from '../src/db/operators/audit-log.js';
import { checkKeys } from '../src/doctor/check-keys.js';
import { buildApp } from '../src/http/app.js';
import { buildMetricsApp } from '../src/http/server/metrics.js';
import { clientOf, expectStatus, newWallet } from './harness.js';
import { type Karat, startKarat } from './karat.js';
import { eventually } from './karat-chain.js';
import { runSigner, type SignerProcess, startSigner } from './signer-process.js';

/** `karat-signer`: the keys in a process of their own. */

const patience = { timeout: 120_000 };
let t: Karat;
let folder: string;
let socket: string;
let reservesSocket: string;
let killFile: string;
let reservesFile: string;
const reserves = newWallet();
let signing: SignerProcess;
let signingStatements: SignerProcess;
let ctx: OwnedContext;
let app: FastifyInstance;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'karat-sign-'));
  [socket, reservesSocket] = [join(folder, 'sign.sock'), join(folder, 'reserves.sock')];
  killFile = join(folder, 'stop');
  reservesFile = join(folder, 'reserves.json');
  writeFileSync(reservesFile, JSON.stringify([...reserves.secretKey]), { mode: 0o600 });
  t = await startKarat();
  await start();
  signingStatements = await startSigner(reservesSocket, {
    ...common(),
    KARAT_RESERVES_SIGNER: reservesFile,
  });
  const { config } = t.service.ctx;
  ctx = await createContext(
    { ...config, serviceSignerUrl: `socket:${socket}`, reservesSignerUrl: `socket:${reservesSocket}` },
    { clock: t.chain.clock, log: t.service.ctx.log },
  );
  await ctx.chain.start();
  app = await buildApp(ctx);
}, patience.timeout);
afterAll(async () => {
  await app?.close();
  await ctx?.close();
  await signing?.kill();
  await signingStatements?.kill();
  await t?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const common = () => ({
  KARAT_PROGRAM_ID: t.chain.config.programId,
  KARAT_SIGN_KILL_FILE: killFile,
});
const env = () => ({ ...common(), KARAT_SERVICE_SIGNER: t.chain.config.serviceSignerUrl });

async function start(): Promise<void> {
  signing = await startSigner(socket, env());
}

const quote = () =>
  clientOf(app, { 'x-api-key': t.partner.apiKey }).post('/v1/buy', {
    service_user_id: t.user.id,
    usdc_amount: 10,
  });

function ask(path: string, body?: unknown): Promise<{ status: number | undefined; body: unknown }> {
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath: socket, path, method: body ? 'POST' : 'GET' }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      resolve({ status: response.statusCode, body: JSON.parse(Buffer.concat(chunks).toString()) });
    });
    sent.on('error', reject);
    sent.end(body && JSON.stringify(body));
  });
}

test('a service quotes with a key that only the other process holds', patience, async () => {
  const quotes = await Promise.all(Array.from({ length: 20 }, quote));
  for (const response of quotes) expectStatus(response, 200);
  const { trade_id: id, partially_signed_transaction: base64 } = quotes[0]?.body ?? {};
  const signed_tx = Buffer.from(t.signed(Buffer.from(base64, 'base64'))).toString('base64');
  const client = clientOf(app, { 'x-api-key': t.partner.apiKey });
  expectStatus(await client.post(`/v1/buy/${id}/submit`, { signed_tx }), 200);
});

test(
  'the signing process signs for its user and group alone, and nothing but what the policy allows',
  patience,
  async () => {
    expect(statSync(socket).mode & 0o777).toBe(0o660);
    expect(await ask('/keys')).toEqual({ status: 200, body: { service: t.chain.service.address } });
    const challenge = Buffer.from('Sign this message to generate an API key for Karat: ch_1').toString(
      'base64',
    );
    expect(await ask('/sign', { key: 'service', messages: [challenge] })).toMatchObject({
      status: 200,
      body: { results: [{ refused: 'malformed' }] },
    });
    await eventually(() => expect(signing.output()).toContain('a signature was refused'), 10_000);
    for (const body of [
      { key: 'admin', messages: [challenge] },
      { key: '__proto__', messages: [] },
      { key: 'service', messages: challenge },
      {},
      { key: 'service', messages: ['A'.repeat(1_100_000)] },
    ]) {
      expect(await ask('/sign', body)).toMatchObject({ status: 400 });
    }
    expect(await ask('/other')).toMatchObject({ status: 404 });
  },
);

test(
  'the kill switch stops the signing process, which is counted and in the audit log once a minute',
  patience,
  async () => {
    writeFileSync(killFile, '');
    for (let count = 0; count < 3; count += 1) {
      expect(await quote()).toMatchObject({
        status: 503,
        body: {
          error: 'service_unavailable',
          message: 'The signing policy refuses this transaction (kill_switch).',
        },
      });
    }
    rmSync(killFile);
    expectStatus(await quote(), 200);
    const rows = await eventually(async () => {
      const found = (await findAuditRowsAfter(ctx.db, 0, 1_000)).filter(
        ({ action }) => action === 'signature.refuse',
      );
      expect(found).toHaveLength(1);
      return found;
    }, 10_000);
    expect(rows[0]).toMatchObject({
      objectType: 'signing_key',
      objectId: t.chain.service.address,
      personId: null,
      after: { role: 'service', rule: 'kill_switch', detail: `${killFile} exists`, earlier_refusals: 0 },
    });
    expect(await ctx.metrics.text()).toMatch(
      /karat_signatures_refused_total\{role="service",rule="kill_switch"\} 3/,
    );
  },
);

test(
  'a statement that the process refuses is counted and in the audit log, as is any other text',
  patience,
  async () => {
    const statement = Buffer.from('{"format":"karat.reserves/1"}');
    expect(await ctx.reservesSigner?.sign(statement)).toHaveLength(64);
    await expect(ctx.reservesSigner?.sign(Buffer.from('a text'))).rejects.toThrow('(malformed)');
    writeFileSync(killFile, '');
    await expect(ctx.reservesSigner?.sign(statement)).rejects.toThrow('(kill_switch)');
    rmSync(killFile);
    await eventually(async () => {
      const rows = (await findAuditRowsAfter(ctx.db, 0, 1_000)).filter(
        ({ objectId }) => objectId === reserves.address,
      );
      expect(rows).toHaveLength(2);
      // Two that are refused at once are written in either order.
      expect(rows.map(({ action, after }) => [action, after])).toEqual(
        expect.arrayContaining([
          ['signature.refuse', expect.objectContaining({ role: 'reserves', rule: 'malformed' })],
          ['signature.refuse', expect.objectContaining({ role: 'reserves', rule: 'kill_switch' })],
        ]),
      );
    }, 10_000);
    for (const rule of ['malformed', 'kill_switch']) {
      expect(await ctx.metrics.text()).toContain(
        `karat_signatures_refused_total{role="reserves",rule="${rule}"} 1`,
      );
    }
  },
);

test('doctor: a key of the signing process is proven by a signature', patience, async () => {
  const check = async () =>
    (await checkKeys({ serviceSignerUrl: `socket:${socket}`, reservesSignerUrl: `socket:${reservesSocket}` }))
      .findings;
  expect((await check()).map(({ says }) => says)).toEqual([
    `KARAT_SERVICE_SIGNER holds the key ${t.chain.service.address}.`,
    `KARAT_RESERVES_SIGNER holds the key ${reserves.address}.`,
  ]);
  writeFileSync(killFile, '');
  const refuses = 'is of a process that refuses to sign (kill_switch: ';
  for (const finding of await check()) {
    expect(finding).toMatchObject({ verdict: 'failed', says: expect.stringContaining(refuses) });
  }
  rmSync(killFile);
});

test(
  'quotes get 503 while the signing process is away, and they resume when it is back',
  patience,
  async () => {
    await signing.kill();
    expect(await quote()).toMatchObject({ status: 503, body: { error: 'service_unavailable' } });
    await start();
    expectStatus(await quote(), 200);
  },
);

test('an impossible setting of the signing process is refused in one line', patience, async () => {
  const run = (args: string[], more: Record<string, string> = {}) => runSigner(args, { ...env(), ...more });
  expect((await run(['--socket', socket])).stderr).toBe(
    `--socket: nothing can listen there: another process listens at ${socket}\n`,
  );
  expect((await run(['--socket', '/nowhere/at/all'])).stderr).toMatch(
    /^--socket: nothing can listen there: /,
  );
  expect(await run(['--help'])).toMatchObject({ code: 0, stdout: expect.stringContaining('--socket PATH') });
  expect((await run(['--sockte', socket])).code).toBe(2);
  expect((await run([])).stderr).toBe('--socket PATH is missing\n');
  expect(await run(['--socket', join(folder, 'x')], { KARAT_RPC_URL: 'http://localhost' })).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^unknown setting KARAT_RPC_URL; the environment of karat-signer is its own, /,
    ),
  });
  expect((await run(['--socket', reservesFile])).stderr).toBe(
    `--socket: nothing can listen there: ${reservesFile} is not a socket\n`,
  );
  expect(JSON.parse(readFileSync(reservesFile, 'utf8'))).toHaveLength(64);
  expect((await run(['--socket', join(folder, 'x')], { KARAT_SERVICE_SIGNER: '' })).stderr).toBe(
    'No key is named: set KARAT_SERVICE_SIGNER, or that of another key\n',
  );
  await expect(openSigner(`socket:${socket}`, 'admin')).rejects.toThrow(
    'is of a process that does not hold this key',
  );
  await expect(openSigner('socket:/nowhere', 'admin')).rejects.toThrow(
    'does not respond: run karat-signer with --socket and that path first',
  );
});

test(
  'a process whose signer is dead is not ready, reports it in its metrics, and recovers with it',
  patience,
  async () => {
    const client = clientOf(app, {});
    const metrics = await buildMetricsApp(ctx);
    const signs = async () =>
      /karat_chain_usable\{part="signatures"\} (\d)/.exec(
        (await metrics.inject({ url: '/metrics' })).body,
      )?.[1];
    const checks = async () =>
      (await client.get('/ready')).body.checks.chain as { status: string; detail?: string };
    await eventually(
      async () => expect([await checks(), await signs()]).toEqual([{ status: 'ok' }, '1']),
      10_000,
    );
    await signing.kill();
    const dead = {
      status: 'failed',
      detail: expect.stringContaining('The process that holds the key of this one'),
    };
    await eventually(async () => expect([await checks(), await signs()]).toEqual([dead, '0']), 15_000);
    expect((await client.get('/ready')).status).toBe(503);
    await start();
    await eventually(
      async () => expect([await checks(), await signs()]).toEqual([{ status: 'ok' }, '1']),
      10_000,
    );
    await metrics.close();
  },
);

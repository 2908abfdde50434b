import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectStatus } from './harness.js';
import { type Karat, startKarat } from './karat.js';
import { eventually } from './karat-chain.js';
import { type ServiceProcess, startService } from './service-process.js';
import { type SignerProcess, startSigner } from './signer-process.js';
import { type SoftHsm, startSoftHsm } from './soft-hsm.js';

/** Starting a process takes seconds on a busy machine. */
const patience = { timeout: 150_000 };

let t: Karat;
let hsm: SoftHsm;
let service: ServiceProcess;
let signer: SignerProcess;

beforeAll(async () => {
  hsm = startSoftHsm();
  t = await startKarat();
  const { rpcUrls, wsUrls, programId } = t.chain.config;
  const socket = join(hsm.folder, 'sign.sock');
  signer = await startSigner(socket, {
    ...hsm.env,
    KARAT_PROGRAM_ID: programId,
    KARAT_SERVICE_SIGNER: hsm.put('service', t.chain.service),
  });
  service = await startService('serve,index', {
    DATABASE_URL: t.service.databaseUrl,
    KARAT_RPC_URL: rpcUrls.join(),
    KARAT_WS_URL: wsUrls.join(),
    KARAT_PROGRAM_ID: programId,
    KARAT_SERVICE_SIGNER: `socket:${socket}`,
  });
}, patience.timeout);
afterAll(async () => {
  await service?.kill();
  await signer?.kill();
  await t?.stop();
  hsm?.stop();
});

test('a service whose key is in an HSM quotes many trades at once, and they land', patience, async () => {
  const client = service.client({ 'x-api-key': t.partner.apiKey });
  const body = { service_user_id: t.user.id, usdc_amount: 10 };
  await eventually(async () => expectStatus(await client.post('/v1/buy', body), 200), 10_000);
  const quotes = await Promise.all(Array.from({ length: 50 }, () => client.post('/v1/buy', body)));
  expect(new Set(quotes.map(({ status }) => status))).toEqual(new Set([200]));
  const { trade_id: id, partially_signed_transaction: base64 } = quotes[49]?.body ?? {};
  const signed_tx = Buffer.from(t.signed(Buffer.from(base64, 'base64'))).toString('base64');
  expectStatus(await client.post(`/v1/buy/${id}/submit`, { signed_tx }), 200);
  const record = await eventually(
    async () => expectStatus(await client.get(`/v1/trades/${id}`), 200),
    10_000,
  );
  expect(record.body).toMatchObject({ side: 'buy', status: 'confirmed', usdc_amount: 10 });
  for (const output of [service.output(), signer.output()]) expect(output).not.toContain(hsm.pin);
});

test('quotes get 503 once the token is gone, and only the signer reports why', patience, async () => {
  hsm.destroyTokens();
  const client = service.client({ 'x-api-key': t.partner.apiKey });
  const body = { service_user_id: t.user.id, usdc_amount: 10 };
  await eventually(async () => {
    expect(await client.post('/v1/buy', body)).toMatchObject({
      status: 503,
      body: {
        error: 'service_unavailable',
        message: 'The key that signs cannot be used at the moment; try again shortly.',
      },
    });
  }, 10_000);
  await signer.written('a key does not sign');
  for (const output of [service.output(), signer.output()]) expect(output).not.toContain(hsm.pin);
});

import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Karat, startKarat } from '../karat.js';
import { type ServiceProcess, startService } from '../service-process.js';

let t: Karat;
let service: ServiceProcess;
beforeAll(async () => {
  t = await startKarat();
  const { config } = t.chain;
  service = await startService('serve', {
    DATABASE_URL: t.service.databaseUrl,
    KARAT_RPC_URL: config.rpcUrls.join(','),
    KARAT_WS_URL: config.wsUrls.join(','),
    KARAT_PROGRAM_ID: config.programId,
    KARAT_SERVICE_SIGNER: config.serviceSignerUrl,
  });
}, 120_000);
afterAll(async () => {
  await service?.kill();
  await t?.stop();
});

/** What a kill may lose. */
const lostMs = 1_000;

test('request log: a process that is killed loses the requests of its last second at most', async () => {
  const client = service.client({ 'x-api-key': t.partner.apiKey, 'content-type': 'application/json' });
  const sent: { id: string; atMs: number }[] = [];
  let killedMs = 0;
  const sending = (async () => {
    for (let count = 0; killedMs === 0; count += 1) {
      const id = `crash-${count}`;
      const response = await client.post('/v1/users', {}, { 'x-request-id': id }).catch(() => undefined);
      if (response?.status === 400) sent.push({ id, atMs: performance.now() });
      await setTimeout(20);
    }
  })();
  await setTimeout(4_000);
  killedMs = performance.now();
  await service.kill();
  await sending;
  const rows = await t.service.ctx.sql<{ request_id: string }[]>`select request_id from request_log`;
  const logged = new Set(rows.map(({ request_id }) => request_id));
  const due = sent.filter(({ atMs }) => atMs < killedMs - lostMs);
  expect(due.length).toBeGreaterThan(10);
  expect(due.filter(({ id }) => !logged.has(id))).toEqual([]);
});

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { appendEvents } from '../src/db/events/events.js';
import { type ReceivedSpan, startCollector } from './collector.js';
import { followStream } from './event-stream.js';
import { assertNothingLeaked, expectStatus } from './harness.js';
import { type Karat, startKarat } from './karat.js';
import { eventually } from './karat-chain.js';
import { type ServiceProcess, startService } from './service-process.js';

/** Traces of a real process, as a collector receives them over the network. */

const patience = { timeout: 150_000 };

let t: Karat;
let collector: Awaited<ReturnType<typeof startCollector>>;
let service: ServiceProcess;
let env: Record<string, string>;
beforeAll(async () => {
  [t, collector] = await Promise.all([startKarat(), startCollector()]);
  const { rpcUrls, wsUrls, programId, serviceSignerUrl } = t.chain.config;
  env = {
    DATABASE_URL: t.service.databaseUrl,
    KARAT_RPC_URL: rpcUrls.join(),
    KARAT_WS_URL: wsUrls.join(),
    KARAT_PROGRAM_ID: programId,
    KARAT_SERVICE_SIGNER: serviceSignerUrl,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '100',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  };
  service = await startService('serve,index,keep,deliver', env);
}, patience.timeout);
afterAll(async () => {
  await service?.stop();
  await collector?.stop();
  await t?.stop();
});

const newTraceId = () => randomBytes(16).toString('hex');
const traceparentOf = (traceId: string, flags = '01') =>
  `00-${traceId}-${randomBytes(8).toString('hex')}-${flags}`;
const linesWith = (text: string) =>
  service
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{') && line.includes(text))
    .map((line) => JSON.parse(line));

/** Returns the spans from this one up to the first of its trace that was received. */
function pathOf(span: ReceivedSpan): string[] {
  const parent = collector.spans.find(({ spanId }) => spanId === span.parentId);
  return [span.name, ...(parent ? pathOf(parent) : [])];
}

test('a buy is one trace, from the request of its caller to its record', patience, async () => {
  const client = service.client({ 'x-api-key': t.partner.apiKey });
  const traceId = newTraceId();
  const traceparent = traceparentOf(traceId);
  const body = { service_user_id: t.user.id, usdc_amount: 10 };
  const quote = await eventually(
    async () => expectStatus(await client.post('/v1/buy', body, { traceparent }), 200),
    10_000,
  );
  const { trade_id: id, partially_signed_transaction: base64 } = quote.body;
  const signed_tx = Buffer.from(t.signed(Buffer.from(base64, 'base64'))).toString('base64');
  expectStatus(await client.post(`/v1/buy/${id}/submit`, { signed_tx }, { traceparent }), 200);

  const inTrace = (name: string) => collector.span((span) => span.traceId === traceId && span.name === name);
  const route = 'POST /v1/buy/:trade_id/submit';
  const [quoted, submit, sent, noted, recorded] = await Promise.all([
    inTrace('POST /v1/buy'),
    inTrace(route),
    inTrace('sendTransaction'),
    collector.span(
      (span) =>
        span.traceId === traceId &&
        /insert into "submissions"/.test(String(span.attributes['db.query.text'])),
    ),
    inTrace('record transaction'),
  ]);
  const callersSpan = traceparent.split('-')[2];
  expect([quoted.parentId, submit.parentId]).toEqual([callersSpan, callersSpan]);
  expect(submit.kind).toBe(2);
  expect(submit.attributes).toEqual({
    'http.request.method': 'POST',
    'http.route': '/v1/buy/:trade_id/submit',
    'http.response.status_code': 200,
    'karat.operation_id': id,
  });
  expect(submit.resource).toMatchObject({
    'service.name': 'karat',
    'deployment.environment.name': 'test',
  });
  expect([sent, noted, recorded].map((span) => pathOf(span).at(-1))).toEqual([route, route, route]);
  expect(sent.attributes).toEqual({
    'rpc.system.name': 'jsonrpc',
    'rpc.method': 'sendTransaction',
    'karat.node': 1,
  });
  expect(recorded.attributes).toEqual({ 'karat.operation_id': id });

  // The record's span is linked to the batch in which the indexer wrote it, with what that read and wrote.
  const index = await collector.span(({ spanId }) => recorded.links.includes(spanId));
  expect(index).toMatchObject({ name: 'index', parentId: '' });
  await collector.span(
    (span) =>
      span.parentId === index.spanId && /insert into "trades"/.test(String(span.attributes['db.query.text'])),
  );
  await collector.span((span) => span.traceId === index.traceId && span.name === 'getTransaction');
});

test('each line of the log of a request names its trace, and its level', async () => {
  const traceId = newTraceId();
  const traceparent = traceparentOf(traceId);
  const response = await service.client({}).get('/v1/users', { traceparent, 'x-request-id': 'mine' });
  expect(response).toMatchObject({ status: 401, headers: { 'x-request-id': 'mine' } });
  const [line] = await eventually(() => {
    const lines = linesWith(traceId);
    expect(lines).toHaveLength(1);
    return lines;
  }, 5_000);
  expect(line).toMatchObject({ level: 'info', request_id: 'mine', route: '/v1/users', status: 401 });
  const span = await collector.span((each) => each.traceId === traceId);
  expect(line.span_id).toBe(span.spanId);
});

test('a request without an id of its own is named after its trace, in errors too', async () => {
  const response = await service.client({}).get('/v1/users');
  expect(response.status).toBe(401);
  const id = response.headers['x-request-id'];
  const span = await collector.span(({ traceId }) => traceId === id);
  expect(span).toMatchObject({ name: 'GET /v1/users', parentId: '' });
});

test('a caller that does not record its trace has none here, and probes have none', async () => {
  const traceId = newTraceId();
  await service.client({}).get('/v1/users', { traceparent: traceparentOf(traceId, '00') });
  await service.client({}).get('/ready');
  const after = newTraceId();
  await service.client({}).get('/v1/users', { traceparent: traceparentOf(after) });
  await collector.span((span) => span.traceId === after);
  expect(collector.spans.filter((span) => span.traceId === traceId)).toEqual([]);
  expect(collector.spans.filter(({ attributes }) => attributes['http.route'] === '/ready')).toEqual([]);
});

test(
  'a quote whose trace is not recorded has none here either, and its line names the trace',
  patience,
  async () => {
    const traceId = newTraceId();
    const client = service.client({ 'x-api-key': t.partner.apiKey });
    const body = { service_user_id: t.user.id, usdc_amount: 10 };
    const headers = { traceparent: traceparentOf(traceId, '00'), 'x-request-id': 'unrecorded' };
    await eventually(async () => expectStatus(await client.post('/v1/buy', body, headers), 200), 10_000);
    const line = await eventually(() => {
      const found = linesWith(traceId).find(({ status }) => status === 200);
      if (!found) throw new Error('the line of the response is missing');
      return found;
    }, 5_000);
    expect(line).toMatchObject({ request_id: 'unrecorded', trace_id: traceId, route: '/v1/buy' });
    const after = newTraceId();
    await service.client({}).get('/v1/users', { traceparent: traceparentOf(after) });
    await collector.span((span) => span.traceId === after);
    expect(collector.spans.filter((span) => span.traceId === traceId)).toEqual([]);
  },
);

test('the span of a stream of events ends with its headers, and what it reads later is no part of its trace', async () => {
  const traceId = newTraceId();
  const headers = { 'x-api-key': t.partner.apiKey, traceparent: traceparentOf(traceId) };
  const stream = await followStream(service.url, headers);
  await collector.span((span) => span.traceId === traceId && span.name === 'GET /v1/events/stream');
  const ofStream = () => collector.spans.filter((span) => span.traceId === traceId).length;
  const before = ofStream();
  const event = { partnerId: t.partner.partnerId, type: 'user.created', requestId: null } as const;
  const about = {
    objectType: 'user',
    objectId: 'gu_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10',
    object: {},
  } as const;
  await t.service.ctx.db.transaction((tx) => appendEvents(tx, [{ ...event, ...about }], new Date()));
  await stream.first(1);
  const after = newTraceId();
  await service.client({}).get('/v1/users', { traceparent: traceparentOf(after) });
  await collector.span((span) => span.traceId === after);
  expect(ofStream()).toBe(before);
  stream.close();
  await stream.ended;
});

test('the keeper, its loops and webhooks are traces too', patience, async () => {
  const { spanId } = await collector.span(({ name }) => name === 'keep');
  await collector.span(({ parentId, attributes }) => parentId === spanId && 'db.query.text' in attributes);
  await collector.span(({ name }) => name === 'reconciliation');
  await collector.span(({ name }) => name === 'finality watch');
});

test('no span holds a key, a signature, a person or a value', async () => {
  const planted = `Planted Person ${randomBytes(4).toString('hex')}`;
  const client = service.client({ 'x-api-key': t.partner.apiKey });
  const traceId = newTraceId();
  const user = {
    user_id: planted,
    wallet_address: t.user.wallet.address,
    kyc: {
      country: 'PK',
      full_name: planted,
      kyc_provider: planted,
      kyc_level: 'full',
      kyc_verified_at: '2025-03-01T12:00:00Z',
    },
  };
  await client.post(`/v1/users?x=${encodeURIComponent(planted)}`, user, {
    traceparent: traceparentOf(traceId),
  });
  await client.get(`/v1/users?user_id=${encodeURIComponent(planted)}`, {
    traceparent: traceparentOf(traceId),
  });
  await collector.span((span) => span.traceId === traceId && span.name === 'GET /v1/users');
  const lines = collector.spans.map((span) => JSON.stringify(span));
  assertNothingLeaked(lines, [planted, encodeURIComponent(planted), t.partner.apiKey, t.user.wallet.address]);
  expect(collector.paths).toEqual(new Set(['POST /v1/traces application/x-protobuf']));
});

test('a collector that hangs harms nothing, and one that is gone is reported once', patience, async () => {
  const other = await startCollector();
  const held = other.hang();
  const process = await startService('serve', {
    ...env,
    OTEL_EXPORTER_OTLP_ENDPOINT: other.url,
    OTEL_EXPORTER_OTLP_TIMEOUT: '500',
    OTEL_BSP_EXPORT_TIMEOUT: '500',
  });
  const client = process.client({ 'x-api-key': t.partner.apiKey });
  await eventually(async () => {
    expectStatus(await client.get('/v1/users'), 200);
    expect(held()).toBeGreaterThan(0);
  }, 20_000);
  await process.written('spans do not reach the collector');
  await other.stop();
  for (let round = 0; round < 20; round += 1) expectStatus(await client.get('/v1/users'), 200);
  const begun = performance.now();
  await process.stop();
  expect(performance.now() - begun).toBeLessThan(10_000);
  expect(process.child.exitCode).toBe(0);
  expect(process.output().split('spans do not reach the collector')).toHaveLength(2);
});

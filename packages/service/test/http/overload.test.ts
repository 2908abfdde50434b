import { once } from 'node:events';
import { connect } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildApp } from '../../src/http/app.js';
import { type Harness, harness } from '../harness.js';
import { eventually } from '../karat-chain.js';

let h: Harness;
let app: FastifyInstance;
let port: number;
beforeAll(async () => {
  h = await harness();
  app = await buildApp(h.ctx);
  await app.listen({ host: '127.0.0.1', port: 0 });
  port = (app.server.address() as { port: number }).port;
});
afterAll(async () => {
  await app.close();
  await h.close();
});

/**
 * Sends the beginning of a request and no more. Returns what came back, after how many milliseconds the socket ended, and
 * after how many seconds of an interval of this process, which is the server too: while it stands still, none passes.
 */
async function sendPartOf(request: string): Promise<{ response: string; ms: number; seconds: number }> {
  const start = performance.now();
  let seconds = 0;
  const interval = setInterval(() => (seconds += 1), 1_000);
  const socket = connect(port, '127.0.0.1');
  let response = '';
  socket.on('data', (chunk) => (response += chunk));
  socket.write(request);
  await once(socket, 'close');
  clearInterval(interval);
  return { response, ms: performance.now() - start, seconds };
}

const get = (path: string) =>
  fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'x-api-key': h.main.apiKey } });

test.concurrent('heads and bodies that do not arrive within 15 s end with their sockets', async () => {
  const head = `POST /v1/users HTTP/1.1\r\nhost: x\r\nx-api-key: ${h.main.apiKey}\r\n`;
  const slow = [
    head,
    `${head}content-type: application/json\r\ncontent-length: 100\r\n\r\n{"user_id":`,
    `${head}content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"use\r\n`,
  ];
  for (const { response, ms, seconds } of await Promise.all(slow.map(sendPartOf))) {
    expect(response).toMatch(/^HTTP\/1\.1 408 Request Timeout/);
    expect(ms).toBeGreaterThan(14_000);
    expect(seconds).toBeLessThan(20);
  }
});

/** Makes every turn of the event loop take that long, as work that was not foreseen does, until `end` is called. */
function overload(ms: number) {
  let ended = false;
  const turn = () => {
    if (ended) return;
    const end = performance.now() + ms;
    while (performance.now() < end);
    setImmediate(turn);
  };
  setImmediate(turn);
  return { end: () => (ended = true) };
}

test.concurrent('a process that is too busy responds 503 with retry-after, but to probes, and recovers', async () => {
  expect((await get('/v1/users')).status).toBe(200);
  const busy = overload(1_300);
  // Nothing is refused for 7 s after the start, and a sample of 2.5 s is judged by its own turns.
  const refused = await eventually(async () => {
    const response = await get('/v1/users');
    if (response.headers.get('retry-after') === null) throw new Error(`not refused yet: ${response.status}`);
    return response;
  }, 45_000).finally(busy.end);
  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toBe('3');
  expect(refused.headers.get('x-request-id')).toMatch(/\S/);
  expect(await refused.json()).toEqual({
    error: 'service_unavailable',
    message: 'The service is overloaded; try again in 3 s.',
    doc_url: expect.stringContaining('/errors/'),
  });
  expect((await get('/health')).status).toBe(200);
  expect(await (await get('/ready')).json()).toHaveProperty('checks');
  await eventually(async () => expect((await get('/v1/users')).status).toBe(200), 10_000);
});

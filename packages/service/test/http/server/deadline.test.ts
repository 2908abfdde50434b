import { EventEmitter, once } from 'node:events';
import { connect } from 'node:net';
import Fastify from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { limitWork } from '../../../src/http/server/deadline.js';
import { handleError, useOwnMessages } from '../../../src/http/server/errors.js';

/** Over real sockets: a request that is injected keeps the time limit of the framework, one from a socket does not. */
const app = Fastify();
const withinMs = 300;
let port: number;
const arrivals = new EventEmitter();

beforeAll(async () => {
  useOwnMessages(app);
  app.setErrorHandler((error, request, reply) => handleError(error as never, request, reply));
  limitWork(app, withinMs);
  const forever = () => new Promise<never>(() => {});
  app.addHook('onRequest', async (request) => {
    arrivals.emit('request');
    if (request.headers['x-hangs']) await forever();
  });
  app.post('/hangs', forever);
  app.post(
    '/slow',
    { handlerTimeout: 5_000 },
    () => new Promise((done) => setTimeout(done, 2 * withinMs, {})),
  );
  app.post('/echo', async (request) => request.body);
  await app.listen({ host: '127.0.0.1', port: 0 });
  port = (app.server.address() as { port: number }).port;
});
afterAll(() => app.close());

async function post(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: '{"a":1}',
  });
  return { status: response.status, body: await response.json() };
}

const tooLong = {
  status: 503,
  body: {
    error: 'service_unavailable',
    message: 'This took too long; try again shortly.',
    doc_url: expect.stringContaining('/errors/'),
  },
};

test('a route whose work does not end once the body is read ends with 503', async () => {
  expect(await post('/hangs')).toEqual(tooLong);
});

test('a route whose authentication does not end, before the body is read, ends with 503', async () => {
  expect(await post('/echo', { 'x-hangs': 'yes' })).toEqual(tooLong);
});

test('a route that may take longer has that time', async () => {
  expect((await post('/slow')).status).toBe(200);
});

test('the time in which a body arrives does not count', async () => {
  const arrived = once(arrivals, 'request');
  const socket = connect(port, '127.0.0.1');
  socket.write(
    'POST /echo HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 7\r\nconnection: close\r\n\r\n{"a"',
  );
  await arrived;
  await new Promise((resolve) => setTimeout(resolve, 2 * withinMs));
  socket.write(':1}');
  const [response] = await once(socket, 'data');
  expect(String(response)).toMatch(/^HTTP\/1\.1 200 OK.*\{"a":1\}$/s);
  socket.destroy();
});

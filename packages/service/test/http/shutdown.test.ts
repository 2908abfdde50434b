import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { harness } from '../harness.js';
import { requestWhileClosing } from './late-request.js';

async function lateResponse(path: string): Promise<string> {
  const h = await harness();
  await h.app.listen({ port: 0, host: '127.0.0.1' });
  const request = { head: `GET ${path} HTTP/1.1\r\n`, rest: 'host: x\r\n\r\n' };
  return requestWhileClosing(h.app, request, h.close);
}

test('a request that is on its way when the service shuts down is served', async () => {
  const response = await lateResponse('/v1/users');
  expect(response).toContain('HTTP/1.1 401');
  expect(response.toLowerCase()).toContain('\r\nconnection: close\r\n');
});

test.each(['/health', '/ready'])('a probe of %s learns that the service shuts down', async (path) => {
  const response = await lateResponse(path);
  expect(response).toContain('HTTP/1.1 503');
  expect(JSON.parse(response.slice(response.indexOf('\r\n\r\n')))).toEqual({
    error: 'service_unavailable',
    message: 'The service is shutting down.',
    doc_url: expect.stringContaining('/errors/'),
  });
});

test('a caller who connects and sends nothing holds nothing up', { timeout: 30_000 }, async () => {
  const h = await harness();
  const url = new URL(await h.app.listen({ port: 0, host: '127.0.0.1' }));
  const silent = connect(Number(url.port), url.hostname);
  await once(silent, 'connect');
  const broken = once(silent, 'close');
  silent.on('error', () => {});
  await h.close();
  await broken;
});

import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { harness } from '../harness.js';
import { requestWhileClosing } from './late-request.js';

test.each([
  ['/health', 200],
  ['/v1/users', 401],
])('a request to %s that is on its way when the service shuts down is served', async (path, status) => {
  const h = await harness();
  await h.app.listen({ port: 0, host: '127.0.0.1' });
  const request = { head: `GET ${path} HTTP/1.1\r\n`, rest: 'host: x\r\n\r\n' };
  const answer = await requestWhileClosing(h.app, request, h.close);
  expect(answer).toContain(`HTTP/1.1 ${status}`);
  expect(answer.toLowerCase()).toContain('\r\nconnection: close\r\n');
});

test('a caller who connects and says nothing holds nothing up', { timeout: 30_000 }, async () => {
  const h = await harness();
  const url = new URL(await h.app.listen({ port: 0, host: '127.0.0.1' }));
  const silent = connect(Number(url.port), url.hostname);
  await once(silent, 'connect');
  const broken = once(silent, 'close');
  silent.on('error', () => {});
  await h.close();
  await broken;
});

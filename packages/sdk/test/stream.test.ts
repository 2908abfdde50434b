import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Karat } from '@karat/sdk';
import { expect, test } from 'vitest';

const frame = (id: string) => `id: ${id}\ndata: ${JSON.stringify({ id })}\n\n`;

test('a stream outlives the time of a request, and goes on behind the last event when it is lost', async () => {
  const resumed: (string | undefined)[] = [];
  const streams: ServerResponse[] = [];
  const server = createServer((request, response) => {
    resumed.push(request.headers['last-event-id']?.toString());
    streams.push(response);
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n');
    response.write(frame(`evt_${streams.length}`));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const timeoutMs = 200;
  const karat = new Karat({ apiKey: 'x', baseUrl: `http://127.0.0.1:${port}`, timeoutMs });
  const events = karat.events.stream({ after: 'evt_0' });
  const next = async () => (await events.next()).value?.id;
  expect(await next()).toBe('evt_1');
  await new Promise((resolve) => setTimeout(resolve, 3 * timeoutMs));
  streams[0]?.write(frame('evt_1b'));
  expect(await next()).toBe('evt_1b');
  streams[0]?.destroy();
  expect(await next()).toBe('evt_2');
  expect(resumed).toEqual(['evt_0', 'evt_1b']);
  await events.return();
  server.closeAllConnections();
  server.close();
});

import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { harness } from '../harness.js';

test.each(['/health', '/ready', '/v1/users'])(
  'a request to %s that arrives while the service shuts down is 503, as everywhere',
  async (path) => {
    const h = await harness();
    const { port } = new URL(await h.app.listen({ port: 0, host: '127.0.0.1' }));
    const answer = await new Promise<string>((resolve, reject) => {
      let received = '';
      const socket = connect(Number(port), '127.0.0.1', () => {
        socket.write(`GET ${path} HTTP/1.1\r\n`);
        setTimeout(() => void h.close().catch(reject), 50);
        setTimeout(() => socket.write('host: x\r\n\r\n'), 150);
      });
      socket.on('data', (chunk) => {
        received += chunk;
      });
      socket.on('error', reject).on('close', () => resolve(received));
    });
    expect(answer).toContain('HTTP/1.1 503');
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toEqual({
      error: 'service_unavailable',
      message: 'The service is shutting down.',
    });
  },
);

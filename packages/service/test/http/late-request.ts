import { connect, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { eventually } from '../karat-chain.js';

/**
 * The raw response to a request that began before an application closes and ends when it no longer listens. `close` begins
 * the closing; it is over when this resolves.
 */
export async function requestWhileClosing(
  app: FastifyInstance,
  request: { head: string; rest: string },
  close: () => Promise<unknown>,
): Promise<string> {
  const address = app.server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const arriving = new Promise<Socket>((resolve) => app.server.once('connection', resolve));
  const socket = connect(port, '127.0.0.1', () => socket.write(request.head));
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  const responded = new Promise<void>((resolve, reject) => {
    socket.on('error', reject).on('close', () => resolve());
  });
  const closing = async () => {
    const near = await arriving;
    await eventually(() => {
      if (near.bytesRead < request.head.length) throw new Error('the head of the request has not arrived');
    }, 10_000);
    // The rest is sent in the very turn in which the application stops listening.
    const { server } = app;
    const stopListening = server.close.bind(server);
    server.close = (...args) => {
      const stopped = stopListening(...args);
      socket.write(request.rest);
      return stopped;
    };
    await close();
  };
  await Promise.all([responded, closing()]);
  return received;
}

import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { appendEvents } from '../src/db/events/events.js';
import type { EventType } from '../src/domain/event.js';
import type { Uuid } from '../src/domain/ids.js';
import type { Harness } from './harness.js';

export interface Received {
  headers: IncomingHttpHeaders;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every type
  body: any;
  atMs: number;
}

/** How a receiver responds; nothing at all for one that hangs. */
export type Respond = (response: ServerResponse, received: Received) => void;

export const respond =
  (status: number, body = '', headers: Record<string, string> = {}): Respond =>
  (response) =>
    void response.writeHead(status, headers).end(body);

/** Starts a server that receives webhooks, and keeps them. */
export async function startReceiver(initial: Respond = respond(200, 'ok')) {
  const received: Received[] = [];
  const receiver = { received, url: '', how: initial, close: async () => {} };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const one = { headers: request.headers, text, body: JSON.parse(text), atMs: performance.now() };
      received.push(one);
      receiver.how(response, one);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  receiver.close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return receiver;
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** Has events written to a partner's log. */
export async function happen(
  { ctx, clock }: Pick<Harness, 'ctx' | 'clock'>,
  partnerId: Uuid,
  { count = 1, type = 'user.created' }: { count?: number; type?: EventType } = {},
): Promise<void> {
  const event = {
    partnerId,
    type,
    requestId: null,
    objectType: 'user',
    objectId: 'gu_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10',
    object: {},
  } as const;
  const given = Array.from({ length: count }, () => event);
  await ctx.db.transaction((tx) => appendEvents(tx, given, new Date(clock.now())));
}

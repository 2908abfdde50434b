import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Karat, verifyWebhook, type WebhookEvent } from '@karat/sdk';
import type { Scene } from './cast.js';
import type { Teller } from './teller.js';
import { readUntil } from './transaction.js';

/** What the partner's server is sent. */
export interface Webhooks {
  /** In the order in which they came. */
  received: WebhookEvent[];
  close(): Promise<void>;
}

const description = 'demo';

/** Starts a server for webhooks, registers it, and shows what comes. A webhook whose signature is wrong is refused. */
export async function receiveWebhooks({ teller }: Scene, karat: Karat): Promise<Webhooks> {
  const received: WebhookEvent[] = [];
  let secret = '';
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const event = await verifyWebhook(Buffer.concat(chunks), request.headers, secret).catch(() => undefined);
    response.writeHead(event ? 204 : 400).end();
    // A webhook may come twice.
    if (!event || received.some(({ id }) => id === event.id)) return;
    received.push(event);
    teller.line(`       webhook        ${event.type}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  try {
    await teller.step('Register an endpoint for webhooks, and test it', async (figure) => {
      await removeEndpoints(karat);
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/karat`;
      const endpoint = await karat.webhookEndpoints.create({ url, description });
      secret = endpoint.secret;
      const { delivered, error } = await karat.webhookEndpoints.test(endpoint.endpoint_id);
      figure('endpoint', `${endpoint.endpoint_id} at ${url}`);
      if (!delivered) throw new Error(`The webhook was not delivered: ${error}`);
    });
    return { received, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Compares what came with the log of events: all of it since the first webhook. */
export async function compareWebhooks(teller: Teller, karat: Karat, { received }: Webhooks): Promise<void> {
  await teller.step('Compare the webhooks with the log of events', async (figure) => {
    const first = received.find(({ type }) => type !== 'webhook.test');
    if (!first) throw new Error('No webhook came');
    const log = (await karat.events.list()).filter(({ sequence }) => sequence >= first.sequence);
    const missing = async () => log.filter(({ id }) => !received.some((one) => one.id === id));
    const [missed] = await readUntil(missing, (events) => events.length === 0);
    if (missed) throw new Error(`No webhook of ${missed.type} came`);
    figure('events', `${log.length}, from ${log[0]?.type} to ${log.at(-1)?.type}`);
    await removeEndpoints(karat);
  });
}

/** Removes the endpoints of this demo, and of those that were cut short. */
async function removeEndpoints(karat: Karat): Promise<void> {
  for (const endpoint of await karat.webhookEndpoints.list())
    if (endpoint.description === description) await karat.webhookEndpoints.delete(endpoint.endpoint_id);
}

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Karat, type KaratError } from '@karat/sdk';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { collectGarbage } from './garbage.js';

/** What a stream does when its connection does not do what it should; the service is played by a server of the test. */

type ApiResponse = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server;
let baseUrl: string;
/** What the server does with each request for a stream; the last one for all others. */
let responses: ApiResponse[];
/** Where each stream was asked to begin. */
let positions: (string | undefined)[];
/** The log as the list has it. */
let log: object[];

beforeEach(async () => {
  [responses, positions, log] = [[], [], []];
  server = createServer((request, response) => {
    if (request.url?.startsWith('/v1/events?') || request.url === '/v1/events')
      return response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ events: log, has_more: false }));
    positions.push(request.headers['last-event-id']?.toString());
    const respond = responses.length > 1 ? responses.shift() : responses[0];
    return respond?.(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const event = (sequence: number) => ({ id: `evt_${sequence}`, sequence });
const frame = (sequence: number) => `id: evt_${sequence}\ndata: ${JSON.stringify(event(sequence))}\n\n`;
const stream =
  (text: string, then: (response: ServerResponse) => void = () => {}): ApiResponse =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(text);
    then(response);
  };
const cut = (response: ServerResponse) => void setTimeout(() => response.destroy(), 50);
const hangUp: ApiResponse = (request) => request.socket.destroy();
const refuse =
  (status: number, error: string, headers: Record<string, string> = {}): ApiResponse =>
  (_request, response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify({ error, message: error }));
const events = (options: Parameters<Karat['events']['stream']>[0] = {}, timeoutMs?: number) =>
  new Karat({ apiKey: 'x', baseUrl, timeoutMs }).events.stream(options);
const nextOf = async (from: ReturnType<typeof events>) => (await from.next()).value?.id;
const failureOf = (call: Promise<unknown>): Promise<KaratError> =>
  call.then(
    () => Promise.reject(new Error('it did not fail')),
    (error: unknown) => error as KaratError,
  );

describe('a stream', () => {
  test('a stream outlives the time of a request, and goes on behind the last event when it is lost', async () => {
    const open: ServerResponse[] = [];
    const timeoutMs = 200;
    responses = [stream(frame(1), (one) => open.push(one)), hangUp, stream(frame(1) + frame(3))];
    const from = events({ after: 'evt_0' }, timeoutMs);
    expect(await nextOf(from)).toBe('evt_1');
    await new Promise((resolve) => setTimeout(resolve, 3 * timeoutMs));
    // Events and letters may be cut anywhere.
    const bytes = Buffer.from(frame(2).replace('"}', '","name":"é"}'));
    const place = bytes.length - 5;
    open[0]?.write(bytes.subarray(0, place));
    await new Promise((resolve) => setTimeout(resolve, 50));
    open[0]?.write(bytes.subarray(place));
    expect(await nextOf(from)).toBe('evt_2');
    open[0]?.destroy();
    // One that it had already is left out.
    expect(await nextOf(from)).toBe('evt_3');
    expect(positions).toEqual(['evt_0', 'evt_2', 'evt_2']);
    await from.return();
  });

  test('a stream that is silent for too long is opened again; comments are signs of life', async () => {
    // Twice as many as the silence would allow to be missed.
    let commentsLeft = 30;
    let leftAtReopening: number | undefined;
    const commenting = (response: ServerResponse) => {
      const timer = setInterval(() => {
        response.write(': still here\n\n');
        commentsLeft -= 1;
        if (commentsLeft === 0) clearInterval(timer);
      }, 100);
      response.on('close', () => clearInterval(timer));
    };
    responses = [
      stream(frame(1), commenting),
      stream(frame(2), () => {
        leftAtReopening = commentsLeft;
      }),
    ];
    const from = events({ silenceMs: 1_500 });
    expect([await nextOf(from), await nextOf(from)]).toEqual(['evt_1', 'evt_2']);
    expect(leftAtReopening).toBe(0);
    expect(positions).toEqual([undefined, 'evt_1']);
    await from.return();
  });

  test('a stream that is silent for too long is opened again after memory was cleaned', async () => {
    // By position: a machine that is held up may have it opened again before the first event, too.
    responses = Array.from({ length: 5 }, () => (request: IncomingMessage, response: ServerResponse) => {
      const next = request.headers['last-event-id'] === 'evt_1' ? 2 : 1;
      stream(frame(next))(request, response);
    });
    const from = events({ silenceMs: 500 });
    expect(await nextOf(from)).toBe('evt_1');
    const next = nextOf(from);
    await collectGarbage();
    expect(await next).toBe('evt_2');
    await from.return();
  });

  test('a stream that is lost before any event goes on where it began', async () => {
    responses = [stream('id: evt_7\n\n', cut), stream(frame(8))];
    const from = events();
    expect(await nextOf(from)).toBe('evt_8');
    expect(positions).toEqual([undefined, 'evt_7']);
    await from.return();
  });

  test('a stream of a log that was empty, lost before any event, goes on with the first of all', async () => {
    responses = [stream('id: start\n\n', cut), stream(`id: start\n\n${frame(1)}`)];
    const from = events();
    expect(await nextOf(from)).toBe('evt_1');
    expect(positions).toEqual([undefined, 'start']);
    await from.return();
  });

  test('a stream that is lost before its place was read begins with what comes next, and not with what was', async () => {
    log = [event(1), event(2)];
    responses = [stream(': hello', cut), stream(`id: evt_2\n\n${frame(3)}`)];
    const from = events();
    expect(await nextOf(from)).toBe('evt_3');
    expect(positions).toEqual([undefined, undefined]);
    await from.return();
  });

  test('a stream that never names where it begins is an error', async () => {
    responses = [stream(': hello\n\n', (response) => void response.end())];
    expect(await failureOf(events().next())).toMatchObject({ code: 'network_error' });
    expect(positions).toHaveLength(4);
  });

  test('a stream that is a page of something else is an error', async () => {
    responses = [
      (_request, response) =>
        void response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><p>Welcome</p>'),
    ];
    expect(await failureOf(events().next())).toMatchObject({ code: 'unexpected_response', status: 200 });
    expect(positions).toHaveLength(1);
  });

  test('a stream has no event after its signal aborted, though it was there already', async () => {
    const stop = new AbortController();
    responses = [stream(frame(1) + frame(2) + frame(3))];
    const came: string[] = [];
    for await (const { id } of events({ signal: stop.signal })) {
      came.push(id);
      if (came.length === 2) stop.abort();
    }
    expect(came).toEqual(['evt_1', 'evt_2']);
  });

  test('ends when its signal aborts, while it waits and while it is connecting', async () => {
    const [waiting, connecting] = [new AbortController(), new AbortController()];
    responses = [stream(frame(1)), () => connecting.abort()];
    const from = events({ signal: waiting.signal });
    expect(await nextOf(from)).toBe('evt_1');
    const next = from.next();
    waiting.abort();
    expect((await next).done).toBe(true);
    expect((await events({ signal: connecting.signal }).next()).done).toBe(true);
  });

  test('a stream is closed when its reader stops', async () => {
    const closed = new Promise((resolve) => {
      responses = [stream(frame(1), (response) => response.on('close', resolve))];
    });
    for await (const { id } of events()) {
      expect(id).toBe('evt_1');
      break;
    }
    await closed;
  });

  test('throws what refuses it, also later on', async () => {
    responses = [refuse(401, 'unauthorized')];
    expect(await failureOf(events().next())).toMatchObject({ code: 'unauthorized', status: 401 });
    responses = [refuse(429, 'rate_limited', { 'retry-after': '30' })];
    const limited = await failureOf(events().next());
    expect(limited).toMatchObject({ code: 'rate_limited', status: 429, retryAfterMs: 30_000 });
    responses = [stream(frame(1), cut), refuse(403, 'partner_suspended')];
    const from = events();
    expect(await nextOf(from)).toBe('evt_1');
    expect(await failureOf(from.next())).toMatchObject({ code: 'partner_suspended', status: 403 });
  });

  test('waits while those of its key are counted that were lost', async () => {
    responses = [
      stream(frame(1), cut),
      refuse(429, 'rate_limited', { 'retry-after': '1' }),
      refuse(503, 'service_unavailable', { 'retry-after': '0' }),
      stream(frame(2)),
    ];
    const from = events();
    expect([await nextOf(from), await nextOf(from)]).toEqual(['evt_1', 'evt_2']);
    await from.return();
  });

  test('a stream is redirected nowhere, so that the key stays where it is', async () => {
    responses = [(_request, response) => void response.writeHead(307, { location: '/elsewhere' }).end()];
    expect(await failureOf(events().next())).toMatchObject({ code: 'unexpected_response', status: 307 });
    expect(positions).toHaveLength(1);
  });

  test('throws when nothing is there from the start', async () => {
    responses = [hangUp];
    expect(await failureOf(events().next())).toMatchObject({ code: 'network_error' });
    expect(positions).toHaveLength(4);
  });
});

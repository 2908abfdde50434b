import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Karat, KaratError, mintApiKey } from '@karat/sdk';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { collectGarbage } from './garbage.js';

/** What the client does when the service does not do what it should; the service is played by a server of the test. */

let server: Server;
let karat: Karat;
let requested: { method: string; url: string; key: string | undefined }[];
/** What the server does with the next requests; the last one for all others. */
let responses: ((request: IncomingMessage, response: ServerResponse) => void)[];

const json =
  (status: number, body: object, headers: Record<string, string> = {}) =>
  (_request: IncomingMessage, response: ServerResponse) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
/** A buy whose transaction is the one of its request. */
const [good] = JSON.parse(readFileSync(new URL('../../../docs/vectors/buy.json', import.meta.url), 'utf8'));
const [redemption] = JSON.parse(
  readFileSync(new URL('../../../docs/vectors/redemption.json', import.meta.url), 'utf8'),
);
const hangUp = (request: IncomingMessage) => request.socket.destroy();
const user = { service_user_id: 'gu_1' };

beforeEach(async () => {
  requested = [];
  server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    requested.push({ method, url, key: headers['idempotency-key']?.toString() });
    const respond = responses.length > 1 ? responses.shift() : responses[0];
    request.resume().on('end', () => respond?.(request, response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${port}/`;
  karat = new Karat({ apiKey: 'service_partner_x', baseUrl, timeoutMs: 5_000, network: good.network });
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const failure = (call: PromiseLike<unknown>): Promise<KaratError> =>
  Promise.resolve(call).then(
    () => Promise.reject(new Error('it did not fail')),
    (error: unknown) => error as KaratError,
  );

describe('a failure that lasts only for a while', () => {
  test('a failed request is tried again, with the same key, until it is done', async () => {
    responses = [
      hangUp,
      json(503, { error: 'service_unavailable', message: 'later' }, { 'retry-after': '0' }),
      json(201, user),
    ];
    expect(await karat.users.create({} as never)).toEqual(user);
    expect(requested).toHaveLength(3);
    const [first] = requested;
    expect(first?.key).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(requested.map(({ key }) => key)).size).toBe(1);
    await karat.users.create({} as never);
    expect(requested.at(-1)?.key).not.toBe(first?.key);
  });

  test('a failed request is tried again no sooner than the service requests', async () => {
    responses = [
      json(429, { error: 'rate_limited', message: 'slow down' }, { 'retry-after': '1' }),
      json(200, user),
    ];
    const begunMs = performance.now();
    await karat.users.get('gu_1');
    expect(performance.now() - begunMs).toBeGreaterThanOrEqual(990);
  });

  test('a failed request is not taken for a refusal because the last try was one too many', async () => {
    const busy = json(429, { error: 'rate_limited', message: 'slow down' }, { 'retry-after': '300' });
    const lost = json(503, { error: 'service_unavailable', message: 'lost' }, { 'retry-after': '0' });
    responses = [lost, busy];
    expect(await failure(karat.users.create({} as never))).toMatchObject({ status: 503, message: 'lost' });
    responses = [hangUp, busy];
    expect(await failure(karat.users.create({} as never))).toMatchObject({ code: 'network_error' });
    responses = [busy];
    expect(await failure(karat.users.create({} as never))).toMatchObject({ status: 429 });
    // A read did nothing that could count.
    responses = [lost, busy];
    expect(await failure(karat.users.get('gu_1'))).toMatchObject({ status: 429 });
  });

  test('a failed request is the error of the last try after three more', async () => {
    const headers = { 'retry-after': '0', 'x-request-id': 'r-1' };
    responses = [
      json(
        503,
        { error: 'pricing_unavailable', message: 'No price.', reason: 'price_stale', doc_url: 'd' },
        headers,
      ),
    ];
    const error = await failure(karat.buys.quote({ service_user_id: 'gu_1', usdc_amount: 1 }));
    expect(requested).toHaveLength(4);
    expect(error).toBeInstanceOf(KaratError);
    expect(error).toMatchObject({
      message: 'No price.',
      code: 'pricing_unavailable',
      status: 503,
      reason: 'price_stale',
      requestId: 'r-1',
      docUrl: 'd',
    });
  });

  test('a failed request is tried again when its response is cut', async () => {
    const cut = (_request: IncomingMessage, response: ServerResponse) => {
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
        .write('{"service_');
      setTimeout(() => response.destroy(), 20);
    };
    responses = [cut, json(409, { error: 'idempotency_conflict', message: 'in progress' }), json(200, user)];
    expect(await karat.users.create({} as never)).toEqual(user);
    expect(new Set(requested.map(({ key }) => key)).size).toBe(1);
    responses = [json(409, { error: 'idempotency_conflict', message: 'of another request' })];
    expect(await failure(karat.users.create({} as never))).toMatchObject({ code: 'idempotency_conflict' });
    expect(requested).toHaveLength(4);
  });

  test('a failed request is tried again when its response stops in between, also after memory was cleaned', async () => {
    let begun = () => {};
    const hasBegun = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const stall = (_request: IncomingMessage, response: ServerResponse) => {
      const headers = { 'content-type': 'application/json', 'content-length': '100' };
      response.writeHead(200, headers).write('{"service_', () => begun());
    };
    responses = [stall, json(200, user)];
    const { port } = server.address() as AddressInfo;
    const hasty = new Karat({ apiKey: 'x', baseUrl: `http://127.0.0.1:${port}`, timeoutMs: 1_000 });
    const call = hasty.users.get('gu_1');
    await hasBegun;
    await collectGarbage();
    // With more than one further try, where the process itself stalls for as long as a try may take.
    expect(await call).toEqual(user);
    expect(requested.length).toBeGreaterThanOrEqual(2);
  });

  test('a failed request is left to the caller when the service requests a wait of minutes', async () => {
    responses = [json(429, { error: 'rate_limited', message: 'slow down' }, { 'retry-after': '300' })];
    const error = await failure(karat.users.get('gu_1'));
    expect(error).toMatchObject({ code: 'rate_limited', retryAfterMs: 300_000 });
    expect(requested).toHaveLength(1);
  });

  test('a failed request is not tried again where a challenge may be used up', async () => {
    responses = [json(200, { challenge_id: 'c', message: 'm' }), hangUp];
    const { port } = server.address() as AddressInfo;
    const mint = mintApiKey({
      baseUrl: `http://127.0.0.1:${port}`,
      partnerId: 'p',
      walletAddress: 'w',
      keyName: 'k',
      signMessage: () => 'signature',
    });
    expect(await failure(mint)).toMatchObject({ code: 'network_error' });
    expect(requested).toHaveLength(2);
  });
});

test('a refused request is not tried again', async () => {
  responses = [
    json(400, { error: 'invalid_request', message: 'usdc_amount must be positive.', field: 'usdc_amount' }),
  ];
  const error = await failure(karat.buys.quote({ service_user_id: 'gu_1', usdc_amount: 0 }));
  expect(error).toMatchObject({ code: 'invalid_request', field: 'usdc_amount', status: 400 });
  expect(requested).toHaveLength(1);
});

test('a body that is not of the service leaves its status', async () => {
  responses = [(_request, response) => response.writeHead(418).end('<html>teapot</html>')];
  expect(await failure(karat.countries.list())).toMatchObject({ code: 'unexpected_response', status: 418 });
});

describe('a trade that was sent, whose outcome cannot be read, may still land', () => {
  const operationId = good.response.trade_id;
  const quoted = json(200, { ...good.response, partially_signed_transaction: good.transaction });
  const busy = json(429, { error: 'rate_limited', message: 'slow down' }, { 'retry-after': '300' });
  const down = json(503, { error: 'service_unavailable', message: 'later' }, { 'retry-after': '300' });
  const buy = (signal?: AbortSignal) =>
    failure(
      karat.buys.execute({
        ...good.request,
        wallet_address: good.wallets.user_wallet,
        signers: [],
        signal,
      }),
    );
  const notKnown = {
    code: 'timeout',
    operationId,
    message: expect.stringContaining('may still land'),
  };

  test('a sent trade may still land when polling fails, whatever with', async () => {
    for (const [last, code] of [
      [busy, 'rate_limited'],
      [down, 'service_unavailable'],
      [hangUp, 'network_error'],
    ] as const) {
      responses = [quoted, json(200, {}), last];
      expect(await buy()).toMatchObject({ ...notKnown, cause: { code } });
    }
    const id = { id: operationId, kind: 'buy' };
    responses = [quoted, json(200, {}), json(200, { ...id, status: 'confirmed', record: null })];
    expect(await buy()).toMatchObject({ ...notKnown, body: { status: 'confirmed' } });
  });

  test('a sent trade may still land when the response of submit was lost', async () => {
    const cutOff = (_request: IncomingMessage, response: ServerResponse) =>
      response.writeHead(200).end('{"tx');
    responses = [quoted, cutOff, busy];
    expect(await buy()).toMatchObject({ ...notKnown, cause: { code: 'unexpected_response' } });
    responses = [quoted, down, busy];
    expect(await buy()).toMatchObject({ ...notKnown, cause: { code: 'service_unavailable' } });
  });

  test('a trade that submit refused has its id in the error, and one that the caller gives up ends at once', async () => {
    const end = new AbortController();
    responses = [quoted, json(200, {}), () => end.abort(new Error('no longer wanted'))];
    expect((await buy(end.signal)).message).toBe('no longer wanted');
    const refused = json(400, { error: 'broadcast_failed', message: 'no', reason: 'insufficient_usdc' });
    for (const operation of [
      json(200, { id: operationId, status: 'unknown', record: null }),
      json(200, { id: operationId, status: 'submitted', reason: 'insufficient_usdc', record: null }),
      json(500, { error: 'internal_error', message: 'broken' }),
    ]) {
      responses = [quoted, refused, operation];
      expect(await buy()).toMatchObject({ code: 'broadcast_failed', operationId });
    }
  });

  test('a sent trade whose refusal came after a lost response is the trade that landed', async () => {
    const unclear = { error: 'broadcast_failed', message: 'duplicate', reason: 'program_error' };
    const refused = json(400, unclear);
    const operation = { id: operationId, kind: 'buy', reason: null };
    const record = { trade_id: operationId, status: 'confirmed' };
    const confirmed = json(200, { ...operation, status: 'confirmed', record });
    const buys = () =>
      karat.buys.execute({ ...good.request, wallet_address: good.wallets.user_wallet, signers: [] });
    // Whatever the API notes of the second sending: the first one may have arrived.
    const noted = json(200, { ...operation, ...unclear, status: 'submitted', record: null });
    responses = [quoted, hangUp, refused, noted, confirmed];
    expect(await buys()).toEqual(record);
    // The operation is asked before a failure is reported, also without a lost response.
    responses = [quoted, refused, confirmed, confirmed];
    expect(await buys()).toEqual(record);
    const sent = json(200, { ...operation, status: 'submitted', record: null });
    responses = [quoted, refused, sent, sent, confirmed];
    expect(await buys()).toEqual(record);
  });
});

test('plain http is for this machine only', () => {
  const to = (baseUrl: string) => () => new Karat({ apiKey: 'x', baseUrl });
  for (const baseUrl of [
    'https://karat.example',
    'http://localhost:8080/',
    'http://karat.localhost',
    'http://127.0.0.2:1',
    'http://[::1]:8080',
  ])
    expect(to(baseUrl)).not.toThrow();
  for (const baseUrl of [
    'http://karat.example',
    'http://127.0.0.1.example',
    'http://localhost.example',
    'http://10.0.0.1',
    'http://[::ffff:a00:1]',
    'ftp://karat.example',
    'nonsense',
  ])
    expect(to(baseUrl)).toThrow(expect.objectContaining({ code: 'url_insecure' }));
});

test('a redirect is not followed, so that the key stays where it is', async () => {
  responses = [
    (_request, response) => response.writeHead(307, { location: '/elsewhere' }).end(),
    json(200, user),
  ];
  expect(await failure(karat.users.get('gu_1'))).toMatchObject({ code: 'unexpected_response', status: 307 });
  expect(requested.map(({ url }) => url)).toEqual(['/v1/users/gu_1']);
});

test('a call that is given up ends at once', async () => {
  responses = [() => {}];
  const end = new AbortController();
  const call = failure(karat.users.get('gu_1', { signal: end.signal }));
  setTimeout(() => end.abort(new Error('no longer wanted')), 100);
  expect((await call).message).toBe('no longer wanted');
});

test('a list is read page by page, and no further than requested', async () => {
  const page = (ids: string[], next: string | null) =>
    json(200, { users: ids.map((id) => ({ service_user_id: id })), next_cursor: next });
  responses = [page(['a', 'b'], 'n'), page(['c'], null)];
  const ids: string[] = [];
  for await (const { service_user_id } of karat.users.list({ limit: '2' })) ids.push(service_user_id);
  expect(ids).toEqual(['a', 'b', 'c']);
  expect(requested.map(({ url }) => url)).toEqual(['/v1/users?limit=2', '/v1/users?limit=2&cursor=n']);
  responses = [page(['a', 'b'], 'n')];
  for await (const one of karat.users.list()) {
    expect(one.service_user_id).toBe('a');
    break;
  }
  expect(requested).toHaveLength(3);
  responses = [page(['a'], 'n'), page(['b'], null)];
  expect((await karat.users.list()).map((one) => one.service_user_id)).toEqual(['a', 'b']);
  responses = [page(['a', 'b'], 'n')];
  expect(await karat.users.list().take(2)).toHaveLength(2);
  expect(requested).toHaveLength(6);
});

test('a redemption whose gold would be paid for a customer of another partner gets no signature', async () => {
  const { request, response, transaction, network, wallets } = redemption;
  const quote = { ...response, partially_signed_transaction: transaction };
  const unsigned = () => Promise.reject(new Error('nothing is to be signed'));
  const input = { ...request, wallet_address: wallets.user_wallet, signers: [unsigned] };
  responses = [json(200, { partner_id: '01a2269e-3c56-75a1-b0e8-000000000000' })];
  const expected = { code: 'transaction_unexpected', field: 'partner' };
  expect(await failure(karat.redemptions.sign(quote, input))).toMatchObject(expected);
  // What was read first is pinned.
  responses = [json(200, { partner_id: wallets.partner_id })];
  expect(await failure(karat.redemptions.sign(quote, input))).toMatchObject(expected);
  expect(requested).toMatchObject([{ url: '/v1/me' }]);
  const own = new Karat({ apiKey: 'x', baseUrl: 'https://x', network, partner_id: wallets.partner_id });
  const message = 'nothing is to be signed';
  expect(await failure(own.redemptions.sign(quote, input))).toMatchObject({ message });
});

test('an id stays one part of the path', async () => {
  responses = [json(404, { error: 'not_found', message: 'none' })];
  for (const id of ['../me', 'a/b?c=d', '', '.', '..']) await failure(karat.trades.get(id));
  expect(requested.map(({ url }) => url)).toEqual(
    ['..%2Fme', 'a%2Fb%3Fc%3Dd', '-', '-', '-'].map((part) => `/v1/trades/${part}`),
  );
});

test('README.md names every method of the client', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const named = new Map<string, string[]>();
  for (const [, names = '', methods = ''] of readme.matchAll(/^\| (itself|`[a-z].*?`) \| (`.*`) \|$/gm))
    for (const name of names.split(', ')) named.set(name.replaceAll('`', ''), methods.match(/\w+/g) ?? []);
  const methodsOf = (owner: object) =>
    Object.getOwnPropertyNames(Object.getPrototypeOf(owner)).filter((name) => name !== 'constructor');
  const resources = Object.entries(karat).filter(([name]) => name !== 'api');
  for (const [name, owner] of [['itself', karat] as const, ...resources]) {
    const inherited = name === 'buys' || name === 'sells' ? ['execute'] : [];
    expect([name, named.get(name)?.sort()]).toEqual([name, [...methodsOf(owner), ...inherited].sort()]);
  }
});

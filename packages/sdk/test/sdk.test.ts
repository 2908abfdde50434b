import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { Karat, KaratError } from '@karat/sdk';
import chromium from '@sparticuz/chromium';
import { chromium as driver } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { startIndexer } from '../../service/src/indexer/index.js';
import { newWallet } from '../../service/test/harness.js';
import { startTrading, type Trading } from '../../service/test/trading.js';
import { playStory, type Stage } from './story.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** How to launch the browser that is unpacked before any test. */
    browser: { executablePath?: string; channel?: string; env?: Record<string, string> };
  }
}

let t: Trading;
let indexer: ReturnType<typeof startIndexer>;
let baseUrl: string;
beforeAll(async () => {
  t = await startTrading();
  indexer = startIndexer(t.service.ctx);
  baseUrl = await t.service.app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(async () => {
  await indexer?.stop();
  await t?.stop();
});

async function newStage(at: string): Promise<Stage> {
  const wallet = newWallet();
  await t.chain.fund(wallet.address, 100_000_000_000n);
  return {
    baseUrl: at,
    partnerId: t.partner.partnerId,
    partnerKey: [...t.partner.wallet.secretKey],
    userKey: [...wallet.secretKey],
    userId: wallet.address,
  };
}

function expectStory(told: Awaited<ReturnType<typeof playStory>>): void {
  const { bought, sold } = told;
  expect(told).toMatchObject({
    me: t.partner.partnerId,
    price: 4100.12,
    countries: ['AE', 'PK'],
    bought: { side: 'buy', status: 'confirmed', gold_amount: expect.any(Number) },
    sold: { side: 'sell', status: 'confirmed' },
    listed: [sold.trade_id, bought.trade_id],
    refusal: { code: 'invalid_request', field: 'usdc_amount', status: 400, requestId: 'string' },
    webhook: { right: 'trade.confirmed', changed: 'signature_invalid', old: 'signature_invalid' },
  });
  expect(bought.gold_amount).toBeGreaterThanOrEqual(0.5);
  expect(sold.usdc_amount).toBeGreaterThanOrEqual(100);
  expect(told.gold).toBeCloseTo(bought.gold_amount - sold.gold_amount, 6);
}

/** Bundles a module for browsers, with everything that it imports; nothing of Node is there. */
async function bundled(entry: string, minify: boolean): Promise<string> {
  const made = await build({
    configFile: false,
    logLevel: 'error',
    resolve: { conditions: ['source', 'browser', 'module', 'import', 'default'] },
    build: { write: false, minify, lib: { entry, formats: ['es'], fileName: 'bundle' }, target: 'es2022' },
  });
  const [output] = Array.isArray(made) ? made : [made];
  const chunk = output && 'output' in output ? output.output[0] : undefined;
  if (!chunk || !('code' in chunk)) throw new Error('nothing was bundled');
  return chunk.code;
}

const fileOf = (name: string) => new URL(name, import.meta.url).pathname;

test('a partner trades with it on Node', async () => {
  expectStory(await playStory(await newStage(baseUrl)));
});

test('a partner trades with it in a browser', { timeout: 120_000 }, async () => {
  const script = await bundled(fileOf('story.ts'), false);
  const site = await startSite(script);
  const args = chromium.args.filter((one) => !/web-security|site-isolation|single-process/.test(one));
  const browser = await driver.launch({ ...inject('browser'), args });
  try {
    const page = await browser.newPage();
    const origin = `http://localhost:${(site.address() as AddressInfo).port}`;
    await page.goto(origin);
    const stage = JSON.stringify(await newStage(origin));
    // As text, for what a test is made of is not what a page understands.
    expectStory(await page.evaluate(`import('/story.js').then((story) => story.playStory(${stage}))`));
  } finally {
    await browser.close();
    site.close();
  }
});

/** A partner's own site: its page, and the API behind it, as browsers do not call the API themselves. */
async function startSite(script: string): Promise<Server> {
  const site = createServer(async (request, response) => {
    if (request.url === '/story.js')
      return response.writeHead(200, { 'content-type': 'text/javascript' }).end(script);
    if (!request.url?.startsWith('/v1/'))
      return response
        .writeHead(200, { 'content-type': 'text/html' })
        .end('<!doctype html><title>shop</title>');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { 'x-api-key': key, 'content-type': type } = request.headers;
    const answer = await fetch(baseUrl + request.url, {
      method: request.method ?? 'GET',
      headers: { ...(key && { 'x-api-key': String(key) }), ...(type && { 'content-type': type }) },
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
    const headers = Object.fromEntries(
      ['content-type', 'x-request-id'].map((name) => [name, answer.headers.get(name) ?? '']),
    );
    return response.writeHead(answer.status, headers).end(await answer.text());
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', () => resolve()));
  return site;
}

test('is less than 15 kB minified and compressed, and needs nothing of Node', async () => {
  const code = await bundled(fileOf('../src/index.ts'), true);
  expect(code).not.toMatch(/from\s*["'](node:|[a-z@])/);
  expect(gzipSync(code).length).toBeLessThan(15_000);
  console.log(`SDK: ${gzipSync(code).length} bytes minified and compressed`);
});

describe('retries', () => {
  /** A server that responds as told, one response after the other, and what it was sent. */
  async function scripted(...responses: [status: number, body: object, headers?: Record<string, string>][]) {
    const sent: { key: string | undefined; atMs: number }[] = [];
    const server = createServer((request, response) => {
      request.resume();
      sent.push({ key: request.headers['idempotency-key'] as string | undefined, atMs: Date.now() });
      const [status, body, headers = {}] = responses[Math.min(sent.length, responses.length) - 1] ?? [
        500,
        {},
      ];
      if (status === 0) return void request.socket.destroy();
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { sent, karat: new Karat({ apiKey: 'k', baseUrl: url }), close: () => server.close() };
  }
  const cancelled = { redemption_id: 'red_1', status: 'cancellation_requested' };

  test('send one idempotency key, also after a connection was cut, and wait as long as they are told', async () => {
    const wait = { 'retry-after': '1' };
    const { sent, karat, close } = await scripted(
      [0, {}],
      [429, { error: 'rate_limited' }, wait],
      [200, cancelled],
    );
    try {
      expect(await karat.redemptions.cancel('red_1', 'moved')).toEqual(cancelled);
      expect(sent).toHaveLength(3);
      expect(sent[0]?.key).toMatch(/^[0-9a-f-]{36}$/);
      expect(new Set(sent.map(({ key }) => key)).size).toBe(1);
      expect((sent[2]?.atMs ?? 0) - (sent[1]?.atMs ?? 0)).toBeGreaterThanOrEqual(990);
    } finally {
      close();
    }
  });

  test('do not repeat what is wrong, and end with what the API said', async () => {
    const body = {
      error: 'broadcast_failed',
      message: 'Quote again.',
      reason: 'quote_expired',
      doc_url: '/reasons',
    };
    const { sent, karat, close } = await scripted([400, body, { 'x-request-id': 'r-1' }]);
    try {
      const error = await karat.buys.submit('trd_1', 'AA==').catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(KaratError);
      expect(error).toMatchObject({
        code: 'broadcast_failed',
        reason: 'quote_expired',
        requestId: 'r-1',
        docUrl: '/reasons',
      });
      expect(sent).toHaveLength(1);
    } finally {
      close();
    }
  });
});

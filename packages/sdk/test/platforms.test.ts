import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { chromium as driver } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { installOnce } from '../../../scripts/install-once.mjs';
import { newWallet } from '../../service/test/harness.js';
import { type Stack, startStack } from './stack.js';
import { playStory, type Stage } from './story.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** How to launch the browser that is unpacked before any test. */
    browser: { executablePath?: string; channel?: string; env?: Record<string, string> };
  }
}

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack?.stop());

async function newStage(at: string): Promise<Stage> {
  const wallet = newWallet();
  await stack.chain.fund(wallet.address, 100_000_000_000n);
  return {
    baseUrl: at,
    partnerId: stack.partner.partnerId,
    partnerKey: [...stack.partner.wallet.secretKey],
    userKey: [...wallet.secretKey],
    userId: wallet.address,
  };
}

function expectStory(reported: Awaited<ReturnType<typeof playStory>>): void {
  const { bought, sold, redeemed } = reported;
  expect(reported).toMatchObject({
    me: stack.partner.partnerId,
    price: 4100.12,
    countries: ['AE', 'PK'],
    bought: { side: 'buy', status: 'confirmed', gold_amount: expect.any(Number) },
    sold: { side: 'sell', status: 'confirmed' },
    redeemed: { status: 'submitted', city: 'Karachi' },
    log: ['trade.submitted', 'trade.confirmed'],
    operation: 'buy',
    listed: [sold.trade_id, bought.trade_id],
    refusal: { code: 'invalid_request', field: 'usdc_amount', status: 400, requestId: 'string' },
    webhook: { right: 'trade.confirmed', changed: 'signature_invalid', old: 'signature_invalid' },
  });
  expect(bought.gold_amount).toBeGreaterThanOrEqual(0.5);
  expect(sold.usdc_amount).toBeGreaterThanOrEqual(100);
  const left = bought.gold_amount - sold.gold_amount - Number(redeemed.quote.tokens_required);
  expect(reported.gold).toBeCloseTo(left, 6);
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

const fileOf = (name: string | URL) => fileURLToPath(new URL(name, import.meta.url));

/** Returns the path of Bun, which is as large as a tenth of all other packages: it is installed when it is first needed. */
function installedBun(): string {
  const folder = fileOf('bun');
  installOnce(folder);
  return join(folder, 'node_modules/bun/bin/bun.exe');
}

test('a partner trades with the SDK on Node', async () => {
  expectStory(await playStory(await newStage(stack.baseUrl)));
});

test('a partner trades with the SDK on Bun', { timeout: 240_000 }, async () => {
  const bun = installedBun();
  const script = `import { playStory } from ${JSON.stringify(fileOf('story.ts'))};
    const reported = await playStory(JSON.parse(process.argv.at(-1)));
    console.log(JSON.stringify({ on: Bun.version, reported }));`;
  const stage = JSON.stringify(await newStage(stack.baseUrl));
  const { stdout } = await promisify(execFile)(bun, ['--conditions=source', '--eval', script, stage]);
  const { on, reported } = JSON.parse(stdout);
  expect(on).toMatch(/^\d/);
  expectStory(reported);
});

test('a partner trades with the SDK in a browser', { timeout: 120_000 }, async () => {
  const script = await bundled(fileOf('story.ts'), false);
  const site = await startSite(script);
  const browser = await driver.launch(inject('browser'));
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
    const upstream = await fetch(stack.baseUrl + request.url, {
      method: request.method ?? 'GET',
      headers: { ...(key && { 'x-api-key': String(key) }), ...(type && { 'content-type': type }) },
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
    const headers = Object.fromEntries(
      ['content-type', 'x-request-id'].map((name) => [name, upstream.headers.get(name) ?? '']),
    );
    return response.writeHead(upstream.status, headers).end(await upstream.text());
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', () => resolve()));
  return site;
}

test('the SDK is less than 15 kB minified and compressed, and needs nothing of Node', async () => {
  const code = await bundled(fileOf('../src/index.ts'), true);
  expect(code).not.toMatch(/from\s*["'](node:|[a-z@])/);
  expect(gzipSync(code).length).toBeLessThan(15_000);
  console.log(`SDK: ${gzipSync(code).length} bytes minified and compressed`);
});

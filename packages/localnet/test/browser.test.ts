import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, chromium as driver } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { fundedSigner, SOL, sendTransfer, startNode } from './harness.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** How to launch the browser that is unpacked before any test. */
    browser: { executablePath?: string; channel?: string; env?: Record<string, string> };
  }
}

/** A real browser on a page of another origin, as an explorer or a wallet is: everything it does goes through CORS. */
const node = await startNode({ slotMs: 100 });
const payer = await fundedSigner(node, 10n * SOL);
// Reads are of the finalized chain unless they ask for another.
node.finalize();
const page = createServer((_, response) =>
  response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>explorer</title>'),
);
let browser: Browser;

beforeAll(async () => {
  await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', () => resolve()));
  browser = await driver.launch(inject('browser'));
});
afterAll(async () => {
  await browser?.close();
  page.close();
});

async function openPage() {
  const opened = await browser.newPage();
  await opened.goto(`http://localhost:${(page.address() as AddressInfo).port}/`);
  return opened;
}

test('a page of another origin reads the chain: preflight, headers of its own, errors with their body', async () => {
  const opened = await openPage();
  const responses = await opened.evaluate(
    async ([url, address, origin]) => {
      const ask = async (method: string, ...params: unknown[]) => {
        const response = await fetch(url ?? '', {
          method: 'POST',
          // A content type and a header of its own: the browser asks first, with OPTIONS.
          headers: { 'content-type': 'application/json', 'solana-client': 'js/1.0.0' },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        });
        return (await response.json()) as { result: { value: number }; error: object };
      };
      const tooLarge = await fetch(url ?? '', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: 'x'.repeat(2 ** 21),
      }).then(
        (response) => response.status,
        () => 'the connection was cut',
      );
      return {
        balance: await ask('getBalance', address),
        unknown: await ask('getNothing'),
        health: await (await fetch(`${url}/health`)).text(),
        tooLarge,
        // The page's own server under another name sends no CORS headers: this is what happens then.
        control: await fetch(origin?.replace('localhost', '127.0.0.1') ?? '').then(
          () => 'read',
          () => 'refused by the browser',
        ),
      };
    },
    [node.rpcUrl, payer.address, opened.url()],
  );
  expect(responses.control).toBe('refused by the browser');
  expect(responses.balance.result.value).toBe(10_000_000_000);
  expect(responses.unknown.error).toEqual({ code: -32601, message: 'Method not found' });
  expect(responses.health).toBe('ok');
  // Refused while it is still being sent: the browser sees the response or a cut connection, never a hang.
  expect([413, 'the connection was cut']).toContain(responses.tooLarge);
  await opened.close();
});

test('a page subscribes over WebSocket and gets notifications', async () => {
  const opened = await openPage();
  const subscribed = opened.waitForEvent('console', (message) => message.text() === 'subscribed');
  const reported = opened.evaluate(
    ([url, address]) =>
      new Promise<string>((resolve, reject) => {
        const socket = new WebSocket(url ?? '');
        const params = [address, { commitment: 'confirmed', encoding: 'base64' }];
        socket.onopen = () =>
          socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'accountSubscribe', params }));
        socket.onerror = () => reject(new Error('the socket failed'));
        socket.onmessage = ({ data }) => {
          const message = JSON.parse(String(data));
          if (message.method) resolve(message.params.result.value.owner);
          else console.log('subscribed');
        };
      }),
    [node.wsUrl, payer.address],
  );
  await subscribed;
  await sendTransfer(node, payer, payer.address, 1n);
  expect(await reported).toBe('11111111111111111111111111111111');
  await opened.close();
});

test('a browser gets the notification of a signature that is known already, and its pong comes by itself', async () => {
  const signature = await sendTransfer(node, payer, payer.address, 2n);
  const opened = await openPage();
  const err = await opened.evaluate(
    ([url, wanted]) =>
      new Promise((resolve) => {
        const socket = new WebSocket(url ?? '');
        const params = [wanted, { commitment: 'processed' }];
        socket.onopen = () =>
          socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'signatureSubscribe', params }));
        socket.onmessage = ({ data }) => {
          const message = JSON.parse(String(data));
          if (message.method) resolve(message.params.result.value);
        };
      }),
    [node.wsUrl, signature],
  );
  expect(err).toEqual({ err: null });
  await opened.close();
});

// What the server of the shop needs of the web; nothing in it is about gold.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { json } from 'node:stream/consumers';
import { getPublicKeyFromAddress, verifySignature } from '@solana/kit';
import qrcode from 'qrcode-generator';

const types = { html: 'text/html', css: 'text/css', js: 'text/javascript', json: 'application/json' };
/** Files by their names in the page: its own, what it shares with the console, and the library that draws the chart. */
const own = ['index.html', 'style.css', 'shop.js', 'text.js', 'sandbox-wallet.js'];
const texts = ['text/en.json', 'text/ar.json', 'text/ur.json'];
const shared = ['price-chart.js', 'price-chart.css'];
/** Imported by its path in the repository, so that it is found without a server, too. */
const language = 'packages/console/src/text/language.js';
const { resolve } = createRequire(import.meta.url);
const files = new Map([
  ...[...own, ...texts].map((name) => [name, new URL(`page/${name}`, import.meta.url)]),
  ...shared.map((name) => [name, new URL(`../../packages/console/src/ui/${name}`, import.meta.url)]),
  [language, new URL(`../../${language}`, import.meta.url)],
  ['uplot.js', resolve('uplot/dist/uPlot.esm.js')],
  ['uplot.css', resolve('uplot/dist/uPlot.min.css')],
]);
export const headers = {
  'content-security-policy': "default-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

/** An error of the customer's, with its HTTP status; the page has words for its code. */
export const mistake = (status, message, parts) => Object.assign(new Error(message), { status, ...parts });

const maxSpent = 100_000;

/** Texts that pages keep for the shop, such as a session: sealed with a key drawn from the partner's, so that none is changed. */
export function makeSeals(partnerKey) {
  const spent = new Set(); // those that hold no longer, oldest first
  const secret = createHmac('sha256', Uint8Array.from(partnerKey)).update('seals of the shop').digest();
  const seal = (...parts) =>
    [...parts, createHmac('sha256', secret).update(parts.join('.')).digest('hex')].join('.');
  /** Returns the parts that this shop has sealed; none for any other text, and for one that is spent. */
  function unseal(given) {
    const text = String(given);
    const parts = text.split('.').slice(0, -1);
    const [is, must] = [Buffer.from(text), Buffer.from(seal(...parts))];
    return is.length === must.length && timingSafeEqual(is, must) && !spent.has(text) ? parts : [];
  }
  /** Has a sealed text hold no longer, until so many others are spent. */
  function spend(text) {
    spent.add(String(text));
    if (spent.size > maxSpent) spent.delete(spent.values().next().value);
  }
  return { seal, unseal, spend };
}

/** Whether a text has the signature (base64) of a wallet. */
export async function isSignedBy(wallet, text, signature) {
  const signed = Buffer.from(String(signature), 'base64');
  return (
    signed.length === 64 && verifySignature(await getPublicKeyFromAddress(wallet), signed, Buffer.from(text))
  );
}

/** Has the browser keep a text as the shop's cookie, or keep none if it is empty. */
export function keepCookie(response, text) {
  const end = text === '' ? '; Max-Age=0' : '';
  response.setHeader('set-cookie', `shop=${text}; HttpOnly; SameSite=Strict; Path=/${end}`);
  return {};
}

/** Returns a QR code: how many modules its side has, and the path of its dark ones. */
export function qrOf(text) {
  const code = qrcode(0, 'M');
  code.addData(text);
  code.make();
  const size = code.getModuleCount();
  const places = Array.from({ length: size * size }, (_, at) => [at % size, Math.floor(at / size)]);
  const dark = places.filter(([x, y]) => code.isDark(y, x));
  return { size, path: dark.map(([x, y]) => `M${x} ${y}h1v1h-1z`).join('') };
}

function send(response, status, body) {
  response.writeHead(status, { ...headers, 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Reads JSON, a type that no form of another site can send. */
async function readBody(request) {
  if (request.headers['content-type'] !== 'application/json') throw mistake(415, 'The body must be JSON.');
  if (!(Number(request.headers['content-length']) <= 10_000)) throw mistake(413, 'The body is too long.');
  return Object(await json(request).catch(() => ({})));
}

/** Sends a file of the page; false for any other path. */
async function sendFile(response, path) {
  const name = path.slice(1) || 'index.html';
  const file = files.get(name);
  if (file === undefined) return false;
  response.writeHead(200, { ...headers, 'content-type': `${types[name.split('.')[1]]}; charset=utf-8` });
  response.end(await readFile(file));
  return true;
}

/**
 * Serves the files of the page, and what `respond` returns for a request: its route, the shop's cookie, and the query or the
 * body. What it throws is sent to the page, with its words for programs.
 */
export async function serve(respond, { host, port }) {
  async function handle(request, response) {
    if (!URL.canParse(request.url, 'http://shop')) throw mistake(400, 'The address is invalid.');
    const url = new URL(request.url, 'http://shop');
    if (await sendFile(response, url.pathname)) return;
    const result = await respond({
      route: `${request.method} ${url.pathname}`,
      cookie: /(?:^|; )shop=([\w.]+)/.exec(request.headers.cookie ?? '')?.[1],
      body: request.method === 'POST' ? await readBody(request) : Object.fromEntries(url.searchParams),
      response,
    });
    if (result !== undefined) send(response, 200, result);
  }
  const server = createServer((request, response) => {
    handle(request, response).catch((error) => {
      const { status = 500, message, code, reason, field, have, need } = error;
      if (status === 500) console.error(error);
      send(response, status, status === 500 ? {} : { message, code, reason, field, have, need });
    });
  });
  await new Promise((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  return {
    port: server.address().port,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

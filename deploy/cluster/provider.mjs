/**
 * A provider's node in front of the real one, which can misbehave: PUT /mode with `truth`, `lag` (50 slots behind) or
 * `lie` (denies every transaction of the last minute). Usage: provider.mjs PORT NODE-PORT
 */
import { createServer, request } from 'node:http';
import { connect } from 'node:net';

const [port, nodePort] = process.argv.slice(2);
const lagSlots = 50;
const deniedMs = 60_000;

let mode = 'truth';
/** When each signature was first seen, by this clock. */
const seen = new Map();
/** Blockhashes that were the latest, oldest first. */
const blockhashes = [];

function ask(body) {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const sent = request({ host: '127.0.0.1', port: nodePort, method: 'POST', headers }, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => resolve(Buffer.concat(chunks).toString()));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

async function call(method, params) {
  const { result } = JSON.parse(await ask(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })));
  return result;
}

const isDenied = (signature) => {
  if (!seen.has(signature)) seen.set(signature, Date.now());
  return Date.now() - seen.get(signature) < deniedMs;
};

/** Returns the result as a node says it that is behind, or that lies. */
async function bend({ method, params = [] }, result) {
  const isHidden = await hiding(result);
  if (method === 'getSignaturesForAddress')
    return result?.filter((entry) => !isHidden(entry.signature, entry.slot));
  if (method === 'getSignatureStatuses') {
    const value = result.value.map((status, at) =>
      status && isHidden(params[0][at], status.slot) ? null : status,
    );
    return { ...behind(result), value };
  }
  if (method === 'getTransaction') return result && isHidden(params[0], result.slot) ? null : result;
  if (mode !== 'lag') return result;
  if (method === 'getSlot' || method === 'getBlockHeight') return result - lagSlots;
  if (method === 'getLatestBlockhash') return { ...behind(result), value: (blockhashes[0] ?? result).value };
  return behind(result);
}

async function hiding(result) {
  if (mode === 'lie') return isDenied;
  const slot = (await call('getSlot', [{ commitment: 'processed' }])) - lagSlots;
  return (_signature, at) => result && at > slot;
}

/** A result whose context is of an earlier slot, while the node lags. */
function behind(result) {
  if (mode !== 'lag' || typeof result?.context?.slot !== 'number') return result;
  return { ...result, context: { ...result.context, slot: result.context.slot - lagSlots } };
}

async function respond(text) {
  const response = await ask(text);
  if (mode === 'truth') return response;
  const [calls, responses] = [JSON.parse(text), JSON.parse(response)];
  if (!Array.isArray(calls)) return JSON.stringify(await respondTo(calls, responses));
  const bent = calls.map((one) =>
    respondTo(
      one,
      responses.find(({ id }) => id === one.id),
    ),
  );
  return JSON.stringify(await Promise.all(bent));
}

async function respondTo(one, response) {
  if (!response || !('result' in response)) return response;
  return { ...response, result: await bend(one, response.result) };
}

const server = createServer((incoming, response) => {
  const chunks = [];
  incoming.on('data', (chunk) => chunks.push(chunk));
  incoming.on('end', async () => {
    const text = Buffer.concat(chunks).toString();
    try {
      if (incoming.url === '/mode') {
        mode = text;
        return void response.end(mode);
      }
      response.setHeader('content-type', 'application/json');
      response.end(await respond(text));
    } catch {
      incoming.socket.destroy();
    }
  });
});
server.keepAliveTimeout = 65_000;
server.on('upgrade', (incoming, near, head) => {
  const far = connect(Number(nodePort), '127.0.0.1', () => {
    const headers = Object.entries(incoming.headers).map(([name, value]) => `${name}: ${value}`);
    far.write(`GET ${incoming.url} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`);
    far.write(head);
    near.pipe(far).pipe(near);
  });
  for (const [one, other] of [
    [near, far],
    [far, near],
  ]) {
    one.on('error', () => other.destroy());
    one.on('close', () => other.destroy());
  }
});
server.listen(Number(port), '127.0.0.1');

setInterval(async () => {
  const latest = await call('getLatestBlockhash', [{ commitment: 'confirmed' }]).catch(() => undefined);
  if (latest) blockhashes.push(latest);
  if (blockhashes.length > 10) blockhashes.shift();
  for (const [signature, at] of seen) if (Date.now() - at > 2 * deniedMs) seen.delete(signature);
}, 2_000);

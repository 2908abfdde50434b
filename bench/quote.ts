/**
 * What a quote costs: POST /v1/buy over real HTTP, beside a peer measured in the same run, which is a bare Fastify route
 * with the same number of round trips to the database (one) and one Ed25519 signature. The two take turns, so that
 * whatever else the machine does meets both alike; only the ratios between them say anything. Client, service and peer
 * share one process.
 */
import { createHash } from 'node:crypto';
import { Agent, request } from 'node:http';
import Fastify, { type FastifyInstance } from 'fastify';
import sodium from 'sodium-native';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildApp } from '../packages/service/src/http/app.js';
import { givenUser, startTrading, type Trading } from '../packages/service/test/trading.js';

const rounds = 6;
const roundMs = 2_500;
/** One after the other, and as many as a busy partner has under way. */
const concurrencies = [1, 32];

let t: Trading;
let service: FastifyInstance;
let peer: FastifyInstance;
const users: string[] = [];
beforeAll(async () => {
  t = await startTrading({ config: { logLevel: 'silent' } });
  t.service.ctx.log.level = 'silent';
  for (let i = 0; i < 50; i += 1) {
    const { id, wallet } = await givenUser(t.service, t.chain, t.partner);
    // Whoever has bought before has an account for GOLD; for a first buy the node is asked about it.
    await t.chain.node.setTokenBalance(wallet.address, t.chain.goldMint, 1n);
    users.push(id);
  }
  // Not that of the harness, which holds every answer to the contract.
  service = await buildApp(t.service.ctx);
  await service.listen({ port: 0, host: '127.0.0.1' });
  peer = barePeer(t);
  await peer.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(async () => {
  await service.close();
  await peer.close();
  await t.stop();
});

/** Reads a key and its partner by one prepared statement, signs a message of a trade's length, answers as much. */
function barePeer({ service: { ctx } }: Trading): FastifyInstance {
  const app = Fastify();
  const publicKey = Buffer.alloc(sodium.crypto_sign_PUBLICKEYBYTES);
  const secretKey = Buffer.alloc(sodium.crypto_sign_SECRETKEYBYTES);
  sodium.crypto_sign_keypair(publicKey, secretKey);
  const message = Buffer.alloc(900, 7);
  const text = { type: 'string' };
  const schema = {
    body: {
      type: 'object',
      required: ['service_user_id', 'usdc_amount'],
      properties: { service_user_id: text, usdc_amount: { type: 'number' } },
    },
    response: { 200: { type: 'object', properties: { partner_id: text, transaction: text } } },
  };
  app.post('/quote', { schema }, async (asked) => {
    const hash = createHash('sha256').update(String(asked.headers['x-api-key'])).digest();
    const text =
      'select k.partner_id from api_keys k join partners p on p.id = k.partner_id where k.hash = $1';
    const [row] = (await ctx.pool.query({ text }, [hash])) as { partner_id: string }[];
    const signature = Buffer.alloc(sodium.crypto_sign_BYTES);
    sodium.crypto_sign_detached(signature, message, secretKey);
    const transaction = Buffer.concat([signature, message]).toString('base64');
    return { partner_id: row?.partner_id, transaction };
  });
  return app;
}

interface Target {
  port: number;
  path: string;
  /** How long each answer took, milliseconds. */
  took: number[];
  elapsedMs: number;
}

const portOf = (app: FastifyInstance) => {
  const address = app.server.address();
  return typeof address === 'object' && address ? address.port : 0;
};

function post({ port, path }: Target, agent: Agent, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'x-api-key': t.partner.apiKey,
    };
    request({ port, path, method: 'POST', agent, headers }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
    })
      .on('error', reject)
      .end(body);
  });
}

/** Asks without a pause for a while, `concurrency` at a time. */
async function load(target: Target, concurrency: number, ms: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  const start = performance.now();
  const end = start + ms;
  let next = 0;
  const lane = async () => {
    while (performance.now() < end) {
      next += 1;
      const body = JSON.stringify({ service_user_id: users[next % users.length], usdc_amount: 100 });
      const asked = performance.now();
      expect(await post(target, agent, body)).toBe(200);
      target.took.push(performance.now() - asked);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  target.elapsedMs += performance.now() - start;
  agent.destroy();
}

function figures({ took, elapsedMs }: Target) {
  const sorted = took.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
  return { perSecond: (took.length / elapsedMs) * 1_000, p50: at(0.5), p99: at(0.99) };
}

test.each(concurrencies)('%d at a time', async (concurrency) => {
  const quote: Target = { port: portOf(service), path: '/v1/buy', took: [], elapsedMs: 0 };
  const bare: Target = { port: portOf(peer), path: '/quote', took: [], elapsedMs: 0 };
  for (const target of [quote, bare]) {
    await load(target, concurrency, 1_000);
    Object.assign(target, { took: [], elapsedMs: 0 });
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const target of round % 2 ? [quote, bare] : [bare, quote]) await load(target, concurrency, roundMs);
  }
  const [ours, theirs] = [figures(quote), figures(bare)];
  const line = (name: string, { perSecond, p50, p99 }: typeof ours) =>
    `${name}: ${perSecond.toFixed(0)} quotes/s, p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`;
  const ratio = (a: number, b: number) => (a / b).toFixed(2);
  console.log(
    `${concurrency} at a time\n  ${line('quote', ours)}\n  ${line('peer ', theirs)}\n` +
      `  quote : peer = ${ratio(ours.perSecond, theirs.perSecond)} in quotes/s, ` +
      `${ratio(ours.p50, theirs.p50)} in p50, ${ratio(ours.p99, theirs.p99)} in p99`,
  );
  expect(quote.took.length).toBeGreaterThan(100);
});

/** A Solana node as its clients see it: in front of the one that there is, and able to fail, to lag and to lie about it. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { nodeFaults, nodeLies } from './schedule.js';

type NodeFault = (typeof nodeFaults)[number];
type NodeLie = (typeof nodeLies)[number];

interface Call {
  id: unknown;
  method: string;
  params?: unknown[];
}
// biome-ignore lint/suspicious/noExplicitAny: results of every method, to be falsified
type Result = any;
type Reply = { id: unknown; result?: Result; error?: unknown };

const aheadSlots = 1_000;
const failure = { InstructionError: [3, { Custom: 6_000 }] };
/** Responses that a node that lags goes on giving. */
const remembered = 5_000;

/** Starts a node that reports what the node at `url` does, until `suffers` is set. */
export class LyingNode {
  /** What it does at present. */
  suffers: NodeFault | NodeLie | undefined;
  readonly #url: string;
  readonly #server: Server;
  readonly #before = new Map<string, Result>();

  private constructor(url: string) {
    this.#url = url;
    this.#server = createServer((request, response) => {
      this.#respond(request, response).catch(() => response.destroy());
    });
  }

  static async start(url: string): Promise<LyingNode> {
    const node = new LyingNode(url);
    node.#server.listen(0, '127.0.0.1');
    await once(node.#server, 'listening');
    return node;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const asked = Buffer.concat(chunks).toString('utf8');
    const { suffers } = this;
    if (suffers === 'close') return void response.destroy();
    if (suffers === 'hang') return;
    if (suffers === 'http_429') return void response.writeHead(429, { 'retry-after': '1' }).end('too many');
    if (suffers === 'http_500') return void response.writeHead(500).end('broken');
    const text = suffers === 'error' ? refusalOf(asked) : await this.#textOf(asked);
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    });
    if (suffers === 'half_response') {
      response.write(text.slice(0, text.length / 2), () => response.destroy());
      return;
    }
    response.end(text);
  }

  async #textOf(asked: string): Promise<string> {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(this.#url, { method: 'POST', headers, body: asked });
    const text = await response.text();
    const calls: Call | Call[] = JSON.parse(asked);
    const replies = JSON.parse(exactly(text)) as Reply | Reply[];
    const byId = new Map([calls].flat().map((call) => [String(call.id), call]));
    for (const reply of [replies].flat()) {
      const call = byId.get(String(reply.id));
      if (call && 'result' in reply) reply.result = this.#resultOf(call, reply.result);
    }
    return asNumbers(JSON.stringify(replies));
  }

  #resultOf({ method, params = [] }: Call, result: Result): Result {
    const key = `${method} ${JSON.stringify(params)}`;
    if (this.suffers === 'lag')
      return this.#before.has(key) ? this.#before.get(key) : missing(method, result);
    this.#before.delete(key);
    this.#before.set(key, result);
    for (const oldest of this.#before.keys()) {
      if (this.#before.size <= remembered) break;
      this.#before.delete(oldest);
    }
    const lie = this.suffers && lies[this.suffers];
    return lie ? lie(method, structuredClone(result), params) : result;
  }
}

type Lie = (method: string, result: Result, params: unknown[]) => Result;
const half = (signature: unknown) => String(signature).charCodeAt(3) % 2 === 0;

const lies: Partial<Record<NodeFault | NodeLie, Lie>> = {
  withhold(method, result, [about]) {
    if (method === 'getSignaturesForAddress') return result.filter((row: Result) => !half(row.signature));
    if (method === 'getTransaction') return half(about) ? null : result;
    if (method !== 'getSignatureStatuses') return result;
    const signatures = about as string[];
    return {
      ...result,
      value: result.value.map((row: Result, n: number) => (half(signatures[n]) ? null : row)),
    };
  },
  double: (method, result) =>
    method === 'getSignaturesForAddress' || method === 'getProgramAccounts'
      ? result.flatMap?.((row: Result) => [row, row])
      : result,
  lie_failure: (method, result) => withError(method, result, (err) => err ?? failure),
  lie_success: (method, result) => withError(method, result, () => null),
  lie_final: (method, result) =>
    method === 'getSignatureStatuses'
      ? mapStatuses(result, (row) => ({ ...row, confirmations: null, confirmationStatus: 'finalized' }))
      : method === 'getSignaturesForAddress'
        ? result.map((row: Result) => ({ ...row, confirmationStatus: 'finalized' }))
        : result,
  lie_ahead: (method, result) => moved(method, result, aheadSlots),
  lie_behind: (method, result) => moved(method, result, -aheadSlots),
  lie_accounts(method, result) {
    if (method === 'getProgramAccounts') return Array.isArray(result) ? [] : { ...result, value: [] };
    if (method === 'getAccountInfo') return { ...result, value: null };
    return method === 'getMultipleAccounts' ? { ...result, value: result.value.map(() => null) } : result;
  },
};

/** What a node says of what it has not seen yet. */
function missing(method: string, result: Result): Result {
  if (method === 'getTransaction') return null;
  if (method === 'getSignaturesForAddress') return [];
  return method === 'getSignatureStatuses' ? mapStatuses(result, () => null) : result;
}

function mapStatuses(result: Result, change: (row: Result) => Result): Result {
  return { ...result, value: result.value.map((row: Result) => row && change(row)) };
}

function withError(method: string, result: Result, change: (err: unknown) => unknown): Result {
  const changed = (row: Result) => ({ ...row, err: change(row.err) });
  if (method === 'getSignaturesForAddress') return result.map(changed);
  if (method === 'getTransaction') return result && { ...result, meta: changed(result.meta) };
  if (method !== 'getSignatureStatuses') return result;
  return mapStatuses(result, (row) => {
    const err = change(row.err);
    return { ...row, err, status: err === null ? { Ok: null } : { Err: err } };
  });
}

/** Another place on the chain, in what names one. */
function moved(method: string, result: Result, by: number): Result {
  const shift = (slot: number) => Math.max(0, slot + by);
  if (method === 'getSlot' || method === 'getBlockHeight') return shift(result);
  if (method === 'getEpochInfo')
    return { ...result, absoluteSlot: shift(result.absoluteSlot), blockHeight: shift(result.blockHeight) };
  const slot = result?.context?.slot;
  return typeof slot === 'number' ? { ...result, context: { ...result.context, slot: shift(slot) } } : result;
}

function refusalOf(asked: string): string {
  const calls: Call | Call[] = JSON.parse(asked);
  const refuse = ({ id }: Call) => ({
    jsonrpc: '2.0',
    id,
    error: { code: -32_005, message: 'Node is behind' },
  });
  return JSON.stringify(Array.isArray(calls) ? calls.map(refuse) : refuse(calls));
}

/** Numbers of 64 bits are kept as text while JSON is an object. A string of the chain never looks like one of these. */
const exactly = (text: string) => text.replace(/([:[,]\s*)(\d{16,})(?=\s*[,\]}])/g, '$1"u64:$2"');
const asNumbers = (text: string) => text.replace(/"u64:(\d+)"/g, '$1');

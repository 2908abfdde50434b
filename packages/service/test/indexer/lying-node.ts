import { Agent, createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EVENT_DISCRIMINATOR } from '@karat/program-client';
import { getBase58Decoder, getBase58Encoder } from '@solana/kit';
import { viewTransaction } from '../../src/chain/inspect/transaction-view.js';

/** What a JSON-RPC call asks. */
export interface RpcCall {
  method: string;
  // biome-ignore lint/suspicious/noExplicitAny: parameters and results of every method
  params: any[];
}

type Call = RpcCall & { id: unknown };

/**
 * Bends a response: gets the call and a way to ask the real node, gives the result. `hang` never responds, a thrown
 * `Refused` is sent as an error of the node, an `HttpRefusal` as a status of HTTP, any other error closes the connection.
 */
// biome-ignore lint/suspicious/noExplicitAny: parameters and results of every method
export type Lie = (call: RpcCall, ask: () => Promise<any>) => Promise<any>;

/** A node in front of a real one whose responses a test may bend: nodes differ, lag and lose things. */
export interface LyingNode {
  url: string;
  /** The lie that is sent from now on; undefined: the truth. */
  lie: Lie | undefined;
  /** Every call so far, by method. */
  calls: Map<string, number>;
  /** Requests so far, each of one call or more. */
  requests: number;
  /** What is sent to every request of several calls. */
  refuseBatch: (() => Refused | HttpRefusal) | undefined;
  close(): Promise<void>;
}

export const hang = Symbol('hang');

/** An error that the node responds with. */
export class Refused extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** A status of HTTP that something before the node responds with. */
export class HttpRefusal extends Error {
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(status: number, headers: Record<string, string> = {}) {
    super(`HTTP ${status}`);
    this.status = status;
    this.headers = headers;
  }
}

export async function startLyingNode(realUrl: string): Promise<LyingNode> {
  const state: Omit<LyingNode, 'url' | 'close'> = {
    lie: undefined,
    calls: new Map(),
    requests: 0,
    refuseBatch: undefined,
  };
  const agent = new Agent({ keepAlive: true });
  const server = createServer(async (incoming, response) => {
    try {
      const text = await bodyOf(incoming);
      const body = JSON.parse(text) as Call | Call[];
      const calls = [body].flat();
      for (const { method } of calls) state.calls.set(method, (state.calls.get(method) ?? 0) + 1);
      state.requests += 1;
      const refused = Array.isArray(body) ? state.refuseBatch?.() : undefined;
      if (refused instanceof HttpRefusal) return void response.writeHead(refused.status).end();
      if (refused)
        return void response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: errorOf(refused) }));
      const { lie } = state;
      if (!lie) return void response.end(await post(realUrl, text, agent));
      const ask = async (call: Call) => JSON.parse(await post(realUrl, JSON.stringify(call), agent)).result;
      const results = await Promise.all(calls.map((call) => lie(call, () => ask(call)).catch(refusalOf)));
      const refusal = results.find((result) => result instanceof HttpRefusal);
      if (refusal) return void response.writeHead(refusal.status, refusal.headers).end();
      if (results.includes(hang)) return;
      const responses = results.map((result, index) => ({
        jsonrpc: '2.0',
        id: calls[index]?.id,
        ...(result instanceof Refused
          ? { error: { code: result.code, message: result.message } }
          : { result }),
      }));
      response.end(JSON.stringify(Array.isArray(body) ? responses : responses[0]));
    } catch {
      incoming.socket.destroy();
    }
  });
  // No idle connection is closed just when a call goes out on it.
  server.keepAliveTimeout = 65_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      agent.destroy();
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  });
}

function errorOf({ code, message }: Refused) {
  return { code, message };
}

function refusalOf(error: unknown): Refused | HttpRefusal {
  if (error instanceof Refused || error instanceof HttpRefusal) return error;
  throw error;
}

/** Posts a JSON text and returns that of the response; `fetch` takes several times the processor time. */
function post(url: string, text: string, agent: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      bodyOf(response).then(resolve, reject);
    });
    sent.on('error', reject);
    sent.end(text);
  });
}

function bodyOf(message: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    message.on('data', (chunk: Buffer) => chunks.push(chunk));
    message.on('end', () => resolve(Buffer.concat(chunks).toString()));
    message.on('error', reject);
  });
}

const clockSysvar = 'SysvarC1ock11111111111111111111111111111111';

/** A node of a chain whose clock is ahead of all others by so many seconds, or behind them if negative. */
export const clockAhead =
  (seconds: number): Lie =>
  async ({ method, params }, ask) => {
    const response = await ask();
    const at = method === 'getMultipleAccounts' ? params[0].indexOf(clockSysvar) : -1;
    if (at < 0) return response;
    const bytes = Buffer.from(response.value[at].data[0], 'base64');
    bytes.writeBigInt64LE(bytes.readBigInt64LE(32) + BigInt(seconds), 32);
    response.value[at].data[0] = bytes.toString('base64');
    return response;
  };

/** A node that takes `minContextSlot` in no call. */
export const refusingMinContextSlot: Lie = async ({ params }, ask) => {
  if (params.some((param) => param?.minContextSlot !== undefined)) {
    throw new Refused(-32602, 'Invalid params: minContextSlot is not supported');
  }
  return ask();
};

/** Returns whether a call lists what is final, which is what a node lists when nothing else is asked for. */
export function listsFinal({ method, params }: RpcCall): boolean {
  return method === 'getSignaturesForAddress' && params[1]?.commitment !== 'confirmed';
}

/** A node of a chain that does not carry these transactions: no block has them, no listing shows them. */
export const dropping =
  (...signatures: string[]): Lie =>
  async ({ method, params }, ask) => {
    const isDropped = (signature: string) => signatures.includes(signature);
    if (method === 'getTransaction' && isDropped(params[0])) return null;
    const response = await ask();
    if (method === 'getBlock' && response?.signatures) {
      return { ...response, signatures: response.signatures.filter((one: string) => !isDropped(one)) };
    }
    if (method === 'getSignaturesForAddress') {
      return response.filter(({ signature }: { signature: string }) => !isDropped(signature));
    }
    if (method !== 'getSignatureStatuses') return response;
    const value = params[0].map((key: string, at: number) => (isDropped(key) ? null : response.value[at]));
    return { ...response, value };
  };

/** A node that calls nothing final, however long it takes. What is only processed stays so: no listing has that. */
export const neverFinal: Lie = async ({ method, params }, ask) => {
  const response = await ask();
  if (listsFinal({ method, params })) return [];
  if (method !== 'getSignatureStatuses') return response;
  const value = response.value.map((status: { confirmationStatus: string } | null) =>
    status?.confirmationStatus === 'finalized' ? { ...status, confirmationStatus: 'confirmed' } : status,
  );
  return { ...response, value };
};

/** A node that does all of this at once. */
export const lying = (...lies: Lie[]): Lie =>
  lies.reduce((inner, outer) => (call, ask) => outer(call, () => inner(call, ask)));

/** A node that leaves these transactions out of its listings, and has them otherwise. */
export const hiding =
  (...signatures: string[]): Lie =>
  async ({ method }, ask) => {
    const response = await ask();
    if (method !== 'getSignaturesForAddress') return response;
    return response.filter((line: { signature: string }) => !signatures.includes(line.signature));
  };

/** A node that lists these transactions and does not have them. */
export const forgetting =
  (...signatures: string[]): Lie =>
  async ({ method, params }, ask) =>
    method === 'getTransaction' && signatures.includes(params[0]) ? null : ask();

/** A node that says that these transactions failed, with this error; null: that they succeeded. */
export const failing =
  (signatures: string[], err: object | null = { InstructionError: [0, { Custom: 1 }] }): Lie =>
  async ({ method, params }, ask) => {
    const response = await ask();
    if (method === 'getTransaction' && signatures.includes(params[0]) && response)
      return { ...response, meta: { ...response.meta, err } };
    if (method === 'getSignaturesForAddress')
      return response.map((line: { signature: string }) =>
        signatures.includes(line.signature) ? { ...line, err } : line,
      );
    if (method !== 'getSignatureStatuses') return response;
    const value = response.value.map((status: object | null, at: number) =>
      status && signatures.includes(params[0][at]) ? { ...status, err } : status,
    );
    return { ...response, value };
  };

/** Where an event has its number: behind the discriminator, the version, the kind and the partner. */
const seqAt = 19;

/** The data of an instruction with other bytes in it, which `change` writes if it is an event. */
function withEvent(instruction: { data: string }, change: (data: Buffer) => void) {
  const data = Buffer.from(getBase58Encoder().encode(instruction.data));
  if (data[0] === EVENT_DISCRIMINATOR) change(data);
  return { ...instruction, data: getBase58Decoder().decode(data) };
}

/** A node that gives the event of a transaction another number than its own. */
export const numbering =
  (signature: string, another: (own: bigint) => bigint): Lie =>
  async ({ method, params }, ask) => {
    const response = await ask();
    if (method !== 'getTransaction' || params[0] !== signature) return response;
    const change = (data: Buffer) => data.writeBigUInt64LE(another(data.readBigUInt64LE(seqAt)), seqAt);
    const innerInstructions = response.meta.innerInstructions.map(
      (inner: { instructions: { data: string }[] }) => ({
        ...inner,
        instructions: inner.instructions.map((each) => withEvent(each, change)),
      }),
    );
    return { ...response, meta: { ...response.meta, innerInstructions } };
  };

/** What to make up: that a transaction did what another one did, as event `seq`, under an id of its own. */
export interface Invention {
  signature: string;
  id: Uint8Array;
  seq: bigint;
  // biome-ignore lint/suspicious/noExplicitAny: as the node gives it
  like: any;
}

/** A node that shows a transaction which failed as one that succeeded and is final. */
export function inventing({ signature, id, seq, like }: Invention): Lie {
  const succeeding = failing([signature], null);
  return async (call, ask) => {
    const response = await succeeding(call, ask);
    if (call.method !== 'getTransaction' || call.params[0] !== signature) return response;
    const accountsOf = (wire: string) => viewTransaction(Buffer.from(wire, 'base64')).accounts;
    const [own, others] = [accountsOf(response.transaction[0]), accountsOf(like.transaction[0])];
    const place = (index: number) => own.indexOf(others[index] as (typeof own)[number]);
    const change = (data: Buffer) => {
      data.writeBigUInt64LE(seq, seqAt);
      data.set(id, seqAt + 8);
    };
    // biome-ignore lint/suspicious/noExplicitAny: as the node gives it
    const moved = ({ programIdIndex, accounts, ...rest }: any) => ({
      ...withEvent(rest, change),
      programIdIndex: place(programIdIndex),
      accounts: accounts.map(place),
    });
    const innerInstructions = like.meta.innerInstructions.map(
      // biome-ignore lint/suspicious/noExplicitAny: as the node gives it
      ({ index, instructions }: any) => ({
        index,
        // An account that the other one made is not among those of this one.
        instructions: instructions
          .map(moved)
          .filter(({ accounts }: { accounts: number[] }) => !accounts.includes(-1)),
      }),
    );
    return { ...response, meta: { ...response.meta, innerInstructions } };
  };
}

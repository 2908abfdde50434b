import { isUtf8 } from 'node:buffer';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { type Call, dispatch } from './dispatch.js';
import type { Faults } from './faults.js';
import type { Pubsub } from './pubsub.js';
import { paramsOf } from './rpc/arity.js';
import { sendOrCutOff } from './socket.js';

const BODY_BYTES_MAX = 1024 * 1024;
const PAIR_TRIES = 50;
const PORT_MAX = 65_535;

const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'POST, GET, OPTIONS',
  'access-control-allow-headers': '*',
  'access-control-max-age': '86400',
};

export interface ServerOptions {
  host: string;
  /** 0: any free port whose successor is free as well. */
  rpcPort: number;
  faults: Faults;
  pubsub: Pubsub;
  call: Call;
}

function plain(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { ...CORS, 'content-type': 'text/plain; charset=utf-8' }).end(text);
}

/** Returns the body as text; undefined if it is too long or missing (the response has then already been sent). */
async function readBody(request: IncomingMessage, response: ServerResponse): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) {
      response.setHeader('connection', 'close');
      plain(response, 413, 'request body size exceeds allowed maximum');
      return undefined;
    }
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  if (isUtf8(body)) return body.toString('utf8');
  plain(response, 400, `utf-8 encoding error at byte ${validUpTo(body)} in request body`);
  return undefined;
}

/** Returns how many bytes from the start are UTF-8. */
function validUpTo(body: Buffer): number {
  let [low, high] = [0, body.length];
  // A cut within a character is no UTF-8 either, so the longest good start is looked for by halves of what decodes.
  const decodes = (length: number) =>
    new TextDecoder('utf-8', { fatal: true }).decode(body.subarray(0, length), { stream: true });
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    try {
      decodes(middle);
      low = middle;
    } catch {
      high = middle - 1;
    }
  }
  while (low > 0 && !isUtf8(body.subarray(0, low))) low -= 1;
  return low;
}

const JSON_TYPES = new Set([
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=utf-8',
]);

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

function isCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && codes.includes((error as NodeJS.ErrnoException).code ?? '');
}

/** HTTP and WebSocket on one port, WebSocket alone on the next, where web3.js looks for it. */
export class RpcServer {
  readonly #options: ServerOptions;
  readonly #sockets = new WebSocketServer({
    noServer: true,
    maxPayload: BODY_BYTES_MAX,
    perMessageDeflate: false,
  });
  readonly #connections = new Set<Socket>();
  #http: Server | undefined;
  #ws: Server | undefined;

  private constructor(options: ServerOptions) {
    this.#options = options;
    this.#sockets.on('connection', (socket: WebSocket) => this.#serveSocket(socket));
  }

  /** Starts listening. Throws the system's EADDRINUSE when `rpcPort` is taken. */
  static async start(options: ServerOptions): Promise<RpcServer> {
    const server = new RpcServer(options);
    if (options.rpcPort === 0) await server.#listenOnFreePair();
    else await server.#listenOn(options.rpcPort);
    return server;
  }

  get rpcPort(): number {
    return this.#http ? portOf(this.#http) : 0;
  }

  /** Returns the port next to `rpcPort`, or `rpcPort` itself when that one was taken. */
  get wsPort(): number {
    return this.#ws ? portOf(this.#ws) : this.rpcPort;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets.clients) socket.terminate();
    const closing = [this.#http, this.#ws].map(
      (server) => new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined))),
    );
    for (const connection of this.#connections) connection.destroy();
    await Promise.all(closing);
  }

  async #listenOn(port: number): Promise<void> {
    const http = this.#create();
    await listen(http, port, this.#options.host);
    this.#http = http;
    if (port === PORT_MAX) return;
    const ws = this.#create('upgrade only');
    try {
      await listen(ws, port + 1, this.#options.host);
      this.#ws = ws;
    } catch (error) {
      if (!isCode(error, 'EADDRINUSE', 'EACCES')) throw error;
    }
  }

  async #listenOnFreePair(): Promise<void> {
    for (let tries = 0; tries < PAIR_TRIES; tries += 1) {
      const probe = this.#create();
      await listen(probe, 0, this.#options.host);
      const ws = this.#create('upgrade only');
      try {
        await listen(ws, portOf(probe) + 1, this.#options.host);
        this.#http = probe;
        this.#ws = ws;
        return;
      } catch (error) {
        probe.close();
        if (!isCode(error, 'EADDRINUSE', 'EACCES', 'ERR_SOCKET_BAD_PORT')) throw error;
      }
    }
    throw new Error(`No two neighbouring free ports found in ${PAIR_TRIES} tries`);
  }

  #create(only?: 'upgrade only'): Server {
    const server = createServer((request, response) => {
      if (only) plain(response, 426, 'This port speaks WebSocket only');
      else void this.#serveHttp(request, response);
    });
    server.keepAliveTimeout = 65_000;
    server.on('connection', (connection) => {
      this.#connections.add(connection);
      connection.once('close', () => this.#connections.delete(connection));
    });
    server.on('upgrade', (request, socket, head) => {
      this.#sockets.handleUpgrade(request, socket, head, (upgraded) =>
        this.#sockets.emit('connection', upgraded, request),
      );
    });
    return server;
  }

  async #serveHttp(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.#respondHttp(request, response);
    } catch (error) {
      // The caller went away in the middle of its request; there is no one to respond to.
      if (!isCode(error, 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE'))
        console.error('localnet: a request failed', error);
      response.destroy();
    }
  }

  async #respondHttp(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'OPTIONS') {
      response.writeHead(200, CORS).end();
      return;
    }
    if (request.method === 'GET' && request.url === '/health') return plain(response, 200, 'ok');
    if (request.method !== 'POST')
      return plain(response, 405, 'Used HTTP Method is not allowed. POST or OPTIONS is required\n');
    if (!JSON_TYPES.has((request.headers['content-type'] ?? '').toLowerCase())) {
      return plain(
        response,
        415,
        'Supplied content type is not allowed. Content-Type: application/json is required\n',
      );
    }
    const body = await readBody(request, response);
    if (body === undefined) return;
    const outcome = await dispatch(body, this.#options.faults, this.#options.call);
    if (outcome.do === 'hang') return;
    if (outcome.do === 'close') {
      request.socket.destroy();
      return;
    }
    // A new line for readers in a terminal.
    const text = outcome.text === undefined ? '' : `${outcome.text}\n`;
    response.writeHead(200, {
      ...CORS,
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
    });
    response.end(text);
  }

  #serveSocket(socket: WebSocket): void {
    const { pubsub, faults } = this.#options;
    socket.on('close', () => pubsub.drop(socket));
    socket.on('pong', (payload) => pubsub.heard(payload.toString()));
    // A broken frame or a reset connection: 'close' follows and cleans up.
    socket.on('error', () => socket.terminate());
    socket.on('message', (message) => {
      const call: Call = (method, params) => {
        const run = pubsub.call(socket, method);
        return run && (() => run(paramsOf(method, params)));
      };
      void dispatch(message.toString(), faults, call).then((outcome) => {
        if (outcome.do === 'close') socket.terminate();
        else if (outcome.do === 'respond' && outcome.text !== undefined) sendOrCutOff(socket, outcome.text);
      });
    });
  }
}

import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { ownPort } from './own-port.js';

/** What a proxy lets through: what clients send, and what they are sent. */
type Way = 'requests' | 'responses';
const ways: readonly Way[] = ['requests', 'responses'];

/** A TCP proxy that can be cut, closed and frozen, to stand for what happens to networks and servers. */
export class TcpProxy {
  /** Where connections lead to. */
  target = { host: '127.0.0.1', port: 0 };
  /** Everything that clients sent, as text. */
  sent = '';
  #server: Server | undefined;
  readonly #notes: boolean;
  /** Each with what comes from it. */
  readonly #sockets = new Map<Socket, Way>();
  #frozen: readonly Way[] = [];
  port = 0;
  /** By how much everything arrives late, ms. */
  delayMs = 0;
  /** Whether each connection ends with the first part of a response. */
  cutsResponses = false;

  /** `notes`: whether `sent` is written; what lives for hours must not. */
  constructor({ notes = true }: { notes?: boolean } = {}) {
    this.#notes = notes;
  }

  /** Takes connections, on the same port as before. */
  async open(): Promise<void> {
    if (this.port === 0) this.port = await ownPort();
    const server = createServer((near) => this.#join(near));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(this.port, '127.0.0.1', resolve);
    });
    this.#server = server;
  }

  /** Ends every connection and refuses new ones. */
  async shut(): Promise<void> {
    for (const socket of this.#sockets.keys()) socket.destroy();
    const server = this.#server;
    if (server?.listening) await new Promise<void>((resolve) => server.close(() => resolve()));
  }

  /** Keeps connections open but lets nothing through, as a machine that hangs, or nothing in one way. */
  freeze(frozen = ways): void {
    this.#frozen = frozen;
    for (const [socket, way] of this.#sockets) if (frozen.includes(way)) socket.pause();
  }

  thaw(): void {
    this.#frozen = [];
    for (const socket of this.#sockets.keys()) socket.resume();
  }

  /** Lets new connections through; those that are frozen stay silent for ever, as behind a firewall that forgot them. */
  thawNewOnly(): void {
    this.#frozen = [];
  }

  #join(near: Socket): void {
    const far = connect(this.target);
    if (this.#notes)
      near.on('data', (chunk) => {
        this.sent += chunk.toString('latin1');
      });
    this.#carry(near, far, 'requests');
    this.#carry(far, near, 'responses');
  }

  #carry(from: Socket, to: Socket, way: Way): void {
    this.#sockets.set(from, way);
    // What is late keeps its order.
    let late = Promise.resolve();
    let waiting = 0;
    from.on('data', (chunk) => {
      if (this.delayMs === 0 && waiting === 0) return this.#pass(chunk, to, way);
      const inTime = pause(this.delayMs);
      waiting += 1;
      late = late
        .then(() => inTime)
        .then(() => {
          waiting -= 1;
          this.#pass(chunk, to, way);
        });
    });
    from.on('error', () => {});
    from.on('close', () => {
      this.#sockets.delete(from);
      to.destroy();
    });
    if (this.#frozen.includes(way)) from.pause();
  }

  #pass(chunk: Buffer, to: Socket, way: Way): void {
    if (this.cutsResponses && way === 'responses') to.end(chunk.subarray(0, chunk.length / 2));
    else if (to.writable) to.write(chunk);
  }
}

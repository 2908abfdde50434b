import { connect, createServer, type Server, type Socket } from 'node:net';
import { ownPort } from './own-port.js';

/** A TCP proxy that can be cut, closed and frozen, to stand for what happens to networks and servers. */
export class TcpProxy {
  /** Where connections lead to. */
  target = { host: '127.0.0.1', port: 0 };
  /** Everything that clients sent, as text. */
  sent = '';
  #server: Server | undefined;
  #sockets = new Set<Socket>();
  #frozen = false;
  port = 0;

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
    for (const socket of this.#sockets) socket.destroy();
    const server = this.#server;
    if (server?.listening) await new Promise<void>((resolve) => server.close(() => resolve()));
  }

  /** Keeps connections open but lets nothing through, as a machine that hangs. */
  freeze(): void {
    this.#frozen = true;
    for (const socket of this.#sockets) socket.pause();
  }

  thaw(): void {
    this.#frozen = false;
    for (const socket of this.#sockets) socket.resume();
  }

  /** Lets new connections through; those that are frozen stay silent for ever, as behind a firewall that forgot them. */
  thawNewOnly(): void {
    this.#frozen = false;
  }

  #join(near: Socket): void {
    const far = connect(this.target);
    near.on('data', (chunk) => {
      this.sent += chunk.toString('latin1');
    });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(from);
      from.on('data', (chunk) => to.write(chunk));
      from.on('error', () => {});
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      if (this.#frozen) from.pause();
    }
  }
}

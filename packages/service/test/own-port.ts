import { createServer, type Server } from 'node:net';

/** Below the ephemeral ports: on Linux they begin at 32768, on macOS at 49152. */
const [lowest, highest, ofEach] = [10_000, 32_000, 100];
let claimed: Promise<number> | undefined;
let pairs = 0;

/**
 * Returns a port that is free together with the next one, outside of the ephemeral ports, so that a server can go away and
 * come back on it. Each process of tests has a range of its own.
 */
export async function ownPort(): Promise<number> {
  claimed ??= claim();
  const first = await claimed;
  for (;;) {
    const port = first + 2 * (1 + (pairs % (ofEach / 2 - 1)));
    pairs += 1;
    if ((await isFree(port)) && (await isFree(port + 1))) return port;
  }
}

/** Claims a hundred ports for as long as this process lives, by listening on the first of them. */
async function claim(): Promise<number> {
  for (let first = lowest; first < highest; first += ofEach) {
    const server = await listen(first);
    if (server) {
      server.unref();
      return first;
    }
  }
  throw new Error('every range of ports is claimed by another process');
}

async function isFree(port: number): Promise<boolean> {
  const server = await listen(port);
  await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
  return server !== undefined;
}

function listen(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

import { createServer } from 'node:net';

/** Below the ports that systems hand out to who asks for any: Linux from 32768, macOS from 49152. Each process has its own. */
const first = 10_000 + (process.pid % 200) * 100;
let pairs = 0;

/**
 * A free port, and the one behind it, for a server that goes away and comes back: another that asked for any port
 * meanwhile could be given one that the system handed out.
 */
export async function ownPort(): Promise<number> {
  for (;;) {
    const port = first + 2 * (pairs % 50);
    pairs += 1;
    if ((await isFree(port)) && (await isFree(port + 1))) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/**
 * The address that two HAProxys share: what a floating address (VRRP), or a provider's load balancer, is to machines of their
 * own. Every connection leads to the HAProxy that has the address. One that does not respond loses it to the other, and with
 * it all connections, as they are lost when an address moves. Usage: address.mjs PORT... -- HAPROXY HAPROXY
 * The first port leads to the first front of a HAProxy, which is at its number, the second to the next one.
 */
import { connect, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

const everyMs = 500;
const withinMs = 1_000;
const [ports, haproxys] = process.argv
  .slice(2)
  .join(' ')
  .split(' -- ')
  .map((text) => text.split(' ').map(Number));

let holder = 0;
const sockets = new Set();
for (const [front, port] of ports.entries()) {
  const server = createServer({ noDelay: true }, (client) => {
    const there = connect({ host: '127.0.0.1', port: haproxys[holder] + front, noDelay: true });
    for (const [from, to] of [
      [client, there],
      [there, client],
    ]) {
      sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.end();
      });
      from.pipe(to);
    }
  });
  server.listen(port, '127.0.0.1');
}

/** Whether a HAProxy responds; four is the front of its metrics. */
const responds = (n) =>
  fetch(`http://127.0.0.1:${haproxys[n] + 4}/health`, { signal: AbortSignal.timeout(withinMs) }).then(
    ({ ok }) => ok,
    () => false,
  );

const report = () => console.log(`${new Date().toISOString()} HAProxy ${holder + 1} has the address`);
report();
for (let failed = 0; ; await pause(everyMs)) {
  failed = (await responds(holder)) ? 0 : failed + 1;
  // Once may be a restart.
  if (failed < 2 || !(await responds(1 - holder))) continue;
  holder = 1 - holder;
  failed = 0;
  report();
  for (const socket of sockets) socket.destroy();
}

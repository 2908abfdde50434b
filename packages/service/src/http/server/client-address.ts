import type { IncomingMessage } from 'node:http';
import proxyAddr from '@fastify/proxy-addr';

/**
 * Returns what gives the address of the caller of a request, as the framework does for the same proxies: undefined for a
 * connection that is gone.
 */
export function addressReader(
  trustedProxies: readonly string[],
): (request: IncomingMessage) => string | undefined {
  if (trustedProxies.length === 0) return ({ socket }) => socket.remoteAddress;
  const trust = proxyAddr.compile([...trustedProxies]);
  return (request) => proxyAddr(request, trust);
}

import { isIP } from 'node:net';
import type { FastifyInstance } from 'fastify';
import ipaddr from 'ipaddr.js';
import { toInteger } from '../../domain/integer.js';

/**
 * Returns whose budget a request from an address counts against: an IPv4 address itself, also one that came as IPv6,
 * and of other IPv6 addresses the /64 that they are in, because that much is given to one subscriber, who may use a new
 * one for every request. What is no address comes back as it is.
 */
export function clientNetwork(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  return address.kind() === 'ipv4' ? address.toString() : networkOf(address, 64);
}

/** Returns the /48 that an IPv6 address is in: providers give one to whoever requests it. Undefined for all others. */
export function clientSite(ip: string): string | undefined {
  if (!ipaddr.isValid(ip)) return undefined;
  const address = ipaddr.process(ip);
  return address.kind() === 'ipv4' ? undefined : networkOf(address, 48);
}

function networkOf(address: ipaddr.IPv4 | ipaddr.IPv6, bits: number): string {
  const [bare] = address.toNormalizedString().split('%');
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${bare}/${bits}`)}/${bits}`;
}

/**
 * Before anything reads the address of a request, replaces `x-forwarded-for` by its addresses alone: some proxies write
 * a port behind each, which differs from one connection to the next, or brackets around it.
 */
export function readForwardedAddresses(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw: { headers, socket } }, _reply, done) => {
    const forwarded = headers['x-forwarded-for'];
    if (forwarded !== undefined) {
      headers['x-forwarded-for'] = believedAddresses(String(forwarded)) || socket.remoteAddress;
    }
    done();
  });
}

/**
 * Returns the addresses behind the last entry that is none. Whoever wrote that entry knows no better, so the request is
 * its own; what stands before it was written by callers.
 */
function believedAddresses(forwarded: string): string {
  const addresses = forwarded.split(',').map((entry) => withoutPort(entry.trim()));
  return addresses.slice(addresses.lastIndexOf(undefined) + 1).join(', ');
}

/** `203.0.113.8:40001`, `[2001:db8::1]` or `[2001:db8::1]:443`. */
const dressed = /^(?:(?<ipv4>[\d.]+)|\[(?<ipv6>.*)\])(?::(?<port>\d{1,5}))?$/;

function withoutPort(entry: string): string | undefined {
  if (isIP(entry) !== 0) return entry;
  const { ipv4 = '', ipv6 = '', port = '0' } = dressed.exec(entry)?.groups ?? {};
  const isAddress = isIP(ipv4) === 4 || isIP(ipv6) === 6;
  return isAddress && toInteger(port) <= 65_535 ? ipv4 || ipv6 : undefined;
}

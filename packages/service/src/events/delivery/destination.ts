import { lookup, Resolver } from 'node:dns/promises';
import ipaddr from 'ipaddr.js';
import { toInteger } from '../../domain/integer.js';
import { isWebhookPort } from '../../domain/webhook.js';
import { inTime } from '../../runtime/time.js';

/** An address to which no webhook may go: `message` is for the partner. */
export class RefusedDestination extends Error {
  override name = 'RefusedDestination';
}

/** Where a webhook goes: its URL in canonical form, without a fragment, and the addresses to which it was resolved. */
export interface Destination {
  url: URL;
  addresses: { address: string; family: 4 | 6 }[];
}

/** Returns the addresses of a name; empty or rejecting for one that does not resolve. */
export type Resolve = (name: string) => Promise<string[]>;

const resolveWithinMs = 3_000;
/** The metadata services of clouds that their range does not refuse: Azure's is public, those of AWS and Google are private. */
const refusedAddresses = ['168.63.129.16', 'fd00:ec2::254', 'fd20:ce::254'];
/** Addresses of the internet; all that tunnel or translate are ranges of their own within it. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/** Asks name servers, not the host's files, and without the threads that hash passwords: a slow name delays nothing else. */
const resolveByServers: Resolve = async (name) => {
  const resolver = new Resolver({ timeout: 1_000, tries: 2 });
  const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  return found.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
};

/** Asks the host, whose file names the machine that a container runs on. */
const resolveByHost: Resolve = async (name) =>
  (await lookup(name, { all: true })).map(({ address }) => address);

/** Which addresses that are not public a webhook may go to: none, those of this machine, or private networks as well. */
export type AllowLocal = boolean | 'private';

/**
 * Resolves the address of a webhook and checks what it leads to, of which every part must be allowed. The caller connects to
 * these addresses and to no others, so that the name cannot mean another machine by then. Throws a `RefusedDestination`.
 */
export async function resolveDestination(
  text: string,
  {
    allowLocal,
    resolve = allowLocal === 'private' ? resolveByHost : resolveByServers,
  }: { allowLocal: AllowLocal; resolve?: Resolve },
): Promise<Destination> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new RefusedDestination('must be a URL that begins with https://');
  if (url.username !== '' || url.password !== '')
    throw new RefusedDestination('must not contain a user or a password');
  if (!isWebhookPort(portOf(url)))
    throw new RefusedDestination('has a port that is neither 443 nor above 1023');
  url.hostname = url.hostname.replace(/\.$/, '');
  url.hash = '';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = await addressesOf(host, resolve);
  if (addresses.length === 0) throw new RefusedDestination('has a host name that does not resolve');
  const isLocal = allowLocal !== false && addresses.every(allowLocal === 'private' ? isNear : isLoopback);
  if (!isLocal && !addresses.every(isPublic)) {
    throw new RefusedDestination('leads to an address that is not public');
  }
  if (url.protocol === 'http:' && !isLocal)
    throw new RefusedDestination('must be a URL that begins with https://');
  return {
    url,
    addresses: addresses.map((address) => ({
      address,
      family: ipaddr.parse(address).kind() === 'ipv6' ? 6 : 4,
    })),
  };
}

function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : toInteger(port);
}

async function addressesOf(host: string, resolve: Resolve): Promise<string[]> {
  if (ipaddr.isValid(host)) return [host];
  // As every browser does (RFC 6761): no server is queried for what this machine is.
  if (host === 'localhost' || host.endsWith('.localhost')) return ['127.0.0.1', '::1'];
  return inTime(resolve(host), resolveWithinMs).catch(() => []);
}

const isLoopback = (address: string) => ipaddr.process(address).range() === 'loopback';

/** Of this machine or of a private network. */
const isNear = (text: string) =>
  !isRefused(text) && ['loopback', 'private', 'uniqueLocal'].includes(ipaddr.process(text).range());

/** However it is written: IPv4 in IPv6 is judged as what it is. */
const isRefused = (text: string) => refusedAddresses.includes(ipaddr.process(text).toString());

function isPublic(text: string): boolean {
  const address = ipaddr.process(text);
  if (isRefused(text) || address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(globalUnicast);
}

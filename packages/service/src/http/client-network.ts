import { isIPv6 } from 'node:net';

/**
 * Whose budget a request from an address counts against: an IPv4 address itself, also one that came as IPv6, and of other
 * IPv6 addresses the /64 that they are in, because that much is given to one subscriber, who may use a new one for every
 * request. What is no address comes back as it is.
 */
export function clientNetwork(ip: string): string {
  const [address = ''] = ip.split('%');
  if (!isIPv6(address)) return ip;
  const groups = groupsOf(address);
  const [high = 0, low = 0] = groups.slice(6);
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
  }
  const network = groups.slice(0, 4).map((group) => group.toString(16));
  return `${network.join(':')}::/64`;
}

/** The eight groups of a valid address. */
function groupsOf(address: string): number[] {
  const [head = [], tail] = address.split('::').map(readGroups);
  if (tail === undefined) return head;
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

/** Groups between colons; the last one may be an IPv4 address, which is two of them. */
function readGroups(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}

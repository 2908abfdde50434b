import ipaddr from 'ipaddr.js';

/**
 * Returns whose budget a request from an address counts against: an IPv4 address itself, also one that came as IPv6,
 * and of other IPv6 addresses the /64 that they are in, because that much is given to one subscriber, who may use a new
 * one for every request. What is no address comes back as it is.
 */
export function clientNetwork(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  if (address.kind() === 'ipv4') return address.toString();
  const [bare] = address.toNormalizedString().split('%');
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${bare}/64`)}/64`;
}

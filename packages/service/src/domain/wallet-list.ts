import { type Address, asAddress } from './solana.js';

/** A list of wallets that cannot be used; the message names the line. */
export class WalletListError extends Error {
  override name = 'WalletListError';
}

/**
 * Reads a list of wallets: one address a line, alone or as the first field of a line of CSV. Blank lines, lines that begin
 * with `#` and a line of column names before the first address are left out. Throws a `WalletListError` for any other
 * line, and for a list without an address: half of a file is not to be taken for the whole.
 */
export function parseWalletList(text: string): ReadonlySet<Address> {
  const addresses = new Set<Address>();
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const [, first = ''] = /^\s*"?([^",;\s]*)/.exec(line) ?? [];
    if (first === '' ? line.trim() === '' : first.startsWith('#')) continue;
    const address = asAddress(first);
    if (address) addresses.add(address);
    else if (addresses.size > 0 || !/^\w*(address|wallet)\w*$/i.test(first))
      throw new WalletListError(`line ${index + 1} does not begin with an address of Solana`);
  }
  if (addresses.size === 0) throw new WalletListError('it has no address');
  return addresses;
}

export type Network = 'mainnet-beta' | 'devnet' | 'testnet' | 'localnet';

/** The public networks by the hashes of their first blocks. */
const publicNetworks: Readonly<Record<string, Network>> = {
  '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d': 'mainnet-beta',
  EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxkPZBnG: 'devnet',
  '4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY': 'testnet',
};

/** Networks that a configuration may name. */
export const namedNetworks = ['mainnet-beta', 'devnet', 'localnet'] as const;
export type NamedNetwork = (typeof namedNetworks)[number];

/** Returns why a node with that genesis hash is not on the network that KARAT_NETWORK names; undefined if it is. */
export function networkFault(expected: NamedNetwork, genesisHash: string): string | undefined {
  const network = networkOf(genesisHash);
  if (network === expected) return undefined;
  const actual = network === 'localnet' ? 'not a public network' : network;
  return `KARAT_NETWORK is ${expected}, but the Solana node is on another chain (${actual}): its genesis hash is ${genesisHash}. Correct KARAT_NETWORK or KARAT_RPC_URL.`;
}

/** Returns the network that a genesis hash is of; what is no public one is somebody's own. */
export function networkOf(genesisHash: string): Network {
  return publicNetworks[genesisHash] ?? 'localnet';
}

const explorer = 'https://explorer.solana.com';
const explorerUrls: Record<NamedNetwork, string | undefined> = {
  'mainnet-beta': explorer,
  devnet: `${explorer}?cluster=devnet`,
  localnet: undefined,
};

/** Returns the explorer of a network, with pages at `/tx/{signature}` and `/address/{address}`; undefined if there is none. */
export function explorerOf(network: NamedNetwork | undefined): string | undefined {
  return network && explorerUrls[network];
}

/**
 * Returns where an explorer shows a transaction, with `{signature}` in the place of its signature. A network of one's own
 * is read from the node at `rpcUrl`, of which nothing but the host is shown: the rest may be a secret.
 */
export function explorerUrlTemplate(network: Network, rpcUrl: string): string {
  const page = `${explorer}/tx/{signature}`;
  if (network === 'mainnet-beta') return page;
  if (network !== 'localnet') return `${page}?cluster=${network}`;
  return `${page}?cluster=custom&customUrl=${encodeURIComponent(new URL(rpcUrl).origin)}`;
}

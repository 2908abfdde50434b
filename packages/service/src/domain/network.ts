export type Network = 'mainnet-beta' | 'devnet' | 'testnet' | 'localnet';

/** The public networks by the hashes of their first blocks. */
const publicNetworks: Readonly<Record<string, Network>> = {
  '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d': 'mainnet-beta',
  EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxkPZBnG: 'devnet',
  '4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY': 'testnet',
};

/** Returns the network that a genesis hash is of; what is no public one is somebody's own. */
export function networkOf(genesisHash: string): Network {
  return publicNetworks[genesisHash] ?? 'localnet';
}

const explorer = 'https://explorer.solana.com/tx/{signature}';

/**
 * Returns where an explorer shows a transaction, with `{signature}` in the place of its signature. A network of one's own
 * is read from the node at `rpcUrl`, of which nothing but the host is shown: the rest may be a secret.
 */
export function explorerUrlTemplate(network: Network, rpcUrl: string): string {
  if (network === 'mainnet-beta') return explorer;
  if (network !== 'localnet') return `${explorer}?cluster=${network}`;
  return `${explorer}?cluster=custom&customUrl=${encodeURIComponent(new URL(rpcUrl).origin)}`;
}

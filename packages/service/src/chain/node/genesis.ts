import { type NamedNetwork, networkFault } from '../../domain/network.js';

export interface RecordedChain {
  /** Returns the genesis hash of that chain; undefined when none is known yet. */
  findGenesis(): Promise<string | undefined>;
  /** Returns the genesis hash of that chain; `hash`, which is kept then, when none is known yet. */
  keepGenesis(hash: string): Promise<string>;
  /** Newest slot of which anything is recorded; 0 for none. */
  newestSlot(): Promise<bigint>;
}

/** A node on another chain than the one that the database records: nothing of it is believed. */
export class OtherChainError extends Error {
  override name = 'OtherChainError';
}

/** What a node must be of; undefined: any. */
export interface ExpectedChain {
  /** The chain of which the database has records. */
  recorded?: RecordedChain | undefined;
  /** The network that the configuration names. */
  network?: NamedNetwork | undefined;
}

/** Throws an `OtherChainError` unless a genesis hash is of the network that the configuration names. */
export function requireNetwork(network: NamedNetwork, genesis: string): void {
  const fault = networkFault(network, genesis);
  if (fault !== undefined) throw new OtherChainError(fault);
}

/**
 * Returns a recorded chain that a node alone cannot choose: none is kept before another one of the nodes names it, too.
 * `genesisOfAll` queries each of them.
 */
export function chosenByTwo(recorded: RecordedChain, genesisOfAll: () => Promise<string>[]): RecordedChain {
  return {
    ...recorded,
    async keepGenesis(hash) {
      const known = await recorded.findGenesis();
      if (known !== undefined) return known;
      const named = (await Promise.allSettled(genesisOfAll())).flatMap((each) =>
        each.status === 'fulfilled' ? [each.value] : [],
      );
      const chains = [...new Set(named)];
      if (chains.length > 1)
        throw new OtherChainError(
          `The Solana nodes are on different chains: their genesis hashes are ${chains.join(' and ')}.`,
        );
      if (named.length > 1) return recorded.keepGenesis(hash);
      throw new Error('a new database takes the chain that two nodes name, and only one responds');
    },
  };
}

/** A node that is so far behind what is recorded does not lag: its chain began again. */
const maxLagSlots = 150n;

/** Throws an `OtherChainError` unless a node with that genesis, at that slot, is on the recorded chain. */
export async function requireRecordedChain(
  recorded: RecordedChain,
  node: { genesis: string; slot: bigint },
): Promise<void> {
  const genesis = await recorded.keepGenesis(node.genesis);
  if (node.genesis !== genesis) {
    throw new OtherChainError(
      `The Solana node is on another chain than this database: its genesis hash is ${node.genesis}, the database records ${genesis}. A new chain needs a new database.`,
    );
  }
  const newest = await recorded.newestSlot();
  if (node.slot + maxLagSlots >= newest) return;
  throw new OtherChainError(
    `The Solana node is at slot ${node.slot}, while slot ${newest} is recorded: it is far behind, or its chain was reset. A new chain needs a new database.`,
  );
}

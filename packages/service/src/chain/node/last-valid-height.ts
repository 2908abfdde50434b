import type { Rpc, SolanaRpcApi } from '@solana/kit';
import { inTime } from '../../runtime/time.js';

/** A blockhash serves 150 blocks (MAX_PROCESSING_AGE), each of about 400 ms. */
export const lifetimeBlocks = 150n;
const blockMs = 400;
export const lifetimeMs = 150 * blockMs;

/** The longest wait for nodes whose heights were read before. */
const readWithinMs = 300;

/** The greatest that a JSON number holds exactly, and no height that a chain comes to. */
const greatestHeight = BigInt(Number.MAX_SAFE_INTEGER);

/** One node, and how high it said the chain was. */
interface NodeHeight {
  rpc: Rpc<SolanaRpcApi>;
  /** The height, and when it was requested, by the monotonic clock; undefined before the first response. */
  last: { height: bigint; atMs: number } | undefined;
  /** Set while a call is under way. */
  call: Promise<void> | undefined;
}

/**
 * Knows how high the nodes say the chain is. A transaction that is taken for expired too early would be made again while
 * it may still land, so a node that understates how long a blockhash serves must not be believed alone. One that
 * overstates it has transactions wait longer, until the indexer finds their heights to be out of reach
 * (`lowerLastHeights`).
 */
export class NodeHeights {
  readonly #nodes: NodeHeight[];
  #isFirst = true;

  constructor(witnesses: readonly Rpc<SolanaRpcApi>[]) {
    // The only node is the one that states how long its blockhashes serve.
    const others = witnesses.length < 2 ? [] : witnesses;
    this.#nodes = others.map((rpc) => ({ rpc, last: undefined, call: undefined }));
  }

  /**
   * Requests the height of every node. The first time it waits for each as long as for any call, then for a moment only:
   * what a node said before still counts. Never rejects.
   */
  async read(signal: AbortSignal): Promise<void> {
    const calls = this.#nodes.map((node) => {
      node.call ??= readHeight(node, signal).finally(() => {
        node.call = undefined;
      });
      return node.call;
    });
    if (calls.length === 0) return;
    const all = Promise.all(calls).then(() => {});
    await (this.#isFirst ? all : inTime(all, readWithinMs).catch(() => {}));
    this.#isFirst = false;
  }

  /**
   * Returns the block height above which nothing can land that is signed with a blockhash of now, of which a node stated
   * `stated`: no lower than that, nor than what any node allows that has responded within the life of a blockhash.
   */
  lastValidHeight(stated: bigint): bigint {
    const nowMs = performance.now();
    let greatest = stated;
    for (const { last } of this.#nodes) {
      const ageMs = last ? nowMs - last.atMs : Number.POSITIVE_INFINITY;
      if (!last || ageMs > lifetimeMs) continue;
      const allowed = last.height + BigInt(Math.ceil(ageMs / blockMs)) + lifetimeBlocks;
      if (allowed > greatest) greatest = allowed;
    }
    return greatest < greatestHeight ? greatest : greatestHeight;
  }
}

/** Notes how high a node says the chain is. Never rejects. */
async function readHeight(node: NodeHeight, abortSignal: AbortSignal): Promise<void> {
  const atMs = performance.now();
  try {
    const height = await node.rpc.getBlockHeight({ commitment: 'confirmed' }).send({ abortSignal });
    node.last = { height, atMs };
  } catch {
    // It has said nothing.
  }
}

/**
 * How long ago something was last confirmed, in real time. It reads a monotonic clock, not the service's: whether the
 * node responds has nothing to do with the time of day, which tests and the sandbox move.
 */
export class Freshness {
  /** Why nothing that was confirmed counts any more. */
  readonly fault: () => string | undefined;
  #confirmedAtMs: number | undefined;

  constructor(fault: () => string | undefined = () => undefined) {
    this.fault = fault;
  }

  confirm(): void {
    this.#confirmedAtMs = performance.now();
  }

  /** Milliseconds since the last confirmation, or undefined when there was none yet. */
  ageMs(): number | undefined {
    return this.#confirmedAtMs === undefined ? undefined : performance.now() - this.#confirmedAtMs;
  }
}

/** If the node has not responded for this long, it counts as down and nothing from memory is used. */
export const nodeSilenceLimitMs = 5_000;

/** Returns why the node counts as down, or undefined while it responds. */
export function nodeFault(node: Freshness): string | undefined {
  const fault = node.fault();
  if (fault !== undefined) return fault;
  const ageMs = node.ageMs();
  if (ageMs === undefined) return 'The Solana node has not responded yet.';
  if (ageMs <= nodeSilenceLimitMs) return undefined;
  return `The Solana node has not responded for ${Math.floor(ageMs / 1000)} s.`;
}

/** A slot further back than a blockhash lives is no lag: the node was replaced or set back. */
const maxLagSlots = 150n;

/** Returns whether a response of `slot` is older than what is known: nodes behind one address lag behind each other. */
export function isOutdated(slot: bigint, knownSlot: bigint): boolean {
  return slot < knownSlot && knownSlot - slot <= maxLagSlots;
}

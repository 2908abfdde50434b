import type { Rpc, Signature, SolanaRpcApi, TransactionError } from '@solana/kit';
import { Batcher } from '../../runtime/batcher.js';
import { chunksOf } from '../../runtime/chunks.js';

export interface SeenTransaction {
  /** Why it failed; null when it succeeded. */
  error: TransactionError | null;
  /** Whether it is in a confirmed block, so that it stays. */
  confirmed: boolean;
}

/** Limit of `getSignatureStatuses`. */
const signaturesPerCall = 256;
/** About a slot: nothing is confirmed sooner. */
const pollMs = 400;

/**
 * Calls `getSignatureStatuses` for all waiters together: at most one set of calls is in progress, and none without a
 * waiter. No subscriptions: a thousand who wait would be a thousand of them.
 */
export class PollingSignatureWatch {
  readonly #rpc: Rpc<SolanaRpcApi>;
  readonly #waiting = new Map<Signature, Set<(seen: SeenTransaction) => void>>();
  /** Those who look at the same time look together. */
  readonly #looks = new Batcher<Signature, SeenTransaction | undefined>({
    run: (signatures) => this.#lookUp(signatures),
    maxItems: signaturesPerCall,
    maxRunning: Number.POSITIVE_INFINITY,
  });
  #timer: NodeJS.Timeout | undefined;
  #polling = false;

  constructor(rpc: Rpc<SolanaRpcApi>) {
    this.#rpc = rpc;
  }

  /**
   * Returns what the chain shows of a transaction now, its history included; undefined for an unknown one. Rejects when
   * the node fails.
   */
  look(signature: Signature): Promise<SeenTransaction | undefined> {
    return this.#looks.add(signature);
  }

  /** Waits until a transaction is confirmed; undefined when `signal` aborts before. Survives a silent node. */
  confirmed(signature: Signature, signal: AbortSignal): Promise<SeenTransaction | undefined> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(signature) ?? new Set();
      const finish = (seen: SeenTransaction | undefined) => {
        signal.removeEventListener('abort', giveUp);
        waiting.delete(notify);
        if (waiting.size === 0) this.#waiting.delete(signature);
        resolve(seen);
      };
      const notify = (seen: SeenTransaction) => finish(seen);
      const giveUp = () => finish(undefined);
      if (signal.aborted) return resolve(undefined);
      signal.addEventListener('abort', giveUp, { once: true });
      this.#waiting.set(signature, waiting.add(notify));
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#polling || this.#timer !== undefined || this.#waiting.size === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#poll();
    }, pollMs);
  }

  /** A round that fails is followed by another one: every waiter has a time limit of its own. */
  async #poll(): Promise<void> {
    this.#polling = true;
    const rounds = chunksOf([...this.#waiting.keys()], signaturesPerCall).map(async (signatures) => {
      const seen = await this.#ask(signatures, false);
      for (const [signature, found] of seen) {
        if (!found?.confirmed) continue;
        for (const notify of [...(this.#waiting.get(signature) ?? [])]) notify(found);
      }
    });
    await Promise.allSettled(rounds);
    this.#polling = false;
    this.#schedule();
  }

  async #lookUp(signatures: readonly Signature[]): Promise<(SeenTransaction | undefined)[]> {
    const seen = new Map(await this.#ask([...new Set(signatures)], true));
    return signatures.map((signature) => seen.get(signature));
  }

  async #ask(
    signatures: Signature[],
    searchTransactionHistory: boolean,
  ): Promise<[Signature, SeenTransaction | undefined][]> {
    const { value } = await this.#rpc.getSignatureStatuses(signatures, { searchTransactionHistory }).send();
    return signatures.map((signature, index) => {
      const status = value[index];
      if (!status) return [signature, undefined];
      const { err, confirmationStatus } = status;
      return [
        signature,
        { error: err, confirmed: confirmationStatus !== 'processed' && confirmationStatus !== null },
      ];
    });
  }
}

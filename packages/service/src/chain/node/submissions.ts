import type { Address, Rpc, Signature, SolanaRpcApi, TransactionError } from '@solana/kit';
import { unavailable } from '../../errors.js';
import type { Cause } from '../../reasons.js';
import { pause, withDeadline } from '../../runtime/time.js';
import type { NodeSender } from './send-transaction.js';
import type { PollingSignatureWatch } from './signature-watch.js';

/** By how much token accounts of one owner and mint changed, base units. */
export interface TokenChange {
  owner: Address;
  mint: Address;
  change: bigint;
}

/** What became of a transaction that was submitted. */
export type SubmissionOutcome =
  /** In a confirmed block. Changes by owner and mint, as that transaction's own balances say; without zeros. */
  | { kind: 'confirmed'; changes: TokenChange[] }
  /** In a confirmed block, without effect but for its fee. */
  | { kind: 'reverted'; error: TransactionError }
  /** The node did not take it. */
  | { kind: 'refused'; cause: Cause }
  /** The node gave no response: whether it was taken is not known. */
  | { kind: 'unreachable'; cause: unknown }
  /** The chain does not know it, and it was not to be sent. */
  | { kind: 'unsent' }
  /** Sent; not confirmed while there was patience. */
  | { kind: 'pending' };

/** A transaction that bears all its signatures. */
export interface SignedBytes {
  /** Wire format. */
  transaction: Uint8Array;
  /** Base58 of its first signature. */
  signature: Signature;
  /** Whether it may be sent; else only what the chain already made of it is looked up. */
  permitted: boolean;
  /** Called before the node is; when that rejects, nothing is sent. Returns what to call when the node is not called after all. */
  beforeCalling?: (() => Promise<() => void>) | undefined;
  /** Called before it is sent; when that rejects, nothing is sent. */
  beforeSending?: (() => Promise<void>) | undefined;
}

/** For the response to a sending, as everywhere. */
const usualSendWithinMs = 4_000;
/** Before the first further try to read a confirmed transaction, which another node of a pool may not have yet; then twice as long. */
const readAgainMs = 400;
const longestReadAgainMs = 3_000;

/** One transaction on its way, and those who wait for it. */
interface Flight {
  outcome: Promise<SubmissionOutcome>;
  permitted: boolean;
  /** Whether the node is called, now or by the flight before, so that it may have been sent. */
  isCalling: boolean;
  waiting: number;
  /** Aborted when the last waiter is gone. */
  end: AbortController;
}

export class NodeSubmissions {
  readonly #rpc: Rpc<SolanaRpcApi>;
  readonly #sender: NodeSender;
  readonly #watch: PollingSignatureWatch;
  readonly #sendWithinMs: number;
  readonly #flights = new Map<string, Flight>();

  /** @param input.sendWithinMs for the response of the nodes to a sending; default: 4 s. */
  constructor(input: {
    rpc: Rpc<SolanaRpcApi>;
    sender: NodeSender;
    watch: PollingSignatureWatch;
    sendWithinMs?: number;
  }) {
    this.#rpc = input.rpc;
    this.#sender = input.sender;
    this.#watch = input.watch;
    this.#sendWithinMs = input.sendWithinMs ?? usualSendWithinMs;
  }

  /**
   * Sends a transaction unless the chain knows it, and waits until it is confirmed or `signal` aborts. Callers that
   * submit the same bytes meanwhile get the same outcome of the same sending. Rejects with what `beforeCalling` or
   * `beforeSending` reject with, and with `service_unavailable` when `signal` aborts before the node is called.
   */
  async submit(signed: SignedBytes, signal: AbortSignal): Promise<SubmissionOutcome> {
    const flight = this.#join(signed);
    flight.waiting += 1;
    try {
      return await unlessAborted(flight, signal);
    } finally {
      flight.waiting -= 1;
      if (flight.waiting === 0) flight.end.abort();
    }
  }

  /** Returns the flight of a transaction that others wait for, or a new one. */
  #join(signed: SignedBytes): Flight {
    const { signature, permitted } = signed;
    const known = this.#flights.get(signature);
    // Who may send does not take the word of one who may not.
    if (known && !known.end.signal.aborted && (known.permitted || !permitted)) return known;
    const end = new AbortController();
    // One that all callers have left may still be sending; the next waits for that.
    const before = Promise.allSettled([known?.outcome]);
    const outcome = before.then(async () => {
      const undo = await signed.beforeCalling?.();
      if (end.signal.aborted) {
        undo?.();
        throw unsent();
      }
      flight.isCalling = true;
      return this.#fly(signed, end.signal);
    });
    const isCalling = known?.isCalling ?? false;
    const flight: Flight = { outcome, permitted, isCalling, waiting: 0, end };
    this.#flights.set(signature, flight);
    const land = () => {
      if (this.#flights.get(signature) === flight) this.#flights.delete(signature);
    };
    outcome.then(land, land);
    return flight;
  }

  async #fly(signed: SignedBytes, signal: AbortSignal): Promise<SubmissionOutcome> {
    const { signature, permitted, beforeSending } = signed;
    const looked = await this.#watch.look(signature).catch((cause: unknown) => ({ cause }));
    if (looked && 'cause' in looked) return { kind: 'unreachable', cause: looked.cause };
    if (!looked) {
      if (!permitted) return { kind: 'unsent' };
      await beforeSending?.();
      const sent = await withDeadline(this.#sendWithinMs, undefined, (late) =>
        this.#sender.send(signed.transaction, signature, late),
      );
      if (sent.kind !== 'accepted') return sent;
    }
    try {
      const seen = looked?.confirmed ? looked : await this.#watch.confirmed(signature, signal);
      if (!seen) return { kind: 'pending' };
      if (seen.error !== null) return { kind: 'reverted', error: seen.error };
      const changes = await this.#readChanges(signature, signal);
      return changes ? { kind: 'confirmed', changes } : { kind: 'pending' };
    } catch (cause) {
      return { kind: 'unreachable', cause };
    }
  }

  /** Undefined when the node does not give a confirmed transaction away before `signal` aborts. */
  async #readChanges(signature: Signature, signal: AbortSignal): Promise<TokenChange[] | undefined> {
    for (let waitMs = readAgainMs; !signal.aborted; waitMs = Math.min(waitMs * 2, longestReadAgainMs)) {
      const options = {
        commitment: 'confirmed',
        encoding: 'base64',
        maxSupportedTransactionVersion: 0,
      } as const;
      const found = await this.#rpc
        .getTransaction(signature, options)
        .send()
        .catch(() => null);
      if (found?.meta)
        return changesOf(found.meta.preTokenBalances ?? [], found.meta.postTokenBalances ?? []);
      await pause(waitMs, signal);
    }
    return undefined;
  }
}

interface Balance {
  mint: Address;
  owner?: Address;
  uiTokenAmount: { amount: string };
}

/** Accounts that a transaction made or closed have a balance on one side only. */
function changesOf(before: readonly Balance[], after: readonly Balance[]): TokenChange[] {
  const changes = new Map<string, TokenChange>();
  const add = ({ owner, mint, uiTokenAmount }: Balance, sign: bigint) => {
    if (owner === undefined)
      throw new Error('The node does not report the owners of the changed token accounts');
    const known = changes.get(`${owner} ${mint}`) ?? { owner, mint, change: 0n };
    changes.set(`${owner} ${mint}`, { ...known, change: known.change + sign * BigInt(uiTokenAmount.amount) });
  };
  for (const balance of before) add(balance, -1n);
  for (const balance of after) add(balance, 1n);
  return [...changes.values()].filter(({ change }) => change !== 0n);
}

/**
 * Returns the outcome, or `pending` when `signal` aborts before. Rejects if it aborts before the node was called and
 * no other caller waits for the outcome. Leaves nothing behind in any case.
 */
function unlessAborted(flight: Flight, signal: AbortSignal): Promise<SubmissionOutcome> {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      if (flight.isCalling || flight.waiting > 1) resolve({ kind: 'pending' });
      else reject(unsent());
    };
    if (signal.aborted) return giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    flight.outcome.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}

function unsent(): Error {
  return unavailable(
    'The transaction was not sent in time. An earlier request with the same bytes may have sent it. Send the same bytes again.',
  );
}

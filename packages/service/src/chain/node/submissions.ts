import type { Address, Rpc, Signature, SolanaRpcApi, TransactionError } from '@solana/kit';
import { unavailable } from '../../errors.js';
import type { Cause } from '../../reasons.js';
import { pause, withDeadline } from '../../runtime/time.js';
import type { NodeSender, SignedBytes } from './send-transaction.js';
import type { PollingSignatureWatch, SeenTransaction } from './signature-watch.js';

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

/** A transaction that is to be submitted. */
export interface Submission {
  /** Base58 of its first signature. */
  signature: Signature;
  /** Whether it may be sent; else only what the chain already made of it is looked up. */
  permitted: boolean;
}

/** One submission of a transaction, for all who wait for its outcome. */
export interface Flight {
  /** Aborted when the last who waited has left. */
  end: AbortSignal;
  /**
   * Called before the node is: from then on it may have been sent. Throws `service_unavailable` when the last who waited has
   * left.
   */
  depart(): void;
}

/** For the response to a sending, as everywhere. */
const usualSendWithinMs = 4_000;
/** Before the first further try to read a confirmed transaction, which another node of a pool may not have yet; then twice as long. */
const readAgainMs = 400;
const longestReadAgainMs = 3_000;

/** One transaction on its way, and those who wait for it. */
interface SharedFlight {
  outcome: Promise<SubmissionOutcome>;
  permitted: boolean;
  /** Whether the node is called, now or by the flight before, so that it may have been sent. */
  isCalling: boolean;
  waiting: number;
  end: AbortController;
}

export class NodeSubmissions {
  readonly #rpc: Rpc<SolanaRpcApi>;
  readonly #sender: NodeSender;
  readonly #watch: PollingSignatureWatch;
  readonly #sendWithinMs: number;
  readonly #flights = new Map<string, SharedFlight>();

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
   * Waits for `fly`, which submits a transaction, or until `signal` aborts. Callers that submit the same transaction meanwhile
   * get the same outcome of the same flight. Rejects with what `fly` rejects with, and with `service_unavailable` when
   * `signal` aborts before the node is called.
   */
  async share(
    submission: Submission,
    fly: (flight: Flight) => Promise<SubmissionOutcome>,
    signal: AbortSignal,
  ): Promise<SubmissionOutcome> {
    const flight = this.#join(submission, fly);
    flight.waiting += 1;
    try {
      return await unlessAborted(flight, signal);
    } finally {
      flight.waiting -= 1;
      if (flight.waiting === 0) flight.end.abort();
    }
  }

  /** Returns the flight of a transaction that others wait for, or a new one. */
  #join(
    { signature, permitted }: Submission,
    fly: (flight: Flight) => Promise<SubmissionOutcome>,
  ): SharedFlight {
    const known = this.#flights.get(signature);
    // Who may send does not take the word of one who may not.
    if (known && !known.end.signal.aborted && (known.permitted || !permitted)) return known;
    const end = new AbortController();
    const depart = () => {
      if (end.signal.aborted) throw unsent();
      flight.isCalling = true;
    };
    // One that all callers have left may still be sending; the next waits for that.
    const before = Promise.allSettled([known?.outcome]);
    const outcome = before.then(() => fly({ end: end.signal, depart }));
    const isCalling = known?.isCalling ?? false;
    const flight: SharedFlight = { outcome, permitted, isCalling, waiting: 0, end };
    this.#flights.set(signature, flight);
    const land = () => {
      if (this.#flights.get(signature) === flight) this.#flights.delete(signature);
    };
    outcome.then(land, land);
    return flight;
  }

  /** Returns what the chain knows of a transaction, `unreachable` when no node responds. */
  async look(
    signature: Signature,
  ): Promise<SeenTransaction | undefined | { kind: 'unreachable'; cause: unknown }> {
    try {
      return await this.#watch.look(signature);
    } catch (cause) {
      return { kind: 'unreachable', cause };
    }
  }

  /** Sends a transaction; the nodes have the usual time to respond. */
  send(signed: SignedBytes): ReturnType<NodeSender['send']> {
    return withDeadline(this.#sendWithinMs, undefined, (late) => this.#sender.send(signed, late));
  }

  /** Waits until a transaction that was sent, or was `seen`, is confirmed, or `signal` aborts. */
  async followed(
    signature: Signature,
    known: SeenTransaction | undefined,
    signal: AbortSignal,
  ): Promise<SubmissionOutcome> {
    try {
      const seen = known?.confirmed ? known : await this.#watch.confirmed(signature, signal);
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
function unlessAborted(flight: SharedFlight, signal: AbortSignal): Promise<SubmissionOutcome> {
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

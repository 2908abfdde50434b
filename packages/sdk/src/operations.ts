import { type CallOptions, init, Resource, taken } from './client.js';
import { KaratError, type KaratErrorParts } from './errors.js';
import type { Signing } from './pins.js';
import { pause } from './transport.js';
import type { Operation } from './types.js';

/** Who signs, and how long to wait for the chain. */
export interface Execution extends Signing {
  /** Milliseconds; default: 120,000, by when a transaction has landed or expired. */
  waitMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

const longestWaitMs = 120_000;
const longestSeconds = 16;
/** After so long without an outcome, what a node did not take is sent again. */
const sendAgainMs = 4_000;
const open: readonly Operation['status'][] = ['submitted', 'unknown'];

export class Operations extends Resource {
  /**
   * Returns what became of a trade or redemption; with `wait`, once its status is another than `status`, which the caller
   * knows, or after so many seconds, up to 30.
   */
  get(
    operation_id: string,
    { wait, ...known }: { wait?: number; status?: Operation['status'] } = {},
    options?: CallOptions,
  ): Promise<Operation> {
    const query = wait === undefined ? known : { ...known, wait: String(wait) };
    const params = { path: { operation_id }, query };
    return taken(this.api.GET('/v1/operations/{operation_id}', { params, ...init(options) }));
  }

  /**
   * Returns an operation once its transaction is on chain, or can no longer land. Throws `timeout` after `waitMs`: then the
   * transaction may still land.
   */
  async outcome(id: string, options: Pick<Execution, 'waitMs' | 'signal'> = {}): Promise<Operation> {
    const { waitMs = longestWaitMs, signal } = options;
    const endMs = Date.now() + waitMs;
    for (let known: { status?: Operation['status'] } = {}; ; ) {
      const leftMs = endMs - Date.now();
      // The first only looks: what it finds is what the others wait for to change.
      const longest = known.status === undefined ? 0 : longestSeconds;
      const wait = Math.max(0, Math.min(longest, Math.ceil(leftMs / 1_000)));
      const operation = await this.get(id, { wait, ...known }, { signal }).catch(async (error: unknown) => {
        if (wait === 0 || !(error instanceof KaratError) || error.code !== 'rate_limited') throw error;
        // As many requests of the partner wait as may: this one only looks.
        await pause(error.retryAfterMs ?? 1_000, signal);
        return this.get(id, {}, { signal });
      });
      if (!open.includes(operation.status)) return operation;
      if (leftMs <= 0) throw notKnown(id, { reason: operation.reason, body: operation });
      known = { status: operation.status };
    }
  }
}

/**
 * Submits what was signed of a quote, again where a node does not take it for now, and returns its record. Throws
 * `trade_failed` or `redemption_failed` with the reason, `expired`, what submit was refused with, or `timeout` when the
 * transaction was sent and its outcome could not be read; each with the operation's id.
 */
export async function carryOut(
  operations: Operations,
  { id, submit }: { id: string; submit(): Promise<unknown> },
  { waitMs = longestWaitMs, signal }: Pick<Execution, 'waitMs' | 'signal'>,
): Promise<NonNullable<Operation['record']>> {
  const endMs = Date.now() + waitMs;
  let lost: KaratError | undefined;
  let operation: Operation | undefined;
  while (!operation) {
    const refused = (error: unknown) => lost ?? unlessRefused(operations, id, error, signal);
    lost = await submit().then(() => undefined, refused);
    const leftMs = Math.max(0, endMs - Date.now());
    // A node that lags takes the same bytes a moment later.
    const isForNow = lost?.reason === 'node_unavailable' && leftMs > sendAgainMs;
    const look = operations.outcome(id, { waitMs: isForNow ? sendAgainMs : leftMs, signal });
    operation = await look.catch((error: unknown) => {
      if (signal?.aborted) throw error;
      const { reason, body } = error instanceof KaratError && error.code === 'timeout' ? error : {};
      if (isForNow && body) return undefined;
      throw notKnown(id, { reason, body, cause: lost ?? error });
    });
  }
  const { status, record, reason, message } = operation;
  if (status === 'expired') {
    const text = message ?? `The transaction of ${id} has expired: request a new quote.`;
    const parts = { message: text, reason: reason ?? 'quote_expired', operationId: id, body: operation };
    throw new KaratError('expired', parts);
  }
  if (status !== 'failed') {
    if (record) return record;
    throw notKnown(id, { body: operation });
  }
  const code = operation.kind === 'redemption' ? 'redemption_failed' : 'trade_failed';
  throw new KaratError(code, {
    message: message ?? `The transaction of ${id} has failed on chain.`,
    reason,
    operationId: id,
    body: operation,
  });
}

function notKnown(id: string, parts: Omit<KaratErrorParts, 'message'>): KaratError {
  const message = `It is not known yet what became of ${id}: it may still land. Ask again with operations.outcome.`;
  return new KaratError('timeout', { message, operationId: id, ...parts });
}

/**
 * Returns the error of a submit whose transaction the chain may have all the same; throws any other. A refusal is believed only
 * if no earlier try may have arrived, and the operation, of which the API is asked first, has it as its last word.
 */
async function unlessRefused(
  operations: Operations,
  id: string,
  error: unknown,
  signal: AbortSignal | undefined,
): Promise<KaratError> {
  if (!(error instanceof KaratError)) throw error;
  Object.assign(error, { operationId: id } satisfies Partial<KaratError>);
  if ((error.status ?? 500) >= 500 || error.mayHaveArrived) return error;
  const { status, reason } = await operations.get(id, {}, { signal }).catch((other: unknown) => {
    throw signal?.aborted ? other : error;
  });
  if (status === 'unknown' || (status === 'submitted' && reason)) throw error;
  return error;
}

import { isSolanaError, type RpcTransport, SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR } from '@solana/kit';
import { codeOf } from './node.js';

/** What a node returns for one call of several: a result as plain JSON, or the code of its error. */
export type BatchItem = { result: unknown } | { code: number };

/** A node, or what stands before it, does not take several calls in one request. */
export class NoBatchesError extends Error {
  override name = 'NoBatchesError';
}

/**
 * Statuses of HTTP and codes of JSON-RPC by which a batch is refused for being one: what cannot parse a list says so.
 * Any other may be gone the next time.
 */
const refusingStatuses = new Set([400, 404, 405, 413, 415, 422]);
const refusingCodes = new Set([-32700, -32600, -32601, -32602]);

/**
 * Calls a method several times in one JSON-RPC batch; returns what came back in the order of `calls`. Throws a
 * `NoBatchesError` when the node does not take it; rejects when the node fails.
 */
export async function callBatch(
  transport: RpcTransport,
  method: string,
  calls: readonly (readonly unknown[])[],
  signal: AbortSignal,
): Promise<BatchItem[]> {
  const payload = calls.map((params, id) => ({ jsonrpc: '2.0', id, method, params }));
  let response: unknown;
  try {
    response = await transport<unknown>({ payload, signal });
  } catch (error) {
    if (!isSolanaError(error, SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR)) throw error;
    const { statusCode } = error.context;
    if (!refusingStatuses.has(statusCode)) throw error;
    throw new NoBatchesError(`the node refuses a batch with HTTP ${statusCode}`, { cause: error });
  }
  if (!Array.isArray(response)) throw refusalOf(response);
  const items = new Array<BatchItem | undefined>(calls.length);
  for (const item of response) {
    const { id } = (item ?? {}) as { id?: unknown };
    if (typeof id === 'number' && id >= 0 && id < items.length) items[id] = itemOf(item);
  }
  return items.map((item) => item ?? { code: 0 });
}

function itemOf(item: unknown): BatchItem {
  const code = codeOf(item);
  return code === undefined ? { result: (item as { result?: unknown }).result ?? null } : { code };
}

function refusalOf(response: unknown): Error {
  const code = codeOf(response);
  // One response for all calls, and no error: it was not taken for a batch.
  if (code === undefined) return new NoBatchesError('the node responds to a batch with no list');
  const message = `the node refuses a batch with error ${code}`;
  return refusingCodes.has(code) ? new NoBatchesError(message) : new Error(message);
}

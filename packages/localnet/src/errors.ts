/** JSON-RPC error codes: JSON-RPC 2.0 and Agave's `rpc-client-api/src/custom_error.rs`. */
export const RPC_CODES = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  blockCleanedUp: -32001,
  preflightFailure: -32002,
  signatureVerification: -32003,
  blockNotAvailable: -32004,
  nodeUnhealthy: -32005,
  noSnapshot: -32008,
  unsupportedVersion: -32015,
  minContextSlot: -32016,
} as const;

/** The error that a method returns instead of a result: JSON-RPC code, text and optional data. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** -32602 with the given text. */
export function invalidParams(message: string): RpcError {
  return new RpcError(RPC_CODES.invalidParams, message);
}

/** -32016: the node has not seen the slot that the caller wants to be past. */
export function minContextSlotNotReached(contextSlot: number): RpcError {
  return new RpcError(RPC_CODES.minContextSlot, 'Minimum context slot has not been reached', { contextSlot });
}

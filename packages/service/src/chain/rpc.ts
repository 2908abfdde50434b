import {
  type AccountInfoBase,
  type AccountInfoWithBase64EncodedData,
  type AccountInfoWithPubkey,
  type Address,
  createDefaultRpcTransport,
  createSolanaRpcFromTransport,
  createSolanaRpcSubscriptions,
  type Rpc,
  type RpcTransport,
  type SolanaRpcApi,
  type SolanaRpcResponse,
} from '@solana/kit';

/** Longest wait for one answer of the node. */
export const rpcTimeoutMs = 3_000;

/** One node over HTTP. A call that gets no answer within 3 s rejects; nothing is sent twice. */
export interface NodeConnection {
  rpc: Rpc<SolanaRpcApi>;
  transport: RpcTransport;
}

/** Opens a connection to the node at `url`; nothing is sent before the first call. */
export function connectNode(url: string): NodeConnection {
  const base = createDefaultRpcTransport({ url });
  // Not `AbortSignal.any` with `AbortSignal.timeout`: Node 20 may collect the timeout, and the call then waits for ever.
  const transport: RpcTransport = async (request) => {
    // The transport of kit waits for an abort still to come.
    request.signal?.throwIfAborted();
    const end = new AbortController();
    const abort = () => end.abort(request.signal?.reason);
    const late = () => end.abort(new DOMException(`no answer within ${rpcTimeoutMs} ms`, 'TimeoutError'));
    const timer = setTimeout(late, rpcTimeoutMs);
    request.signal?.addEventListener('abort', abort, { once: true });
    try {
      return await base({ ...request, signal: end.signal });
    } finally {
      clearTimeout(timer);
      request.signal?.removeEventListener('abort', abort);
    }
  };
  return { rpc: createSolanaRpcFromTransport(transport), transport };
}

type Base64Account = AccountInfoBase & AccountInfoWithBase64EncodedData;

/** Notifications of the node about accounts, at commitment `confirmed`. Each call opens a subscription of its own. */
export interface NotificationsOf {
  account(address: Address, signal: AbortSignal): Promise<AsyncIterable<SolanaRpcResponse<Base64Account>>>;
  program(
    programAddress: Address,
    signal: AbortSignal,
  ): Promise<AsyncIterable<SolanaRpcResponse<AccountInfoWithPubkey<Base64Account>>>>;
}

const notificationOptions = { commitment: 'confirmed', encoding: 'base64' } as const;

/** Subscriptions by WebSocket; nothing is connected before the first call. */
export function connectNotifications(url: string): NotificationsOf {
  const subscriptions = createSolanaRpcSubscriptions(url);
  return {
    account: (address, abortSignal) =>
      subscriptions.accountNotifications(address, notificationOptions).subscribe({ abortSignal }),
    program: (address, abortSignal) =>
      subscriptions.programNotifications(address, notificationOptions).subscribe({ abortSignal }),
  };
}

import {
  type AccountInfoBase,
  type AccountInfoWithBase64EncodedData,
  type AccountInfoWithPubkey,
  type Address,
  createSolanaRpcSubscriptions,
  type SolanaRpcResponse,
} from '@solana/kit';

/** Longest wait for a node to take a subscription before the next node is tried. */
const subscribeWithinMs = 3_000;

type Base64Account = AccountInfoBase & AccountInfoWithBase64EncodedData;

/** Notifications of a node at commitment `confirmed`. Each call opens a subscription of its own. */
export interface NotificationsOf {
  account(address: Address, signal: AbortSignal): Promise<AsyncIterable<SolanaRpcResponse<Base64Account>>>;
  program(
    programAddress: Address,
    signal: AbortSignal,
  ): Promise<AsyncIterable<SolanaRpcResponse<AccountInfoWithPubkey<Base64Account>>>>;
  /** One for each transaction that mentions the address. */
  logs(mentioned: Address, signal: AbortSignal): Promise<AsyncIterable<unknown>>;
}

const commitment = 'confirmed';
const encoding = 'base64';

/**
 * Subscriptions by WebSocket at the first node that takes them; nothing is connected before the first call. Rejects with the
 * last node's error when none does.
 */
export function connectNotifications(urls: readonly string[]): NotificationsOf {
  const nodes = urls.map((url) => createSolanaRpcSubscriptions(url));
  type Subscriptions = (typeof nodes)[number];
  const atFirst = async <T>(
    signal: AbortSignal,
    subscribe: (node: Subscriptions, options: { abortSignal: AbortSignal }) => Promise<T>,
  ): Promise<T> => {
    let failure: unknown = new Error('no WebSocket is configured');
    for (const node of nodes) {
      signal.throwIfAborted();
      try {
        return await unlessLate(signal, (abortSignal) => subscribe(node, { abortSignal }));
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  };
  return {
    account: (address, signal) =>
      atFirst(signal, (node, options) =>
        node.accountNotifications(address, { commitment, encoding }).subscribe(options),
      ),
    program: (address, signal) =>
      atFirst(signal, (node, options) =>
        node.programNotifications(address, { commitment, encoding }).subscribe(options),
      ),
    logs: (address, signal) =>
      atFirst(signal, (node, options) =>
        node.logsNotifications({ mentions: [address] }, { commitment }).subscribe(options),
      ),
  };
}

/** Opens a subscription that lives until `signal` aborts; one that is not open in time is given up. */
async function unlessLate<T>(signal: AbortSignal, open: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const end = new AbortController();
  const abort = () => end.abort(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const reason = new DOMException(`no subscription within ${subscribeWithinMs} ms`, 'TimeoutError');
      reject(reason);
      end.abort(reason);
    }, subscribeWithinMs);
  });
  try {
    return await Promise.race([open(end.signal), late]);
  } catch (error) {
    signal.removeEventListener('abort', abort);
    end.abort(error);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

import type { Rpc, RpcTransport, SolanaRpcApi } from '@solana/kit';
import { chosenByTwo, type ExpectedChain, requireNetwork } from './genesis.js';
import {
  type CallTimes,
  callTimes,
  codeOf,
  codesOf,
  isRateLimit,
  type Lane,
  Node,
  type NodeHealth,
  NodeRestsError,
  type RpcRequest,
} from './node.js';
import { rpcOver } from './rpc.js';

/** Several nodes as one: a call that a node fails goes to the next. */
export interface JoinedNodes {
  rpc: Rpc<SolanaRpcApi>;
  /** For requests of many calls at once. */
  transport: RpcTransport;
}

/** Nodes over HTTP, as one and each by itself. A call that gets no response in time rejects. */
export interface NodePool extends JoinedNodes {
  /** The same nodes for calls that callers cause: a 429 to one of these stops only calls of that kind. */
  callers: Record<Exclude<Lane, 'own'>, JoinedNodes>;
  /** Each node by itself, in the order of the configuration. */
  witnesses: readonly Rpc<SolanaRpcApi>[];
  health(): NodeHealth[];
  /**
   * Throws an `OtherChainError` if a node that responds is not on the expected network. Nodes that do not respond are
   * checked when they do.
   */
  requireNetwork(): Promise<void>;
  /** Why nothing is taken of any node: all are of another chain than the recorded one. */
  fault(): string | undefined;
}

/**
 * Codes of Agave and of JSON-RPC with which one node refuses what another may do: it is behind or starting, has not the slot,
 * the block or the history, does not know the method, is overloaded, or broke.
 */
const otherNodesMay = new Set([
  -32004, -32005, -32007, -32009, -32011, -32014, -32016, -32019, -32601, -32603, 429, -32429,
]);
/** A node that returns one of these codes must not be called first. */
const unhealthy = new Set([-32005, -32603]);

/**
 * Opens connections to the nodes at `urls`, the preferred one first; nothing is sent before the first call. A call goes to
 * the first node that works, and on to the next when that fails, all within the time of a call: 3 s, unless `times`
 * sets otherwise. With `recorded` or `network`, nothing is taken of a node of another chain; a chain becomes the recorded one when two nodes
 * name it, where several are configured.
 */
export function connectNodes(
  urls: readonly string[],
  { recorded, network, times = callTimes }: ExpectedChain & { times?: CallTimes } = {},
): NodePool {
  const { callMs } = times;
  const genesisOfAll = () => nodes.map((node) => node.genesis());
  const chosen = recorded && urls.length > 1 ? chosenByTwo(recorded, genesisOfAll) : recorded;
  const nodes: Node[] = urls.map(
    (url, index) => new Node(url, index + 1, { recorded: chosen, network }, callMs),
  );
  const joined = (lane: Lane): JoinedNodes => {
    const transport = ((request) => callFirst(nodes, request, times, lane)) as RpcTransport;
    return { transport, rpc: rpcOver(transport) };
  };
  const alone = (node: Node) => ((request) => node.call(request, callMs, true, 'own')) as RpcTransport;
  return {
    ...joined('own'),
    callers: { look: joined('look'), trade: joined('trade') },
    witnesses: nodes.map((node) => rpcOver(alone(node))),
    async requireNetwork() {
      if (!network) return;
      const named = await Promise.allSettled(genesisOfAll());
      for (const each of named) if (each.status === 'fulfilled') requireNetwork(network, each.value);
    },
    health: () => nodes.map((node) => node.health()),
    fault: () => (nodes.every((node) => node.fault() !== undefined) ? nodes[0]?.fault() : undefined),
  };
}

/** Calls one node after the other until one succeeds. */
async function callFirst(
  nodes: readonly Node[],
  request: RpcRequest,
  { callMs, nextAfterMs }: CallTimes,
  lane: Lane,
): Promise<unknown> {
  const endMs = performance.now() + callMs;
  const order = [...nodes].sort((one, other) => (other.usable(lane) ? 1 : 0) - (one.usable(lane) ? 1 : 0));
  let refusal: unknown;
  let failure: unknown;
  /** Whether a node that did not respond may have taken what was sent. */
  let mayHaveIt = false;
  for (const [index, node] of order.entries()) {
    const leftMs = Math.max(1, endMs - performance.now());
    const isLast = index === order.length - 1;
    try {
      // The last one gets all the time that is left, and is waited for while it rests.
      const limitMs = isLast ? leftMs : Math.min(leftMs / 2, nextAfterMs);
      const response = await node.call(request, limitMs, isLast, lane);
      if (!isRefusal(response)) {
        // A transaction that this node refuses may have been taken by the one before it.
        if (mayHaveIt && isRefusedSending(request, response)) break;
        return response;
      }
      if (unhealthy.has(codeOf(response) ?? 0)) node.failed();
      refusal ??= response;
    } catch (error) {
      request.signal?.throwIfAborted();
      mayHaveIt ||= !(error instanceof NodeRestsError);
      failure = error;
    }
  }
  if (refusal !== undefined && !(mayHaveIt && isRefusedSending(request, refusal))) return refusal;
  throw failure;
}

/** Returns whether a node refuses what another one may do. */
function isRefusal(response: unknown): boolean {
  if (Array.isArray(response)) return response.length > 0 && codesOf(response).every(isRateLimit);
  const code = codeOf(response);
  if (code === undefined) return false;
  // A node that is behind does not know the newest blockhashes.
  return otherNodesMay.has(code) || errorOf(response) === 'BlockhashNotFound';
}

function isRefusedSending({ payload }: RpcRequest, response: unknown): boolean {
  const { method } = payload as { method?: unknown };
  return (
    method === 'sendTransaction' && codeOf(response) !== undefined && errorOf(response) !== 'AlreadyProcessed'
  );
}

/** Returns the error of a transaction that a response names. */
function errorOf(response: unknown): unknown {
  return (response as { error?: { data?: { err?: unknown } | null } }).error?.data?.err;
}

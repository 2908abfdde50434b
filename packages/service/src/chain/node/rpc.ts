import {
  createRpc,
  createSolanaRpcApi,
  DEFAULT_RPC_CONFIG,
  type Rpc,
  type RpcTransport,
  type SolanaRpcApi,
} from '@solana/kit';

/**
 * Returns the calls of a node. They are the library's, but for listings and transactions: of these only the times and slots
 * become `bigint`. The library walks through every value of a response and notes the path to it, which for a page of a
 * listing takes longer than parsing it.
 */
export function rpcOver(transport: RpcTransport): Rpc<SolanaRpcApi> {
  return createRpc({ api: quickApi, transport });
}

type Plan = ReturnType<typeof libraryApi.getTransaction>;
type Result = Record<string, unknown>;

const libraryApi = createSolanaRpcApi(DEFAULT_RPC_CONFIG);
/** Methods with long responses, and what makes what the library returns of a result. */
const quickly: Partial<Record<PropertyKey, (result: unknown) => unknown>> = {
  getSignaturesForAddress: (lines) => (Array.isArray(lines) ? lines.map(withBigints) : lines),
  getTransaction: withBigints,
};

const quickApi = new Proxy(libraryApi, {
  get(target, name, receiver) {
    const method = Reflect.get(target, name, receiver);
    const convert = quickly[name];
    if (!convert) return method;
    return (...params: unknown[]) => quickened((method as (...given: unknown[]) => Plan)(...params), convert);
  },
});

/** Returns a plan of the library that gets an empty result to walk through. Errors stay its own. */
function quickened(plan: Plan, convert: (result: unknown) => unknown): Plan {
  return {
    async execute({ signal, transport }) {
      let result: unknown;
      const emptied = async (request: Parameters<RpcTransport>[0]) => {
        const response = await transport<Result>(request);
        if (!response || !('result' in response)) return response;
        result = response.result;
        return { ...response, result: null };
      };
      await plan.execute({ ...(signal && { signal }), transport: emptied as RpcTransport });
      return convert(result) as never;
    },
  };
}

function withBigints(result: unknown): unknown {
  if (typeof result !== 'object' || result === null) return result;
  const { slot, blockTime } = result as Result;
  return {
    ...result,
    slot: toBigint(slot),
    ...(blockTime === undefined ? {} : { blockTime: toBigint(blockTime) }),
  };
}

/** Integers are `bigint`, as the library has them; anything else stays what it is. */
function toBigint(value: unknown): unknown {
  return Number.isInteger(value) ? BigInt(value as number) : value;
}

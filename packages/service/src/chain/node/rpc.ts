import {
  createRpc,
  createSolanaRpcApi,
  DEFAULT_RPC_CONFIG,
  type Rpc,
  type RpcTransport,
  type SolanaRpcApi,
} from '@solana/kit';

/**
 * Returns the calls of a node. They are the library's, but for those with long responses: of these only the times, the slots
 * and what accounts hold become `bigint`. The library walks through every value of a response and notes the path to it,
 * which takes longer than parsing it.
 */
export function rpcOver(transport: RpcTransport): Rpc<SolanaRpcApi> {
  return createRpc({ api: quickApi, transport });
}

type Plan = ReturnType<typeof libraryApi.getTransaction>;
type Result = Record<string, unknown>;

const libraryApi = createSolanaRpcApi(DEFAULT_RPC_CONFIG);
const timesOf = withBigints('slot', 'blockTime');
const accountOf = withBigints('lamports', 'rentEpoch', 'space');
/** Methods with long responses, and what makes what the library returns of a result. */
const quickly: Partial<Record<PropertyKey, (result: unknown) => unknown>> = {
  getSignaturesForAddress: (lines) => eachOf(lines, timesOf),
  getTransaction: timesOf,
  getProgramAccounts: (found) => eachOf(found, (each) => ({ ...each, account: accountOf(each.account) })),
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

function eachOf(list: unknown, convert: (item: Result) => unknown): unknown {
  return Array.isArray(list) ? list.map(convert) : list;
}

/** Returns a function that gives objects these fields as `bigint`, as the library has integers; all else stays what it is. */
function withBigints(...names: string[]): (result: unknown) => unknown {
  return (result) => {
    if (typeof result !== 'object' || result === null) return result;
    const converted: Result = { ...result };
    for (const name of names)
      if (Number.isInteger(converted[name])) converted[name] = BigInt(converted[name] as number);
    return converted;
  };
}

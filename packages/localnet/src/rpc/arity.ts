import { invalidParams, RPC_CODES, RpcError } from '../errors.js';

/**
 * How many parameters the methods of a node take, at least and at most (the traits in Agave `rpc/src/rpc.rs` and
 * `rpc_pubsub.rs`). Where the two differ, or both are 0, the wrong number has a text of its own.
 */
const ARITY: Readonly<Record<string, readonly [min: number, max: number]>> = {
  getAccountInfo: [1, 2],
  getBalance: [1, 2],
  getBlock: [1, 2],
  getBlockCommitment: [1, 1],
  getBlockHeight: [0, 1],
  getBlockProduction: [0, 1],
  getBlocks: [1, 3],
  getBlocksWithLimit: [2, 3],
  getBlockTime: [1, 1],
  getClusterNodes: [0, 0],
  getEpochInfo: [0, 1],
  getEpochSchedule: [0, 0],
  getFeeForMessage: [1, 2],
  getFirstAvailableBlock: [0, 0],
  getGenesisHash: [0, 0],
  getHealth: [0, 0],
  getHighestSnapshotSlot: [0, 0],
  getIdentity: [0, 0],
  getInflationGovernor: [0, 1],
  getInflationRate: [0, 0],
  getInflationReward: [1, 2],
  getLargestAccounts: [0, 1],
  getLatestBlockhash: [0, 1],
  getLeaderSchedule: [0, 2],
  getMaxRetransmitSlot: [0, 0],
  getMaxShredInsertSlot: [0, 0],
  getMinimumBalanceForRentExemption: [1, 2],
  getMultipleAccounts: [1, 2],
  getProgramAccounts: [1, 2],
  getRecentPerformanceSamples: [0, 1],
  getRecentPrioritizationFees: [0, 1],
  getSignaturesForAddress: [1, 2],
  getSignatureStatuses: [1, 2],
  getSlot: [0, 1],
  getSlotLeader: [0, 1],
  getSlotLeaders: [2, 2],
  getStakeMinimumDelegation: [0, 1],
  getSupply: [0, 1],
  getTokenAccountBalance: [1, 2],
  getTokenAccountsByDelegate: [2, 3],
  getTokenAccountsByOwner: [2, 3],
  getTokenLargestAccounts: [1, 2],
  getTokenSupply: [1, 2],
  getTransaction: [1, 2],
  getTransactionCount: [0, 1],
  getVersion: [0, 0],
  getVoteAccounts: [0, 1],
  isBlockhashValid: [1, 2],
  minimumLedgerSlot: [0, 0],
  requestAirdrop: [2, 3],
  sendTransaction: [1, 2],
  simulateTransaction: [1, 2],
  accountSubscribe: [1, 2],
  accountUnsubscribe: [1, 1],
  logsSubscribe: [1, 2],
  logsUnsubscribe: [1, 1],
  programSubscribe: [1, 2],
  programUnsubscribe: [1, 1],
  rootSubscribe: [0, 0],
  rootUnsubscribe: [1, 1],
  signatureSubscribe: [1, 2],
  signatureUnsubscribe: [1, 1],
  slotSubscribe: [0, 0],
  slotUnsubscribe: [1, 1],
  slotsUpdatesSubscribe: [0, 0],
  slotsUpdatesUnsubscribe: [1, 1],
};

function tuple(params: readonly unknown[] | undefined, size: number): RpcError {
  if (!params) return invalidParams(`Invalid params: invalid type: null, expected a tuple of size ${size}.`);
  const expected = params.length > size ? 'fewer elements in array' : `a tuple of size ${size}`;
  return invalidParams(`Invalid params: invalid length ${params.length}, expected ${expected}.`);
}

/**
 * Checks that the parameters are a list of as many as the method takes, and gives the list; -32602 with the text that
 * `jsonrpc-derive` and `jsonrpc-core` have for each case. Undefined: none were given.
 */
export function paramsOf(method: string, params: unknown): readonly unknown[] {
  const list = Array.isArray(params) ? (params as unknown[]) : undefined;
  const given = params !== undefined && params !== null;
  const arity = Object.hasOwn(ARITY, method) ? ARITY[method] : undefined;
  if (arity?.[1] === 0) {
    if (list?.length === 0 || !given) return [];
    throw invalidParams('Invalid parameters: No parameters were expected');
  }
  if (given && !list) throw invalidParams('`params` should be an array');
  if (!arity) return list ?? [];
  const [min, max] = arity;
  const count = list?.length ?? 0;
  if (min === max && count !== min) throw tuple(list, min);
  if (count < min) throw invalidParams(`\`params\` should have at least ${min} argument(s)`);
  if (count <= max) return list ?? [];
  const expected = `Expected from ${min} to ${max} parameters.`;
  throw new RpcError(RPC_CODES.invalidParams, `Invalid parameters: ${expected}`, `"Got: ${count}"`);
}

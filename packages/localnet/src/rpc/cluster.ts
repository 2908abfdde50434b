import { createHash } from 'node:crypto';
import { type Chain, SLOTS_PER_EPOCH } from '../chain.js';
import { invalidParams, RPC_CODES, RpcError } from '../errors.js';
import { firstAvailableBlock } from './blocks.js';
import { API_VERSION, bankSlotAt, FEATURE_SET, type Method, type Methods, nodeVersion } from './context.js';
import { addressOf, configParam, numberIn, optionalUnsignedParam } from './params.js';

const SAMPLES_MAX = 720;
const SAMPLE_SECONDS = 60;
/** Slots between the full snapshots of a test validator. */
const SNAPSHOT_SLOTS = 100;
/** What a vote earns in credits: 16 when it comes in the next slot. */
const CREDITS_PER_SLOT = 16;
export const ACTIVATED_STAKE_LAMPORTS = 1_000_000_000n;

/** Returns a number that nodes of one cluster share; here taken from the genesis hash. */
function shredVersion(chain: Chain): number {
  return createHash('sha256').update(chain.genesisHash).digest().readUInt16LE(0);
}

/** One validator that has voted for every block. */
const getVoteAccounts: Method = ({ chain }, params) => {
  const config = configParam(params, 0);
  const { votePubkey } = config;
  const requested = votePubkey === undefined || votePubkey === null ? undefined : addressOf(votePubkey);
  numberIn(config, 'delinquentSlotDistance');
  const slot = bankSlotAt(chain, config);
  const epoch = Math.floor(slot / SLOTS_PER_EPOCH);
  const earned = (slots: number) => slots * CREDITS_PER_SLOT;
  const account = {
    activatedStake: ACTIVATED_STAKE_LAMPORTS,
    commission: 0,
    epochCredits: [[epoch, earned(slot), earned(epoch * SLOTS_PER_EPOCH)]],
    epochVoteAccount: true,
    lastVote: Math.max(0, slot - 1),
    nodePubkey: chain.identity.address,
    rootSlot: chain.slotAt('finalized'),
    votePubkey: chain.voteAccount.address,
  };
  return {
    current: requested === undefined || requested === account.votePubkey ? [account] : [],
    delinquent: [],
  };
};

/** What happened in stretches of 60 seconds of slots, newest first; only whole ones, as a node writes them. */
const getRecentPerformanceSamples: Method = ({ chain }, params) => {
  const limit = optionalUnsignedParam(params, 0) ?? SAMPLES_MAX;
  if (limit > SAMPLES_MAX) throw invalidParams(`Invalid limit; max ${SAMPLES_MAX}`);
  const numSlots = Math.max(1, Math.round((SAMPLE_SECONDS * 1000) / chain.slotMs));
  const newest = Math.floor((chain.slot + 1) / numSlots);
  const oldest = Math.max(Math.ceil(firstAvailableBlock(chain) / numSlots), newest - limit);
  return Array.from({ length: Math.max(0, newest - oldest) }, (_, place) => {
    const end = (newest - place) * numSlots;
    let transactions = 0;
    for (let slot = end - numSlots; slot < end; slot += 1) transactions += chain.history.inSlot(slot).length;
    return {
      numNonVoteTransactions: transactions,
      numSlots,
      numTransactions: transactions,
      samplePeriodSecs: SAMPLE_SECONDS,
      slot: end - 1,
    };
  });
};

const getHighestSnapshotSlot: Method = ({ chain }) => {
  const full = Math.floor(chain.slotAt('finalized') / SNAPSHOT_SLOTS) * SNAPSHOT_SLOTS;
  if (full === 0) throw new RpcError(RPC_CODES.noSnapshot, 'No snapshot');
  return { full, incremental: null };
};

/** Who this node is, and the cluster that consists of it. */
export const clusterMethods: Methods = {
  getClusterNodes: ({ chain, listening }) => [
    {
      featureSet: FEATURE_SET,
      gossip: null,
      pubkey: chain.identity.address,
      pubsub: listening.pubsub ?? null,
      rpc: listening.rpc ?? null,
      serveRepair: null,
      shredVersion: shredVersion(chain),
      tpu: null,
      tpuForwards: null,
      tpuForwardsQuic: null,
      tpuQuic: null,
      tpuVote: null,
      tvu: null,
      version: API_VERSION,
    },
  ],
  getEpochSchedule: () => ({
    firstNormalEpoch: 0,
    firstNormalSlot: 0,
    leaderScheduleSlotOffset: SLOTS_PER_EPOCH,
    slotsPerEpoch: SLOTS_PER_EPOCH,
    warmup: false,
  }),
  getGenesisHash: ({ chain }) => chain.genesisHash,
  getHealth: () => 'ok',
  getHighestSnapshotSlot,
  getIdentity: ({ chain }) => ({ identity: chain.identity.address }),
  getRecentPerformanceSamples,
  getVersion: nodeVersion,
  getVoteAccounts,
};

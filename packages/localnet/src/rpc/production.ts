import { type Chain, SLOTS_PER_EPOCH } from '../chain.js';
import { commitmentOf } from '../commitment.js';
import { invalidParams } from '../errors.js';
import { ACTIVATED_STAKE_LAMPORTS } from './cluster.js';
import { bankSlot, bankSlotAt, type Method, type Methods, withContext } from './context.js';
import { addressOf, configParam, numberIn, objectOf, unsignedParam } from './params.js';

/** Slots that the sysvar SlotHistory remembers. */
const SLOT_HISTORY_MAX = 1024 * 1024;
/** Confirmations a block can have before it is a root. */
const LOCKOUT_MAX = 31;
/** Agave `programs/stake`: what may be delegated at least, since `stake_raise_minimum_delegation_to_1_sol` is not active. */
const MINIMUM_DELEGATION_LAMPORTS = 1n;

function rangeOf(config: Record<string, unknown>, newest: number): { firstSlot: number; lastSlot: number } {
  if (config.range === undefined || config.range === null)
    return { firstSlot: Math.floor(newest / SLOTS_PER_EPOCH) * SLOTS_PER_EPOCH, lastSlot: newest };
  const range = objectOf(config.range);
  const firstSlot = numberIn(range, 'firstSlot');
  if (firstSlot === undefined) throw invalidParams('Invalid params: missing field `firstSlot`.');
  const lastSlot = numberIn(range, 'lastSlot') ?? newest;
  if (lastSlot < firstSlot)
    throw invalidParams(`lastSlot, ${lastSlot}, cannot be less than firstSlot, ${firstSlot}`);
  return { firstSlot, lastSlot };
}

/** How many slots each validator led, and in how many of them it made a block: here all in all. */
const getBlockProduction: Method = ({ chain }, params) => {
  const config = configParam(params, 0);
  const { identity } = config;
  const requested = identity === undefined || identity === null ? undefined : addressOf(identity);
  const newest = bankSlotAt(chain, config);
  const range = rangeOf(config, newest);
  const oldest = Math.max(0, newest + 1 - SLOT_HISTORY_MAX);
  const { firstSlot, lastSlot } = range;
  if (firstSlot < oldest) throw invalidParams(`firstSlot, ${firstSlot}, is too small; min ${oldest}`);
  if (lastSlot > newest) throw invalidParams(`lastSlot, ${lastSlot}, is too large; max ${newest}`);
  const slots = lastSlot - firstSlot + 1;
  const own = chain.identity.address;
  const byIdentity = requested === undefined || requested === own ? { [own]: [slots, slots] } : {};
  return withContext(newest, { byIdentity, range });
};

/**
 * Returns the stake that has voted for a block, by how many confirmations deep; null for what is no root yet, or long
 * one.
 */
function commitmentArray(chain: Chain, slot: number): bigint[] | null {
  if (slot >= chain.slot || commitmentOf(slot, chain.slot) === 'finalized') return null;
  const depth = chain.slot - slot;
  return Array.from({ length: LOCKOUT_MAX + 1 }, (_, at) =>
    at === depth - 1 ? ACTIVATED_STAKE_LAMPORTS : 0n,
  );
}

/** Block production, as a node reports it; there is one validator, which leads every slot and votes for every block. */
export const productionMethods: Methods = {
  getBlockCommitment: ({ chain }, params) => ({
    commitment: commitmentArray(chain, unsignedParam(params, 0)),
    totalStake: ACTIVATED_STAKE_LAMPORTS,
  }),
  getBlockProduction,
  getMaxRetransmitSlot: ({ chain }) => chain.slot,
  getMaxShredInsertSlot: ({ chain }) => chain.slot,
  getStakeMinimumDelegation: ({ chain }, params) =>
    withContext(bankSlot(chain, configParam(params, 0)), MINIMUM_DELEGATION_LAMPORTS),
};

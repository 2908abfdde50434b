import { type Chain, SLOTS_PER_EPOCH } from '../chain.js';
import { invalidParams } from '../errors.js';
import { bankSlot, bankSlotAt, type Method, type Methods } from './context.js';
import { addressOf, configParam, unsignedOf, unsignedParam } from './params.js';

const SLOT_LEADERS_MAX = 5_000;

/** Returns the last epoch whose leaders are known: as on a node, the one after the current. */
function lastScheduledEpoch(chain: Chain): number {
  return Math.floor(chain.slot / SLOTS_PER_EPOCH) + 1;
}

const getSlotLeaders: Method = ({ chain }, params) => {
  const start = unsignedParam(params, 0);
  const limit = unsignedParam(params, 1);
  if (limit > SLOT_LEADERS_MAX) throw invalidParams(`Invalid limit; max ${SLOT_LEADERS_MAX}`);
  const unknown = lastScheduledEpoch(chain) + 1;
  if (start + limit > unknown * SLOTS_PER_EPOCH) {
    const epoch = Math.max(unknown, Math.floor(start / SLOTS_PER_EPOCH));
    throw invalidParams(`Invalid slot range: leader schedule for epoch ${epoch} is unavailable`);
  }
  return Array.from({ length: limit }, () => chain.identity.address);
};

/** Every slot has the same leader; the schedule lists its slots by their place in the epoch. */
const getLeaderSchedule: Method = ({ chain }, params) => {
  const [first] = params;
  const slotGiven = typeof first === 'number' ? unsignedOf(first) : undefined;
  const config = configParam(params, slotGiven === undefined && typeof first === 'object' && first ? 0 : 1);
  const identity =
    config.identity === undefined || config.identity === null ? undefined : addressOf(config.identity);
  const slot = slotGiven ?? bankSlotAt(chain, config);
  if (Math.floor(slot / SLOTS_PER_EPOCH) > lastScheduledEpoch(chain)) return null;
  if (identity !== undefined && identity !== chain.identity.address) return {};
  return { [chain.identity.address]: Array.from({ length: SLOTS_PER_EPOCH }, (_, index) => index) };
};

/** Who leads which slot. There is one validator, so it is always this node. */
export const leaderMethods: Methods = {
  getLeaderSchedule,
  getSlotLeader: ({ chain }, params) => {
    bankSlot(chain, configParam(params, 0));
    return chain.identity.address;
  },
  getSlotLeaders,
};

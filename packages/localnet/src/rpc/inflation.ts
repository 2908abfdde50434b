import { SLOTS_PER_EPOCH } from '../chain.js';
import { requireBlock } from './blocks.js';
import { bankSlot, bankSlotAt, type Method, type Methods, withContext } from './context.js';
import {
  addressOf,
  arrayParam,
  booleanIn,
  choiceIn,
  configParam,
  historyCommitmentIn,
  numberIn,
} from './params.js';

/** Rewards of an epoch are found in the first block of the next one; there are none here, but the block must be there. */
const getInflationReward: Method = ({ chain }, params) => {
  const addresses = arrayParam(params, 0).map(addressOf);
  const config = configParam(params, 1);
  const slot = bankSlot(chain, config);
  const epoch = numberIn(config, 'epoch') ?? Math.max(0, Math.floor(slot / SLOTS_PER_EPOCH) - 1);
  requireBlock(chain, (epoch + 1) * SLOTS_PER_EPOCH, chain.slotAt(historyCommitmentIn(config)));
  return addresses.map(() => null);
};

const getSupply: Method = ({ chain }, params) => {
  const config = configParam(params, 0);
  booleanIn(config, 'excludeNonCirculatingAccountsList');
  const total = chain.index.lamports;
  const value = { circulating: total, nonCirculating: 0, nonCirculatingAccounts: [], total };
  return withContext(bankSlotAt(chain, config), value);
};

const LARGEST_ACCOUNTS = 20;

/** No account is kept out of circulation here. */
const getLargestAccounts: Method = ({ chain }, params) => {
  const config = configParam(params, 0);
  const filter = choiceIn(config, 'filter', ['circulating', 'nonCirculating'] as const);
  booleanIn(config, 'sortResults');
  const value = filter === 'nonCirculating' ? [] : chain.index.largest(LARGEST_ACCOUNTS);
  return withContext(bankSlotAt(chain, config), value);
};

/** Money in all: lamports there are, and inflation, which is switched off here. */
export const inflationMethods: Methods = {
  getInflationGovernor: ({ chain }, params) => {
    bankSlotAt(chain, configParam(params, 0));
    return { foundation: 0, foundationTerm: 0, initial: 0, taper: 0, terminal: 0 };
  },
  getInflationRate: ({ chain }) => ({
    epoch: Math.floor(chain.slotAt('finalized') / SLOTS_PER_EPOCH),
    foundation: 0,
    total: 0,
    validator: 0,
  }),
  getInflationReward,
  getLargestAccounts,
  getSupply,
};

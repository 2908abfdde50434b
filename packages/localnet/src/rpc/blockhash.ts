import { addressToBytes } from '../address-bytes.js';
import { BLOCKHASH_AGE_MAX } from '../blockhashes.js';
import { invalidParams } from '../errors.js';
import { feeOf } from '../fees.js';
import { bankSlot, type Methods, withContext } from './context.js';
import { decodeMessageParam } from './decode.js';
import { addressOf, base58Fault, configParam, stringParam } from './params.js';

const FEE_ADDRESSES_MAX = 128;
const FEE_SLOTS = 150;

export const blockhashMethods: Methods = {
  getLatestBlockhash: ({ chain }, params) => {
    const slot = bankSlot(chain, configParam(params, 0));
    const value = { blockhash: chain.blockhashes.at(slot), lastValidBlockHeight: slot + BLOCKHASH_AGE_MAX };
    return withContext(slot, value);
  },

  isBlockhashValid: ({ chain }, params) => {
    const blockhash = stringParam(params, 0);
    // Unlike everywhere else, without `Invalid param` before it.
    if (!addressToBytes(blockhash)) throw invalidParams(base58Fault(blockhash));
    const slot = bankSlot(chain, configParam(params, 1));
    return withContext(slot, chain.blockhashes.isValidAt(blockhash, slot));
  },

  getFeeForMessage: ({ chain }, params) => {
    const message = decodeMessageParam(stringParam(params, 0), chain.slot, (address) =>
      chain.vm.getAccount(address),
    );
    const slot = bankSlot(chain, configParam(params, 1));
    return withContext(slot, chain.hasLifetime(message, slot) ? feeOf(message) : null);
  },

  getRecentPrioritizationFees: ({ chain }, params) => {
    const addresses = Array.isArray(params[0]) ? params[0] : [];
    if (addresses.length > FEE_ADDRESSES_MAX)
      throw invalidParams(`Too many inputs provided; max ${FEE_ADDRESSES_MAX}`);
    const locked = addresses.map(addressOf);
    const first = Math.max(chain.slotTimes.first, chain.slot - FEE_SLOTS + 1);
    return Array.from({ length: chain.slot - first + 1 }, (_, place) => {
      const entries = chain.history
        .inSlot(first + place)
        .filter(({ keys }) => locked.every((key) => keys.includes(key)));
      const fees = entries.map(({ unitPrice }) => unitPrice);
      // A slot's fee is the lowest that got in, as on a node.
      const prioritizationFee = fees.length === 0 ? 0 : Math.min(...fees);
      return { slot: first + place, prioritizationFee };
    });
  },
};

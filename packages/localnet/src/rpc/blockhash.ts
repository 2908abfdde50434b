import { addressToBytes } from '../base58.js';
import { BLOCKHASH_AGE_MAX } from '../blockhashes.js';
import { invalidParams } from '../errors.js';
import { feeOf } from '../fees.js';
import { decodeMessage, messageIsSane, type WireMessage } from '../wire.js';
import { bankSlot, type Methods, withContext } from './context.js';
import { addressOf, configParam, stringParam } from './params.js';

const FEE_ADDRESSES_MAX = 128;
const FEE_SLOTS = 150;

function messageParam(params: readonly unknown[]): WireMessage {
  let message: WireMessage;
  try {
    message = decodeMessage(Buffer.from(stringParam(params, 0), 'base64'));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw invalidParams(`failed to deserialize solana_message::versions::VersionedMessage: ${reason}`);
  }
  if (!messageIsSane(message))
    throw invalidParams('invalid transaction: Transaction failed to sanitize accounts offsets correctly');
  return message;
}

export const blockhashMethods: Methods = {
  getLatestBlockhash: ({ chain }, params) => {
    const slot = bankSlot(chain, configParam(params, 0));
    const value = { blockhash: chain.blockhashes.at(slot), lastValidBlockHeight: slot + BLOCKHASH_AGE_MAX };
    return withContext(slot, value);
  },

  isBlockhashValid: ({ chain }, params) => {
    const blockhash = stringParam(params, 0);
    if (!addressToBytes(blockhash)) throw invalidParams('Invalid param: WrongSize');
    const slot = bankSlot(chain, configParam(params, 1));
    return withContext(slot, chain.blockhashes.isValidAt(blockhash, slot));
  },

  getFeeForMessage: ({ chain }, params) => {
    const message = messageParam(params);
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

import { type Chain, SLOTS_PER_EPOCH } from '../chain.js';
import { RPC_CODES, RpcError } from '../errors.js';
import type { HistoryEntry } from '../history.js';
import { parsedKeys } from '../parse/transaction.js';
import { decodeTransaction } from '../wire.js';
import { bankSlot, type Method, type Methods } from './context.js';
import { booleanIn, choiceIn, configParam, historyCommitmentIn, unsignedParam } from './params.js';
import {
  encodeBalances,
  encodeHistoryEntry,
  type HistoryFormat,
  historyFormatIn,
  versionOf,
} from './transaction-encoding.js';

const DETAILS = ['full', 'accounts', 'signatures', 'none'] as const;
type Details = (typeof DETAILS)[number];

/** The oldest slot whose block is whole: inside the windows of slots and of transactions. */
export function firstAvailableBlock(chain: Chain): number {
  const { oldest, size, count } = chain.history;
  // Once transactions have left the window, the block of the oldest one left may have lost some of its own.
  const firstWhole = oldest && count > size ? oldest.slot + 1 : 0;
  return Math.max(chain.slotTimes.first, firstWhole);
}

/** -32004 for a slot that the bank has not reached, -32001 for one that left the window. */
function requireBlock(chain: Chain, slot: number, newest: number): void {
  if (slot > newest) throw new RpcError(RPC_CODES.blockNotAvailable, `Block not available for slot ${slot}`);
  const first = firstAvailableBlock(chain);
  if (slot < first) {
    throw new RpcError(
      RPC_CODES.blockCleanedUp,
      `Block ${slot} cleaned up, does not exist on node. First available block: ${first}`,
    );
  }
}

function encodeAccountsEntry(entry: HistoryEntry, format: HistoryFormat): Record<string, unknown> {
  const transaction = decodeTransaction(entry.wire);
  const { signatures } = encodeHistoryEntry(entry, { ...format, encoding: 'json' }).transaction as {
    signatures: string[];
  };
  return {
    meta: encodeBalances(entry),
    transaction: { accountKeys: parsedKeys(transaction.message, entry.loaded), signatures },
    version: versionOf(transaction, format.maxVersion),
  };
}

function encodeEntries(
  entries: readonly HistoryEntry[],
  details: Details,
  format: HistoryFormat,
): Record<string, unknown> {
  if (details === 'none') return {};
  if (details === 'signatures') return { signatures: entries.map(({ signature }) => signature) };
  const encode = details === 'full' ? encodeHistoryEntry : encodeAccountsEntry;
  return { transactions: entries.map((entry) => encode(entry, format)) };
}

const getBlock: Method = ({ chain }, params) => {
  const slot = unsignedParam(params, 0);
  const config = typeof params[1] === 'string' ? { encoding: params[1] } : configParam(params, 1);
  const format = historyFormatIn(config);
  const details = choiceIn(config, 'transactionDetails', DETAILS) ?? 'full';
  const wantsRewards =
    config.rewards === undefined || config.rewards === null || booleanIn(config, 'rewards');
  requireBlock(chain, slot, chain.slotAt(historyCommitmentIn(config)));
  return {
    blockHeight: slot,
    blockTime: chain.slotTimes.at(slot) ?? null,
    blockhash: chain.blockhashes.at(slot),
    parentSlot: Math.max(0, slot - 1),
    previousBlockhash: chain.blockhashes.at(Math.max(0, slot - 1)),
    ...(wantsRewards ? { rewards: [] } : {}),
    ...encodeEntries(chain.history.inSlot(slot), details, format),
  };
};

export const blockMethods: Methods = {
  getBlock,
  getSlot: ({ chain }, params) => bankSlot(chain, configParam(params, 0)),
  getBlockHeight: ({ chain }, params) => bankSlot(chain, configParam(params, 0)),
  getFirstAvailableBlock: ({ chain }) => firstAvailableBlock(chain),

  getBlockTime: ({ chain }, params) => {
    const slot = unsignedParam(params, 0);
    requireBlock(chain, slot, chain.slot);
    return chain.slotTimes.at(slot) ?? null;
  },

  getEpochInfo: ({ chain }, params) => {
    const slot = bankSlot(chain, configParam(params, 0));
    return {
      absoluteSlot: slot,
      blockHeight: slot,
      epoch: Math.floor(slot / SLOTS_PER_EPOCH),
      slotIndex: slot % SLOTS_PER_EPOCH,
      slotsInEpoch: SLOTS_PER_EPOCH,
      transactionCount: chain.history.count,
    };
  },
};

import { encodeBase58 } from '@karat/wire';
import { type Chain, SLOTS_PER_EPOCH } from '../chain.js';
import { invalidParams, RPC_CODES, RpcError } from '../errors.js';
import type { HistoryEntry, TransactionBody } from '../history.js';
import { parsedKeys } from '../parse/transaction.js';
import { decodeTransaction } from '../wire.js';
import { bankSlot, type Method, type Methods } from './context.js';
import {
  booleanIn,
  choiceIn,
  commitmentIn,
  configParam,
  eitherShape,
  historyCommitmentIn,
  unsignedParam,
} from './params.js';
import {
  encodeBalances,
  encodeHistoryEntry,
  HISTORY_CONFIG,
  type HistoryFormat,
  historyConfigParam,
  historyFormatIn,
  versionOf,
} from './transaction-encoding.js';

const DETAILS = ['full', 'signatures', 'none', 'accounts'] as const;
/** Slots that a list of blocks may span. */
const BLOCKS_MAX = 500_000;
type Details = (typeof DETAILS)[number];

/** Returns the oldest slot whose block is whole: inside the windows of slots and of transactions. */
export function firstAvailableBlock(chain: Chain): number {
  const { oldest, size, count } = chain.history;
  // Once transactions have left the window, the block of the oldest one left may have lost some of its own.
  const firstWhole = oldest && count > size ? oldest.slot + 1 : 0;
  return Math.max(chain.slotTimes.first, firstWhole);
}

/** -32004 for a slot that the bank has not reached, -32001 for one that left the window. */
export function requireBlock(chain: Chain, slot: number, newest: number): void {
  if (slot > newest) throw new RpcError(RPC_CODES.blockNotAvailable, `Block not available for slot ${slot}`);
  const first = firstAvailableBlock(chain);
  if (slot < first) {
    throw new RpcError(
      RPC_CODES.blockCleanedUp,
      `Block ${slot} cleaned up, does not exist on node. First available block: ${first}`,
    );
  }
}

function encodeAccountsEntry(
  entry: HistoryEntry,
  body: TransactionBody,
  format: HistoryFormat,
): Record<string, unknown> {
  const transaction = decodeTransaction(body.wire);
  return {
    meta: encodeBalances(entry, body),
    transaction: {
      accountKeys: parsedKeys(transaction.message, entry.loaded),
      signatures: transaction.signatures.map(encodeBase58),
    },
    version: versionOf(body, format.maxVersion),
  };
}

function encodeEntries(
  chain: Chain,
  entries: readonly HistoryEntry[],
  details: Details,
  format: HistoryFormat,
): Record<string, unknown> {
  if (details === 'none') return {};
  if (details === 'signatures') return { signatures: entries.map(({ signature }) => signature) };
  const encode = details === 'full' ? encodeHistoryEntry : encodeAccountsEntry;
  return { transactions: entries.map((entry) => encode(entry, chain.bodyOf(entry), format)) };
}

const getBlock: Method = ({ chain }, params) => {
  const slot = unsignedParam(params, 0);
  const { config, format, details, wantsRewards } = eitherShape(HISTORY_CONFIG, () => {
    const config = historyConfigParam(params, 1);
    commitmentIn(config);
    return {
      config,
      format: historyFormatIn(config),
      details: choiceIn(config, 'transactionDetails', DETAILS) ?? 'full',
      wantsRewards: config.rewards === undefined || config.rewards === null || booleanIn(config, 'rewards'),
    };
  });
  requireBlock(chain, slot, chain.slotAt(historyCommitmentIn(config)));
  return {
    blockHeight: slot,
    blockTime: chain.slotTimes.at(slot) ?? null,
    blockhash: chain.blockhashes.at(slot),
    parentSlot: Math.max(0, slot - 1),
    previousBlockhash: chain.blockhashes.at(Math.max(0, slot - 1)),
    ...(wantsRewards ? { rewards: [] } : {}),
    ...encodeEntries(chain, chain.history.inSlot(slot), details, format),
  };
};

/** Transactions that the bank of `slot` has seen since the first block. */
function transactionCountAt(chain: Chain, slot: number): number {
  let count = chain.history.count;
  for (let later = slot + 1; later <= chain.slot; later += 1) count -= chain.history.inSlot(later).length;
  return count;
}

/** The slots from `start` to `end` that have a block in the window: all of them, since none is skipped. */
function slotsBetween(chain: Chain, start: number, end: number): number[] {
  const first = Math.max(start, firstAvailableBlock(chain));
  return Array.from({ length: Math.max(0, end - first + 1) }, (_, place) => first + place);
}

/**
 * Returns the newest slot for a list of blocks; -32602 below `confirmed`, -32016 when it is behind `minContextSlot`.
 */
function newestListed(chain: Chain, config: Record<string, unknown>): number {
  historyCommitmentIn(config);
  return bankSlot(chain, config);
}

/** Parameters: start, end or configuration, configuration. */
const getBlocks: Method = ({ chain }, params) => {
  const start = unsignedParam(params, 0);
  const [, second] = params;
  const hasEnd = typeof second === 'number';
  const config = configParam(params, hasEnd || second === undefined || second === null ? 2 : 1);
  const newest = newestListed(chain, config);
  const end = Math.min(hasEnd ? unsignedParam(params, 1) : start + BLOCKS_MAX, newest);
  if (end - start > BLOCKS_MAX) throw invalidParams(`Slot range too large; max ${BLOCKS_MAX}`);
  return slotsBetween(chain, start, end);
};

const getBlocksWithLimit: Method = ({ chain }, params) => {
  const start = unsignedParam(params, 0);
  const limit = unsignedParam(params, 1);
  const config = configParam(params, 2);
  historyCommitmentIn(config);
  if (limit > BLOCKS_MAX) throw invalidParams(`Limit too large; max ${BLOCKS_MAX}`);
  return slotsBetween(chain, start, newestListed(chain, config)).slice(0, limit);
};

export const blockMethods: Methods = {
  getBlock,
  getBlocks,
  getBlocksWithLimit,
  minimumLedgerSlot: ({ chain }) => firstAvailableBlock(chain),
  getTransactionCount: ({ chain }, params) =>
    transactionCountAt(chain, bankSlot(chain, configParam(params, 0))),
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
      transactionCount: transactionCountAt(chain, slot),
    };
  },
};

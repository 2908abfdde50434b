import type { Chain } from '../chain.js';
import { commitmentOf } from '../commitment.js';
import { invalidParams, minContextSlotNotReached } from '../errors.js';
import type { HistoryEntry } from '../history.js';
import { type Method, type Methods, withContext } from './context.js';
import {
  addressParam,
  arrayParam,
  booleanIn,
  commitmentIn,
  configParam,
  eitherShape,
  historyCommitmentIn,
  numberIn,
  signatureOf,
} from './params.js';
import {
  encodeHistoryEntry,
  HISTORY_CONFIG,
  historyConfigParam,
  historyFormatIn,
  statusOf,
} from './transaction-encoding.js';

const SIGNATURES_PAGE_MAX = 1_000;
const STATUSES_MAX = 256;
/** Slots whose statuses are known without searching the history. */
const STATUS_CACHE_SLOTS = 150;

/** Checks that a text is a signature; gives it back. One that is in the history is one. */
function signatureIn(chain: Chain, text: unknown): string {
  return typeof text === 'string' && chain.history.find(text) ? text : signatureOf(text);
}

const getTransaction: Method = ({ chain }, params) => {
  const signature = signatureIn(chain, params[0]);
  const { config, format } = eitherShape(HISTORY_CONFIG, () => {
    const config = historyConfigParam(params, 1);
    commitmentIn(config);
    return { config, format: historyFormatIn(config) };
  });
  const commitment = historyCommitmentIn(config);
  const entry = chain.history.find(signature);
  if (!entry || entry.slot > chain.slotAt(commitment)) return null;
  return {
    blockTime: entry.blockTime,
    ...encodeHistoryEntry(entry, chain.bodyOf(entry), format),
    slot: entry.slot,
    transactionIndex: entry.index,
  };
};

const getSignaturesForAddress: Method = ({ chain }, params) => {
  const address = addressParam(params, 0);
  const config = configParam(params, 1);
  const before =
    config.before === undefined || config.before === null ? undefined : signatureOf(config.before);
  const until = config.until === undefined || config.until === null ? undefined : signatureOf(config.until);
  const limit = numberIn(config, 'limit') ?? SIGNATURES_PAGE_MAX;
  if (limit === 0 || limit > SIGNATURES_PAGE_MAX)
    throw invalidParams(`Invalid limit; max ${SIGNATURES_PAGE_MAX}`);
  const maxSlot = chain.slotAt(historyCommitmentIn(config));
  const minimum = numberIn(config, 'minContextSlot');
  if (minimum !== undefined && maxSlot < minimum) throw minContextSlotNotReached(maxSlot);
  return chain.history.of(address, { before, until, limit, maxSlot }).map((entry) => ({
    blockTime: entry.blockTime,
    confirmationStatus: commitmentOf(entry.slot, chain.slot),
    err: entry.err,
    memo: entry.memo,
    signature: entry.signature,
    slot: entry.slot,
    transactionIndex: entry.index,
  }));
};

function statusJson(chain: Chain, entry: HistoryEntry): Record<string, unknown> {
  const confirmationStatus = commitmentOf(entry.slot, chain.slot);
  return {
    confirmationStatus,
    confirmations: confirmationStatus === 'finalized' ? null : chain.slot - entry.slot,
    err: entry.err,
    slot: entry.slot,
    status: statusOf(entry.err),
  };
}

const getSignatureStatuses: Method = ({ chain }, params) => {
  const signatures = arrayParam(params, 0);
  if (signatures.length > STATUSES_MAX) throw invalidParams(`Too many inputs provided; max ${STATUSES_MAX}`);
  const searches = booleanIn(configParam(params, 1), 'searchTransactionHistory');
  const value = signatures.map(signatureOf).map((signature) => {
    const entry = chain.history.find(signature);
    if (!entry || (!searches && entry.slot < chain.slot - STATUS_CACHE_SLOTS)) return null;
    return statusJson(chain, entry);
  });
  return withContext(chain.slot, value);
};

export const transactionMethods: Methods = { getTransaction, getSignaturesForAddress, getSignatureStatuses };

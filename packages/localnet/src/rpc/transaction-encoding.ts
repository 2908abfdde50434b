import { encodeBase58, versionOfTransaction } from '@karat/wire';
import { RPC_CODES, RpcError } from '../errors.js';
import { type HistoryEntry, metaOf, type TransactionBody } from '../history.js';
import { messageJson, messageParsed, parsedInnerInstructions } from '../parse/transaction.js';
import type { TransactionError } from '../transaction-error.js';
import { decodeTransaction } from '../wire.js';
import { choiceIn, configParam, numberIn } from './params.js';

const ENCODINGS = ['binary', 'base64', 'base58', 'json', 'jsonParsed'] as const;
export type HistoryEncoding = (typeof ENCODINGS)[number];

export interface HistoryFormat {
  encoding: HistoryEncoding;
  /** Undefined: the caller knows legacy transactions only. */
  maxVersion: number | undefined;
}

/**
 * Returns the configuration of getTransaction and getBlock: an object, or the bare encoding that older clients pass.
 */
export function historyConfigParam(params: readonly unknown[], index: number): Record<string, unknown> {
  const value = params[index];
  return typeof value === 'string' ? { encoding: value } : configParam(params, index);
}

/** Name of the shape that both take, in the text for one that is wrong. */
export const HISTORY_CONFIG = 'RpcEncodingConfigWrapper';

/** Reads `encoding` and `maxSupportedTransactionVersion` of a configuration. */
export function historyFormatIn(config: Record<string, unknown>): HistoryFormat {
  return {
    encoding: choiceIn(config, 'encoding', ENCODINGS) ?? 'json',
    maxVersion: numberIn(config, 'maxSupportedTransactionVersion'),
  };
}

/** Returns `{Ok: null}` or `{Err: …}`, the older form in which responses repeat `err`. */
export function statusOf(err: TransactionError | null): { Ok: null } | { Err: TransactionError } {
  return err === null ? { Ok: null } : { Err: err };
}

/** Returns a number as JSON has it: only one that a double does not hold exactly makes the quick way of writing JSON impossible. */
function exactly(digits: string): number | bigint {
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value : BigInt(digits);
}

const lamports = (texts: readonly string[]): (number | bigint)[] => texts.map(exactly);

/** Returns the meta of a transaction; inner instructions parsed when the encoding is `jsonParsed`. */
function encodeMeta(
  entry: HistoryEntry,
  body: TransactionBody,
  encoding: HistoryEncoding,
): Record<string, unknown> {
  const meta = metaOf(body);
  const parsed = encoding === 'jsonParsed';
  const inner = meta.innerInstructions;
  return {
    computeUnitsConsumed: meta.unitsConsumed,
    costUnits: meta.costUnits,
    err: entry.err,
    fee: exactly(meta.fee),
    innerInstructions: parsed && inner ? parsedInnerInstructions(inner, entry.keys) : inner,
    loadedAddresses: parsed ? undefined : entry.loaded,
    logMessages: meta.logs,
    postBalances: lamports(meta.postBalances),
    postTokenBalances: meta.postTokenBalances,
    preBalances: lamports(meta.preBalances),
    preTokenBalances: meta.preTokenBalances,
    returnData: meta.returnData,
    rewards: [],
    status: statusOf(entry.err),
  };
}

/** Returns the part of a meta that block details `accounts` give. */
export function encodeBalances(entry: HistoryEntry, body: TransactionBody): Record<string, unknown> {
  const meta = metaOf(body);
  return {
    err: entry.err,
    fee: exactly(meta.fee),
    postBalances: lamports(meta.postBalances),
    postTokenBalances: meta.postTokenBalances,
    preBalances: lamports(meta.preBalances),
    preTokenBalances: meta.preTokenBalances,
    status: statusOf(entry.err),
  };
}

function encodeWire({ wire }: TransactionBody, { loaded }: HistoryEntry, encoding: HistoryEncoding): unknown {
  if (encoding === 'base64') return [wire.toString('base64'), 'base64'];
  if (encoding === 'base58') return [encodeBase58(wire), 'base58'];
  if (encoding === 'binary') return encodeBase58(wire);
  const { message, signatures } = decodeTransaction(wire);
  return {
    message: encoding === 'jsonParsed' ? messageParsed(message, loaded) : messageJson(message),
    signatures: signatures.map(encodeBase58),
  };
}

/** Returns `version` for those who know versions. Throws -32015 for a version that the caller does not know. */
export function versionOf(
  { wire }: TransactionBody,
  maxVersion: number | undefined,
): 'legacy' | 0 | undefined {
  const version = versionOfTransaction(wire);
  if (maxVersion === undefined && version !== 'legacy') {
    throw new RpcError(
      RPC_CODES.unsupportedVersion,
      `Transaction version (${version}) is not supported by the requesting client. Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": ${version}`,
    );
  }
  return maxVersion === undefined ? undefined : version;
}

/** `{transaction, meta, version}`, shared by getTransaction and getBlock. */
export function encodeHistoryEntry(
  entry: HistoryEntry,
  body: TransactionBody,
  { encoding, maxVersion }: HistoryFormat,
): Record<string, unknown> {
  return {
    meta: encodeMeta(entry, body, encoding),
    transaction: encodeWire(body, entry, encoding),
    version: versionOf(body, maxVersion),
  };
}

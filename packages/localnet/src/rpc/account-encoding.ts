import { encodeBase58 } from '@karat/wire';
import { type AccountState, RENT_EPOCH_NEVER } from '../account.js';
import { requireAddressBytes } from '../address-bytes.js';
import { view } from '../bytes.js';
import { invalidParams, RPC_CODES, RpcError } from '../errors.js';
import { parseAccount } from '../parse/account.js';
import { zstdFrame } from '../zstd.js';
import { choiceIn, numberIn, objectOf } from './params.js';

const ENCODINGS = ['binary', 'base58', 'base64', 'jsonParsed', 'base64+zstd'] as const;
export type AccountEncoding = (typeof ENCODINGS)[number];

const BASE58_BYTES_MAX = 128;

export interface AccountFormat {
  /** `binary` is the bare base58 text of old, the default of single accounts. */
  encoding: AccountEncoding;
  slice: { offset: number; length: number } | undefined;
}

/** Reads `encoding` and `dataSlice` of a configuration. */
export function accountFormatIn(config: Record<string, unknown>): AccountFormat {
  const encoding = choiceIn(config, 'encoding', ENCODINGS) ?? 'binary';
  if (config.dataSlice === undefined || config.dataSlice === null) return { encoding, slice: undefined };
  const { offset, length } = sliceNumbers(objectOf(config.dataSlice));
  if (offset === undefined || length === undefined)
    throw invalidParams(`Invalid params: missing field \`${offset === undefined ? 'offset' : 'length'}\`.`);
  return { encoding, slice: { offset, length } };
}

function sliceNumbers(slice: Record<string, unknown>): {
  offset: number | undefined;
  length: number | undefined;
} {
  return { offset: numberIn(slice, 'offset'), length: numberIn(slice, 'length') };
}

function base58Data(bytes: Uint8Array, tooLong: 'refuse' | 'text'): string {
  if (bytes.length > BASE58_BYTES_MAX) {
    if (tooLong === 'text') return 'error: data too large for bs58 encoding';
    throw new RpcError(
      RPC_CODES.invalidRequest,
      `Encoded binary (base 58) data should be less than ${BASE58_BYTES_MAX} bytes, please use Base64 encoding.`,
    );
  }
  return encodeBase58(bytes);
}

function encodeData(
  address: string | undefined,
  state: AccountState,
  format: AccountFormat,
  getAccount: (address: string) => AccountState | undefined,
  tooLong: 'refuse' | 'text',
): unknown {
  const { encoding, slice } = format;
  if (encoding === 'jsonParsed') {
    const parsed = parseAccount(address, state, getAccount);
    if (parsed) return parsed;
  }
  const bytes = slice ? state.data.subarray(slice.offset, slice.offset + slice.length) : state.data;
  if (encoding === 'binary') return base58Data(bytes, tooLong);
  if (encoding === 'base58') return [base58Data(bytes, tooLong), 'base58'];
  if (encoding === 'base64+zstd') return [view(zstdFrame(bytes)).toString('base64'), 'base64+zstd'];
  return [view(bytes).toString('base64'), 'base64'];
}

/**
 * Returns an account as JSON-RPC gives it. `getAccount` finds the mint of a token account for `jsonParsed`. Data too
 * long for base58 is -32600, or in a notification, which cannot refuse a request, a text in its place.
 */
export function encodeAccount(
  address: string,
  state: AccountState,
  format: AccountFormat,
  getAccount: (address: string) => AccountState | undefined,
  tooLong: 'refuse' | 'text' = 'refuse',
): Record<string, unknown> {
  return {
    data: encodeData(address, state, format, getAccount, tooLong),
    executable: state.executable,
    lamports: state.lamports,
    owner: state.owner,
    rentEpoch: RENT_EPOCH_NEVER,
    space: state.data.length,
  };
}

/** Accounts in the order of their addresses' bytes, in which a node lists them. */
export function sortedByAddress<T extends { pubkey: string }>(accounts: readonly T[]): T[] {
  return accounts
    .map((account) => ({ account, bytes: requireAddressBytes(account.pubkey) }))
    .sort((one, other) => Buffer.compare(one.bytes, other.bytes))
    .map(({ account }) => account);
}

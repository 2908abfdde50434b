import { decodeLongBase58 } from '@karat/wire';
import type { AccountState } from '../account.js';
import { view } from '../bytes.js';
import { invalidParams } from '../errors.js';
import { decodeTokenAccount } from '../token.js';
import { base58DecodeFault, base64Fault } from './decode.js';
import { choiceIn, numberIn, objectOf, unknownVariant } from './params.js';

/** Returns whether an account passes; it also returns what it looks for, so that an index can be queried first. */
export interface AccountFilter {
  passes(state: AccountState): boolean;
  /** Bytes that must be at an offset. */
  memcmp?: { offset: number; bytes: Uint8Array };
  /** Only token accounts can pass. */
  tokenAccountsOnly?: boolean;
}

const KINDS = ['dataSize', 'memcmp', 'tokenAccountState'];
const FILTERS_MAX = 4;
const MEMCMP_BYTES_MAX = 128;

const TEXT_MAX = { base58: 175, base64: 172 };

/** Agave `rpc-client-types/src/filter.rs`: the length of the text is looked at before it is decoded. */
function memcmpBytes(memcmp: Record<string, unknown>): Uint8Array {
  const { bytes } = memcmp;
  if (Array.isArray(bytes)) return Uint8Array.from(bytes as number[]);
  if (typeof bytes !== 'string') throw invalidParams('Invalid params: missing field `bytes`.');
  const encoding = choiceIn(memcmp, 'encoding', ['base58', 'base64', 'bytes'] as const) ?? 'base58';
  if (encoding === 'base64') {
    if (bytes.length > TEXT_MAX.base64) throw invalidParams('Invalid param: DataTooLarge');
    const fault = base64Fault(bytes);
    if (fault !== undefined) throw invalidParams(`Invalid param: Base64DecodeError(${fault})`);
    return Buffer.from(bytes, 'base64');
  }
  if (bytes.length > TEXT_MAX.base58) throw invalidParams('Invalid param: DataTooLarge');
  const decoded = decodeLongBase58(bytes);
  if (!decoded) throw invalidParams(`Invalid param: Base58DecodeError(${base58DecodeFault(bytes)})`);
  return decoded;
}

function memcmpFilter(memcmp: Record<string, unknown>): AccountFilter {
  const offset = numberIn(memcmp, 'offset');
  if (offset === undefined) throw invalidParams('Invalid params: missing field `offset`.');
  const bytes = memcmpBytes(memcmp);
  if (bytes.length > MEMCMP_BYTES_MAX) throw invalidParams('Invalid param: DataTooLarge');
  return {
    passes: ({ data }) => view(data.subarray(offset, offset + bytes.length)).equals(bytes),
    memcmp: { offset, bytes },
  };
}

const tokenAccountFilter: AccountFilter = {
  passes: (state) => decodeTokenAccount(state) !== undefined,
  tokenAccountsOnly: true,
};

function accountFilter(value: unknown): AccountFilter {
  if (value === 'tokenAccountState') return tokenAccountFilter;
  if (typeof value === 'string') throw unknownVariant(value, KINDS);
  const filter = objectOf(value);
  const [kind, ...others] = Object.keys(filter);
  if (kind === undefined || others.length > 0)
    throw invalidParams('Invalid params: invalid value: map, expected map with a single key.');
  if (filter.memcmp !== undefined) return memcmpFilter(objectOf(filter.memcmp));
  const size = numberIn(filter, 'dataSize');
  if (size !== undefined) return { passes: ({ data }) => data.length === size };
  if ('tokenAccountState' in filter) return tokenAccountFilter;
  throw unknownVariant(kind, KINDS);
}

/** Reads `filters` of a configuration, at most 4. */
export function accountFiltersIn(config: Record<string, unknown>): AccountFilter[] {
  const filters = config.filters ?? [];
  if (!Array.isArray(filters)) throw invalidParams('Invalid params: invalid type, expected a sequence.');
  if (filters.length > FILTERS_MAX) throw invalidParams(`Too many filters provided; max ${FILTERS_MAX}`);
  return filters.map(accountFilter);
}

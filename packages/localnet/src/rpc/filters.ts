import type { AccountState } from '../account.js';
import { decodeBase58 } from '../base58.js';
import { view } from '../bytes.js';
import { invalidParams } from '../errors.js';
import { decodeTokenAccount } from '../token.js';
import { choiceIn, numberIn, objectOf } from './params.js';

/** Says whether an account passes. */
export type AccountFilter = (state: AccountState) => boolean;

const FILTERS_MAX = 4;
const MEMCMP_BYTES_MAX = 128;

function memcmpBytes(memcmp: Record<string, unknown>): Uint8Array {
  const { bytes } = memcmp;
  if (Array.isArray(bytes)) return Uint8Array.from(bytes as number[]);
  if (typeof bytes !== 'string') throw invalidParams('Invalid params: missing field `bytes`.');
  const encoding = choiceIn(memcmp, 'encoding', ['base58', 'base64'] as const) ?? 'base58';
  const decoded = encoding === 'base64' ? Buffer.from(bytes, 'base64') : decodeBase58(bytes);
  if (!decoded) throw invalidParams('Invalid param: invalid base58 data in memcmp filter');
  return decoded;
}

function memcmpFilter(memcmp: Record<string, unknown>): AccountFilter {
  const offset = numberIn(memcmp, 'offset') ?? 0;
  const bytes = memcmpBytes(memcmp);
  if (bytes.length > MEMCMP_BYTES_MAX) throw invalidParams('Invalid param: encoded filter data is too large');
  return ({ data }) => view(data.subarray(offset, offset + bytes.length)).equals(bytes);
}

function accountFilter(value: unknown): AccountFilter {
  if (value === 'tokenAccountState') return (state) => decodeTokenAccount(state) !== undefined;
  const filter = objectOf(value);
  if (filter.memcmp !== undefined) return memcmpFilter(objectOf(filter.memcmp));
  const size = numberIn(filter, 'dataSize');
  if (size !== undefined) return ({ data }) => data.length === size;
  if ('tokenAccountState' in filter) return (state) => decodeTokenAccount(state) !== undefined;
  throw invalidParams(
    'Invalid params: unknown filter, expected one of `dataSize`, `memcmp`, `tokenAccountState`.',
  );
}

/** Reads `filters` of a configuration, at most 4. */
export function accountFiltersIn(config: Record<string, unknown>): AccountFilter[] {
  const filters = config.filters ?? [];
  if (!Array.isArray(filters)) throw invalidParams('Invalid params: invalid type, expected a sequence.');
  if (filters.length > FILTERS_MAX) throw invalidParams(`Too many filters provided; max ${FILTERS_MAX}`);
  return filters.map(accountFilter);
}

import type { AccountState } from '../account.js';
import { decodeBase58 } from '../base58.js';
import { view } from '../bytes.js';
import { invalidParams } from '../errors.js';
import { decodeTokenAccount } from '../token.js';
import { choiceIn, numberIn, objectOf } from './params.js';

/** Says whether an account passes; what it looks for is told too, so that an index can be asked first. */
export interface AccountFilter {
  passes(state: AccountState): boolean;
  /** Bytes that must be at an offset. */
  memcmp?: { offset: number; bytes: Uint8Array };
  /** Only token accounts can pass. */
  tokenAccountsOnly?: boolean;
}

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
  const filter = objectOf(value);
  if (filter.memcmp !== undefined) return memcmpFilter(objectOf(filter.memcmp));
  const size = numberIn(filter, 'dataSize');
  if (size !== undefined) return { passes: ({ data }) => data.length === size };
  if ('tokenAccountState' in filter) return tokenAccountFilter;
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

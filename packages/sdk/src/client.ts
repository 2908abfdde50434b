import createClient, { type Client } from 'openapi-fetch';
import { errorOf, KaratError } from './errors.js';
import type { paths } from './generated/partner.js';
import { List } from './list.js';
import { retryingFetch, type TransportOptions } from './transport.js';

export type Api = Client<paths>;

/** What a call may be given besides its input. */
export interface CallOptions {
  /** Gives the call up; it throws the signal's reason. */
  signal?: AbortSignal | undefined;
  /** The same key takes effect once within 24 hours; default: a new one for each call, the same for all of its tries. */
  idempotencyKey?: string | undefined;
}

/** Returns the client of all routes, typed as the OpenAPI document has them. */
export function createApi(options: TransportOptions & { apiKey?: string }): Api {
  const baseUrl = baseUrlOf(options);
  const headers = options.apiKey === undefined ? {} : { 'x-api-key': options.apiKey };
  return createClient<paths>({
    baseUrl,
    headers,
    pathSerializer,
    fetch: retryingFetch({ ...options, baseUrl }),
  });
}

/**
 * Returns a path with its ids. One that would make it another path, of a list even, is sent as `-`, which is the id of nothing.
 */
function pathSerializer(path: string, ids: Record<string, unknown>): string {
  return path.replace(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(String(ids[name] ?? '')).replace(/^\.{0,2}$/, '-'),
  );
}

function urlOf(text: string): URL | undefined {
  try {
    return new URL(text, globalThis.location?.href);
  } catch {
    return undefined;
  }
}

/**
 * Returns the address of the API without a slash at its end. Throws `url_insecure` for one over which others could read the key
 * and change what is to be signed: http to any other machine.
 */
export function baseUrlOf({ baseUrl }: TransportOptions): string {
  const { protocol, hostname } = urlOf(baseUrl) ?? {};
  const isHere = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname ?? '');
  if (protocol !== 'https:' && !(protocol === 'http:' && isHere)) {
    const message = `${baseUrl} is no https address: http is for this machine only.`;
    throw new KaratError('url_insecure', { message });
  }
  return baseUrl.replace(/\/+$/, '');
}

/** Returns the options of a call as the client of all routes takes them. */
export function init({ signal, idempotencyKey }: CallOptions = {}) {
  return {
    ...(signal && { signal }),
    ...(idempotencyKey !== undefined && { headers: { 'idempotency-key': idempotencyKey } }),
  };
}

/** Returns the body of a response, or throws its `KaratError`. */
export async function taken<Data>(
  call: Promise<{ data?: Data; error?: unknown; response: Response }>,
): Promise<Exclude<Data, undefined>> {
  const { data, error, response } = await call.catch((cause: unknown) => {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new KaratError('unexpected_response', { message: 'The response is not JSON.', cause });
  });
  if (!response.ok) throw errorOf(response, error);
  return data as Exclude<Data, undefined>;
}

/** Returns the rows of a list whose pages name the cursor of the next one. */
export function listOf<Page extends { next_cursor: string | null }, Row>(
  read: (cursor: { cursor?: string }) => Promise<Page>,
  rowsOf: (page: Page) => readonly Row[],
): List<Row> {
  return new List(async function* () {
    let cursor: string | null = null;
    do {
      const page: Page = await read(cursor === null ? {} : { cursor });
      yield rowsOf(page);
      cursor = page.next_cursor;
    } while (cursor !== null);
  });
}

/** Returns the rows of a list that comes in one response. */
export function listAtOnce<Row>(read: () => Promise<readonly Row[]>): List<Row> {
  return new List(async function* () {
    yield await read();
  });
}

/** A part of the API. */
export abstract class Resource {
  protected readonly api: Api;

  constructor(api: Api) {
    this.api = api;
  }
}

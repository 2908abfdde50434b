import createClient from 'openapi-fetch';
import type { components, paths } from '../generated/operator';

export type Schemas = components['schemas'];

/** What the API responded instead of a result; `status` is 0 when it did not respond at all. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly field: string | undefined;
  /** How long to wait before the next attempt, where the API says so. */
  readonly retryAfterSeconds: number | undefined;
  constructor(
    status: number,
    body: { error?: string; message?: string; field?: string },
    retryAfterSeconds?: number,
  ) {
    super(body.message ?? `HTTP ${status}`);
    this.status = status;
    this.code = body.error ?? 'internal_error';
    this.field = body.field;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Something that a person has to know or do; its message is shown as it is. */
export class Notice extends Error {}

/** A UUID also where the page is no secure context and `crypto.randomUUID` is missing. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}

/** What has to do with secrets takes no idempotency key: nothing of them may be stored. */
const withoutKey = /\/(session|session\/second-factor|me\/.+)$/;

/**
 * Sends a request as the session cookie requires it. A change carries an idempotency key, so one whose response got lost
 * is sent once more without being made twice.
 */
async function send(request: Request): Promise<Response> {
  if (request.method === 'GET') return fetch(request);
  request.headers.set('x-karat-console', '1');
  if (withoutKey.test(new URL(request.url).pathname)) return fetch(request);
  request.headers.set('idempotency-key', newKey());
  const again = request.clone();
  return fetch(request).catch(() => fetch(again));
}

export const api = createClient<paths>({ baseUrl: location.origin, fetch: send });

let onSessionEnd = () => {};

/** Has `handler` called when the API no longer knows the session. */
export function watchSessionEnd(handler: () => void): void {
  onSessionEnd = handler;
}

/** The latest request that replaces the session by another one. */
let replacing: Promise<unknown> = Promise.resolve();

/** Marks a request that replaces the session: what was sent with the earlier cookie meanwhile is no end of it. */
export function replaceSession<T>(request: Promise<T>): Promise<T> {
  replacing = request.catch(() => undefined);
  return request;
}

/** Reports the end of the session, unless another one has taken its place. */
async function checkSession(): Promise<void> {
  await replacing;
  const me = await fetch('/operator/v1/me').catch(() => undefined);
  if (me?.status === 401) onSessionEnd();
}

/** Returns the JSON of a successful response. Throws an `ApiError` for every other one. */
export async function call<T>(
  request: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<Exclude<T, string>> {
  const result = await request.catch(() => undefined);
  if (!result) throw new ApiError(0, { error: 'unreachable', message: '' });
  const { data, error, response } = result;
  if (response.ok) return data as Exclude<T, string>;
  const retryAfter = response.headers.get('retry-after');
  const failure = new ApiError(
    response.status,
    (error ?? {}) as { error?: string; message?: string; field?: string },
    retryAfter === null ? undefined : Number(retryAfter),
  );
  if (response.status === 401 && !new URL(response.url).pathname.endsWith('/session')) void checkSession();
  throw failure;
}

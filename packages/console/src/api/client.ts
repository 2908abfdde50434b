import createClient from 'openapi-fetch';
import type { components, paths } from '../generated/operator';
import { connection } from './connection';
import { session } from './session';

export type Schemas = components['schemas'];

/** What the API responded instead of a result; `status` is 0 when no response of its own arrived. */
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

/** The header that carries the confirmation of a session with a second factor. */
const confirmationHeader = 'x-karat-confirmation';

async function requiresConfirmation(response: Response): Promise<boolean> {
  if (response.status !== 403) return false;
  const body = (await response
    .clone()
    .json()
    .catch(() => ({}))) as { error?: string; field?: string };
  return body.error === 'second_factor_required' && body.field === confirmationHeader;
}

/** Sends a request once, and notes whether the service responded. A read that it could not make is as old as none. */
async function fetchOnce(request: Request): Promise<Response> {
  try {
    const response = await fetch(request);
    const failed = response.status >= (request.method === 'GET' ? 500 : 502);
    if (failed) connection.failed();
    else connection.heard();
    return response;
  } catch (error) {
    connection.failed();
    throw error;
  }
}

/**
 * Sends a request as the session cookie requires it. A change carries an idempotency key, so one whose response got lost
 * is sent once more without being made twice. What needs a confirmation is sent again with it. Throws the `Notice` of an
 * operator who does not confirm.
 */
async function send(request: Request): Promise<Response> {
  if (request.method === 'GET') return fetchOnce(request);
  request.headers.set('x-karat-console', '1');
  if (withoutKey.test(new URL(request.url).pathname)) return fetchOnce(request);
  request.headers.set('idempotency-key', newKey());
  const { confirm, confirmation } = session;
  if (confirmation !== undefined) request.headers.set(confirmationHeader, confirmation);
  const confirmed = request.clone();
  const again = request.clone();
  const response = await fetchOnce(request).catch(() => fetchOnce(again));
  if (!confirm || !(await requiresConfirmation(response))) return response;
  confirmed.headers.set(confirmationHeader, await session.renewConfirmation(confirm));
  return fetchOnce(confirmed);
}

export const api = createClient<paths>({ baseUrl: location.origin, fetch: send });

async function isSessionOver(): Promise<boolean> {
  const me = await fetch('/operator/v1/me').catch(() => undefined);
  return me?.status === 401;
}

/** Returns whether a response is only that of a gateway, which got none from the API: those have a code. */
function isOfGateway({ error, response }: { error?: unknown; response: Response }): boolean {
  return response.status >= 500 && typeof (error as { error?: unknown } | undefined)?.error !== 'string';
}

/** Returns the JSON of a successful response. Throws an `ApiError` for every other one. */
export async function call<T>(
  request: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<Exclude<T, string>> {
  const result = await request.catch((error: unknown) => {
    if (error instanceof Notice || error instanceof ApiError) throw error;
    return undefined;
  });
  if (!result || isOfGateway(result)) throw new ApiError(0, { error: 'unreachable', message: '' });
  const { data, error, response } = result;
  if (response.ok) return data as Exclude<T, string>;
  const retryAfter = response.headers.get('retry-after');
  const failure = new ApiError(
    response.status,
    (error ?? {}) as { error?: string; message?: string; field?: string },
    retryAfter === null ? undefined : Number(retryAfter),
  );
  if (response.status === 401 && !new URL(response.url).pathname.endsWith('/session'))
    void session.check(isSessionOver);
  throw failure;
}

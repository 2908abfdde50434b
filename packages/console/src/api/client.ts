import createClient from 'openapi-fetch';
import { connection } from './connection';
import { session } from './session';
import { surface } from './surface';

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
 * Sends a request as the session cookie requires it. A change carries an idempotency key where the API takes one, so one
 * whose response got lost is sent once more without being made twice. What needs a confirmation is sent again with it.
 * Throws the `Notice` of a person who does not confirm.
 */
async function send(request: Request): Promise<Response> {
  if (request.method === 'GET') return fetchOnce(request);
  const { changeHeader, takesKey } = surface();
  request.headers.set(changeHeader, '1');
  const repeats = takesKey(new URL(request.url).pathname);
  if (repeats) request.headers.set('idempotency-key', newKey());
  const { confirm, confirmation } = session;
  if (confirmation !== undefined) request.headers.set(confirmationHeader, confirmation);
  const confirmed = request.clone();
  const again = request.clone();
  const response = await fetchOnce(request).catch((error: unknown) => {
    if (repeats) return fetchOnce(again);
    throw error;
  });
  if (!confirm || !(await requiresConfirmation(response))) return response;
  confirmed.headers.set(confirmationHeader, await session.renewConfirmation(confirm));
  return fetchOnce(confirmed);
}

/** Makes the client of an API, by its types. */
export const createApi = <Paths extends object>() =>
  createClient<Paths>({ baseUrl: location.origin, fetch: send });

async function isSessionOver(): Promise<boolean> {
  const me = await fetch(surface().mePath).catch(() => undefined);
  return me?.status === 401;
}

/** Whether a path is the one to sign in at, where a wrong password ends no session. */
const isSignIn = (path: string) => path.endsWith('/session') && path !== surface().mePath;

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
  if (response.status === 401 && !isSignIn(new URL(response.url).pathname)) void session.check(isSessionOver);
  throw failure;
}

import { afterLostTry, KaratError, retryAfterMs } from './errors.js';

export interface TransportOptions {
  /** Where the API is, without `/v1`. */
  baseUrl: string;
  /** How often a request is repeated; default: 3. */
  maxRetries?: number | undefined;
  /** How long one try may take, milliseconds; default: 40,000. Streams have `silenceMs` instead. */
  timeoutMs?: number | undefined;
  /** Default: that of the platform. */
  fetch?: typeof fetch | undefined;
}

/** Not `error`, which some edge runtimes refuse: the redirect itself is the response, and no success. */
export const redirect = 'manual';
const firstDelayMs = 250;
const longestDelayMs = 70_000;
const retried = new Set([429, 502, 503, 504]);

/**
 * Returns a `fetch` that repeats what can be repeated: without a whole response, and on 429, 502, 503 and 504. Writes carry
 * one `Idempotency-Key` for all tries; if the last try of a write gets 429, returns or throws the outcome of an
 * earlier try that may have been carried out. Waits as long as `retry-after` says, else ever longer, with jitter. Follows no
 * redirect, which would carry the API key elsewhere.
 */
export function retryingFetch(options: TransportOptions): (request: Request) => Promise<Response> {
  const { maxRetries = 3, timeoutMs = 40_000 } = options;
  const send = options.fetch ?? ((input: Request, init: RequestInit) => fetch(input, init));
  return async (request) => {
    const isWrite = request.method !== 'GET';
    if (isWrite && !request.headers.has('idempotency-key'))
      request.headers.set('idempotency-key', crypto.randomUUID());
    // A challenge is used up by the key that it is for, whether or not the response arrives.
    const once = new URL(request.url).pathname.endsWith('/v1/auth/api-key');
    // Outcome of the last try that may have been carried out.
    let lost: Response | KaratError | undefined;
    for (let tried = 0; ; tried += 1) {
      const last = tried >= maxRetries;
      // The signal goes to fetch itself, too: that of a Request is lost in Node when the Request is garbage-collected.
      const limit = within(request.signal, timeoutMs);
      let waitMs = backoff(tried);
      try {
        const init = { signal: limit.signal, redirect } as const;
        const response = await whole(await send(new Request(request.clone(), init), init));
        const passing = retried.has(response.status) || (tried > 0 && (await isStillAtWork(response)));
        waitMs = passing ? (retryAfterMs(response) ?? waitMs) : Number.POSITIVE_INFINITY;
        if (isWrite && response.status >= 500) lost = response;
        if (last || waitMs > longestDelayMs || (once && response.status !== 429)) {
          // A 429 for the repeat does not mean that the earlier try did nothing.
          const end = response.status === 429 && lost ? lost : response;
          if (end instanceof KaratError) throw end;
          if (lost) afterLostTry.add(end);
          return end;
        }
      } catch (cause) {
        if (request.signal.aborted) throw request.signal.reason;
        if (cause instanceof KaratError) throw cause;
        const message = `The API at ${options.baseUrl} did not respond.`;
        const failed = new KaratError('network_error', { message, cause });
        if (last || once) throw failed;
        if (isWrite) lost = failed;
      } finally {
        limit.lift();
      }
      await pause(waitMs, request.signal);
    }
  };
}

/** Reads a response to its end, so that one that is cut counts as none; a stream has no end. */
async function whole(response: Response): Promise<Response> {
  if (!response.body || response.headers.get('content-type')?.startsWith('text/event-stream'))
    return response;
  const { status, statusText, headers } = response;
  return new Response(await response.arrayBuffer(), { status, statusText, headers });
}

/** Whether a repeated request was refused because an earlier try, whose response was lost, has not ended yet. */
async function isStillAtWork(response: Response): Promise<boolean> {
  return response.status === 409 && (await response.clone().text()).includes('"idempotency_conflict"');
}

function backoff(tried: number): number {
  return firstDelayMs * 2 ** tried * (0.5 + Math.random() / 2);
}

/** Returns a signal that aborts with another one, and after some time unless that limit is lifted. */
function within(signal: AbortSignal, timeoutMs: number): { signal: AbortSignal; lift(): void } {
  const end = new AbortController();
  const abort = () => end.abort(signal.reason);
  const late = () => end.abort(new DOMException('no response in time', 'TimeoutError'));
  const timer = setTimeout(late, timeoutMs);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort);
  const lift = () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  };
  return { signal: end.signal, lift };
}

/** Waits; rejects with the reason of a signal when it aborts. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
  });
}

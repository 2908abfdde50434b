import { KaratError } from './errors.js';

export interface TransportOptions {
  /** Where the API is, without `/v1`. */
  baseUrl: string;
  /** How often a request is repeated; default: 3. */
  maxRetries?: number | undefined;
  /** How long one try may take, milliseconds; default: 40,000. A stream has its time until it begins. */
  timeoutMs?: number | undefined;
  /** Default: that of the platform. */
  fetch?: typeof fetch | undefined;
}

const firstDelayMs = 250;
const longestDelayMs = 70_000;
const retried = new Set([429, 502, 503, 504]);

/**
 * Returns a `fetch` that repeats what can be repeated: without a response, and on 429, 502, 503 and 504. Writes carry
 * one `Idempotency-Key` for all tries. Waits as long as `retry-after` says, else ever longer, with jitter.
 */
export function retryingFetch(options: TransportOptions): (request: Request) => Promise<Response> {
  const { maxRetries = 3, timeoutMs = 40_000 } = options;
  const send = options.fetch ?? ((input: Request) => fetch(input));
  return async (request) => {
    const isWrite = request.method !== 'GET';
    if (isWrite && !request.headers.has('idempotency-key'))
      request.headers.set('idempotency-key', crypto.randomUUID());
    // A challenge is used up by the key that it is for, whether or not the response arrives.
    const once = new URL(request.url).pathname.endsWith('/v1/auth/api-key');
    for (let tried = 0; ; tried += 1) {
      const last = tried >= maxRetries;
      const limit = within(request.signal, timeoutMs);
      const attempt = new Request(request.clone(), { signal: limit.signal });
      try {
        const response = await send(attempt);
        if (response.headers.get('content-type')?.startsWith('text/event-stream')) limit.lift();
        const waitMs = retried.has(response.status) ? delayOf(response, tried) : undefined;
        if (last || waitMs === undefined || (once && response.status !== 429)) return response;
        await response.body?.cancel();
        await pause(waitMs, request.signal);
      } catch (cause) {
        if (request.signal.aborted) throw request.signal.reason;
        if (last || once) {
          const message = `The API at ${options.baseUrl} did not respond.`;
          throw new KaratError('network_error', { message, cause });
        }
        await pause(backoff(tried), request.signal);
      }
    }
  };
}

/** Milliseconds until the next try; undefined: too long to wait. */
function delayOf(response: Response, tried: number): number | undefined {
  const header = response.headers.get('retry-after');
  if (header === null) return backoff(tried);
  const seconds = Number(header);
  const waitMs = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(header) - Date.now();
  if (Number.isNaN(waitMs)) return backoff(tried);
  return waitMs <= longestDelayMs ? Math.max(0, waitMs) : undefined;
}

function backoff(tried: number): number {
  return firstDelayMs * 2 ** tried * (0.5 + Math.random() / 2);
}

/** Returns a signal that aborts with another one, and after some time unless that limit is lifted. */
function within(signal: AbortSignal, timeoutMs: number): { signal: AbortSignal; lift(): void } {
  const end = new AbortController();
  const abort = () => end.abort(signal.reason);
  const timer = setTimeout(
    () => end.abort(new DOMException('no response in time', 'TimeoutError')),
    timeoutMs,
  );
  // Nothing has to keep a process alive for it.
  (timer as unknown as { unref?: () => void }).unref?.();
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return { signal: end.signal, lift: () => clearTimeout(timer) };
}

/** Waits; rejects when the signal aborts. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        reject(signal.reason);
      },
      { once: true },
    );
  });
}

/** What an error of the API, of the network or of a trade says. */
export interface KaratErrorParts {
  message: string;
  /** HTTP status; undefined where there was no response. */
  status?: number | undefined;
  reason?: string | undefined;
  field?: string | undefined;
  requestId?: string | undefined;
  docUrl?: string | undefined;
  /** The trade or redemption of which it is the outcome. */
  operationId?: string | undefined;
  /** Whether a try before the refused one may have been carried out. */
  mayHaveArrived?: boolean | undefined;
  /** How long the API asks to wait. */
  retryAfterMs?: number | undefined;
  /** The whole body of the response. */
  body?: unknown;
  cause?: unknown;
}

/**
 * Every error that this library throws. `code` is the `error` of a response, or one of its own: `network_error` (no
 * response), `unexpected_response` (not of the API, such as a proxy's), `trade_failed` and `redemption_failed` (the chain
 * refused the transaction, `reason` says why), `expired`, `timeout` (it is not known whether the transaction of
 * `operationId` lands), `signature_invalid`, `signer_unknown`, `transaction_changed`, `transaction_unexpected` (what was to be
 * signed is not the transaction of the request: `field` names the difference), `network_changed` and `url_insecure`.
 */
export class KaratError extends Error {
  override name = 'KaratError';
  readonly code: string;
  readonly status: number | undefined;
  /** Why, from a closed list: `docUrl` is its page. */
  readonly reason: string | undefined;
  /** Path of the input field to blame. */
  readonly field: string | undefined;
  readonly requestId: string | undefined;
  readonly docUrl: string | undefined;
  /** The trade or redemption, once `execute` has submitted it, for `operations.get`; after a `timeout` it may still land. */
  readonly operationId: string | undefined;
  /** Whether an earlier try of the same write got no response: what that did is not known, whatever this error says. */
  readonly mayHaveArrived: boolean;
  /** Milliseconds after which the API asks to try again. */
  readonly retryAfterMs: number | undefined;
  /** The whole body of the response, or the operation that did not succeed. */
  readonly body: unknown;

  constructor(code: string, parts: KaratErrorParts) {
    super(parts.message, parts.cause === undefined ? undefined : { cause: parts.cause });
    this.code = code;
    this.status = parts.status;
    this.reason = parts.reason;
    this.field = parts.field;
    this.requestId = parts.requestId;
    this.docUrl = parts.docUrl;
    this.operationId = parts.operationId;
    this.mayHaveArrived = parts.mayHaveArrived ?? false;
    this.retryAfterMs = parts.retryAfterMs;
    this.body = parts.body;
  }
}

/** Returns how long a response asks to wait, milliseconds; undefined when it does not. */
export function retryAfterMs({ headers }: Response): number | undefined {
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  const seconds = Number(text);
  const waitMs = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(text) - Date.now();
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}

/** Responses to writes of which an earlier try got none. */
export const afterLostTry = new WeakSet<Response>();

/** Returns the error that a response is. */
export function errorOf(response: Response, body: unknown): KaratError {
  const known = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const text = (name: string) => (typeof known[name] === 'string' ? (known[name] as string) : undefined);
  return new KaratError(text('error') ?? 'unexpected_response', {
    message: text('message') ?? `The API returned ${response.status}.`,
    status: response.status,
    reason: text('reason'),
    field: text('field'),
    requestId: response.headers.get('x-request-id') ?? undefined,
    docUrl: text('doc_url'),
    mayHaveArrived: afterLostTry.has(response),
    retryAfterMs: retryAfterMs(response),
    body,
  });
}

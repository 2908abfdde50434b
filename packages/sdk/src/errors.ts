/** What an error of the API, of the network or of a trade says. */
export interface KaratErrorParts {
  message: string;
  /** HTTP status; undefined where there was no response. */
  status?: number | undefined;
  reason?: string | undefined;
  field?: string | undefined;
  requestId?: string | undefined;
  docUrl?: string | undefined;
  /** The whole body of the response. */
  body?: unknown;
  cause?: unknown;
}

/**
 * Every error that this library throws. `code` is the `error` of a response, or one of its own: `network_error` (no
 * response), `trade_failed` and `redemption_failed` (the chain refused the transaction, `reason` says why), `expired`,
 * `timeout` (nothing is known yet), `signature_invalid` and `signer_unknown`.
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
  readonly body: unknown;

  constructor(code: string, parts: KaratErrorParts) {
    super(parts.message, parts.cause === undefined ? undefined : { cause: parts.cause });
    this.code = code;
    this.status = parts.status;
    this.reason = parts.reason;
    this.field = parts.field;
    this.requestId = parts.requestId;
    this.docUrl = parts.docUrl;
    this.body = parts.body;
  }
}

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
    body,
  });
}

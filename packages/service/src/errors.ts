import type { Cause, Reason } from './reasons.js';

/**
 * Every error code that a caller can see, with its HTTP status: a closed list. Codes are never renamed or reused;
 * a new cause gets a new code at the end of its group.
 */
export const errorStatus = {
  invalid_request: 400,
  invalid_wallet: 400,
  invalid_signature: 400,
  invalid_challenge: 400,
  challenge_expired: 400,
  invalid_invitation: 400,
  wallet_revoked: 400,
  invalid_denomination: 400,
  invalid_city: 400,
  kyc_level_insufficient: 400,
  onchain_config_missing: 400,
  wallet_missing: 400,
  broadcast_failed: 400,
  cancellation_not_allowed: 400,
  already_revoked: 400,
  max_usdc_exceeded: 400,
  minimum_usdc_not_met: 400,
  insufficient_reserve: 400,
  transaction_not_supported: 400,
  bar_required: 400,
  pickup_code_wrong: 400,
  second_factor_wrong: 400,
  unauthorized: 401,
  insufficient_scope: 403,
  partner_mismatch: 403,
  partner_suspended: 403,
  user_suspended: 403,
  forbidden: 403,
  second_factor_required: 403,
  wallet_not_allowed: 403,
  limit_exceeded: 403,
  not_found: 404,
  user_not_found: 404,
  trade_not_found: 404,
  redemption_not_found: 404,
  wallet_not_found: 404,
  key_not_found: 404,
  partner_not_found: 404,
  purchase_not_found: 404,
  sale_not_found: 404,
  withdrawal_not_found: 404,
  endpoint_not_found: 404,
  statement_not_found: 404,
  bar_not_found: 404,
  request_not_found: 404,
  method_not_allowed: 405,
  user_already_exists: 409,
  idempotency_conflict: 409,
  transition_not_allowed: 409,
  already_exists: 409,
  last_owner: 409,
  wallet_already_registered: 409,
  bar_not_available: 409,
  pickup_code_locked: 409,
  endpoint_limit_reached: 409,
  receipt_not_ready: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  internal_error: 500,
  pricing_unavailable: 503,
  service_unavailable: 503,
} as const satisfies Record<string, number>;

export type ErrorCode = keyof typeof errorStatus;

/** Every code, in the order of the list. */
export const errorCodes = Object.keys(errorStatus) as ErrorCode[];

export interface AppErrorOptions {
  /** Path of the one input field to blame, e.g. `kyc.full_name`. */
  field?: string;
  /** What went wrong inside: logged, never shown to the caller. */
  cause?: unknown;
  /** Why, for programs to act on. */
  reason?: Reason;
  /** Name of the error of a program on chain that caused it. */
  programErrorName?: string | null;
  /** Further fields of the error body, e.g. `service_user_id` of a 409. */
  extra?: Record<string, string | number>;
  /** What a program needs to know of the cause, in an object of the error body. */
  details?: Record<string, string | number | null>;
  /** When another attempt may succeed: the header `retry-after` of the response. */
  retryAfterSeconds?: number;
}

/** An error that is returned to the caller: `message` is public text, `cause` stays inside. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly field: string | undefined;
  readonly reason: Reason | undefined;
  readonly programErrorName: string | undefined;
  readonly extra: Record<string, string | number> | undefined;
  readonly details: Record<string, string | number | null> | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.field = options.field;
    this.reason = options.reason;
    this.programErrorName = options.programErrorName ?? undefined;
    this.extra = options.extra;
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get status(): number {
    return errorStatus[this.code];
  }
}

export function invalidField(field: string, message: string, reason?: Reason): AppError {
  return new AppError('invalid_request', message, { field, ...(reason && { reason }) });
}

/** Returns the error for what the state of an object does not allow. */
export function notAllowed(message: string, options?: AppErrorOptions): AppError {
  return new AppError('transition_not_allowed', message, options);
}

/** Returns the error for what cannot be done until something that it needs is back. */
export function unavailable(message: string, options?: AppErrorOptions): AppError {
  return new AppError('service_unavailable', message, options);
}

export function partnerSuspended(message = 'This partner is suspended.'): AppError {
  return new AppError('partner_suspended', message, { reason: 'partner_suspended' });
}

/** Returns the error for a transaction that was not sent, or that the chain refused; `about` stands before the message. */
export function broadcastFailed({ message, ...cause }: Cause, about = ''): AppError {
  return new AppError('broadcast_failed', `${about}${message}`, cause);
}

/** Returns the error for a transaction of which no node said whether it took it: it may have arrived. */
export function nodeUnavailable(message: string, cause: unknown): AppError {
  return unavailable(message, { reason: 'node_unavailable', cause });
}

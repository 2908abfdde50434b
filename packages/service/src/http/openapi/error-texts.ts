import type { ErrorCode } from '../../errors.js';

/** When each error is answered, for the reference. The message of a real answer says more about its case. */
export const errorTexts: Record<ErrorCode, string> = {
  invalid_request: 'A field is missing or malformed; `field` names it.',
  invalid_wallet: 'The address is not a valid public key.',
  invalid_signature:
    'The signature is not one of the message by this wallet, or is base58 instead of base64.',
  invalid_challenge: 'The challenge does not exist or was used already.',
  challenge_expired: 'The challenge is older than 2 minutes.',
  wallet_revoked: 'The partner wallet is revoked.',
  invalid_denomination: 'There is no such denomination, or it is no longer offered.',
  invalid_city: 'The denomination is not handed over in this city.',
  kyc_level_insufficient: "The user's KYC level is not `full`.",
  onchain_config_missing: 'The partner is not set up on chain yet.',
  wallet_missing: 'The partner has no registered wallet.',
  broadcast_failed:
    "The transaction is not the quote's own, or the network refused it; `message` says why. An expired quote is `Blockhash not found`.",
  cancellation_not_allowed: 'Only a redemption that is `submitted` can be cancelled.',
  already_revoked: 'The key is revoked already.',
  unauthorized: 'The header `x-api-key` is missing or holds no valid key.',
  insufficient_scope: 'The key lacks the scope that this needs.',
  partner_mismatch: 'This belongs to another partner.',
  partner_suspended: 'The partner is suspended.',
  user_suspended: 'The user is suspended.',
  not_found: 'There is nothing at this address.',
  user_not_found: 'There is no such user.',
  trade_not_found: 'There is no record of this trade, or none yet.',
  redemption_not_found: 'There is no such redemption, or its payment has not been seen on chain yet.',
  wallet_not_found: 'This is not an active wallet of this partner.',
  key_not_found: 'There is no such key.',
  method_not_allowed: 'The address does not take this method; the header `allow` names those that it takes.',
  user_already_exists: 'The wallet or the `user_id` is registered already.',
  idempotency_conflict:
    'The Idempotency-Key was used for another request, or its first request is still under way.',
  transition_not_allowed: 'The state does not allow this.',
  payload_too_large: 'The body is larger than 64 KiB.',
  unsupported_media_type: 'The body is not `application/json`.',
  rate_limited: 'Too many requests; wait as long as `retry-after` says.',
  internal_error: 'Something went wrong on our side.',
  pricing_unavailable: 'The gold price is unreachable or stale, or the market is closed.',
  service_unavailable:
    'The service, or something that it needs, is not there at the moment; try again shortly.',
};

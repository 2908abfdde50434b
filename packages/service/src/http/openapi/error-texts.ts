import { maxEndpoints } from '../../domain/webhook.js';
import type { ErrorCode } from '../../errors.js';

/** When each error is returned, for the reference. The message of a real response is more specific. */
export const errorTexts: Record<ErrorCode, string> = {
  invalid_request: 'A field is missing or malformed; `field` names it.',
  invalid_wallet: 'The address is not a valid public key.',
  invalid_signature:
    "The signature is not this wallet's signature of the message, or is base58 instead of base64.",
  invalid_challenge: 'The challenge does not exist or has already been used.',
  challenge_expired: 'The challenge is older than 2 minutes.',
  invalid_invitation: 'The invitation was used, withdrawn, has expired, or does not exist.',
  wallet_revoked: 'The partner wallet is revoked.',
  invalid_denomination: 'There is no such denomination, or it is no longer offered.',
  invalid_city: 'The denomination is not handed over in this city.',
  kyc_level_insufficient: "The user's KYC level is not `full`.",
  onchain_config_missing: 'The partner is not set up on chain yet.',
  wallet_missing: 'The partner has no registered wallet.',
  broadcast_failed:
    "The transaction is not the quote's own, or the network rejected it; `message` gives the reason. An expired quote gives `Blockhash not found`.",
  cancellation_not_allowed: 'Only a redemption that is `submitted` can be cancelled.',
  already_revoked: 'The key is already revoked.',
  max_usdc_exceeded: 'The purchase costs more than `maxUsdcAmount` at the current price.',
  minimum_usdc_not_met: 'The sale brings less than `minimumUsdcAmount` at the current price.',
  insufficient_reserve: 'The central vault holds too little.',
  bar_required: 'No bar is reserved for the redemption: name one as `bar_serial`.',
  pickup_code_wrong:
    'This is not the code that the customer was given; `attempts_left` says how often another may be tried.',
  second_factor_wrong: 'The passkey or the code is wrong, or the code was already used.',
  transaction_not_supported: "The transaction does not call Karat's program, or is one of the partner API.",
  unauthorized: 'The header `x-api-key` is missing or is not a valid key.',
  insufficient_scope: 'The key lacks the scope that this request needs.',
  partner_mismatch: 'The object belongs to another partner.',
  partner_suspended: 'The partner is suspended.',
  user_suspended: 'The user is suspended.',
  forbidden: 'The request does not come from the console itself.',
  second_factor_required:
    'The account must have a second factor first, or the request must include a fresh one or a confirmation; `field` says which.',
  wallet_not_allowed: 'The wallet cannot be used with the service.',
  limit_exceeded:
    'A limit of 24 hours has no room for this amount; `details` names the limit and when it has room again.',
  not_found: 'This path does not exist.',
  user_not_found: 'There is no such user.',
  trade_not_found: 'There is no record of this trade, or none yet.',
  redemption_not_found: 'There is no such redemption, or its payment has not been seen on chain yet.',
  wallet_not_found: 'This is not a wallet of this partner.',
  key_not_found: 'There is no such key.',
  partner_not_found: 'There is no such partner, or the partner is not set up on chain.',
  purchase_not_found: 'There is no such purchase.',
  sale_not_found: 'There is no such sale.',
  withdrawal_not_found: 'There is no such withdrawal.',
  endpoint_not_found: 'There is no such webhook endpoint.',
  bar_not_found: 'The statement has no such bar.',
  statement_not_found: 'There is no such statement, or none yet.',
  request_not_found: 'There is no such request in the log, or it is older than 7 days.',
  method_not_allowed:
    'The path does not support this method; the header `allow` lists the methods that it supports.',
  user_already_exists: 'The wallet or the `user_id` is already registered.',
  idempotency_conflict:
    'The Idempotency-Key was used for another request, its first request is still in progress, or the quote that it got has expired.',
  transition_not_allowed: 'The state does not allow this.',
  already_exists: 'An object of this name already exists.',
  last_owner: 'This member is the only owner of the partner.',
  wallet_already_registered: 'The wallet already belongs to a partner.',
  bar_not_available: 'The bar is not in stock, or is of another denomination or city.',
  pickup_code_locked: 'Too many wrong codes were tried: issue another one.',
  endpoint_limit_reached: `The partner already has ${maxEndpoints} webhook endpoints.`,
  receipt_not_ready: 'There is nothing final of which to give a receipt yet.',
  payload_too_large: 'The body is larger than 64 KiB.',
  unsupported_media_type: 'The body is not `application/json`.',
  rate_limited: 'Too many requests; wait for the seconds in `retry-after`.',
  internal_error: 'Something went wrong on our side.',
  pricing_unavailable:
    'The gold price is stale, the price or the Solana node is unreachable, or the market is closed.',
  service_unavailable: 'The service, or something that it needs, is unavailable; try again shortly.',
};

/** What to do about each error, for its page. */
export const errorAdvice: Record<ErrorCode, string> = {
  invalid_request: 'Correct the field that `field` names, as the message says, and send the request again.',
  invalid_wallet: 'Send the base58 address of a wallet that a person signs with, 32 bytes on the curve.',
  invalid_signature:
    'Sign the whole `message` as it came, with the key of the wallet, and send the 64 bytes in base64.',
  invalid_challenge: 'Request a new challenge, and use it once.',
  challenge_expired: 'Request a new challenge, and send its signature within 2 minutes.',
  invalid_invitation:
    'Request a new invitation from an owner of the partner, or from the operators of Karat, and use its link once within 72 hours.',
  wallet_revoked: 'Use another wallet of the partner; operators of the service can register one.',
  invalid_denomination: 'Read the list of denominations again, and take an `id` of it.',
  invalid_city: 'Send the city that the denomination has in the list of denominations.',
  kyc_level_insufficient:
    'Register users only once their check is `full`; for one who was, ask the operators of the service.',
  onchain_config_missing: 'Ask the operators of the service to put the partner on chain.',
  wallet_missing: 'Ask the operators of the service to register a wallet of the partner.',
  broadcast_failed: 'Look at `reason`, which has a page of its own; mostly a new quote helps.',
  cancellation_not_allowed:
    'Read the redemption: its status says how far it is. Operators can still cancel one that is being prepared.',
  already_revoked: 'Nothing: it is revoked.',
  max_usdc_exceeded: 'Raise `maxUsdcAmount`, or place a smaller order.',
  minimum_usdc_not_met: 'Lower `minimumUsdcAmount`, or wait for another price.',
  insufficient_reserve: 'Send what is missing to the central vault, or place a smaller order.',
  bar_required: 'Take a bar into stock if there is none, and name it as `bar_serial`.',
  pickup_code_wrong:
    "Compare the digits with those that the customer's app shows now; an operator can have issued others.",
  second_factor_wrong: 'Wait for the next code of the app, and try again; a recovery code works as well.',
  transaction_not_supported:
    'Submit transactions of the partner API at its own routes, and those of other programs to a node.',
  unauthorized:
    'Send the key in `x-api-key`, or as an operator the token; a key that was revoked or has expired is replaced by a new one.',
  insufficient_scope:
    'Use a key whose wallet, or an operator whose role, may do this; the message says which.',
  partner_mismatch: 'Use ids of your own users and records, with your own key.',
  partner_suspended: 'Contact the operators of the service: nothing is traded until they resume the partner.',
  user_suspended: 'Contact the operators of the service: the user gets no quotes until they resume the user.',
  forbidden:
    'Send the request from the console on its own host, or, where a person has to act, with a session in place of a token.',
  second_factor_required:
    'Add a passkey or an authenticator app to the account, or confirm with it as `field` says.',
  wallet_not_allowed: 'Contact the operators of the service; trying again does not help.',
  limit_exceeded:
    'Wait until `available_at` in `details`, request less, or have the operators raise the limit.',
  not_found:
    "Compare path and id with the reference: a partner's routes begin with `/v1`, those of the tradebook with `/api`.",
  user_not_found:
    'Use the `service_user_id` that the registration returned; the list of users finds it by your own `user_id`.',
  trade_not_found:
    'Wait a second after the transaction landed; `GET /v1/operations/{operation_id}` waits for it, and says when it can land no more.',
  redemption_not_found:
    'Wait a second after the payment landed; `GET /v1/operations/{operation_id}` waits for it, and says when it can land no more.',
  wallet_not_found:
    'Use a registered wallet of this partner, or, for the tradebook, one with a role on chain.',
  key_not_found: 'List the keys, and use the `key_id` of one.',
  partner_not_found: 'Use the id of the partner as the operators gave it to you.',
  purchase_not_found: 'Use the `purchaseId` that the order was placed with.',
  sale_not_found: 'Use the `sellId` that the order was placed with.',
  withdrawal_not_found: 'Use the `withdrawalId` that it was placed with.',
  endpoint_not_found: 'List the webhook endpoints, and use the `endpoint_id` of one.',
  bar_not_found:
    'Compare serial and refiner with the bar itself, and choose the statement of a day on which it was held.',
  request_not_found:
    'Take the `request_id` from `GET /v1/requests`, or find the request there by its `x-request-id`.',
  statement_not_found:
    'Of the reserves: list the statements; the first is published in the night after the service was started. Of a month: choose one since the partner was created.',
  method_not_allowed: 'Use one of the methods in the header `allow`.',
  user_already_exists:
    "Use the `service_user_id` of the response, if it is there: the user is yours. Otherwise the wallet is another's.",
  idempotency_conflict:
    'Use a new `Idempotency-Key` for another request; while the first is in progress, wait and repeat it.',
  transition_not_allowed:
    'Read the object again: what it allows now follows from its status, and the message says what stands against it.',
  already_exists: 'Use the object that is there, or choose another name.',
  last_owner: 'Make another member an owner first: a partner always has one.',
  wallet_already_registered: 'Use another wallet: one belongs to one partner for ever.',
  bar_not_available: 'Choose a bar that is in stock, of this denomination and in this city.',
  pickup_code_locked: "Issue another code; the customer's app shows it.",
  endpoint_limit_reached: 'Delete an endpoint that is no longer used.',
  receipt_not_ready:
    'Wait until the trade is confirmed and final, or the redemption is collected; a failed trade has no receipt.',
  payload_too_large: 'Send less in one request.',
  unsupported_media_type: 'Send JSON, with the header `content-type: application/json`.',
  rate_limited:
    'Wait for the seconds in `retry-after`, then repeat the request; `ratelimit-remaining` shows beforehand what is left.',
  internal_error:
    'Try again with the same `Idempotency-Key`; if it stays, send the `x-request-id` to the operators of the service.',
  pricing_unavailable: 'Look at `reason`, which has a page of its own, and try again in a few seconds.',
  service_unavailable:
    'Try again in a few seconds, for what changes something with the same `Idempotency-Key`.',
};

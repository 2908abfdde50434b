import { lifetimeMs } from './domain/lifetime.js';

/** What the documentation says about a reason. */
export interface ReasonText {
  /** What has happened, in a sentence. */
  meaning: string;
  /** What to do next, in a sentence or two. */
  advice: string;
  /** Where it occurs: an error code, or `failed` for the record of a transaction that failed on chain. */
  with: readonly string[];
}

const submitted = ['broadcast_failed', 'failed'] as const;

/**
 * Every reason that an error or a failed record can carry: a closed list for programs to act on. Reasons are never renamed
 * or reused; a new one goes to the end of its group. `docs/reasons` is generated from it.
 */
export const reasonTexts = {
  quote_expired: {
    meaning: 'The transaction came too late: its blockhash has expired, or its time has passed.',
    advice: `Request a new quote, sign it, and submit it within ${lifetimeMs / 1_000} seconds.`,
    with: [...submitted, 'idempotency_conflict'],
  },
  slippage_exceeded: {
    meaning: 'The price gives less than the least that the transaction accepts, or takes more than the most.',
    advice:
      'Request a new quote; with a larger `slippage_bps` a trade survives larger moves. A `min_gold_out` above `max_gold_out`, or a `min_usdc_out` above `max_usdc_out`, is met at no price: request a new quote with a lower one.',
    with: submitted,
  },
  price_moved: {
    meaning: "The price has moved in the customer's favour by more than the quote allows.",
    advice:
      'Request a new quote: it has the new price. `max_gold_out` or `max_usdc_out` of a quote is the most that it gives.',
    with: submitted,
  },
  insufficient_usdc: {
    meaning: 'The wallet that pays does not hold enough USDC.',
    advice: 'Send the missing USDC to the wallet, then request a new quote.',
    with: submitted,
  },
  insufficient_gold: {
    meaning: 'The wallet that pays does not hold enough GOLD.',
    advice: 'Send the missing GOLD to the wallet, or request a new quote for less.',
    with: submitted,
  },
  token_account_missing: {
    meaning: 'The wallet that pays has no token account for the token, so it holds none of it.',
    advice: 'Send the token to the wallet, which creates the account, then request a new quote.',
    with: submitted,
  },
  signature_missing: {
    meaning: 'A wallet that has to sign the transaction has not signed it.',
    advice: 'Have the wallet that the message names sign the same bytes, and submit them again.',
    with: submitted,
  },
  signature_invalid: {
    meaning: 'A signature is not that of its wallet over this very transaction.',
    advice: 'Sign the bytes of the quote exactly as they came, with the wallet that the message names.',
    with: submitted,
  },
  transaction_altered: {
    meaning: 'The transaction is not as the service signed it: something was added, removed or changed.',
    advice:
      'Sign the bytes of the quote as they came. If a wallet changes them, turn that off in the wallet.',
    with: submitted,
  },
  other_quote: {
    meaning: 'The transaction belongs to another quote, another side or another partner.',
    advice: 'Submit each transaction to the path of its own quote, with a key of its own partner.',
    with: [...submitted, 'trade_not_found'],
  },
  malformed: {
    meaning: 'The bytes are not a transaction that the network could carry.',
    advice: 'Send the base64 of the whole signed transaction, as your library serializes it.',
    with: [...submitted, 'invalid_request'],
  },
  trading_paused: {
    meaning: 'The program takes no transactions of this kind for the time being.',
    advice: 'Try again later; the operators of the service resume trading.',
    with: [...submitted, 'service_unavailable'],
  },
  market_closed: {
    meaning: 'The market for gold is closed, and trading with it.',
    advice: 'Try again when the market opens.',
    with: [...submitted, 'pricing_unavailable'],
  },
  price_unavailable: {
    meaning:
      'The program accepted no price when the transaction ran: it was too old, too uncertain or out of bounds.',
    advice: 'Request a new quote shortly.',
    with: submitted,
  },
  limit_exceeded: {
    meaning: 'The amount is above the largest trade, or above what is left of a limit for 24 hours.',
    advice:
      'Request a new quote for less, or wait until the limit has room again; with `limit_exceeded`, `details` says when.',
    with: [...submitted, 'invalid_request', 'limit_exceeded', 'service_unavailable'],
  },
  partner_suspended: {
    meaning: 'The partner is suspended.',
    advice: 'Contact the operators of the service.',
    with: [...submitted, 'partner_suspended'],
  },
  treasury_short: {
    meaning: 'The treasury does not hold enough of the token that it would have to pay.',
    advice: 'Request a new quote for less, or try again later.',
    with: [...submitted, 'service_unavailable'],
  },
  node_unavailable: {
    meaning:
      'No Solana node could be reached, none said whether it took the transaction, or the one that responded lags behind.',
    advice:
      'Send the same signed transaction again. It counts as submitted, since it may have arrived; it can land only once.',
    with: ['service_unavailable'],
  },
  program_error: {
    meaning: 'A program on chain refused the transaction for a cause that has no reason of its own.',
    advice:
      'Look up `program_error_name`, and follow the message; a new quote helps if the state has changed.',
    with: submitted,
  },
  price_stale: {
    meaning: 'The last price of the oracle is too old, or its time is wrong.',
    advice: 'Try again in a few seconds.',
    with: ['pricing_unavailable'],
  },
  price_unreachable: {
    meaning: 'The price could not be read: no Solana node responds, or the oracle has published none.',
    advice: 'Try again in a few seconds.',
    with: ['pricing_unavailable'],
  },
  price_out_of_band: {
    meaning: 'The price of the oracle is too uncertain, or outside the band that is accepted.',
    advice: 'Try again later; the operators of the service watch the band.',
    with: ['pricing_unavailable'],
  },
  wallet_not_allowed: {
    meaning: 'The wallet cannot be used with the service.',
    advice: 'Contact the operators of the service; trying again does not help.',
    with: ['wallet_not_allowed'],
  },
  usdc_off_peg: {
    meaning: 'USDC is worth too little to buy gold at par, or its price cannot be relied on.',
    advice: 'Try again when USDC is worth a dollar again; selling and redeeming are not affected.',
    with: [...submitted, 'pricing_unavailable'],
  },
  not_backed: {
    meaning: 'No GOLD leaves the treasury: not all of it is backed by attested gold at present.',
    advice: 'Try again later; selling and redeeming are not affected.',
    with: [...submitted, 'service_unavailable'],
  },
  opposite_side_too_early: {
    meaning: 'The vault has traded in the other direction too short a time ago.',
    advice: 'Trade in the same direction, or wait: the message says until when.',
    with: [...submitted, 'service_unavailable'],
  },
  treasury_paused: {
    meaning: 'The guardian has stopped withdrawals from the treasury, minting and sweeping.',
    advice: 'Wait until the pause ends by itself, or have admin and guardian end it.',
    with: submitted,
  },
  fee_budget_used: {
    meaning:
      'What the service pays to the network for the transactions of the partner has used up its budget for this hour.',
    advice:
      'Wait for the seconds in `retry-after`. Find out why transactions fail or are very small; the operators of the service can raise the budget.',
    with: ['rate_limited'],
  },
  request_limit_reached: {
    meaning:
      'The key, or all keys of its partner together, made as many requests as they may in a minute. Reads (GET) and writes (all other methods, quotes of trades included) have a limit each; the message names the one that was reached.',
    advice:
      'Wait for the seconds in `retry-after`. Watch `ratelimit-remaining`; follow events or `GET /v1/operations/{operation_id}` with `wait` instead of polling records. The guides have the numbers, under limits.',
    with: ['rate_limited'],
  },
} as const satisfies Record<string, ReasonText>;

export type Reason = keyof typeof reasonTexts;

/** Every reason, in the order of the list. */
export const reasonNames = Object.keys(reasonTexts) as Reason[];

/** Why there is no price to quote at. */
export type PriceReason =
  | 'price_stale'
  | 'price_unreachable'
  | 'market_closed'
  | 'price_out_of_band'
  | 'usdc_off_peg';

/** Why a transaction was refused or failed, for programs and for people. */
export interface Cause {
  reason: Reason;
  /** Name of the error of a program on chain, where one refused: `SlippageExceeded`; null for every other cause. */
  programErrorName: string | null;
  /** What happened and what to do next. */
  message: string;
}

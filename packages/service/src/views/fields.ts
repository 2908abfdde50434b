import { pickupDigits } from '../domain/pickup-code.js';
import { capitalized, countInWords } from '../domain/words.js';

/** What a field means, with an example of it: the options of its type. */
export function about<T>(description: string, example: T) {
  return { description, examples: [example] };
}

/**
 * Partner, user and wallets of the examples are those of the sandbox, whose seed has them: what the reference shows can be sent to it
 * as it stands.
 */
const uuid = '019ca945-0a00-7c3e-9d61-4b8f2a7e5c10';
const wallet = '4YsDqq79zg6479MpoGXTrxKAs4rXppYLKR45qjDbWv6H';
const base64 = 'AwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==';
const partnerWallet = '8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD';
const txHash = '4QBahSvnRE56fqvkgdXrS51BVNHZVSUbaZcM3eb4K9h88PK7bxEXdXf7icvoPVtKwKJ14YXtVMyF7LPp6QSsSzE8';
const at = '2026-03-01T12:00:00.000Z';
const eventually = '2026-03-01T12:01:00.000Z';

export const field = {
  // authentication and keys
  partnerWallet: about("Address of one of the partner's registered wallets.", partnerWallet),
  partnerId: about('Id of the partner, a UUID.', uuid),
  challengeId: about(
    'Id of the challenge, prefixed `ch_`; valid for one key and for 2 minutes.',
    `ch_${uuid}`,
  ),
  challengeMessage: about(
    'The text to sign, exactly as it stands, with the Ed25519 key of the wallet.',
    `Sign this message to generate an API key for Karat: ch_${uuid}`,
  ),
  challengeExpiresAt: about('When the challenge expires.', '2026-03-01T12:02:00.000Z'),
  signature: about(
    'Base64 of the 64 bytes of the Ed25519 signature of the whole `message`, or of `message` in the off-chain envelope of a Ledger. Base58 is refused.',
    'Zo4ryw6SAGXuWlwkGf0s3nlPuIvhVObcdMr3AmdUt+fZ2YuJsY1r9J4xhcJ595NGi5QDP9NBULpp+aR9uE6Q1w==',
  ),
  keyName: about('A name for the key.', 'production'),
  apiKey: about(
    'The key itself. It is shown only once; the service keeps only its hash.',
    `service_partner_${'0'.repeat(64)}`,
  ),
  keyId: about('Id of the key, a UUID.', uuid),
  scope: about('Always `PARTNER`.', 'PARTNER'),
  keyStatus: about('`active` or `revoked`.', 'active'),
  lastUsedAt: about('Time of the latest request with this key; null if there was none.', at),
  revokedAt: about('When the key was revoked.', at),

  // users
  serviceUserId: about('Id of the user, prefixed `gu_`.', `gu_${uuid}`),
  userId: about("The partner's own id for the user; unique within the partner.", 'customer-1042'),
  userWallet: about('Public key of the user, base58; a wallet can belong to only one user.', wallet),
  userStatus: about('`active` or `suspended`; a suspended user gets no quotes.', 'active'),
  country: about(
    'ISO 3166-1 alpha-2 code of an active country of the service, in upper or lower case.',
    'PK',
  ),
  fullName: about('Name of the user.', 'Ayesha Khan'),
  kycProvider: about('Who checked the user: any text, kept exactly as it is.', 'sumsub'),
  kycLevel: about('Only `full` is accepted.', 'full'),
  kycVerifiedAt: about(
    'When the check was completed: an ISO 8601 date and time with an offset, basic or extended, not in the future.',
    '2026-02-27T09:30:00.000Z',
  ),
  kycData: about(
    'Anything else about the check. An `id_number` must match the pattern that is registered for its `id_type` and the country, if there is one.',
    { id_type: 'cnic', id_number: '42101-1234567-1' },
  ),

  // trades
  tradeId: about('Id of the trade, prefixed `trd_`.', `trd_${uuid}`),
  pricePerTroyOz: about('USD per troy ounce, at most 8 decimals.', 4100.12),
  feeBps: about("The partner's fee in basis points (1/100 of a percent).", 50),
  slippageBps: about(
    'How far the price may move against the user before the trade fails, in basis points. Defaults to 50.',
    50,
  ),
  tradeStatus: about('`confirmed`, or `failed` when the transaction reverted, which is final.', 'confirmed'),
  tradeSide: about('`buy` or `sell`.', 'buy'),

  // transactions
  transaction: about(
    'Base64 of the transaction, signed by the service. The other signers sign the same bytes.',
    base64,
  ),
  signedTransaction: about("Base64 of the quote's transaction, signed by all of its signers.", base64),
  quoteExpiresAt: about('When the transaction can no longer land.', eventually),
  lastValidBlockHeight: about('Block height after which it can no longer land.', 371_204_915),
  txHash: about('Base58 signature of the transaction, as explorers and nodes show it.', txHash),

  // redemptions
  redemptionId: about('Id of the redemption, prefixed `red_`.', `red_${uuid}`),
  redemptionStatus: about(
    '`submitted`, `preparing`, `ready`, `collected`, `cancellation_requested`, `cancelled` or `failed`.',
    'submitted',
  ),
  denominationId: about('Id of the denomination, from the list of denominations.', 'pk_tola_1'),
  denomination: about('Label of the denomination.', '1 tola bar'),
  weightG: about('Grams.', 11.6638038),
  weightTroyOz: about('Troy ounces, rounded to 6 decimals.', 0.375),
  city: about('City of the pickup.', 'Karachi'),
  availability: about(
    '`in_stock` if a bar is there that no redemption waits for; `on_order` if one has to be brought first.',
    'in_stock',
  ),
  spotPriceUsd: about('USD per troy ounce at the time of the quote.', 4100.12),
  goldValueUsd: about('Value of the gold at that price.', 1537.545),
  redemptionFeeUsd: about("The partner's `fee_percentage` of `gold_value_usd`.", 23.063175),
  totalUsd: about('`gold_value_usd` plus `fee_usd`: what `tokens_required` are worth.', 1560.608175),
  tokensRequired: about('GOLD that the user pays, with 6 decimals. Tokens, not dollars.', '0.380625'),
  pickupCode: about(
    `${capitalized(countInWords(pickupDigits))} digits that the customer shows at the counter; there while the redemption is \`ready\`. Read it when you show it: operators can issue another one. Never in lists, events and webhooks.`,
    '04711338',
  ),
  pickupQr: about(
    'What the scanner at the counter reads, `karat:pickup:<redemption_id>:<code>`: show it to the customer as a QR code next to `pickup_code`, with which it comes and goes.',
    'karat:pickup:red_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10:04711338',
  ),
  reason: about('The reason; shown in the record.', 'The customer moved to another city.'),

  final: about('Whether the transaction is final, so that the chain can no longer undo it.', true),
  failureReason: about('Reason why the chain rejected the transaction; null if it did not.', null),

  // everywhere
  createdAt: about('UTC, with milliseconds.', at),
  updatedAt: about('UTC, with milliseconds.', at),
};

/** Describes an amount of USDC, at most 6 decimals. */
export const usdc = (description: string, example: number) => about(`${description} USDC.`, example);
/** Describes an amount of GOLD, at most 6 decimals. */
export const gold = (description: string, example: number) => about(`${description} GOLD.`, example);
